"""Store an answer in the log, and check whether it can be taken back."""

from __future__ import annotations

from dataclasses import replace

from steelyard.errors import AnswerTakenBack, NothingToUndo, TaskClosed, TooManyUndos
from steelyard.study.collecting.check_rules import check_time
from steelyard.study.collecting.rater_state import may_undo
from steelyard.study.log.answers import check_answer, check_repeat, is_from_file
from steelyard.study.log.entries import Answer
from steelyard.study.log.transaction import Transaction


def store_answer(transaction: Transaction, rater: str, answer: Answer, at: float | None) -> bool:
    """Store an answer.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater.
    answer
        The answer, with its assignment.
    at
        Time of the answer in seconds since 1970, or None for now.

    Returns
    -------
    bool
        False if this rater has sent the same answer before, else True.
    """
    place = transaction.writer.leased(answer.assignment)
    if place is None and _is_repeated(transaction, rater, answer):
        return False
    if place is None or place.rater != rater:
        raise TaskClosed
    task = transaction.task_of(place)
    checked = check_answer(answer, task, transaction.ledger.definition)
    if not is_from_file(answer):
        check_time(transaction, answer)
    given_at = transaction.now if at is None else at
    transaction.append(replace(checked, task=task.id, rater=rater, at=given_at))
    transaction.writer.close(place)
    return True


def _is_repeated(transaction: Transaction, rater: str, answer: Answer) -> bool:
    """Whether the rater has sent this answer before; raise an error if they sent another one or took it back."""
    ledger = transaction.ledger
    earlier = transaction.writer.answer_to(answer.assignment)
    if earlier is None or earlier.rater != rater:
        return False
    if earlier.assignment in ledger.rater(rater).taken_back:
        raise AnswerTakenBack
    check_repeat(answer, earlier, ledger.tasks[earlier.task], ledger.definition)
    return True


def is_taken_back(transaction: Transaction, rater: str, assignment: str) -> bool:
    """Whether a rater has already taken back the answer to an assignment.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater.
    assignment
        Id of the assignment.

    Returns
    -------
    bool
        False if it is the assignment of the newest answer.
    """
    newest = _newest(transaction, rater)
    if newest is not None and newest.assignment == assignment:
        return False
    return assignment in transaction.ledger.rater(rater).taken_back


def answer_to_undo(transaction: Transaction, rater: str, assignment: str) -> Answer:
    """Return the newest answer of a rater, if it belongs to this assignment and may be taken back.

    Raises NothingToUndo or TooManyUndos otherwise.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater.
    assignment
        Id of the assignment.

    Returns
    -------
    Answer
        The answer to take back.
    """
    newest, record = _newest(transaction, rater), transaction.ledger.rater(rater)
    if newest is None or newest.assignment != assignment:
        raise NothingToUndo
    if not transaction.ledger.definition.page.allow_undo or not may_undo(record):
        raise NothingToUndo
    if not record.undos_left:
        raise TooManyUndos(record.answers_to_undo)
    return newest


def _newest(transaction: Transaction, rater: str) -> Answer | None:
    record = transaction.ledger.rater(rater)
    return record.answers[record.newest] if record.answers else None
