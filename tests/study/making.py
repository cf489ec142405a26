"""Small studies for tests, on a real database and with a clock that only the test moves."""

from steelyard.kinds.rating import Score
from steelyard.storage.memory import Memory
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import study_with
from steelyard.study.definition.study_file import define
from steelyard.study.log.entries import Answer
from tests.stores import create_store


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now

    def pass_minutes(self, minutes):
        self.now += 60.0 * minutes


def make_study(folder, items=10, **settings):
    table = {
        "title": "Test",
        "items": {"file": "items.csv"},
        "questions": [{"text": "How much?"}],
        **settings,
    }
    if isinstance(items, int):
        items = [Item(f"i{at}", "text", f"Item number {at}") for at in range(items)]
    return study_with(folder, define(table), Items(tuple(items)))


def make_session(folder, clock, items=10, store="sqlite", **settings):
    folder.mkdir(parents=True)
    log = Memory() if store == "memory" else create_store(folder, store)[0]
    return Session(make_study(folder, items, **settings), log, log, clock)


def answer_with(assignment, scores=50.0, questions=1):
    values = scores if isinstance(scores, list) else [scores] * len(assignment.task.items)
    cells = [Score(at, number, value) for at, value in enumerate(values) for number in range(questions)]
    return Answer("", "", assignment.id, tuple(cells), milliseconds=4000)


def work(session, rater, tasks=None):
    """Let one rater answer until no task is left or the limit is reached; return the tasks they saw."""
    seen = []
    while tasks is None or len(seen) < tasks:
        assignment = session.next_task(rater).assignment
        if assignment is None:
            break
        session.accept(rater, answer_with(assignment))
        seen.append(assignment.task)
    return seen
