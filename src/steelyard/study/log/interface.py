"""The interface of the log, of the leases of raters and of the roster. `steelyard.storage` implements it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from steelyard.study.log.acts import Act, Trail
from steelyard.study.log.entries import Answer, Entry, Event, EventKind, Task

Source = Literal["link", "open", "prolific", "mturk", "panel", "simulated", "file"]
CROWDS: tuple[Source, ...] = (
    "prolific",
    "mturk",
    "panel",
)  # sites that send people, each with an id of its own


@dataclass(frozen=True, slots=True)
class Lease:
    """One place of a task, for one rater.

    A place without a rater is free. A place held by a rater expires at `until`. A place held for a results file has
    no `until` and does not expire.
    """

    id: int
    task: str
    sequence: int | None = None
    rater: str = ""
    assignment: str = ""
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Rater:
    """A rater, with the secret token of their link.

    Attributes
    ----------
    id
        Id of the rater in the log.
    name
        Name that the owner or the rater entered.
    source
        How the rater joined.
    token
        Secret part of the personal link.
    key
        Id of the rater on another site or in a file; empty if there is none.
    at
        Time of joining, in seconds since 1970.
    submission
        Submission with which the rater joined from a crowd platform; empty if there is none. Of Prolific a hash, of
        others the ids that lead back there.
    """

    id: str
    name: str
    source: Source
    token: str
    key: str = ""
    at: float = 0.0
    submission: str = ""


class Writer(Protocol):
    """One transaction under the lock of the study: either all of its changes are stored, or none of them."""

    def since(self, position: int) -> Iterable[Entry]:
        """Return the entries after a log position, in order."""

    def append(self, entry: Entry) -> Entry:
        """Store an entry at the next position and return it; a task gets a free place per assignment."""

    def answered(self, assignment: str) -> bool:
        """Whether this assignment has been answered."""

    def answer_to(self, assignment: str) -> Answer | None:
        """Return the answer to this assignment, including an answer that was taken back."""

    def leases_of(self, rater: str) -> Sequence[Lease]:
        """Return the places that a rater holds, in the order in which they expire.

        An expired place counts until another rater takes it.
        """

    def leased(self, assignment: str) -> Lease | None:
        """Return the place that is held under this assignment."""

    def free(self, now: float, limit: int, condition: str | None = None) -> Sequence[Lease]:
        """Return up to `limit` places that are free or expired, oldest first.

        Parameters
        ----------
        now
            Time of the transaction, in seconds since 1970.
        limit
            Largest number of places.
        condition
            Condition of the tasks, or None for any.

        Returns
        -------
        sequence of Lease
            The places.
        """

    def free_in(self, sequence: int, now: float) -> Sequence[Lease]:
        """Return the places of a sequence that are free or expired, in the order of the sequence."""

    def place_of(self, task: str, holder: str) -> Lease | None:
        """Return a place of a task that this rater holds; an empty `holder` finds a free place."""

    def take(self, lease: Lease, rater: str, assignment: str, until: float | None) -> None:
        """Give a place to a rater.

        Parameters
        ----------
        lease
            The place.
        rater
            Id of the rater.
        assignment
            Id of the new assignment.
        until
            Time at which the place expires, in seconds since 1970; None for never.
        """

    def add_place(self, task: Task, rater: str, assignment: str, until: float | None) -> None:
        """Add a place to a task and give it to a rater.

        Parameters
        ----------
        task
            The task.
        rater
            Id of the rater.
        assignment
            Id of the new assignment.
        until
            Time at which the place expires, in seconds since 1970; None for never.
        """

    def shorten(self, latest: float) -> None:
        """Set the expiry of places that are held for longer to `latest`."""

    def close(self, lease: Lease) -> None:
        """Delete a place that was answered or withdrawn."""

    def add_rater(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater within this transaction, as `Roster.add` does.

        Parameters
        ----------
        name
            Name of the rater.
        source
            How the rater joined.
        token
            Secret part of the personal link.
        key
            Id of the rater on another site or in a file; empty if there is none.
        at
            Time of joining, in seconds since 1970.

        Returns
        -------
        Rater
            The new rater, or the existing rater with this source and key.
        """

    def record(self, act: Act) -> None:
        """Store an act of an owner in the audit trail, within this transaction."""


class Log(Trail, Protocol):
    """The log of one study and its audit trail. Entries are only appended."""

    def writing(self) -> AbstractContextManager[Writer]:
        """Open a transaction under the lock of the study."""

    @property
    def problem(self) -> str:
        """Why nothing can be stored although reading works, and what to do; empty if there is no such problem."""

    def since(self, position: int) -> Iterator[Entry]:
        """Yield the committed entries after a log position, in order."""

    def head(self) -> int:
        """Return the newest log position."""

    def entry_at(self, position: int) -> Entry | None:
        """Return the entry at a log position."""

    def task_named(self, task: str) -> Task | None:
        """Return the task with this id."""

    def entries_of(self, rater: str) -> Sequence[Task | Answer]:
        """Return the answers of a rater, including those taken back, and the tasks that they belong to."""

    def newest_event(self, kind: EventKind) -> Event | None:
        """Return the newest event of a kind."""

    def has_tasks(self) -> bool:
        """Whether the log contains a task."""


class Roster(Protocol):
    """The raters of one study and their links."""

    def add(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater, or return the existing rater with the same source and key.

        Parameters
        ----------
        name
            Name of the rater.
        source
            How the rater joined.
        token
            Secret part of the personal link.
        key
            Id of the rater on another site or in a file; empty if there is none.
        at
            Time of joining, in seconds since 1970.

        Returns
        -------
        Rater
            The new or existing rater.
        """

    def note_submission(self, rater: str, submission: str) -> None:
        """Store the hash of the submission with which a rater joined."""

    def by_token(self, token: str) -> Rater | None:
        """Return the rater whose link has this token."""

    def by_id(self, rater: str) -> Rater | None:
        """Return the rater with this id."""

    def all(self) -> Sequence[Rater]:
        """Return all raters, oldest first."""


class Cache(Protocol):
    """Results computed from the log, each under a name. They may be lost at any time."""

    def newest(self, name: str, settings: str, after: int) -> tuple[int, bytes] | None:
        """Return a stored result with these settings, if it is later than a log position.

        Parameters
        ----------
        name
            Name of the result.
        settings
            Hash of everything that the result depends on, except the log.
        after
            Log position.

        Returns
        -------
        tuple or None
            Log position and content of the result.
        """

    def keep(self, name: str, settings: str, position: int, content: bytes) -> None:
        """Store a result in place of an earlier one.

        Parameters
        ----------
        name
            Name of the result.
        settings
            Hash of everything that the result depends on, except the log.
        position
            Log position up to which the log was read.
        content
            The result.
        """
