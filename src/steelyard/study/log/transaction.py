"""A transaction on a study: the ledger, the writer of the log and the current time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard.study.log.entries import Entry, Event, EventKind, Task
from steelyard.study.log.ground import GROUND_FOLDS
from steelyard.study.log.interface import Lease, Writer
from steelyard.study.log.ledger import Ledger

LOOKED_THROUGH = 16  # free places of all protocols that are read for each one of one protocol


@dataclass(frozen=True, eq=False, slots=True)
class Transaction:
    """Reads and writes under the lock of the study: either all changes are stored, or none of them.

    The ledger is always at the newest log position, because `append` writes an entry and folds it.

    Attributes
    ----------
    ledger
        State of the study.
    writer
        Writer of the log.
    now
        Time of the transaction, in seconds since 1970.
    others
        Ledgers of the other arms and protocols of the study, which follow the same log.
    """

    ledger: Ledger
    writer: Writer
    now: float
    others: tuple[Ledger, ...] = ()

    def in_arm(self, ledger: Ledger) -> Transaction:
        """Return this transaction with the ledger of one arm or one protocol."""
        if ledger is self.ledger:
            return self
        others = tuple(each for each in (self.ledger, *self.others) if each is not ledger)
        return replace(self, ledger=ledger, others=others)

    def append(self, entry: Entry) -> None:
        """Write an entry to the log and fold it into the ledgers."""
        written = self.writer.append(entry)
        for ledger in (self.ledger, *self.others):
            ledger.fold([written])

    def note(self, kind: EventKind, rater: str = "", facts: Mapping[str, Any] | None = None) -> None:
        """Log an event with the current time.

        Parameters
        ----------
        kind
            Kind of the event.
        rater
            Id of the rater concerned; empty for the owner or the whole study.
        facts
            Details of the event. Rounds and anchors belong to one arm, whose name is added.
        """
        of_arm = (
            {"condition": self.ledger.condition} if kind in GROUND_FOLDS and self.ledger.condition else {}
        )
        self.append(Event(kind, rater, {**({} if facts is None else facts), **of_arm}, self.now))

    @property
    def held_until(self) -> float:
        """Time at which a place assigned now expires, in seconds since 1970."""
        return self.now + 60.0 * self.ledger.definition.choosing.lease_minutes

    def task_of(self, place: Lease) -> Task:
        """Return the task that a place belongs to."""
        return self.ledger.tasks[place.task]

    def free_places(self, most: int) -> Sequence[Lease]:
        """Return up to `most` places that are free or expired, oldest first."""
        if self.ledger.protocol is None:
            return self.writer.free(self.now, most, self.ledger.condition)
        free = self.writer.free(self.now, LOOKED_THROUGH * most, self.ledger.condition)
        return [place for place in free if place.task in self.ledger.tasks][:most]

    def withdraw(self, places: Sequence[Lease]) -> None:
        """Delete places and log one event per task, so that the items can be asked in other tasks."""
        for place in places:
            self.writer.close(place)
        for task, count in Counter(place.task for place in places).items():
            self.note("withdrawn", facts={"task": task, "places": count})
