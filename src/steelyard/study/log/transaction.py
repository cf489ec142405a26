"""A transaction on a study: the ledger, the writer of the log and the current time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.study.log.interface import Entry, Event, EventKind, Lease, Task, Writer
from steelyard.study.log.ledger import Ledger


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
    """

    ledger: Ledger
    writer: Writer
    now: float

    def append(self, entry: Entry) -> None:
        """Write an entry to the log and fold it into the ledger."""
        self.ledger.fold([self.writer.append(entry)])

    def note(self, kind: EventKind, rater: str = "", facts: Mapping[str, Any] | None = None) -> None:
        """Log an event with the current time.

        Parameters
        ----------
        kind
            Kind of the event.
        rater
            Id of the rater concerned; empty for the owner or the whole study.
        facts
            Details of the event.
        """
        self.append(Event(kind, rater, {} if facts is None else facts, self.now))

    @property
    def held_until(self) -> float:
        """Time at which a place assigned now expires, in seconds since 1970."""
        return self.now + 60.0 * self.ledger.definition.choosing.lease_minutes

    def task_of(self, place: Lease) -> Task:
        """Return the task that a place belongs to."""
        return self.ledger.tasks[place.task]

    def free_places(self, most: int) -> Sequence[Lease]:
        """Return up to `most` places that are free or expired, oldest first."""
        return self.writer.free(self.now, most)

    def withdraw(self, places: Sequence[Lease]) -> None:
        """Delete places and log one event per task, so that the items can be asked in other tasks."""
        for place in places:
            self.writer.close(place)
        for task, count in Counter(place.task for place in places).items():
            self.note("withdrawn", facts={"task": task, "places": count})
