"""Load on the service: simulated raters over HTTP on loopback, bounded in number and time.

Potato (potato-annotation, installed in an environment of its own) serves the same task in the same run: one item with a
slider from 0 to 100. Both servers are measured in turns, so that other load of the machine affects both.

    python benchmarks/service.py --potato ENV/bin/potato --raters 50 10 --seconds 15 --turns 2

A crowd with think time on PostgreSQL:

    python benchmarks/service.py --crowd 500 --think 5 --seconds 60 --workers 2

CPU time per answer and the time of a restart, with few and with many stored judgments:

    python benchmarks/service.py --stored 100 1000000 --tasks 300

How soon an answer through one of two workers is in the estimate of the other, on PostgreSQL:

    python benchmarks/service.py --agree 200 --every 0.2
"""

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from raters import PotatoRater, SteelyardRater, begun, crowd_at_work
from tests.postgres import Server, create_postgres
from tests.serving import serving, write_study
from two_workers import agree

from serving import cpu_seconds_of, family, family_cpu
from steelyard.storage.database import open_database
from steelyard.study.collecting.refitter import Refitter
from steelyard.study.definition.study import open_study

ITEMS = 2000
POTATO = """annotation_task_name: Ratings
task_dir: .
data_files: [items.jsonl]
item_properties: {id_key: id, text_key: text}
output_annotation_dir: output
output_annotation_format: jsonl
require_password: false
max_annotations_per_user: -1
max_annotations_per_item: -1
annotation_schemes:
  - {annotation_type: slider, name: filling, description: "How filling is it?", min_value: 0, max_value: 100,
     starting_value: 50}
user_config: {allow_all_users: true, users: []}
"""


def item_rows():
    return [(f"i{at}", f"Item number {at}, a short text to read") for at in range(ITEMS)]


