"""Commands of Steelyard, each in a process of its own.

`launch` starts Python anew, as a user does. `fork` starts from a process that has imported everything already
(`tests/warm.py`): the same `main`, on real file descriptors and with an exit code, without the seconds of imports.
"""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from tempfile import TemporaryFile

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.warm"])
PATIENCE = 900  # seconds; only ends a test whose state is never reached, however busy the machine
STREAMS = ("stdin", "stdout", "stderr")


def launch(*arguments, **streams):
    """Start a command in a new Python."""
    return subprocess.Popen([sys.executable, "-m", "steelyard", *arguments], **streams)


def fork(*arguments, **streams):
    """Start a command in a copy of the process that has imported everything."""
    given = {STREAMS.index(name): Connection(os.dup(file.fileno())) for name, file in streams.items()}
    command = Forked(arguments, given)
    command.start()
    for stream in given.values():
        stream.close()
    return command


class Forked(FORKS.Process):
    """A command with its arguments and those of its streams that were given."""

    def __init__(self, arguments, streams):
        super().__init__()
        self.arguments, self.streams = arguments, streams

    def run(self):
        """Be the command, in the new process."""
        signal.pthread_sigmask(signal.SIG_SETMASK, ())  # those of a server's own processes may be inherited
        for descriptor, stream in self.streams.items():
            os.dup2(stream.fileno(), descriptor)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        # Messages contain the name of stdin, which would be 0 for a stream that is opened here.
        sys.stdin.buffer.raw.name = "<stdin>"
        sys.argv = ["steelyard", *self.arguments]
        from steelyard.cli.main import main  # late: importing this module costs nothing

        main()

    def wait(self):
        """The exit code, once there is one."""
        self.join()
        return self.exitcode


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def finish(*arguments, input=None, start=fork):
    """Run a command to its end."""
    with text_file() as stdin, text_file() as stdout, text_file() as stderr:
        stdin.write(input or "")
        stdin.seek(0)
        code = start(*arguments, stdin=stdin, stdout=stdout, stderr=stderr).wait()
        for stream in (stdout, stderr):
            stream.seek(0)
        return Done(code, stdout.read(), stderr.read())


def text_file():
    return TemporaryFile("w+", encoding="utf-8", newline="")
