"""The record of one rater, and the events that change only this record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from steelyard.selection.pairing import Pair
from steelyard.study.log.entries import Answer, Event, EventKind
from steelyard.study.log.undo_limit import answers_until_undo, undos_left

TOO_FAST = "too fast"  # name in the log of the rule about the minimum time per task


@dataclass(frozen=True, slots=True)
class OwnerNote:
    """A note of the owner about a rater, with its time in seconds since 1970."""

    at: float
    text: str


@dataclass
class RaterRecord:
    """Answers and state of one rater at one log position."""

    answers: dict[int, Answer] = field(
        default_factory=dict
    )  # by log position, in order, without answers taken back
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
    wrong_attempts: int = 0
    exercises: int = 0  # exercises of the training that are done
    trained: bool = False
    instructed: bool = False  # has read the instructions that follow the interface training
    notes: list[OwnerNote] = field(default_factory=list)
    surveyed_after: bool = False  # has answered the survey after the tasks
    screened_out: bool = False  # an answer to the survey ended their participation
    finished: bool = False  # no task was left for them after they had answered some
    ended: bool = False  # excluded by a rule of [checks]
    paused_until: float = 0.0  # seconds since 1970; infinity until the owner reinstates them
    warnings: int = 0
    too_fast: int = 0  # warnings because of an answer below the minimum time
    message: str = ""  # text of the newest warning, pause or end
    acted_at: int = 0  # log position of the newest warning, pause or end
    acts: set[str] = field(default_factory=set)  # rules of [checks] that were applied
    checks_from: int = 0  # log position from which failed checks count for the rules
    active_seconds: float = 0.0  # measured time, with idle gaps capped
    active_at: float = 0.0  # time of the last act of the rater
    condition: str = ""  # arm of the study; empty before the rater is assigned, or if there are no arms
    stratum: tuple[str, ...] = ()  # values of the fields within which raters are balanced
    assigned_at: float = 0.0
    fields: dict[str, str] = field(default_factory=dict)  # parameters of the address that the rater opened

    @property
    def is_out(self) -> bool:
        """Whether the rater is excluded, stopped early or screened out, and receives no tasks."""
        return self.excluded or self.stopped_early or self.screened_out

    @property
    def newest(self) -> int:
        """Log position of the newest answer; 0 before the first."""
        return next(reversed(self.answers), 0)

    @property
    def notice(self) -> str:
        """Text of a warning that followed the newest answer, or ""."""
        return self.message if self.acted_at > self.newest else ""

    def work(self, at: float, seconds: float, longest: float) -> None:
        """Add the time since the last act of the rater to the measured time.

        Parameters
        ----------
        at
            Time of this act, in seconds since 1970.
        seconds
            Time that the page measured for this act; it counts if it is longer than the time since the last act.
        longest
            Largest number of seconds that counts.
        """
        since = at - self.active_at if self.active_at else 0.0
        self.active_seconds += min(max(since, seconds, 0.0), longest)
        self.active_at = max(self.active_at, at)

    def take_act(self, event: Event) -> None:
        """Record that a rule of [checks] was applied."""
        self.message = str(event.facts.get("message", ""))
        self.acts.add(str(event.facts.get("rule", "")))
        self.acted_at = event.log_position

    def start_checks_again(self, event: Event) -> None:
        """End a pause, and count failed checks from here on, because the owner reinstated the rater."""
        self.ended, self.paused_until, self.message = False, 0.0, ""
        self.acts, self.checks_from = set(), event.log_position

    @property
    def undos_left(self) -> int:
        """Number of answers that the rater may still take back."""
        return undos_left(len(self.answers), len(self.taken_back))

    @property
    def answers_to_undo(self) -> int:
        """Number of answers after which a rater without undos left can undo again."""
        return answers_until_undo(len(self.answers), len(self.taken_back))


def _surveyed(record: RaterRecord, event: Event) -> None:
    record.survey = {**(record.survey or {}), **event.facts}


def _surveyed_after(record: RaterRecord, event: Event) -> None:
    _surveyed(record, event)
    record.surveyed_after = True


def _instructed(record: RaterRecord, event: Event) -> None:
    record.instructed = True


def _screened_out(record: RaterRecord, event: Event) -> None:
    record.screened_out = True


def _finished(record: RaterRecord, event: Event) -> None:
    record.finished = True


def _warned(record: RaterRecord, event: Event) -> None:
    record.warnings += 1
    record.too_fast += event.facts.get("rule") == TOO_FAST
    record.take_act(event)


def _rater_paused(record: RaterRecord, event: Event) -> None:
    until = event.facts.get("until")
    record.paused_until = math.inf if until is None else float(until)
    record.take_act(event)


def _stop_early(record: RaterRecord, event: Event) -> None:
    record.stopped_early, record.reinstated = True, False


def _reinstate(record: RaterRecord, event: Event) -> None:
    if record.stopped_early:
        record.stopped_early, record.reinstated = False, True
    record.screened_out = False
    record.start_checks_again(event)


def _attempted(record: RaterRecord, event: Event) -> None:
    record.attempts += 1
    record.wrong_attempts += not event.facts.get("right", True)
    record.exercises = max(record.exercises, int(event.facts["task"]) + bool(event.facts.get("done")))


def _noted(record: RaterRecord, event: Event) -> None:
    record.notes.append(OwnerNote(event.at, str(event.facts["text"])))


def _trained(record: RaterRecord, event: Event) -> None:
    record.trained = True


def _joined(record: RaterRecord, event: Event) -> None:
    record.fields = {**record.fields, **event.facts.get("fields", {})}


def _assigned(record: RaterRecord, event: Event) -> None:
    if not record.condition:  # an assignment is final
        record.condition = str(event.facts["condition"])
        record.stratum = tuple(str(each) for each in event.facts.get("stratum", ()))
        record.assigned_at = event.at


RATER_FOLDS: dict[EventKind, Callable[[RaterRecord, Event], None]] = {
    "surveyed": _surveyed,
    "joined": _joined,
    "assigned": _assigned,
    "stopped_early": _stop_early,
    "reinstated": _reinstate,
    "rested": _stop_early,
    "recalled": _reinstate,
    "attempted": _attempted,
    "trained": _trained,
    "instructed": _instructed,
    "noted": _noted,
    "surveyed_after": _surveyed_after,
    "screened_out": _screened_out,
    "finished": _finished,
    "warned": _warned,
    "rater_paused": _rater_paused,
}
