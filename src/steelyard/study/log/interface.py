"""The log: what was asked and what was said, append-only, and the leases that say who holds what.

`Log` is the interface; `steelyard.storage` fills it. Positions are gap-free and in commit order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from steelyard.kinds.cell import Cell

EventKind = Literal[
    "defined",
    "joined",
    "consented",
    "declined",
    "surveyed",
    "superseded",
    "withdrawn",
    "excluded",
    "included",
    "stopped_early",
    "reinstated",
    "paused",
    "resumed",
    "round_closed",
    "seeds_drawn",
    "placed",
    "seeds_closed",
    "attempted",
    "trained",
    "rested",  # "stopped_early" in logs of version 0.1
    "recalled",  # "reinstated" in logs of version 0.1
]
Source = Literal["link", "open", "prolific", "simulated", "file"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who chose a task, and from what: enough to choose it again."""

    selection: str
    belief_position: int
    seed: tuple[int, ...]
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What one page asks, as shown: items in their order, for how many raters."""

    id: str
    items: tuple[str, ...]
    questions: tuple[str, ...]
    protocol: str
    chosen: Chosen
    condition: str = "main"
    round: int = 1
    assignments: int = 1
    sequence: int | None = None
    probe: bool = False  # a repeat of what the rater has judged before
    at: float = 0.0
    log_position: int = 0


@dataclass(frozen=True, slots=True)
class Origin:
    """What a file says of the task that an answer is to, where it says anything."""

    round: int | None = None
    condition: str | None = None
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One rater's answer to one task."""

    task: str
    rater: str
    assignment: str
    cells: tuple[Cell, ...]
    comment: str = ""
    milliseconds: int | None = None
    interactions: Sequence[Any] = ()  # stored, but not read back with the log: they are for later study
    shown: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0
    log_position: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """Something else that happened: consent, undo, exclusion, pause, the end of a round."""

    kind: EventKind
    rater: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0
    log_position: int = 0


Entry: TypeAlias = Task | Answer | Event


@dataclass(frozen=True, slots=True)
class Lease:
    """One place of a task: free (no rater), held until a time, or held for a file without end."""

    id: int
    task: str
    sequence: int | None = None
    rater: str = ""
    assignment: str = ""
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Rater:
    """Someone who may answer, and the unguessable token of their link."""

    id: str
    name: str
    source: Source
    token: str
    key: str = ""
    at: float = 0.0


class Writer(Protocol):
    """One transaction under the study's lock: everything in it happens, or nothing."""

    def since(self, position: int) -> Iterable[Entry]:
        """Entries after a position, in order."""

    def append(self, entry: Entry) -> Entry:
        """The entry, added at the next position; a task gets a free place per assignment."""

    def answered(self, assignment: str) -> bool:
        """Has this assignment been answered already?"""

    def answer_to(self, assignment: str) -> Answer | None:
        """The answer that was given under this assignment, taken back or not."""

    def lease_of(self, rater: str) -> Lease | None:
        """The place that this rater holds, expired or not, if nobody took it over."""

    def leased(self, assignment: str) -> Lease | None:
        """The place held under this assignment."""

    def free(self, now: float, limit: int) -> Sequence[Lease]:
        """Places that nobody holds, or that were abandoned, oldest first."""

    def free_in(self, sequence: int, now: float) -> Sequence[Lease]:
        """Free places of one sequence, in its order."""

    def place_of(self, task: str, holder: str) -> Lease | None:
        """A place of this task that `holder` holds ('' for a free one)."""

    def take(self, lease: Lease, rater: str, assignment: str, until: float | None) -> None:
        """Give a place to a rater."""

    def add_place(self, task: Task, rater: str, assignment: str, until: float | None) -> None:
        """One more place of a task, for this rater."""

    def shorten(self, latest: float) -> None:
        """End every hold by this time at the latest."""

    def close(self, lease: Lease) -> None:
        """Remove a place: it was answered or withdrawn."""

    def add_rater(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """A new rater, as `Roster.add` makes one, who is gone again if the transaction fails."""


class Log(Protocol):
    """The append-only truth of one study."""

    def writing(self) -> AbstractContextManager[Writer]:
        """A transaction under the study's lock."""

    def since(self, position: int) -> Iterator[Entry]:
        """Entries after a position, in order, as committed."""

    def head(self) -> int:
        """The newest position."""

    def newest_event(self, kind: EventKind) -> Event | None:
        """The newest event of a kind."""

    def has_tasks(self) -> bool:
        """Has anything been asked yet?"""


class Roster(Protocol):
    """The raters of one study and their links."""

    def add(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """A new rater; a known (source, key) gives the rater that has it."""

    def by_token(self, token: str) -> Rater | None:
        """The rater of this link."""

    def by_id(self, rater: str) -> Rater | None:
        """The rater of this id."""

    def all(self) -> Sequence[Rater]:
        """Every rater, oldest first."""
