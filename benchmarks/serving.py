"""Cost of serving: start-up, import, and server CPU time for one list task served and answered.

Each server runs in a separate process. Its CPU time (user and system) is read from /proc, so the client's work is
not included. One task is one POST of a list of five with its moves, over a new connection, with the cookies and
the token of the rater's page. The reply contains the next task. The answer is on disk before the reply.

A study with few stored judgments and one with many are served side by side and measured in turns, so that other
load of the machine affects both. If the machine counts instructions (perf), they are shown too.

    python benchmarks/serving.py --many 100000 --tasks 200 --turns 7

With --owner, the script measures the effect of the owner's page on raters: answers per second of one client that
answers without a pause, with the page closed and open in turns, and the CPU seconds and the age of the page's
content.

    python benchmarks/serving.py --owner --many 100000 --seconds 30 --turns 3

With --memory, it measures the resident memory of a server while one client sends large answers without a pause.

    python benchmarks/serving.py --memory --seconds 300
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.serving import serving, write_study
from tests.storage.test_kill import Person

from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study

ITEMS = 2000
LIST_SIZE = 5
RATERS = 24


def cpu_seconds(process):
    """User and system time of a process so far, in steps of 10 ms."""
    return cpu_seconds_of(process.pid)


def cpu_seconds_of(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return np.array([int(fields[11]), int(fields[12])]) / os.sysconf("SC_CLK_TCK")


def fill(folder, judgments):
    """Let simulated raters answer until this number of judgments is stored."""
    database = open_database(folder)
    session = Session(open_study(folder), database, database, time.time)
    rng = np.random.default_rng(0)
    crowd = Crowd.draw(session, SCENARIOS["full"], max(judgments // 400, 5), "uniform", rng)
    simulate(session, crowd, rng, most_tasks=judgments // LIST_SIZE)


@dataclass
class Measured:
    """A served study with raters, and the cost of their tasks."""

    judgments: int
    started: float
    process: subprocess.Popen
    people: list
    states: list = field(default_factory=list)
    costs: list = field(default_factory=list)  # of each turn: user and system milliseconds per task
    waits: list = field(default_factory=list)
    turn: int = 0
    joined: int = 0

    def begin(self):
        self.states = [{} for _ in self.people]
        for at in range(len(self.people)):
            self.join(at)
        self.work(2 * RATERS)  # warm up

    def join(self, at):
        """Add a rater with a task at this index."""
        self.joined += 1
        self.people[at] = Person("http://" + self.people[at].host)
        self.people[at].start(f"measured {self.joined}")
        self.states[at] = json.loads(self.people[at].ask("GET", "/api/task")[1])

    def work(self, tasks):
        """Answer this number of tasks, with the raters in turn; return the waiting times."""
        waits = []
        for _ in range(tasks):
            self.turn = (self.turn + 1) % RATERS
            began = time.perf_counter()
            self.states[self.turn] = answer(self.people[self.turn], self.states[self.turn])
            waits.append(time.perf_counter() - began)
            if "task" not in self.states[self.turn]:  # this rater has seen every item: another takes over
                self.join(self.turn)
        return waits

    def measure(self, tasks):
        start = cpu_seconds(self.process)
        self.waits += self.work(tasks)
        self.costs.append(1000 * (cpu_seconds(self.process) - start) / tasks)

    def instructions(self, tasks):
        """Instructions per task; None if the machine does not count them."""
        if shutil.which("perf") is None:
            return None
        command = ["perf", "stat", "-x", ",", "-e", "instructions", "-p", str(self.process.pid)]
        perf = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)  # until it counts; the server is idle
        self.work(tasks)
        perf.send_signal(signal.SIGINT)
        count = perf.communicate()[1].partition(",")[0]
        return int(count) / tasks if count.isdigit() else None

    def row(self, tasks):
        totals = [float(cost.sum()) for cost in self.costs]
        system = float(np.median([cost[1] for cost in self.costs]))
        counted = self.instructions(tasks)
        return (
            f"| {self.judgments:,} | {self.started:.2f} | {np.median(totals):.2f} "
            f"({min(totals):.2f} to {max(totals):.2f}) | {system:.2f} | "
            f"{'not counted here' if counted is None else f'{counted / 1e6:.2f} million'} | "
            f"{1000 * np.quantile(self.waits, 0.95):.1f} |"
        )


def answer(person, state):
    task = state["task"]
    cells = [{"item": at, "question": 0, "score": 30} for at in range(len(task["items"]))]
    moves = [[120 * at, at % 5, 0, "step", at] for at in range(40)]
    body = {"assignment": task["assignment"], "answers": cells, "milliseconds": 9000, "interactions": moves}
    headers = {"Content-Type": "application/json", "X-CSRF-Token": person.csrf}
    status, text = person.ask("POST", "/api/answers", json.dumps(body), headers)
    if status != 200:
        raise SystemExit(text)
    return json.loads(text)


def start_up(folder, key):
    """Seconds from the command to the first page."""
    began = time.perf_counter()
    with serving(folder, key) as served:
        Person(served.address).ask("GET", "/join")
        return time.perf_counter() - began


def import_seconds():
    command = [
        sys.executable,
        "-c",
        "import time; t = time.perf_counter(); import steelyard; print(time.perf_counter() - t)",
    ]
    return min(
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(5)
    )


def prepare(folder, judgments):
    """Make a study with this number of stored judgments; return its key."""
    items = [(f"i{at}", f"Item number {at}, a short text to read") for at in range(ITEMS)]
    key = write_study(folder, protocol="list", extra="redundancy = 1000", items=items)
    fill(folder, judgments)
    return key


def measure_in_turns(place, sizes, tasks, turns):
    """Print the cost of a task with few and with many stored judgments."""
    keys = [prepare(place / str(size), size) for size in sizes]
    with ExitStack() as stack:
        served = []
        for size, key in zip(sizes, keys, strict=True):
            started = start_up(place / str(size), key)
            server = stack.enter_context(serving(place / str(size), key))
            people = [Person(server.address) for _ in range(RATERS)]
            served.append(Measured(size, started, server.process, people))
        for each in served:
            each.begin()
        for _ in range(turns):
            for each in served:
                each.measure(tasks)
        for each in served:
            print(each.row(tasks))
        few, many = (np.array([cost.sum() for cost in each.costs]) for each in served)
    print(f"\nevery turn, ms: few {np.round(few, 2).tolist()}, many {np.round(many, 2).tolist()}")
    print(f"ratio of CPU, many to few, median over turns: {np.median(many / few):.2f}")


def family(pid):
    """A process and all of its descendants."""
    found = [pid]
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError):  # the thread has ended
            for child in (thread / "children").read_text().split():
                found += family(int(child))
    return found


def family_cpu(pid):
    """CPU seconds so far of a server with the processes beside it."""
    return sum(float(cpu_seconds_of(each).sum()) for each in family(pid))


class OpenPage(threading.Thread):
    """The owner's page as a browser keeps it open: looked at every five seconds, charts too."""

    def __init__(self, served, measured):
        super().__init__(daemon=True)
        self.browser, self.measured = Person(served.address, patience=1800), measured
        self.browser.ask("GET", "/owner/enter?key=" + served.owner.partition("key=")[2])
        self.closed, self.ages, self.waits = threading.Event(), [], []

    def run(self):
        while not self.closed.is_set():
            began = time.perf_counter()
            page = self.browser.ask("GET", "/owner/live")[1]
            self.waits.append(time.perf_counter() - began)
            shown = int(re.search(r"Judgments</dt><dd><b>([\d,]+)", page).group(1).replace(",", ""))
            self.ages.append(self.measured.age_of(shown))
            for chart in set(re.findall(r'<img src="(/owner/[^"]+)"', page)):
                self.browser.ask("GET", chart.replace("&amp;", "&"))
            self.closed.wait(5.0)