@contextmanager
def potato(program, folder, port):
    """Potato with the items and the slider of the Steelyard study."""
    folder.mkdir()
    (folder / "config.yaml").write_text(POTATO)
    rows = [json.dumps({"id": name, "text": text}) for name, text in item_rows()]
    (folder / "items.jsonl").write_text("\n".join(rows) + "\n")
    command = [program, "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
    with open(folder / "log.txt", "wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        asyncio.run(answers(f"http://127.0.0.1:{port}", process, folder / "log.txt"))
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.kill()
        process.wait()


async def answers(address, process, log):
    from raters import LOST, Browser

    while process.poll() is None:
        try:
            await Browser(address).ask("GET", "/")
            return
        except LOST:
            await asyncio.sleep(0.2)
    raise SystemExit(f"the server did not start: {log.read_text()[-2000:]}")


def study(folder, postgres=None, **settings):
    """A study of single ratings, on PostgreSQL if there is a server; return the owner key."""
    key = write_study(
        folder,
        protocol="rating",
        extra="redundancy = 1000\njoins_per_minute = 1000000",
        items=item_rows(),
        **settings,
    )
    if postgres is None:
        return key
    (folder / "study.db").unlink()
    return create_postgres(folder, postgres.url)[1]


def numbers(waits):
    return "/".join(f"{1000 * np.quantile(waits, at):.0f}" for at in (0.5, 0.95, 0.99))


@dataclass
class Measured:
    """A server, and what was measured of it with one number of raters."""

    kind: type
    address: str
    pid: int
    waits: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    cpu: float = 0.0

    def take(self, number, prefix, seconds):
        """Add one turn."""
        seen, cpu = asyncio.run(one_turn(self, number, prefix, seconds))
        self.waits += seen.waits
        self.errors += seen.errors
        self.cpu += cpu

    @property
    def cpu_ms(self):
        return 1000 * self.cpu / len(self.waits)


def beside_potato(program, place, raters, seconds, turns):
    """Print annotations per second, CPU time and waiting times of both servers, with each number of raters."""
    key = study(place / "study")
    print(
        "| server | raters | annotations/s | CPU per annotation, ms | p50/p95/p99, ms | errors |\n"
        "|---|---|---|---|---|---|"
    )
    with potato(program, place / "potato", 8791) as other, serving(place / "study", key) as served:
        for number in raters:
            both = {
                "Potato": Measured(PotatoRater, *other),
                "Steelyard": Measured(SteelyardRater, served.address, served.process.pid),
            }
            for turn in range(turns):
                for each in both.values():
                    each.take(number, f"turn {turn} of {number}", seconds)
            for name, each in both.items():
                rate = len(each.waits) / seconds / turns
                row = (
                    name,
                    number,
                    f"{rate:.1f}",
                    f"{each.cpu_ms:.1f}",
                    numbers(each.waits),
                    len(each.errors),
                )
                print(f"| {' | '.join(map(str, row))} |")
            one, two = both["Steelyard"], both["Potato"]
            p95 = np.quantile(one.waits, 0.95) / np.quantile(two.waits, 0.95)
            print(
                f"\n{number} raters: {len(one.waits) / len(two.waits):.1f} times the annotations of Potato, "
                f"{two.cpu_ms / one.cpu_ms:.1f} times as many per CPU second, p95 {p95:.3f} of Potato's\n"
            )


async def one_turn(server, number, prefix, seconds):
    raters = await begun(server.kind, server.address, number, prefix)
    cpu = family_cpu(server.pid)
    seen = await crowd_at_work(raters, seconds)
    cpu = family_cpu(server.pid) - cpu
    for rater in raters:
        rater.browser.close()
    return seen, cpu


def memory(pid):
    """Resident megabytes of a server with all of its processes."""
    pages = sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in family(pid))
    return pages * 4096 / 1e6


def crowd(place, raters, think, seconds, workers):
    """Print the errors, waiting times and memory of a crowd with think time on PostgreSQL."""
    postgres = Server(settings=("max_connections=100",))
    try:
        key = study(place / "study", postgres)
        with serving(place / "study", key, options=("--workers", str(workers))) as served:
            people = asyncio.run(_begun(served.address, raters))
            began, cpu = memory(served.process.pid), family_cpu(served.process.pid)
            seen, halves = asyncio.run(_watched(people, seconds, think, served.process.pid))
            ended, cpu = memory(served.process.pid), family_cpu(served.process.pid) - cpu
            served.process.send_signal(signal.SIGTERM)
            code = served.process.wait()
        stored = {
            entry.assignment
            for entry in open_database(place / "study").since(0)
            if hasattr(entry, "assignment")
        }
        lost = set(seen.acknowledged) - stored
        print(f"raters {raters}, think time {think} s, {seconds} s, {workers} workers, PostgreSQL")
        print(
            f"answers {len(seen.waits)}, errors {len(seen.errors)} {seen.errors[:1]}, lost {len(lost)}, exit {code}"
        )
        print(
            f"p50/p95/p99 {numbers(seen.waits)} ms, server CPU per answer {1000 * cpu / len(seen.waits):.1f} ms"
        )
        print(f"memory, MB: {began:.0f} at the start, {halves:.0f} after half, {ended:.0f} at the end")
    finally:
        postgres.remove()


async def _begun(address, raters):
    people = await begun(SteelyardRater, address, raters)
    for each in people:
        each.browser.close()  # the next loop opens connections of its own
    return people


async def _watched(people, seconds, think, pid):
    working = asyncio.create_task(crowd_at_work(people, seconds, think))
    await asyncio.sleep(seconds / 2)
    half = memory(pid)
    return await working, half


def fill(folder, judgments):
    """Store this number of judgments directly, as raters would have given them: each rater rates 400 items once."""
    import sqlalchemy as sa

    from steelyard.storage import schema

    database = open_database(folder)
    rng, position, at = np.random.default_rng(0), database.head(), 1_700_000_000.0
    definition = open_definition(folder)
    tasks, answers, people, events = [], [], [], []
    for number in range(judgments):
        rater, item = f"r-{number // 400 + 1:02d}", f"i{(number * 7) % ITEMS}"
        if number % 400 == 0:
            count = number // 400 + 1
            people.append(
                {
                    "number": count,
                    "id": rater,
                    "name": rater,
                    "source": "open",
                    "key": "",
                    "token": f"filled {count}",
                    "at": at,
                }
            )
            position += 1
            events.append(
                {"position": position, "kind": "consented", "rater": rater, "content": {}, "at": at}
            )
        task = f"t{number + 1}"
        chosen = {"selection": "balanced", "belief_position": 0, "seed": [7, number], "probability": None}
        content = {
            "items": [item],
            "questions": definition,
            "protocol": "rating",
            "assignments": 1,
            "sequence": None,
            "chosen": chosen,
        }
        tasks.append(
            {
                "position": position + 1,
                "id": task,
                "condition": "main",
                "round": 1,
                "content": content,
                "at": at,
            }
        )
        score = {
            "kind": "rating",
            "cells": [[0, 0, float(rng.integers(0, 101))]],
            "comment": "",
            "milliseconds": 4000,
        }
        answers.append(
            {
                "position": position + 2,
                "task": task,
                "rater": rater,
                "assignment": f"filled {number}",
                "content": score,
                "interactions": {"interactions": [], "shown": {}},
                "at": at,
            }
        )
        position += 2
        at += 0.01
    with database.locking() as connection:
        for table, rows in (
            (schema.rater, people),
            (schema.event, events),
            (schema.task, tasks),
            (schema.answer, answers),
        ):
            for start in range(0, len(rows), 10_000):
                connection.execute(table.insert(), rows[start : start + 10_000])
        connection.execute(sa.update(schema.study).values(position=position))


def open_definition(folder):
    return [question.id for question in open_study(folder).definition.questions]


def take_snapshot(folder):
    """Let the process beside the server do what is due."""
    database = open_database(folder)
    Refitter(open_study(folder), database, database, learns=False).turn()


def start_seconds(folder, key):
    """Seconds from the command to the first task of a new rater, and the CPU seconds of the server until then."""
    began = time.perf_counter()
    with serving(folder, key) as served:
        asyncio.run(begun(SteelyardRater, served.address, 1, f"first {began}"))
        cpu = float(cpu_seconds_of(served.process.pid).sum())
        return time.perf_counter() - began, cpu


def stored(place, sizes, tasks, turns):
    """Print the cost of an answer and the time of a restart for each number of stored judgments."""
    keys = {size: study(place / str(size)) for size in sizes}
    for size in sizes:
        fill(place / str(size), size)
    restarts = {size: [] for size in (0, *sizes)}
    keys[0] = study(place / "0")
    for size in restarts:
        take_snapshot(place / str(size))
    for _ in range(turns):
        for size, times in restarts.items():
            times.append(start_seconds(place / str(size), keys[size]))
    costs = {size: [] for size in sizes}
    with ExitStack() as stack:
        servers = {size: stack.enter_context(serving(place / str(size), keys[size])) for size in sizes}
        for turn in range(turns + 1):
            for size, served in servers.items():
                cost = asyncio.run(cpu_per_answer(served, tasks, f"turn {turn}"))
                if turn:  # the first turn warms up
                    costs[size].append(cost)
        memories = {size: memory(served.process.pid) for size, served in servers.items()}
    print(
        "| judgments stored | CPU per answer, ms | start to first task, s: CPU, clock | memory, MB |\n|---|---|---|---|"
    )
    for size, times in restarts.items():
        cost = f"{median(costs[size]):.2f}" if size else ""
        held = f"{memories[size]:.0f}" if size else ""
        clock, cpu = (median(each) for each in zip(*times, strict=True))
        print(f"| {size:,} | {cost} | {cpu:.2f}, {clock:.2f} | {held} |")
    few, many = sizes[0], sizes[-1]
    print(f"\nCPU ratio {median(b / a for a, b in zip(costs[few], costs[many], strict=True)):.2f}")
    for at, name in enumerate(("clock", "CPU")):
        ratios = [b[at] / a[at] for a, b in zip(restarts[0], restarts[many], strict=True)]
        print(f"restart ratio to an empty study, {name} time: {median(ratios):.2f}")


async def cpu_per_answer(served, tasks, prefix):
    """CPU milliseconds of the server per answer of ten raters."""
    raters = await begun(SteelyardRater, served.address, 10, prefix)
    cpu = family_cpu(served.process.pid)
    for _ in range(tasks // 10):
        for rater in raters:
            await rater.annotate()
    cpu = family_cpu(served.process.pid) - cpu
    for rater in raters:
        rater.browser.close()
    return 1000 * cpu / tasks


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--potato", help="program of Potato, in an environment of its own")
    parser.add_argument("--raters", type=int, nargs="+", default=[50, 10])
    parser.add_argument("--crowd", type=int)
    parser.add_argument("--think", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--stored", type=int, nargs="+")
    parser.add_argument("--tasks", type=int, default=300)
    parser.add_argument("--agree", type=int, metavar="ANSWERS")
    parser.add_argument("--every", type=float, default=0.2, help="seconds between the answers of --agree")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.potato:
            beside_potato(given.potato, Path(folder), given.raters, given.seconds, given.turns)
        if given.crowd:
            crowd(Path(folder) / "crowd", given.crowd, given.think, given.seconds, given.workers)
        if given.stored:
            stored(Path(folder) / "stored", given.stored, given.tasks, given.turns)
        if given.agree:
            agree(Path(folder) / "agree", given.agree, given.every)


if __name__ == "__main__":
    main()
