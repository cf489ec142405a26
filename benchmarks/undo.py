"""Waiting time of one rater while another rater undoes answers repeatedly.

The study chooses by information and has some thousands of stored judgments. One server in a separate process
serves both raters. The first rater works alone, then while the second answers and undoes without a pause. Refused
requests are repeated.

    python benchmarks/undo.py --judgments 5000 --tasks 40
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.serving import answer, fill
from tests.serving import serving, write_study
from tests.storage.test_kill import Person

ITEMS = 500


def undo(person, state):
    """Undo the last answer if allowed; return the task to answer and whether it was undone."""
    headers = {"Content-Type": "application/json", "X-CSRF-Token": person.csrf}
    status, text = person.ask("POST", "/api/undo", json.dumps({"assignment": state["last"]}), headers)
    return (json.loads(text), True) if status == 200 else (state, False)


def loop_undo(person, done, taken_back):
    """Answer and undo until `done` is set; request tasks only, once undo is refused."""
    state, may_answer = json.loads(person.ask("GET", "/api/task")[1]), True
    while not done.is_set():
        state = answer(person, state) if may_answer else state
        state, may_answer = undo(person, state)
        taken_back.append(may_answer)


def work(person, tasks):
    """Milliseconds of each answer."""
    state, waits = json.loads(person.ask("GET", "/api/task")[1]), []
    for _ in range(tasks):
        began = time.perf_counter()
        state = answer(person, state)
        waits.append(1000 * (time.perf_counter() - began))
    return waits


def measure(place, judgments, tasks):
    items = [(f"i{at}", f"Item number {at}, a short text to read") for at in range(ITEMS)]
    extra = 'redundancy = 1000\nmodel = "steelyard"\nselection = "information"\nleast_worth = 0'
    key = write_study(place, protocol="list", extra=extra, items=items)
    fill(place, judgments)
    with serving(place, key) as served:
        honest, looping = Person(served.address), Person(served.address)
        honest.start("honest")
        looping.start("looping")
        work(honest, 5)  # the first task learns from all that is stored
        alone, done, taken_back = work(honest, tasks), threading.Event(), []
        other = threading.Thread(target=loop_undo, args=(looping, done, taken_back))
        other.start()
        beside = work(honest, tasks)
        done.set()
        other.join()
    return alone, beside, taken_back


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judgments", type=int, default=5000)
    parser.add_argument("--tasks", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        alone, beside, taken_back = measure(Path(place) / "study", arguments.judgments, arguments.tasks)
    print(f"judgments stored: {arguments.judgments}; answers of the other rater: {arguments.tasks} each time")
    for name, waits in (("alone", alone), ("while one loops undo", beside)):
        p50, p95 = np.quantile(waits, [0.5, 0.95])
        print(f"{name}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, longest {max(waits):.0f} ms")
    print(f"undos asked for {len(taken_back)}, done {sum(taken_back)}")


if __name__ == "__main__":
    main()
