"""What serving costs: start-up, import, and server CPU for one list task served and answered.

The server runs in a process of its own; its CPU time is read from /proc, so the client's work is not in it.
One run measures a study with few judgments stored and one with very many, so that the two can be compared.

    python benchmarks/serving.py --many 100000 --tasks 400
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.serving import serving, write_study
from tests.storage.test_kill import Person

from steelyard.storage.database import open_database
from steelyard.study.scenarios import SCENARIOS
from steelyard.study.session import Session
from steelyard.study.simulate import Crowd, simulate
from steelyard.study.study import open_study

ITEMS = 2000
LIST_SIZE = 5


def cpu_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fill(folder, judgments):
    """Simulated raters answer until so many judgments are stored."""
    database = open_database(folder)
    session = Session(open_study(folder), database, database, time.time)
    rng = np.random.default_rng(0)
    crowd = Crowd.draw(session, SCENARIOS["full"], max(judgments // 400, 5), "uniform", rng)
    simulate(session, crowd, rng, most_tasks=judgments // LIST_SIZE)


def cost_per_task(folder, key, tasks):
    """Server CPU for a list task served and answered, in milliseconds, and wall time of the slowest."""
    with serving(folder, key) as served:
        people = [Person(served.address) for _ in range(8)]
        for at, person in enumerate(people):
            person.start(f"measured {at}")
        states = [json.loads(person.ask("GET", "/api/task")[1]) for person in people]
        for person_at, person in enumerate(people):  # warm up
            states[person_at] = answer(person, states[person_at])
        start, waits = cpu_seconds(served.process), []
        for number in range(tasks):
            at = number % len(people)
            began = time.perf_counter()
            states[at] = answer(people[at], states[at])
            waits.append(time.perf_counter() - began)
        used = cpu_seconds(served.process) - start
    return 1000 * used / tasks, 1000 * float(np.quantile(waits, 0.95))


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--few", type=int, default=100)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--tasks", type=int, default=400)
    told = parser.parse_args()
    items = [(f"i{at}", f"Item number {at}, a short text to read") for at in range(ITEMS)]
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for judgments in (told.few, told.many):
            folder = Path(place) / str(judgments)
            key = write_study(folder, protocol="list", extra="redundancy = 1000", items=items)
            fill(folder, judgments)
            rows.append((judgments, start_up(folder, key), *cost_per_task(folder, key, told.tasks)))
    print(f"import steelyard: {import_seconds():.2f} s (least of 5)\n")
    print(
        "| judgments stored | serve to first page, s | server CPU per task served and answered, ms | p95 wait, ms |"
    )
    print("|---|---|---|---|")
    for judgments, started, cost, wait in rows:
        print(f"| {judgments:,} | {started:.2f} | {cost:.2f} | {wait:.1f} |")
    print(f"\nratio of CPU, many to few: {rows[1][2] / rows[0][2]:.2f}")


if __name__ == "__main__":
    main()
