import os
import signal
import subprocess
import sys

import pytest

from steelyard.errors import UnknownName, UnreadableFile, WorkerEnded
from steelyard.web import worker as worker_module
from steelyard.web.worker import Worker
from tests.commands import PATIENCE


class Counter:
    """Something with a state of its own."""

    def __init__(self, start=0):
        self.count = start

    def add(self, number):
        self.count += number
        return self.count

    def process(self):
        return os.getpid()

    def refuse(self):
        raise UnknownName("colour", "blau", ["blue"])

    def end(self):
        os.kill(os.getpid(), signal.SIGABRT)


@pytest.fixture
def worker():
    made = Worker(Counter)
    yield made
    made.stop()


def test_a_worker_keeps_its_state_in_one_process_of_its_own(worker):
    assert worker.pid is None
    assert [worker.call("add", 2), worker.call("add", 3)] == [2, 5]
    assert worker.call("process") == worker.pid != os.getpid()


def test_an_error_that_a_user_can_correct_comes_back_and_the_worker_goes_on(worker):
    worker.call("add", 1)
    with pytest.raises(UnknownName, match="Did you mean 'blue'"):
        worker.call("refuse")
    assert worker.call("add", 1) == 2


class Late:
    """Something that can be made once its file exists."""

    def __init__(self, file):
        if not file.exists():
            raise UnreadableFile(str(file), "it does not exist.", "Create it.")

    def add(self, number):
        return number


def test_a_worker_that_cannot_be_made_says_why_and_is_made_by_a_later_call(tmp_path):
    late = Worker(Late, lambda: (tmp_path / "file",))
    for _ in range(2):
        with pytest.raises(UnreadableFile, match="does not exist"):
            late.call("add", 1)
    (tmp_path / "file").touch()
    assert late.call("add", 1) == 1
    late.stop()


def test_a_worker_that_ended_is_reported_and_started_again(worker):
    before = worker.call("process")
    with pytest.raises(WorkerEnded, match="exit code -6"):
        worker.call("end")
    assert worker.pid is None
    assert worker.call("add", 1) == 1
    assert worker.call("process") != before


def test_a_worker_that_was_killed_between_two_calls_is_started_again(worker):
    os.kill(worker.call("process"), signal.SIGKILL)
    with pytest.raises(WorkerEnded):
        worker.call("add", 1)
    assert worker.call("add", 1) == 1


def test_a_worker_is_made_with_what_is_the_case_when_it_starts():
    starts = iter([(10,), (20,)])
    worker = Worker(Counter, lambda: next(starts))
    assert worker.call("add", 1) == 11
    worker.stop()
    assert worker.call("add", 1) == 21
    worker.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no nice values")
def test_a_worker_gives_way_to_the_process_that_serves_raters(worker, monkeypatch):
    monkeypatch.setattr(worker_module, "NICENESS", 3)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    worker.call("add", 1)
    assert os.getpriority(os.PRIO_PROCESS, worker.pid) == min(own + 3, 19)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals for a process")
@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_stops_the_server_does_not_end_a_worker_by_itself(worker, name):
    before = worker.call("process")
    os.kill(before, name)
    assert worker.call("process") == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals for a process")
def test_a_process_that_exits_ends_its_worker_although_that_ignores_sigterm():
    made = "from fractions import Fraction\nfrom steelyard.web.worker import Worker\n"
    used = "worker = Worker(Fraction)\nworker.call('limit_denominator')\nprint(worker.pid)\n"
    exited = subprocess.run(
        [sys.executable, "-c", made + used], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert exited.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(exited.stdout), 0)
