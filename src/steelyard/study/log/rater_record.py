"""What one rater has done so far, how many answers they may take back, and the events that are about them alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from steelyard.selection.pairing import Pair
from steelyard.study.log.interface import Answer, Event, EventKind

FREE_UNDOS = 5  # answers that any rater may take back
ANSWERS_PER_UNDO = 5  # and one more for so many answers that count


@dataclass
class RaterRecord:
    """What one rater has done so far."""

    answers: dict[int, Answer] = field(default_factory=dict)  # by log position, superseded ones left out
    seen: Counter[int] = field(default_factory=Counter)  # times that each item, by index, was shown
    met: Counter[Pair] = field(default_factory=Counter)  # times that two items were shown together
    consented: bool = False
    declined: bool = False  # said no, and has not agreed since
    left_by_declining: bool = False  # excluded because they declined, not by the owner
    survey: dict[str, Any] | None = None
    excluded: bool = False
    reason: str = ""  # why they were excluded
    rested: bool = False  # stopped early, because their answers carry too little information
    recalled: bool = False  # reinstated by the owner: not stopped early again
    sequence: int | None = None
    last_at: float = 0.0
    taken_back: set[str] = field(default_factory=set)  # assignments of answers that were undone
    attempts: int = 0  # at exercises of the training
    exercises: int = 0  # of the training that are done
    trained: bool = False

    @property
    def is_out(self) -> bool:
        """Excluded by the owner, or stopped early: nothing further is taken from them."""
        return self.excluded or self.rested

    @property
    def undos_left(self) -> int:
        """Answers that this rater may take back before they give more: a limit on what one rater can rewrite."""
        return max(FREE_UNDOS + len(self.answers) // ANSWERS_PER_UNDO - len(self.taken_back), 0)

    @property
    def answers_to_undo(self) -> int:
        """Answers after which undo works again, where none is left."""
        short = len(self.taken_back) - FREE_UNDOS + 1
        return max(short * ANSWERS_PER_UNDO - len(self.answers), 0)


def _surveyed(record: RaterRecord, event: Event) -> None:
    record.survey = dict(event.facts)


def _rested(record: RaterRecord, event: Event) -> None:
    record.rested, record.recalled = True, False


def _recalled(record: RaterRecord, event: Event) -> None:
    record.rested, record.recalled = False, True


def _attempted(record: RaterRecord, event: Event) -> None:
    record.attempts += 1
    record.exercises = max(record.exercises, int(event.facts["task"]) + bool(event.facts.get("done")))


def _trained(record: RaterRecord, event: Event) -> None:
    record.trained = True


RATER_FOLDS: dict[EventKind, Callable[[RaterRecord, Event], None]] = {
    "surveyed": _surveyed,
    "rested": _rested,
    "recalled": _recalled,
    "attempted": _attempted,
    "trained": _trained,
}
