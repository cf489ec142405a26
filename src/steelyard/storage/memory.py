"""A log and roster in memory, for simulations and tests."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from threading import Lock

from steelyard.study.log.acts import Act
from steelyard.study.log.entries import Answer, Entry, Event, EventKind, Task
from steelyard.study.log.interface import Lease, Rater, Source


class Memory:
    """The log and the roster of one study in memory. A transaction that fails changes nothing."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._answered: set[str] = set()
        self._places: dict[int, Lease] = {}
        self._newest_place = 0
        self._raters: list[Rater] = []
        self._conditions: dict[str, str] = {}  # by task
        self._acts: list[Act] = []
        self._lock = Lock()

    @property
    def problem(self) -> str:
        """Empty, because memory can always be written."""
        return ""

    @contextmanager
    def writing(self) -> Iterator[MemoryWriter]:
        """Open a transaction under the lock of the study; its changes are kept when it ends without an error."""
        with self._lock:
            writer = MemoryWriter(self._entries, self._answered, dict(self._places), self._newest_place)
            writer.raters = list(self._raters)
            writer.conditions = ChainMap({}, self._conditions)
            yield writer
            self._conditions.update(writer.conditions.maps[0])
            self._entries.extend(writer.added)
            self._acts.extend(writer.acts)
            self._answered.update(entry.assignment for entry in writer.added if isinstance(entry, Answer))
            self._places, self._newest_place = writer.places, writer.newest_place
            self._raters = writer.raters

    def since(self, position: int) -> Iterator[Entry]:
        """Yield the committed entries after a log position, in order."""
        with self._lock:
            entries = self._entries[position:]
        yield from entries

    def head(self) -> int:
        """Return the newest log position."""
        return len(self._entries)

    def entry_at(self, position: int) -> Entry | None:
        """Return the entry at a log position."""
        return self._entries[position - 1] if 1 <= position <= len(self._entries) else None

    def task_named(self, task: str) -> Task | None:
        """Return the task with this id."""
        return next((each for each in self._entries if isinstance(each, Task) and each.id == task), None)

    def entries_of(self, rater: str) -> list[Task | Answer]:
        """Return the answers of a rater, including those taken back, and the tasks that they belong to."""
        answers = [each for each in self._entries if isinstance(each, Answer) and each.rater == rater]
        named = {each.task for each in answers}
        tasks = [each for each in self._entries if isinstance(each, Task) and each.id in named]
        return [*tasks, *answers]

    def newest_event(self, kind: EventKind) -> Event | None:
        """Return the newest event of a kind."""
        events = (e for e in reversed(self._entries) if isinstance(e, Event) and e.kind == kind)
        return next(events, None)

    def has_tasks(self) -> bool:
        """Whether the log contains a task."""
        return any(isinstance(entry, Task) for entry in self._entries)

    def record(self, act: Act) -> None:
        """Store an act of an owner in the audit trail."""
        with self._lock:
            self._acts.append(act)

    def acts(self) -> Sequence[Act]:
        """Return the audit trail, oldest act first."""
        return tuple(self._acts)

    def add(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater, or return the existing rater with the same source and key."""
        with self._lock:
            return _added(self._raters, Rater("", name, source, token, key, at))

    def note_submission(self, rater: str, submission: str) -> None:
        """Store the hash of the submission with which a rater joined."""
        self._raters = [
            replace(each, submission=submission) if each.id == rater else each for each in self._raters
        ]

    def by_token(self, token: str) -> Rater | None:
        """Return the rater whose link has this token."""
        return next((rater for rater in self._raters if rater.token == token), None)

    def by_id(self, rater: str) -> Rater | None:
        """Return the rater with this id."""
        return next((each for each in self._raters if each.id == rater), None)

    def all(self) -> Sequence[Rater]:
        """Return all raters, oldest first."""
        return tuple(self._raters)


class MemoryWriter:
    """One open transaction, which reads committed entries and its own."""

    def __init__(
        self, entries: list[Entry], answered: set[str], places: dict[int, Lease], newest_place: int
    ) -> None:
        self._entries = entries
        self._answered = answered
        self.places = places
        self.newest_place = newest_place
        self.added: list[Entry] = []
        self.conditions: ChainMap[str, str] = ChainMap()  # by task, first those of this transaction
        self.raters: list[Rater] = []
        self.acts: list[Act] = []

    def since(self, position: int) -> list[Entry]:
        """Return the entries after a log position, in order."""
        return [*self._entries[position:], *self.added[max(position - len(self._entries), 0) :]]

    def append(self, entry: Entry) -> Entry:
        """Store an entry at the next position and return it; a task gets a free place per assignment."""
        placed = replace(entry, log_position=len(self._entries) + len(self.added) + 1)
        self.added.append(placed)
        if isinstance(entry, Task):
            self.conditions[entry.id] = entry.condition
            for _ in range(entry.assignments):
                self._add(Lease(0, entry.id, entry.sequence))
        return placed

    def answered(self, assignment: str) -> bool:
        """Whether this assignment has been answered."""
        mine = (entry.assignment for entry in self.added if isinstance(entry, Answer))
        return assignment in self._answered or assignment in mine

    def answer_to(self, assignment: str) -> Answer | None:
        """Return the answer to this assignment, including an answer that was taken back."""
        answers = (entry for entry in [*self._entries, *self.added] if isinstance(entry, Answer))
        return next((each for each in answers if each.assignment == assignment), None)

    def leases_of(self, rater: str) -> list[Lease]:
        """Return the places that a rater holds, in the order in which they expire."""
        held = [place for place in self.places.values() if place.rater == rater]
        return sorted(held, key=lambda place: (math.inf if place.until is None else place.until, place.id))

    def leased(self, assignment: str) -> Lease | None:
        """Return the place that is held under this assignment."""
        return next((place for place in self.places.values() if place.assignment == assignment), None)

    def free(self, now: float, limit: int, condition: str | None = None) -> list[Lease]:
        """Return up to `limit` places that are free or expired, oldest first; of one condition if it is not None."""
        free = iter(self._free(now))
        if condition is not None:
            free = (place for place in free if self.conditions[place.task] == condition)
        return list(islice(free, limit))

    def free_in(self, sequence: int, now: float) -> list[Lease]:
        """Return the places of a sequence that are free or expired, in the order of the sequence."""
        return [place for place in self._free(now) if place.sequence == sequence]

    def place_of(self, task: str, holder: str) -> Lease | None:
        """Return a place of a task that this rater holds; an empty `holder` finds a free place."""
        held = (place for place in self.places.values() if (place.task, place.rater) == (task, holder))
        return next(held, None)

    def take(self, lease: Lease, rater: str, assignment: str, until: float | None) -> None:
        """Give a place to a rater."""
        self.places[lease.id] = replace(lease, rater=rater, assignment=assignment, until=until)

    def add_place(self, task: Task, rater: str, assignment: str, until: float | None) -> None:
        """Add a place to a task and give it to a rater."""
        self._add(Lease(0, task.id, task.sequence, rater, assignment, until))

    def shorten(self, latest: float) -> None:
        """Set the expiry of places that are held for longer to `latest`."""
        for place in list(self.places.values()):
            if place.until is not None and place.until > latest:
                self.places[place.id] = replace(place, until=latest)

    def close(self, lease: Lease) -> None:
        """Delete a place that was answered or withdrawn."""
        del self.places[lease.id]

    def add_rater(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater within this transaction, as `Roster.add` does."""
        return _added(self.raters, Rater("", name, source, token, key, at))

    def record(self, act: Act) -> None:
        """Store an act of an owner in the audit trail, within this transaction."""
        self.acts.append(act)

    def _add(self, lease: Lease) -> None:
        self.newest_place += 1
        self.places[self.newest_place] = replace(lease, id=self.newest_place)

    def _free(self, now: float) -> list[Lease]:
        return [
            place
            for place in self.places.values()
            if not place.rater or (place.until is not None and place.until < now)
        ]


def _added(raters: list[Rater], wanted: Rater) -> Rater:
    """Return the rater with this source and key; if there is none, add the rater with the next number."""
    for rater in raters:
        if wanted.key and (rater.source, rater.key) == (wanted.source, wanted.key):
            return rater
    own = f"r-{len(raters) + 1:02d}"
    raters.append(replace(wanted, id=own, name=wanted.name if wanted.name else own))
    return raters[-1]
