"""Every answer of one rater, or about one item, as the owner's pages list them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from steelyard.kinds.cell import Cell
from steelyard.quality.rater_differences import Difference, differences_of
from steelyard.study.definition.labels import label_of
from steelyard.study.log.entries import Answer, Task
from steelyard.study.log.ledger import Ledger

AnswerStatus = Literal["counts", "excluded", "probe"]
PAIR = 2  # items that a cell of a comparison is about


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer of one rater about one item or pair.

    Attributes
    ----------
    at
        Time, in seconds since 1970.
    rater
        Id of the rater.
    items, label
        Ids of the item or pair, and its label.
    answer
        The answer as it was given; None means "can't judge".
    point
        The answer as a number on the scale of the current round; None if it has none.
    milliseconds
        Time for the task, if known.
    comment
        Comment on the task.
    round
        Round of the task.
    status
        Whether the answer counts, or why it does not.
    mean
        Mean of the points that count, up to this answer, on an item's page; else None.
    """

    at: float
    rater: str
    items: tuple[str, ...]
    label: str
    answer: float | str | None
    point: float | None
    milliseconds: int | None
    comment: str
    round: int
    status: AnswerStatus
    mean: float | None = None


def answers_by(ledger: Ledger, rater: str, question: int) -> tuple[GivenAnswer, ...]:
    """Return the answers of a rater to a question, newest first.

    Parameters
    ----------
    ledger
        State of the study.
    rater
        Id of the rater.
    question
        Index of the question.

    Returns
    -------
    tuple of GivenAnswer
        One entry per item or pair, without answers that were taken back.
    """
    record = ledger.raters.get(rater)
    answers = [] if record is None else list(record.answers.values())
    return tuple(_given(ledger, reversed(answers), question))


def compared_with_others(ledger: Ledger, rater: str, question: int) -> tuple[Difference, ...]:
    """Return the answers of a rater beside those of the other raters who are not excluded, largest difference first.

    Parameters
    ----------
    ledger
        State of the study.
    rater
        Id of the rater.
    question
        Index of the question.

    Returns
    -------
    tuple of Difference
        One entry per item or pair that the rater judged.
    """
    record = ledger.raters.get(rater)
    if record is None:
        return ()
    judgments = ledger.judgments(question)
    if record.excluded:  # the owner still sees how the rater differs
        own = [each for each in record.answers.values() if not ledger.tasks[each.task].probe]
        judgments = judgments + ledger.judgments_in(own, question)
    return differences_of(judgments, rater)


def answers_about(ledger: Ledger, item: str, question: int) -> tuple[GivenAnswer, ...]:
    """Return all answers about an item, oldest first, each with the mean up to it.

    Parameters
    ----------
    ledger
        State of the study.
    item
        Id of the item.
    question
        Index of the question.

    Returns
    -------
    tuple of GivenAnswer
        One entry per answer, without answers that were taken back.
    """
    answers = (answer for answer in ledger.answers.values() if item in ledger.tasks[answer.task].items)
    about = (each for each in _given(ledger, answers, question) if item in each.items)
    return tuple(_with_means(about))


def _given(ledger: Ledger, answers: Iterable[Answer], question: int) -> Iterator[GivenAnswer]:
    for answer in answers:
        task, read = ledger.tasks[answer.task], ledger.as_read(answer)
        for cell, moved in zip(answer.cells, read.cells, strict=True):
            if cell.question == question:
                yield _one(ledger, answer, task, (cell, moved))


def _one(ledger: Ledger, answer: Answer, task: Task, cells: tuple[Cell, Cell]) -> GivenAnswer:
    """Return one cell as it was given, with its point on the scale of the current round."""
    cell, moved = cells
    kind = ledger.definition.in_way(task.protocol).kind
    labels = [label_of(ledger.items[at]) for at in ledger.indices(task)]
    label, value = kind.describe(cell, labels)
    is_pair = len(kind.table.items) == PAIR
    items = (task.items[0], task.items[cell.item]) if is_pair else (task.items[cell.item],)
    return GivenAnswer(
        answer.at,
        answer.rater,
        items,
        label,
        value,
        None if moved.ends is None else sum(moved.ends) / len(moved.ends),
        answer.milliseconds,
        answer.comment,
        task.round,
        _status(ledger, answer, task),
    )


def _status(ledger: Ledger, answer: Answer, task: Task) -> AnswerStatus:
    if ledger.rater(answer.rater).excluded:
        return "excluded"
    return "probe" if task.probe else "counts"


def _with_means(answers: Iterable[GivenAnswer]) -> Iterator[GivenAnswer]:
    total, count = 0.0, 0
    for each in answers:
        if each.point is not None and each.status == "counts":
            total, count = total + each.point, count + 1
        yield replace(each, mean=total / count if count and each.point is not None else None)
