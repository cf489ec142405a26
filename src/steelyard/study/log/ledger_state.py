"""The state that a ledger keeps, and the steps by which entries of the log change it."""

from __future__ import annotations

from collections import Counter

from steelyard.maths.arrays import Codes
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.log.ground import Ground
from steelyard.study.log.interface import Answer, Event, Task
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.tally import Pair, Tally, count_each


class LedgerState:
    """Tasks, answers, raters, rounds and counts as of a log position."""

    def __init__(self, definition: StudyDefinition, items: Items) -> None:
        self.definition = definition
        self.items = items
        self.position = 0
        self.rewritten = 0  # position of the last event that took judgments back or away
        self.rewrites: list[tuple[int, int]] = []  # position of each such event, first answer it is about
        self.round = 1
        self.paused = False
        self.ground = Ground()
        self.reopened: dict[int, int] = {}  # answers that items to be judged again should get
        self.tasks: dict[str, Task] = {}
        self.planned = 0
        self.raters: dict[str, RaterRecord] = {}
        self.answers: dict[int, Answer] = {}
        self.sequences: dict[int, list[str]] = {}  # tasks of each sequence, in order
        self.tally = Tally(definition, items)

    @property
    def answered(self) -> Codes:
        """Judgments that each item has."""
        return self.tally.answered

    @property
    def pending(self) -> Codes:
        """Judgments that each item awaits in open places."""
        return self.tally.pending

    @property
    def paired(self) -> Counter[Pair]:
        """Answers had and to come, by pair of items asked about."""
        return self.tally.paired

    @property
    def open_places(self) -> dict[str, int]:
        """Places of each task that wait for an answer."""
        return self.tally.open_places

    def linked(self) -> Codes:
        """A number per item, the same for items that are linked: by raters, or by what is asked of them."""
        return self.tally.linked()

    def indices(self, task: Task) -> list[int]:
        """Indices of a task's items."""
        return self.tally.indices(task)

    def pairs(self, task: Task) -> list[Pair]:
        """The pairs that a task asks about; none where each item is judged by itself."""
        return self.tally.pairs(task)

    def rater(self, rater: str) -> RaterRecord:
        """The record of a rater, empty at first."""
        return self.raters.setdefault(rater, RaterRecord())

    def show(self, record: RaterRecord, task: Task, times: int) -> None:
        """Remember (or forget) that a rater was shown this."""
        count_each(record.seen, self.indices(task), times)
        count_each(record.met, self.pairs(task), times)

    def exclude(self, record: RaterRecord, excluded: bool) -> None:
        """Leave a rater's answers out of the counts, or count them again."""
        if record.excluded == excluded:
            return
        record.excluded = excluded
        for answer in record.answers.values():
            task = self.tasks[answer.task]
            self.tally.add_answers(task, -1 if excluded else 1)
            if task.sequence is not None:  # nobody replans a sequence, so its place opens again
                self.tally.open(task, 1 if excluded else -1)

    def rewrite(self, event: Event, first: int) -> None:
        """Note that an event changed answers from this position on; 0 where it may be any."""
        self.rewritten = event.position
        self.rewrites.append((event.position, first))
