"""The state of a rater: the assigned task, the finished tasks, and the tasks that are left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Mask
from steelyard.study.collecting.already_seen import may_see
from steelyard.study.collecting.checking import expected_checks
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.sequencing import tasks_left as tasks_of_sequence
from steelyard.study.collecting.ways import tasks_left
from steelyard.study.definition.sections.checks import ChecksSettings
from steelyard.study.grounding.anchors import ShownAnchor, anchors_of
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.log.entries import Task
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.undo_limit import undos_left


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task assigned to a rater, with the anchors along its scale."""

    id: str
    task: Task
    anchors: tuple[ShownAnchor, ...] = ()


@dataclass(frozen=True, slots=True)
class RaterState:
    """The state of a rater.

    Attributes
    ----------
    assignment
        The current task, or None.
    paused
        Whether the study, or this rater, is paused.
    waiting
        Whether tasks for this rater will follow, after the cold start or the current round.
    held
        Whether the rater has answered nothing, and other raters hold all remaining tasks.
    finished
        Whether no more tasks will follow for this rater.
    done
        Number of answered tasks.
    of
        Expected total number of tasks of this rater.
    can_undo
        Whether the rater may take back the last answer.
    undos_left
        Number of answers that the rater may still take back.
    last
        Assignment of the newest answer; empty before the first.
    notice
        Text that the rater reads first, such as a warning or the reason of a pause.
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
    last: str
    notice: str = ""


def rater_state_of(
    planner: Planner, rater: str, assignment: Assignment | None, paused: bool = False, finished: bool = False
) -> RaterState:
    """Return the state of a rater.

    Parameters
    ----------
    planner
        Planner of the study.
    rater
        Id of the rater.
    assignment
        Current task of the rater, or None.
    paused
        Whether the study is paused.
    finished
        Whether there is no task for the rater now.

    Returns
    -------
    RaterState
        The state, with the anchors of the current task.
    """
    ledger = planner.ledger
    record, definition = ledger.rater(rater), ledger.definition
    done = len(record.answers)
    waiting = assignment is None and not paused and more_to_come(planner, rater)
    held = finished and not waiting and not paused and not done and is_held(planner, rater)
    if assignment is not None:
        assignment = replace(assignment, anchors=anchors_of(ledger, rater, assignment.task))
    return RaterState(
        assignment,
        paused,
        waiting=waiting,
        held=held,
        finished=finished and not waiting and not paused and not held,
        done=done,
        of=max(done + _tasks_left(planner, rater), done + (assignment is not None)),
        can_undo=definition.page.allow_undo and done > 0 and may_undo(record) and record.undos_left > 0,
        undos_left=record.undos_left,
        last=record.answers[record.newest].assignment if done else "",
        notice=record.message if paused and record.paused_until else record.notice,
    )


def state_ahead(current: RaterState, ledger: Ledger, rater: str, ahead: Assignment) -> RaterState:
    """Return the state of a rater as it will be after the answer to the current task.

    Parameters
    ----------
    current
        The current state, with a task.
    ledger
        State of the study.
    rater
        Id of the rater.
    ahead
        The task after the current one.

    Returns
    -------
    RaterState
        The state with the task assigned in advance.
    """
    record, definition = ledger.rater(rater), ledger.definition
    undos = undos_left(current.done + 1, len(record.taken_back))
    return replace(
        current,
        assignment=replace(ahead, anchors=anchors_of(ledger, rater, ahead.task)),
        done=current.done + 1,
        of=max(current.of, current.done + 2),
        can_undo=definition.page.allow_undo and undos > 0,
        undos_left=undos,
        last="" if current.assignment is None else current.assignment.id,
    )


def may_fetch_ahead(ledger: Ledger, rater: str) -> bool:
    """Whether a rater may receive the task after the current one in advance.

    Not if tasks show the rater's own earlier answers, because the task would lack the answer before it, and not if the
    study checks its raters, because the answer decides whether a check, a pause or the end follows.
    """
    definition, limit = ledger.definition, ledger.definition.choosing.tasks_per_rater
    waits = "own" in definition.shows or definition.checks != ChecksSettings()
    if not definition.page.fetch_ahead or waits or ledger.paused:
        return False
    record = ledger.rater(rater)
    return not record.is_out and not (limit and len(record.answers) + 1 >= limit)


def may_undo(record: RaterRecord) -> bool:
    """Whether a rater may take back their newest answer: not if it led to a warning, a pause or an end."""
    acted = record.acted_at > record.newest
    return not (record.is_out or record.declined or acted)


def state_without_tasks(paused: bool, held: bool) -> RaterState:
    """Return the state of a rater who has no arm of the study, and therefore no tasks."""
    finished = not paused and not held
    return RaterState(None, paused, False, held, finished, 0, 0, False, 0, "")


def is_finished(ledger: Ledger, rater: str) -> bool:
    """Whether the rater has answered the maximum number of tasks, is excluded, or was stopped early."""
    record, limit = ledger.rater(rater), ledger.definition.choosing.tasks_per_rater
    return record.is_out or (bool(limit) and len(record.answers) >= limit)


def unseen_by(ledger: Ledger, rater: str) -> Mask:
    """Return a mask of the items that this rater may still be shown."""
    return may_see(ledger, ledger.rater(rater))


def is_held(planner: Planner, rater: str) -> bool:
    """Whether other raters hold tasks that this rater could receive if they are not answered."""
    if is_finished(planner.ledger, rater) or planner.enough():
        return False
    ledgers = (way.ledger for way in planner.asking)
    return any(bool(np.any(unseen_by(each, rater) & (each.pending > 0))) for each in ledgers)


def _tasks_left(planner: Planner, rater: str) -> int:
    ledger = planner.ledger
    definition, record = ledger.definition, ledger.rater(rater)
    if definition.choosing.traits.plans_sequences:
        left = tasks_of_sequence(ledger, record)
    else:
        left = tasks_left(planner, rater)
    left += expected_checks(ledger, left)
    if definition.choosing.tasks_per_rater:
        left = min(left, definition.choosing.tasks_per_rater - len(record.answers))
    return max(left, 0)


def more_to_come(planner: Planner, rater: str) -> bool:
    """Whether tasks for this rater will follow after the cold start or when others finish the round."""
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
