"""A separate process for work that takes long or may end the process that does it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_all_start_methods, get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from threading import Lock
from typing import Any

from steelyard.errors import SteelyardError, WorkerEnded

# Unlike fork, neither method copies the threads and locks of this process.
METHOD = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
STOPPING = (signal.SIGINT, signal.SIGTERM)  # reach all processes of a server that is stopped
NICENESS = 10  # gives the process that serves raters priority


class Worker:
    """An object in a separate process, whose methods are called from this process, one call at a time.

    The process starts with the first call, and restarts with the first call after it has ended. A SteelyardError is
    raised in this process. Any other error is printed and ends the separate process, which also ends with this one.
    Ctrl-C and SIGTERM end the separate process only in this way, so that no stopped server reports that it has ended.
    """

    def __init__(self, make: Callable[..., object], arguments: Callable[[], tuple[Any, ...]] = tuple) -> None:
        self._make = make
        self._arguments = arguments
        self._lock = Lock()
        self._process: Any = None
        self._connection: Connection | None = None
        self._at_exit: Any = None

    @property
    def pid(self) -> int | None:
        """Id of the process, or None if it is not running."""
        return None if self._process is None else self._process.pid

    def call(self, method: str, *arguments: Any) -> Any:
        """Return the result of a method of the object. Raises WorkerEnded if the process ends first."""
        with self._lock:
            connection = self._start() if self._connection is None else self._connection
            try:
                connection.send((method, arguments))
                is_error, result = connection.recv()
            except (EOFError, OSError):
                raise WorkerEnded(self._end()) from None
        if is_error:
            raise result
        return result

    def stop(self) -> None:
        """End the process after the current call. The next call starts a new process."""
        with self._lock:
            if self._connection is not None:
                self._end()

    def _start(self) -> Connection:
        context = get_context(METHOD)
        here, there = context.Pipe()
        self._process = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(there, self._make, self._arguments(), NICENESS), daemon=True
        )
        with _stopping_blocked():
            self._process.start()
        # At its exit, Python sends SIGTERM to this process, which ignores it, and waits for it to end.
        self._at_exit = Finalize(None, self._process.kill, exitpriority=0)
        there.close()
        self._connection = here
        return here

    def _end(self) -> int | None:
        """Close the connection, wait for the process to end, and return its exit code."""
        if self._connection is not None:
            self._connection.close()
        self._process.join()
        code: int | None = self._process.exitcode
        self._at_exit.cancel()
        self._process = self._connection = None
        return code


@contextmanager
def _stopping_blocked() -> Iterator[None]:
    """Let a process that starts inherit that Ctrl-C and SIGTERM do not end it: it ends with the server."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # starting it would unblock these signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    connection: Connection, make: Callable[..., object], arguments: tuple[Any, ...], niceness: int
) -> None:
    """Answer calls until the other end of the connection is closed."""
    for name in STOPPING:
        signal.signal(name, signal.SIG_IGN)
    if sys.platform != "win32":
        os.nice(niceness)
    worker = None  # made in a call, which then reports why it cannot be made, and the next call tries again
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            method, of_call = connection.recv()
            try:
                worker = make(*arguments) if worker is None else worker
                reply = (False, getattr(worker, method)(*of_call))
            except SteelyardError as error:
                reply = (True, error)
            connection.send(reply)
