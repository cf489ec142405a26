"""Two server processes on PostgreSQL: how soon one has an answer that the other acknowledged, and when they agree.

Each process opens the study as a worker of `steelyard serve --workers 2` does, and a further process refits. In place
of requests, both look at their estimates again and again. `service.py --agree` runs it.
"""

import multiprocessing
import time
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from tests.postgres import Server, create_postgres
from tests.serving import write_study
from tests.study.making import answer_with

from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from steelyard.web.app import create_study_app
from steelyard.web.refitting import Refitting

ITEMS, LIST_SIZE, RATERS = 100, 5, 20
LOOK_SECONDS = 0.005  # pause between two looks
LAST_SECONDS = 5.0  # how long both look after the last answer
START_SECONDS = 60.0  # for a process to open the study
EQUAL = 1e-9  # points
STUDY = f'selection = "information"\nmodel = "steelyard"\nlist_size = {LIST_SIZE}\nredundancy = 50'


@dataclass(frozen=True)
class Look:
    """The estimate of a worker from a time on: up to which log position it learned, and the positions of items."""

    at: float
    log_position: int
    positions: np.ndarray


def work(folder, orders, replies, seed):
    """Accept an answer of each rater who is named, look at the estimate meanwhile, and send all looks at the end."""
    session, rng = create_study_app(folder, refits_elsewhere=True).session, np.random.default_rng(seed)
    looks = [look(session)]
    replies.send("ready")
    while True:
        if orders.poll(LOOK_SECONDS):
            rater = orders.recv()
            if rater is None:
                break
            assignment = session.next_task(rater).assignment
            session.accept(
                rater, answer_with(assignment, rng.uniform(0, 100, len(assignment.task.items)).tolist())
            )
            replies.send((time.monotonic(), session.ledger.log_position))
        newest = look(session)
        is_new = newest.log_position != looks[-1].log_position or apart(newest, looks[-1]) > 0
        looks += [newest] if is_new else []
    replies.send(looks)


def look(session):
    session.fresh_ledger()
    learner = session.follower.planner.learner
    positions = learner.belief().position
    return Look(time.monotonic(), learner.log_position, np.array(positions))


def apart(one, other):
    """Largest difference between two estimates, in points."""
    return float(np.abs(one.positions - other.positions).max())


@contextmanager
def workers(folder):
    """Two workers and the process that refits; yields the connections to send orders and to receive replies."""
    context = multiprocessing.get_context("spawn")
    pipes = [(context.Pipe(), context.Pipe()) for _ in range(2)]
    processes = [
        context.Process(target=work, args=(folder, orders[0], replies[1], seed), daemon=True)
        for seed, (orders, replies) in enumerate(pipes)
    ]
    refitting = Refitting(lambda: (folder,))
    refitting.start()
    for process in processes:
        process.start()
    try:
        yield [(orders[1], replies[0]) for orders, replies in pipes]
    finally:
        for process in processes:
            process.kill()
            process.join()
        refitting.stop()


def received(replies):
    """A reply; a worker that does not reply in time ends the benchmark."""
    if not replies.poll(START_SECONDS):
        raise SystemExit("a worker did not reply")
    return replies.recv()


def agree(folder, answers, every):
    """Print how soon answers through one worker are in the estimate of the other, and when both are equal."""
    postgres = Server(settings=("max_connections=100",))
    try:
        write_study(
            folder, protocol="list", extra=STUDY, items=[(f"i{at}", f"Item {at}") for at in range(ITEMS)]
        )
        for name in ("study.db", "database.toml"):
            (folder / name).unlink(missing_ok=True)
        create_postgres(folder, postgres.url)
        acknowledged, looks = answered(folder, answers, every)
        print(
            f"{answers} answers of {LIST_SIZE} ratings, one every {every} s, through two workers in turn, PostgreSQL"
        )
        show(acknowledged, looks)
    finally:
        postgres.remove()


def answered(folder, answers, every):
    """Time and log position of each acknowledged answer, and the looks of both workers."""
    database = open_database(folder)
    session = Session(open_study(folder), database, database, time.time)
    raters = [session.join("", "open").id for _ in range(RATERS)]
    with workers(folder) as connections:
        for _, replies in connections:
            received(replies)
        acknowledged = []
        for at in range(answers):
            orders, replies = connections[at % 2]
            orders.send(raters[(at // 2) % RATERS])
            acknowledged.append(received(replies))
            time.sleep(every)
        time.sleep(LAST_SECONDS)
        for orders, _ in connections:
            orders.send(None)
        return acknowledged, [received(replies) for _, replies in connections]


def show(acknowledged, looks):
    """Print the delays and the largest difference."""
    included, equal = [], []
    for at, (moment, position) in enumerate(acknowledged):
        others = [each.at for each in looks[1 - at % 2] if each.log_position >= position]
        included.append(max(min(others, default=np.inf) - moment, 0.0))
        equal.append(first_equal(looks, moment, position) - moment)
    for name, delays in (("in the estimate of the other worker", included), ("both estimates equal", equal)):
        median, p95, longest = (1000 * np.quantile(delays, q, method="higher") for q in (0.5, 0.95, 1))
        late = sum(delay > 1 for delay in delays)
        print(f"{name}: p50/p95/longest {median:.0f}/{p95:.0f}/{longest:.0f} ms, {late} after more than 1 s")
    same = [(one, other) for one in looks[0] for other in looks[1] if one.log_position == other.log_position]
    print(
        f"largest difference at one log position: {max(apart(*pair) for pair in same):.2g} points ({len(same)} pairs)"
    )


def first_equal(looks, moment, position):
    """The first time from a moment on when both estimates include a log position and are equal."""
    times = sorted({moment, *(each.at for seen in looks for each in seen if each.at > moment)})
    for at in times:
        both = [[each for each in seen if each.at <= at][-1] for seen in looks]
        if min(each.log_position for each in both) >= position and apart(*both) <= EQUAL:
            return at
    return np.inf
