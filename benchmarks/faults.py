"""Kill workers, databases and clients at random under load, and compare what was acknowledged with the log.

    python benchmarks/faults.py --kills 20

Raters answer without a pause while one process after the other is killed with SIGKILL. A rater whose request fails
sends the same answer again, as the pages do. A killed client drops its connection in the middle of a request and
never comes back, and another rater takes its seat. SQLite has no process of its own, so `database` kills all
processes of the server at once, and starts the server again. At the end all raters work until no task is left, also
those that were abandoned. Then the whole log is verified.
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from raters import LOST, SteelyardRater
from tests.postgres import Server, create_postgres
from tests.serving import serving, write_study

from steelyard.storage.database import open_database
from steelyard.storage.verifying import verify
from steelyard.study.definition.study import open_study
from steelyard.study.log.entries import Answer

WORKERS = 2
PATIENCE_SECONDS = 120  # how long a rater repeats a request before the trial fails


class Trial:
    """One study under load, on one store."""

    def __init__(self, place, store, items):
        self.folder, self.stack = place, ExitStack()
        rows = [(f"i{at}", f"Item {at}") for at in range(items)]
        extra = "redundancy = 12\nlist_size = 2\nlease_minutes = 0.1"
        self.key = write_study(place, protocol="list", extra=extra, items=rows)
        self.postgres = None
        if store == "postgres":
            self.postgres = Server()
            (place / "study.db").unlink()
            self.key = create_postgres(place, self.postgres.url)[1]
        self.acknowledged, self.seats, self.joined, self.kills = [], {}, 0, 0
        self.start()

    def start(self, port=0):
        self.serving = serving(
            self.folder, self.key, options=("--workers", str(WORKERS), "--port", str(port))
        )
        self.served = self.serving.__enter__()
        self.address = self.served.address

    def close(self):
        self.serving.__exit__(None, None, None)
        if self.postgres is not None:
            self.postgres.remove()

    # Raters

    async def work(self, seat):
        """Answer until there are no tasks; repeat what fails."""
        self.joined += 1
        rater = SteelyardRater(self.address, f"rater {self.joined}")
        self.seats[seat] = rater
        await self.insist(rater.begin)
        while True:
            done = await self.insist(rater.annotate, rater.look)
            if done is not None:
                self.acknowledged.append(done)
            elif rater.state.get("state") in ("finished", "over", "done"):
                return
            else:
                await asyncio.sleep(0.5)
                await self.insist(rater.look)
                if rater.state.get("state") != "task" and self.ending.is_set():
                    return

    async def insist(self, act, after_refusal=None):
        """Repeat a request until it is answered; a refused answer was not acknowledged, so look for the next task.

        Patience begins anew after each kill: a server that is killed again and again may not answer for longer.
        """
        tries, kills = 0, self.kills
        while tries < PATIENCE_SECONDS * 5:
            tries, kills = (tries + 1, kills) if kills == self.kills else (0, self.kills)
            try:
                return await asyncio.wait_for(act(), 60)
            except AssertionError as refused:
                if after_refusal is not None and str(refused).startswith("409"):
                    act = after_refusal
                await asyncio.sleep(0.2)
            except (*LOST, AttributeError):  # the connection was lost, or a page of an error has no token
                await asyncio.sleep(0.2)
        raise SystemExit("a request failed for too long")

    # Kills

    async def kill(self, what):
        if what == "client":
            self.kill_client()
        elif what == "worker":
            while not (workers := self.workers()):  # all were killed, and none is replaced yet
                await asyncio.sleep(0.05)
            os.kill(random.choice(workers), signal.SIGKILL)
        elif self.postgres is not None:
            await asyncio.to_thread(self.restart_postgres)
        else:
            await asyncio.to_thread(self.restart_server)

    def kill_client(self):
        seat = random.choice(list(self.tasks))
        rater = self.seats.get(seat)
        if rater is not None and rater.browser.stream is not None:
            rater.browser.stream[1].transport.abort()
        self.tasks[seat].cancel()
        self.tasks[seat] = asyncio.create_task(self.work(seat))

    def workers(self):
        parent = self.served.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def restart_postgres(self):
        self.postgres.stop(signal.SIGKILL)
        self.postgres.start()

    def restart_server(self):
        workers, port = self.workers(), self.address.rpartition(":")[2]
        for pid in (*workers, self.served.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.served.process.wait()
        self.start(port)

    async def run(self, what, kills, raters, pause):
        """Kill `kills` times, each after the raters have given some answers since the last."""
        self.ending = asyncio.Event()
        self.tasks = {seat: asyncio.create_task(self.work(seat)) for seat in range(raters)}
        for _ in range(kills):
            wanted = len(self.acknowledged) + random.randint(*pause)
            while len(self.acknowledged) < wanted and not all(task.done() for task in self.tasks.values()):
                await asyncio.sleep(0.02)
            await self.kill(what)
            self.kills += 1
        under_kills = len(self.acknowledged)
        self.ending.set()
        await asyncio.gather(*self.tasks.values())
        return under_kills

    def findings(self):
        """Everything that contradicts the promises."""
        database = open_database(self.folder)
        found = list(verify(database, open_study(self.folder)).damage)
        answers = [entry for entry in database.since(0) if isinstance(entry, Answer)]
        stored = Counter(answer.assignment for answer in answers)
        found += [f"acknowledged and lost: {each}" for each in self.acknowledged if each not in stored]
        found += [f"stored {times} times: {each}" for each, times in stored.items() if times > 1]
        given = Counter((answer.task, answer.rater) for answer in answers)
        found += [
            f"one rater answered a task {times} times: {each}" for each, times in given.items() if times > 1
        ]
        with database.writing() as writer:
            held = Counter(lease.assignment for lease in writer.free(1e12, 10**6) if lease.assignment)
        return found + [f"a place held twice: {each}" for each, times in held.items() if times > 1]


def trial(store, what, kills, raters=10, pause=(5, 40), items=None):
    """Run one kind of kill on one store, print a row, and return what contradicts the promises."""
    items = max(20, kills * pause[1] // 4) if items is None else items
    with tempfile.TemporaryDirectory() as folder:
        one = Trial(Path(folder) / "study", store, items)
        try:
            during = asyncio.run(one.run(what, kills, raters, pause))
            found = one.findings()
        finally:
            one.close()
    total = len(one.acknowledged)
    print(
        f"| {store} | {what} | {kills} | {during} | {total} | {len(found)} {found[:3] if found else ''} |",
        flush=True,
    )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--raters", type=int, default=10)
    parser.add_argument("--stores", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--what", nargs="+", default=["worker", "database", "client"])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random.seed(given.seed)
    print("| store | killed | kills | answers until the last kill | acknowledged in all | contradictions |")
    print("|---|---|---|---|---|---|", flush=True)
    failed = [trial(store, what, given.kills, given.raters) for store in given.stores for what in given.what]
    sys.exit(any(failed))


if __name__ == "__main__":
    main()
