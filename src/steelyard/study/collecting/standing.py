"""Where a rater stands: what they hold, what they have done, and what is left for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from steelyard.maths.arrays import Mask
from steelyard.selection.pool import Pool
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.sequencing import next_place, tasks_left
from steelyard.study.collecting.showing import may_see, tasks_about
from steelyard.study.grounding.anchors import ShownAnchor, anchors_of
from steelyard.study.log.interface import Task, Writer
from steelyard.study.log.ledger import Ledger

FREE_LOOKED_AT = 64  # free places a rater is tried on before a task is chosen for them
NEWCOMER = "newcomer"  # stands for anyone who has not joined yet; no rater has this id
Need = Literal["open", "held", "over"]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task in a rater's hands, and what stands along its scale."""

    id: str
    task: Task
    anchors: tuple[ShownAnchor, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a rater stands: what to do now, what was done, and whether the last answer can be taken back.

    `held` says that others work on all that is left, and that this rater has not answered anything yet.
    """

    assignment: Assignment | None
    paused: bool
    waiting: bool
    held: bool
    finished: bool
    done: int
    of: int
    can_undo: bool
    undos_left: int
    last: str  # the assignment of the newest answer, "" before the first


def standing_of(
    planner: Planner, rater: str, assignment: Assignment | None, paused: bool = False, finished: bool = False
) -> Standing:
    """Where a rater with this assignment, or with none, stands."""
    ledger = planner.ledger
    record, definition = ledger.rater(rater), ledger.definition
    done = len(record.answers)
    waiting = assignment is None and not paused and _more_to_come(planner, rater)
    held = finished and not waiting and not paused and not done and _is_held(planner, rater)
    if assignment is not None:
        assignment = replace(assignment, anchors=anchors_of(ledger, rater, assignment.task))
    return Standing(
        assignment,
        paused,
        waiting=waiting,
        held=held,
        finished=finished and not waiting and not paused and not held,
        done=done,
        of=max(done + _tasks_left(ledger, rater), done + (assignment is not None)),
        can_undo=definition.page.allow_undo
        and done > 0
        and not record.is_out
        and not record.declined
        and record.undos_left > 0,
        undos_left=record.undos_left,
        last=record.answers[max(record.answers)].assignment if done else "",
    )


def is_finished(ledger: Ledger, rater: str) -> bool:
    """Has this rater done their share, been excluded, or been asked no more?"""
    record, limit = ledger.rater(rater), ledger.definition.choosing.tasks_per_rater
    return record.is_out or (bool(limit) and len(record.answers) >= limit)


def unseen_by(ledger: Ledger, rater: str) -> Mask:
    """The items that this rater may still be shown."""
    return may_see(ledger, ledger.rater(rater))


def waits_for_seeds(ledger: Ledger) -> bool:
    """Is there a cold start that is not over?"""
    return ledger.definition.grounding.cold_start is not None and ledger.ground.seeds is None


def need_for(planner: Planner, writer: Writer, rater: str, now: float) -> Need:
    """Is there work for a rater who has answered nothing: yes, not while others hold it, or no more at all?"""
    ledger = planner.ledger
    if is_finished(ledger, rater):
        return "over"
    if waits_for_seeds(ledger) or (rater != NEWCOMER and writer.lease_of(rater) is not None):
        return "open"
    if anything_for(planner, writer, rater, now) or (not planner.enough() and _more_to_come(planner, rater)):
        return "open"
    return "held" if _is_held(planner, rater) else "over"


def _is_held(planner: Planner, rater: str) -> bool:
    """Do others hold tasks that may come back for this rater?"""
    ledger = planner.ledger
    if is_finished(ledger, rater) or planner.enough():
        return False
    return bool(np.any(unseen_by(ledger, rater) & (ledger.pending > 0)))


def anything_for(planner: Planner, writer: Writer, rater: str, now: float) -> bool:
    """Is there, or will there be, something that this rater could be given?"""
    ledger = planner.ledger
    record, definition = ledger.rater(rater), ledger.definition
    if is_finished(ledger, rater) or planner.enough():
        return False
    if definition.choosing.traits.plans_sequences:
        planned = bool(ledger.current_sequences())
        return not planned or next_place(ledger, writer, record, now) is not None
    unseen = unseen_by(ledger, rater)
    for place in writer.free(now, FREE_LOOKED_AT):  # what is ready can be asked as it is, or otherwise
        if unseen[ledger.indices(ledger.tasks[place.task])].any():
            return True
    pool = planner.pool(unseen, record.met.keys())
    return not _is_planned_out(definition.choosing.stop.budget, pool) and _finds(planner, pool, unseen)


def _finds(planner: Planner, pool: Pool, unseen: Mask) -> bool:
    """Would a task be made of this pool, for one who has not seen these items?"""
    definition = planner.ledger.definition
    if definition.asking.way.against:
        return planner.is_short(pool) and planner.finds(pool)
    if definition.choosing.learns:
        return bool(pool.allowed.any()) and pool.remaining > 0
    return bool(np.any(unseen & (pool.expected < pool.wanted)))


def _is_planned_out(budget: int, pool: Pool) -> bool:
    """Will answers that are had and to come spend the budget, if there is one?"""
    return bool(budget) and int(pool.expected.sum()) >= budget


def _tasks_left(ledger: Ledger, rater: str) -> int:
    definition, record = ledger.definition, ledger.rater(rater)
    count = tasks_left if definition.choosing.traits.plans_sequences else tasks_about
    left = count(ledger, record)
    if definition.choosing.tasks_per_rater:
        left = min(left, definition.choosing.tasks_per_rater - len(record.answers))
    return max(left, 0)


def _more_to_come(planner: Planner, rater: str) -> bool:
    """Will there be something for this rater once the seeds are placed or others finish the round?"""
    ledger = planner.ledger
    definition = ledger.definition
    if is_finished(ledger, rater):
        return False
    if waits_for_seeds(ledger):
        return True
    if definition.grounding.rounds.number > ledger.round:
        return bool(unseen_by(ledger, rater).any()) or definition.grounding.rounds.reannotate > 0
    in_rounds = definition.learning.update == "round" and not definition.choosing.traits.plans_sequences
    return in_rounds and planner.pool(None).remaining > 0 and bool(unseen_by(ledger, rater).any())
