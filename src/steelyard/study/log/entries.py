"""The entries of the log: tasks, answers and events, which are only appended.

Log positions have no gaps and follow the order of commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from steelyard.kinds.cell import Cell

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
