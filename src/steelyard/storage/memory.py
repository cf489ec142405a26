"""A log and roster in memory: for simulations, and to show that the interface needs no database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock

from steelyard.study.log.interface import Answer, Entry, Event, EventKind, Lease, Rater, Source, Task


class Memory:
    """One study's log and roster. A transaction that fails leaves nothing behind."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._answered: set[str] = set()
        self._places: dict[int, Lease] = {}
        self._newest_place = 0
        self._raters: list[Rater] = []
        self._lock = Lock()

    @contextmanager
    def writing(self) -> Iterator[MemoryWriter]:
        """A transaction under the study's lock: what the writer changed is taken over at its end."""
        with self._lock:
            writer = MemoryWriter(self._entries, self._answered, dict(self._places), self._newest_place)
            writer.raters = list(self._raters)
            yield writer
            self._entries.extend(writer.added)
            self._answered.update(entry.assignment for entry in writer.added if isinstance(entry, Answer))
            self._places, self._newest_place = writer.places, writer.newest_place
            self._raters = writer.raters

    def since(self, position: int) -> Iterator[Entry]:
        """Entries after a position, in order, as committed."""
        with self._lock:
            entries = self._entries[position:]
        yield from entries

    def head(self) -> int:
        """The newest position."""
        return len(self._entries)

    def newest_event(self, kind: EventKind) -> Event | None:
        """The newest event of a kind."""
        events = (e for e in reversed(self._entries) if isinstance(e, Event) and e.kind == kind)
        return next(events, None)

    def has_tasks(self) -> bool:
        """Has anything been asked yet?"""
        return any(isinstance(entry, Task) for entry in self._entries)

    def add(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """A new rater; a known (source, key) gives the rater that has it."""
        with self._lock:
            return _added(self._raters, Rater("", name, source, token, key, at))

    def by_token(self, token: str) -> Rater | None:
        """The rater of this link."""
        return next((rater for rater in self._raters if rater.token == token), None)

    def by_id(self, rater: str) -> Rater | None:
        """The rater of this id."""
        return next((each for each in self._raters if each.id == rater), None)

    def all(self) -> Sequence[Rater]:
        """Every rater, oldest first."""
        return tuple(self._raters)


class MemoryWriter:
    """One open transaction: reads what was there and what it added itself."""

    def __init__(
        self, entries: list[Entry], answered: set[str], places: dict[int, Lease], newest_place: int
    ) -> None:
        self._entries = entries
        self._answered = answered
        self.places = places
        self.newest_place = newest_place
        self.added: list[Entry] = []
        self.raters: list[Rater] = []

    def since(self, position: int) -> list[Entry]:
        """Entries after a position, in order."""
        return [*self._entries[position:], *self.added[max(position - len(self._entries), 0) :]]

    def append(self, entry: Entry) -> Entry:
        """The entry, added at the next position; a task gets a free place per assignment."""
        placed = replace(entry, log_position=len(self._entries) + len(self.added) + 1)
        self.added.append(placed)
        if isinstance(entry, Task):
            for _ in range(entry.assignments):
                self._add(Lease(0, entry.id, entry.sequence))
        return placed

    def answered(self, assignment: str) -> bool:
        """Has this assignment been answered already?"""
        mine = (entry.assignment for entry in self.added if isinstance(entry, Answer))
        return assignment in self._answered or assignment in mine

    def answer_to(self, assignment: str) -> Answer | None:
        """The answer that was given under this assignment, taken back or not."""
        answers = (entry for entry in [*self._entries, *self.added] if isinstance(entry, Answer))
        return next((each for each in answers if each.assignment == assignment), None)

    def lease_of(self, rater: str) -> Lease | None:
        """The place that this rater holds, expired or not, if nobody took it over."""
        return next((place for place in self.places.values() if place.rater == rater), None)

    def leased(self, assignment: str) -> Lease | None:
        """The place held under this assignment."""
        return next((place for place in self.places.values() if place.assignment == assignment), None)

    def free(self, now: float, limit: int) -> list[Lease]:
        """Places that nobody holds, or that were abandoned, oldest first."""
        return self._free(now)[:limit]

    def free_in(self, sequence: int, now: float) -> list[Lease]:
        """Free places of one sequence, in its order."""
        return [place for place in self._free(now) if place.sequence == sequence]

    def place_of(self, task: str, holder: str) -> Lease | None:
        """A place of this task that `holder` holds ('' for a free one)."""
        held = (place for place in self.places.values() if (place.task, place.rater) == (task, holder))
        return next(held, None)

    def take(self, lease: Lease, rater: str, assignment: str, until: float | None) -> None:
        """Give a place to a rater."""
        self.places[lease.id] = replace(lease, rater=rater, assignment=assignment, until=until)

    def add_place(self, task: Task, rater: str, assignment: str, until: float | None) -> None:
        """One more place of a task, for this rater."""
        self._add(Lease(0, task.id, task.sequence, rater, assignment, until))

    def shorten(self, latest: float) -> None:
        """End every hold by this time at the latest."""
        for place in list(self.places.values()):
            if place.until is not None and place.until > latest:
                self.places[place.id] = replace(place, until=latest)

    def close(self, lease: Lease) -> None:
        """Remove a place: it was answered or withdrawn."""
        del self.places[lease.id]

    def add_rater(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """A new rater, as `Roster.add` makes one, who is gone again if the transaction fails."""
        return _added(self.raters, Rater("", name, source, token, key, at))

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
    """The rater of this source and key, added with the next number where there is none."""
    for rater in raters:
        if wanted.key and (rater.source, rater.key) == (wanted.source, wanted.key):
            return rater
    own = f"r-{len(raters) + 1:02d}"
    raters.append(replace(wanted, id=own, name=wanted.name if wanted.name else own))
    return raters[-1]
