"""One transaction on a study: its ledger, the writer of its log and the time, so that they are handed on as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.study.log.interface import Entry, Event, EventKind, Lease, Task, Writer
from steelyard.study.log.ledger import Ledger


@dataclass(frozen=True, eq=False, slots=True)
class Transaction:
    """What is read and written under the study's lock at one time: all of it happens, or nothing.

    The ledger is at the log's newest position and stays there: `append` writes an entry and folds it.
    """

    ledger: Ledger
    writer: Writer
    now: float

    def append(self, entry: Entry) -> None:
        """Write an entry to the log, and fold it."""
        self.ledger.fold([self.writer.append(entry)])

    def note(self, kind: EventKind, rater: str = "", facts: Mapping[str, Any] | None = None) -> None:
        """Log that something happened now."""
        self.append(Event(kind, rater, {} if facts is None else facts, self.now))

    @property
    def held_until(self) -> float:
        """Until when a place that is given out now is held."""
        return self.now + 60.0 * self.ledger.definition.choosing.lease_minutes

    def task_of(self, place: Lease) -> Task:
        """The task that a place belongs to."""
        return self.ledger.tasks[place.task]

    def free_places(self, most: int) -> Sequence[Lease]:
        """Places that nobody holds, or that were abandoned, oldest first."""
        return self.writer.free(self.now, most)

    def withdraw(self, places: Sequence[Lease]) -> None:
        """Remove places and log it, once for each task, so that its items can be asked otherwise."""
        for place in places:
            self.writer.close(place)
        for task, count in Counter(place.task for place in places).items():
            self.note("withdrawn", facts={"task": task, "places": count})