class Looping(Measured):
    """Raters who answer without a pause, and when each judgment was acknowledged."""

    def loop(self, seconds):
        """Answers per second over this time."""
        began, count = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            self.work(1)
            self.given.append(time.perf_counter())
            count += 1
        return count / (time.perf_counter() - began)

    def begin(self):
        self.given = []
        super().begin()
        self.given = [time.perf_counter()] * 2 * RATERS

    def age_of(self, judgments):
        """Seconds since the number of judgments exceeded this one."""
        missing = max(judgments - self.judgments, 0) // LIST_SIZE
        return time.perf_counter() - self.given[missing] if missing < len(self.given) else 0.0


def measure_owner(place, size, seconds, turns):
    """Print the cost of the owner's page and its effect on raters."""
    key = prepare(place / "owned", size)
    with serving(place / "owned", key) as served:
        measured = Looping(size, 0.0, served.process, [Person(served.address) for _ in range(RATERS)])
        measured.begin()
        measured.loop(seconds / 3.0)
        before = family_cpu(served.process.pid)
        began = time.perf_counter()
        page = OpenPage(served, measured)
        page.browser.ask("GET", "/owner/live")
        first = family_cpu(served.process.pid) - before, time.perf_counter() - began
        print(f"first look: {first[0]:.1f} s of CPU, {first[1]:.1f} s on the clock, raters idle")
        for _ in range(turns):
            closed = measured.loop(seconds)
            page = OpenPage(served, measured)
            page.start()
            opened = measured.loop(seconds)
            page.closed.set()
            page.join()
            print(
                f"answers/s: page closed {closed:.0f}, open {opened:.0f} ({100 * opened / closed:.0f}%); "
                f"looks {len(page.waits)}, longest wait {max(page.waits):.1f} s, oldest shown {max(page.ages):.1f} s"
            )


