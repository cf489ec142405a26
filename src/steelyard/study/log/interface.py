"""The interface of the log: tasks, answers and events, which are only appended, and the leases of raters.

`steelyard.storage` implements `Log` and `Roster`. Log positions have no gaps and follow the order of commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias

from steelyard.kinds.cell import Cell
from steelyard.study.log.acts import Act, Trail

EventKind = Literal[
    "defined",
    "joined",
    "assigned",
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
    "noted",
    "attempted",
    "trained",
    "forgotten",
    "instructed",
    "surveyed_after",
    "screened_out",
    "warned",
    "rater_paused",
    "ended",
    "finished",
    "machine_answers",
    "rested",  # "stopped_early" in logs of version 0.1
    "recalled",  # "reinstated" in logs of version 0.1
]
Source = Literal["link", "open", "prolific", "mturk", "panel", "simulated", "file"]
CROWDS: tuple[Source, ...] = (
    "prolific",
    "mturk",
    "panel",
)  # sites that send people, each with an id of its own
NO_ARM = ""  # condition of the ledger of the raters of a study with arms


@dataclass(frozen=True, slots=True)
class Chosen:
    """How a task was chosen, with what is needed to reproduce the choice.

    Attributes
    ----------
    selection
        Name of the selection method, or of the file that contained the task.
    belief_position
        Log position up to which the model had learned.
    seed
        Seed of the random choice.
    probability
        Probability with which the task was chosen, if known.
    """

    selection: str
    belief_position: int
    seed: tuple[int, ...]
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One page of a study: its items in the order shown, its questions, and the number of raters who answer it.

    Attributes
    ----------
    id
        Unique id of the task.
    items
        Ids of the items, in the order shown.
    questions
        Ids of the questions.
    protocol
        Name of the protocol.
    chosen
        How the task was chosen.
    condition
        Experimental condition: the arm of the study to which the task belongs.
    round
        Round in which the task was planned, from 1.
    assignments
        Number of raters who are to answer the task.
    sequence
        Number of the sequence that the task belongs to, or None.
    probe
        Whether the task repeats an item to measure the consistency of the rater.
    check
        Name of the check that the task is, or "".
    hidden
        Ids of the items that are checks inside the task.
    at
        Time of creation, in seconds since 1970.
    log_position
        Position in the log; 0 before the task is stored.
    """

    id: str
    items: tuple[str, ...]
    questions: tuple[str, ...]
    protocol: str
    chosen: Chosen
    condition: str = "main"
    round: int = 1
    assignments: int = 1
    sequence: int | None = None
    probe: bool = False
    check: str = ""
    hidden: tuple[str, ...] = ()
    at: float = 0.0
    log_position: int = 0

    @property
    def counts(self) -> bool:
        """Whether its answers count for the scale: it is neither a probe nor a check."""
        return not self.probe and not self.check


@dataclass(frozen=True, slots=True)
class Origin:
    """Round, condition, probe mark, check and protocol of a task in a results file, as far as it states them."""

    round: int | None = None
    condition: str | None = None
    probe: bool = False
    check: str = ""
    protocol: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of one rater to one task.

    Attributes
    ----------
    task, rater
        Ids of the task and the rater.
    assignment
        Id under which the rater received the task. An assignment is answered at most once.
    cells
        The answer to each question about each item or pair.
    comment
        Comment of the rater.
    milliseconds
        Time from the display of the task to the answer, if known.
    interactions
        Moves of the rater on the page. They are stored, but not read when the log is folded.
    shown
        What the page showed, such as its size. It is stored, but not read when the log is folded.
    at
        Time of the answer, in seconds since 1970.
    log_position
        Position in the log; 0 before the answer is stored.
    """

    task: str
    rater: str
    assignment: str
    cells: tuple[Cell, ...]
    comment: str = ""
    milliseconds: int | None = None
    interactions: Sequence[Any] = ()
    shown: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0
    log_position: int = 0

    def without_moves(self) -> Answer:
        """Return the answer without its interactions and what was shown, which are too large to keep in memory."""
        return replace(self, interactions=(), shown={}) if self.interactions != () or self.shown else self


@dataclass(frozen=True, slots=True)
class Event:
    """Any other event of a study, such as consent, undo, exclusion, pause or the end of a round."""

    kind: EventKind
    rater: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0
    log_position: int = 0


Entry: TypeAlias = Task | Answer | Event


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
