"""The record of one rater, and the events that change only this record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from steelyard.selection.pairing import Pair
from steelyard.study.log.interface import Answer, Event, EventKind
from steelyard.study.log.undo_limit import answers_until_undo, undos_left


@dataclass
class RaterRecord:
    """Answers and state of one rater at one log position."""

    answers: dict[int, Answer] = field(default_factory=dict)  # by log position, without answers taken back
    seen: Counter[int] = field(default_factory=Counter)  # how often each item was shown, by index
    met: Counter[Pair] = field(default_factory=Counter)  # how often each pair of items was compared
    consented: bool = False
    declined: bool = False  # declined consent, and has not given it since
    left_by_declining: bool = False  # excluded because they declined, not by the owner
    survey: dict[str, Any] | None = None
    excluded: bool = False
    reason: str = ""  # reason of the exclusion
    stopped_early: bool = False  # stopped early, because their answers carry too little information
    reinstated: bool = False  # reinstated by the owner, and therefore not stopped early again
    sequence: int | None = None
    last_at: float = 0.0
    taken_back: set[str] = field(default_factory=set)  # assignments of answers that were taken back
    attempts: int = 0  # attempts at exercises of the training
    exercises: int = 0  # exercises of the training that are done
    trained: bool = False

    @property
    def is_out(self) -> bool:
        """Whether the rater is excluded or stopped early, and receives no tasks."""
        return self.excluded or self.stopped_early

    @property
    def undos_left(self) -> int:
        """Number of answers that the rater may still take back."""
        return undos_left(len(self.answers), len(self.taken_back))

    @property
    def answers_to_undo(self) -> int:
        """Number of answers after which a rater without undos left can undo again."""
        return answers_until_undo(len(self.answers), len(self.taken_back))


def _surveyed(record: RaterRecord, event: Event) -> None:
    record.survey = dict(event.facts)


def _stop_early(record: RaterRecord, event: Event) -> None:
    record.stopped_early, record.reinstated = True, False


def _reinstate(record: RaterRecord, event: Event) -> None:
    record.stopped_early, record.reinstated = False, True


def _attempted(record: RaterRecord, event: Event) -> None:
    record.attempts += 1
    record.exercises = max(record.exercises, int(event.facts["task"]) + bool(event.facts.get("done")))


def _trained(record: RaterRecord, event: Event) -> None:
    record.trained = True


RATER_FOLDS: dict[EventKind, Callable[[RaterRecord, Event], None]] = {
    "surveyed": _surveyed,
    "stopped_early": _stop_early,
    "reinstated": _reinstate,
    "rested": _stop_early,
    "recalled": _reinstate,
    "attempted": _attempted,
    "trained": _trained,
}