def large_answer(state, moves):
    """An answer with this number of moves, each as long as the server accepts."""
    cells = [{"item": at, "question": 0, "score": 30} for at in range(len(state["task"]["items"]))]
    made = [[f"{at}-{part}".ljust(64, ".") for part in range(8)] for at in range(moves)]
    return {"assignment": state["task"]["assignment"], "answers": cells, "interactions": made}


def measure_memory(place, seconds, moves):
    """Print a server's resident memory while one client loops."""
    key = prepare(place / "filled", 100)
    with serving(place / "filled", key) as served:
        number = answers = 0
        began = next_report = time.perf_counter()
        print(f"{moves} moves in every answer\n| second | answers | resident, MB |\n|---|---|---|")
        while time.perf_counter() - began < seconds:
            number += 1
            person = Person(served.address)
            person.start(f"looping {number}")
            state = json.loads(person.ask("GET", "/api/task")[1])
            while state["state"] == "task" and time.perf_counter() - began < seconds:
                headers = {"Content-Type": "application/json", "X-CSRF-Token": person.csrf}
                body = json.dumps(large_answer(state, moves))
                status, text = person.ask("POST", "/api/answers", body, headers)
                if status != 200:
                    raise SystemExit(text)
                state, answers = json.loads(text), answers + 1
                if time.perf_counter() >= next_report:
                    next_report += seconds / 10.0
                    print(f"| {time.perf_counter() - began:.0f} | {answers} | {resident(served):.0f} |")
        print(f"| {seconds:.0f} | {answers} | {resident(served):.0f} |")


def resident(served):
    """Resident memory of a server, MB."""
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--few", type=int, default=100)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--tasks", type=int, default=200, help="tasks in each turn")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--owner", action="store_true", help="measure the owner's page")
    parser.add_argument("--memory", action="store_true", help="measure memory")
    parser.add_argument("--moves", type=int, default=1000, help="moves in every answer, with --memory")
    parser.add_argument(
        "--seconds", type=float, default=30.0, help="seconds of each turn, or in total with --memory"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if arguments.owner:
            measure_owner(Path(place), arguments.many, arguments.seconds, arguments.turns)
            return
        if arguments.memory:
            measure_memory(Path(place), arguments.seconds, arguments.moves)
            return
    print(f"import steelyard: {import_seconds():.2f} s (least of 5)\n")
    print(
        "| judgments stored | serve to first page, s | server CPU per task served and answered, ms: "
        "median (least to most) of the turns | of it system, ms | instructions | p95 wait, ms |"
    )
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        measure_in_turns(Path(place), (arguments.few, arguments.many), arguments.tasks, arguments.turns)


if __name__ == "__main__":
    main()
