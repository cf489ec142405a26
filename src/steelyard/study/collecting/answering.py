"""An answer on its way into the log, and out of it again."""

from __future__ import annotations

from dataclasses import replace

from steelyard.errors import AnswerTakenBack, NothingToUndo, TaskClosed, TooManyUndos
from steelyard.study.log.answers import check_answer, check_repeat
from steelyard.study.log.interface import Answer
from steelyard.study.log.transaction import Transaction


def store_answer(transaction: Transaction, rater: str, answer: Answer, at: float | None) -> bool:
    """Store an answer that was given at a time (None: now); False where this rater has sent the same before."""
    place = transaction.writer.leased(answer.assignment)
    if place is None and _is_repeated(transaction, rater, answer):
        return False
    if place is None or place.rater != rater:
        raise TaskClosed
    task = transaction.task_of(place)
    checked = check_answer(answer, task, transaction.ledger.definition)
    given_at = transaction.now if at is None else at
    transaction.append(replace(checked, task=task.id, rater=rater, at=given_at))
    transaction.writer.close(place)
    return True


def _is_repeated(transaction: Transaction, rater: str, answer: Answer) -> bool:
    """Has this rater sent this answer before? An error where they sent another one, or took it back."""
    ledger = transaction.ledger
    earlier = transaction.writer.answer_to(answer.assignment)
    if earlier is None or earlier.rater != rater:
        return False
    if earlier.assignment in ledger.rater(rater).taken_back:
        raise AnswerTakenBack
    check_repeat(answer, earlier, ledger.tasks[earlier.task], ledger.definition)
    return True


def is_taken_back(transaction: Transaction, rater: str, assignment: str) -> bool:
    """Is this not the rater's newest answer, but one that they took back before?"""
    newest = _newest(transaction, rater)
    if newest is not None and newest.assignment == assignment:
        return False
    return assignment in transaction.ledger.rater(rater).taken_back


def answer_to_undo(transaction: Transaction, rater: str, assignment: str) -> Answer:
    """The rater's newest answer, if it is the one of this assignment and they may take it back."""
    newest, record = _newest(transaction, rater), transaction.ledger.rater(rater)
    if newest is None or newest.assignment != assignment:
        raise NothingToUndo
    if not transaction.ledger.definition.page.allow_undo or record.is_out or record.declined:
        raise NothingToUndo
    if not record.undos_left:
        raise TooManyUndos(record.answers_to_undo)
    return newest


def _newest(transaction: Transaction, rater: str) -> Answer | None:
    answers = transaction.ledger.rater(rater).answers
    return answers[max(answers)] if answers else None
