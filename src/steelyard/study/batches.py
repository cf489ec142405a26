"""Tasks as files and results from files: the loop of generate, publish, collect, update."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Vector
from steelyard.models.model import rows_of
from steelyard.study.answers import FILE_PREFIX, is_level
from steelyard.study.cells import PLACED, VALUES, Cell, make_cell
from steelyard.study.definition import ScaleSettings, StudyDefinition
from steelyard.study.items import Item, Items
from steelyard.study.log import Answer, Task
from steelyard.study.session import Session

Columns = dict[str, list[Any]]


def long_columns(tasks: Sequence[Task], items: Items) -> Columns:
    """One row per item of each task."""
    rows = [
        (task, slot, items[items.index[item]]) for task in tasks for slot, item in enumerate(task.items, 1)
    ]
    columns: Columns = {
        "task": [task.id for task, _, _ in rows],
        "slot": [slot for _, slot, _ in rows],
        "item": [item.id for _, _, item in rows],
    }
    for name in _shown(items):
        columns[name] = [_cell(item, name) for _, _, item in rows]
    return columns


def mturk_columns(tasks: Sequence[Task], items: Items) -> Columns:
    """One row per task, as MTurk's templates expect: id1..idn, text1..textn and so on, and the task's id."""
    most = max((len(task.items) for task in tasks), default=0)
    columns: Columns = {}
    for name in ("id", *_shown(items)):
        for slot in range(most):
            columns[f"{name}{slot + 1}"] = [_slot(task, slot, name, items) for task in tasks]
    columns["task"] = [task.id for task in tasks]
    return columns


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a results file."""

    answers: int
    repeated: int
    raters: int


def import_results(session: Session, results: Judgments) -> Imported:
    """Answers from a results file, through the session; what was imported before is counted, not repeated."""
    definition = session.study.definition
    table = rows_of(results, definition.asks.kind, "this study")
    if len(definition.questions) > 1 and "question" not in table:
        raise BadSetting(
            "question", "the study asks several questions; the file must say which in a question column."
        )
    pages = _pages(results, session)
    if definition.asks.kind in PLACED:
        _check_scores(pages, session)
    raters: dict[str, str] = {}
    answers = repeated = 0
    for worker in dict.fromkeys(page.worker for page in pages):
        raters[worker] = session.join(worker, "file", worker).id
    with session.together():
        for page in pages:
            taken = _accept(session, raters[page.worker], page)
            answers += taken
            repeated += not taken
    return Imported(answers, repeated, len(raters))


@dataclass(frozen=True, slots=True)
class Page:
    """One rater's rows of one task: what they said by item and question; `items` as the page showed them."""

    worker: str
    task: str
    items: list[str]
    cells: dict[tuple[str, int], Any]
    milliseconds: int | None


def _pages(results: Judgments, session: Session) -> list[Page]:
    """Rows of one rater and task together, in order; comparisons with one item on the left together."""
    kind = session.study.definition.asks.kind
    table = results.table(kind)
    workers = results.cells(kind, "rater")
    about = results.cells(kind, "right" if kind == "comparison" else "item")
    left = results.cells(kind, "left") if kind == "comparison" else [None] * len(table)
    tasks = results.cells(kind, "task") if "task" in table else [None] * len(table)
    questions = _question_numbers(results, session)
    told = _told(results, session, questions)
    times = table.numbers.get("milliseconds", np.full(len(table), np.nan))
    pages: dict[tuple[str, str, str | None], Page] = {}
    for row in range(len(table)):
        # Without tasks every judgment is a task of its own.
        alone = " ".join(str(each) for each in (left[row], about[row]) if each is not None)
        task = str(tasks[row]) if tasks[row] is not None else f"item {alone}"
        worker, taken = str(workers[row]), None if np.isnan(times[row]) else int(times[row])
        shown = [] if left[row] is None else [str(left[row])]
        page = pages.setdefault((worker, task, left[row]), Page(worker, task, shown, {}, taken))
        if str(about[row]) not in page.items:
            page.items.append(str(about[row]))
        page.cells[str(about[row]), int(questions[row])] = told[row]
    return list(pages.values())


def _check_scores(pages: Sequence[Page], session: Session) -> None:
    """Refuse the whole file, before anything is taken over, where a score does not lie on its question's scale."""
    definition = session.study.definition
    for page in pages:
        for (item, question), score in page.cells.items():
            scale = definition.scale_of(definition.questions[question])
            for each in score if isinstance(score, tuple) else (score,):
                _check_score(each, f"{page.worker!r} gave {item!r} {each:g}", scale)


def _check_score(score: float, told: str, scale: ScaleSettings) -> None:
    if not scale.low <= score <= scale.high:
        raise BadSetting("scale", f"{told}; the scale goes from {scale.low:g} to {scale.high:g}.")
    if scale.levels and not is_level(score, scale):
        levels = ", ".join(f"{value:g}" for value in scale.level_values())
        raise BadSetting("scale, levels", f"{told}; the levels are {levels}.")


def _question_numbers(results: Judgments, session: Session) -> Sequence[int]:
    kind = session.study.definition.asks.kind
    numbers = {question.id: at for at, question in enumerate(session.study.definition.questions)}
    if "question" not in results.table(kind) or len(numbers) == 1:
        return np.zeros(len(results.table(kind)), dtype=int).tolist()
    named = results.cells(kind, "question")
    unknown = sorted({str(each) for each in named} - set(numbers))
    if unknown:
        raise BadSetting(
            "question", f"{unknown[0]!r} is not asked by this study; it asks {', '.join(numbers)}."
        )
    return [numbers[str(each)] for each in named]


def _told(results: Judgments, session: Session, questions: Sequence[int]) -> Any:
    """What each row says: a value, or both bounds of a range."""
    kind = session.study.definition.asks.kind
    if kind not in PLACED:
        return results.cells(kind, VALUES[kind][0])
    columns = [
        _rescaled(results.table(kind).numbers[name], results, session, questions) for name in VALUES[kind]
    ]
    return columns[0] if len(columns) == 1 else list(zip(*(each.tolist() for each in columns), strict=True))


def _rescaled(scores: Vector, results: Judgments, session: Session, questions: Sequence[int]) -> Vector:
    """Scores moved from the file's range, where it states one, to that of each row's question."""
    definition = session.study.definition
    if results.range is None:
        return scores
    start, end = results.range
    scales = [definition.scale_of(question) for question in definition.questions]
    low = np.array([scale.low for scale in scales])[np.asarray(questions, dtype=np.int64)]
    high = np.array([scale.high for scale in scales])[np.asarray(questions, dtype=np.int64)]
    same = (low == start) & (high == end)  # no arithmetic, so that scores keep their last digit
    return np.where(same, scores, low + (scores - start) / (end - start) * (high - low))


def _accept(session: Session, rater: str, page: Page) -> bool:
    """One rater's answer to one task; False when it is there already."""
    told = f"{rater} {page.task} {sorted(page.cells)}"
    assignment = f"{FILE_PREFIX}{hashlib.sha256(told.encode()).hexdigest()[:24]}"
    taken = session.take_task(rater, page.task, page.items, assignment)
    if taken is None:
        return False
    cells = tuple(_cells(page, taken.task, session.study.definition))
    return session.accept(rater, Answer("", "", assignment, cells, milliseconds=page.milliseconds))


def _cells(page: Page, task: Task, definition: StudyDefinition) -> Iterator[Cell]:
    """What the page says of each item that the task asks about, None where it says nothing."""
    asks, questions = definition.asks, range(len(definition.questions))
    for question in questions:
        ranks = sorted({told for (_, asked), told in page.cells.items() if asked == question})
        for at in asks.asked(len(task.items)):
            told = page.cells.get((task.items[at], question))
            if asks.kind == "ranking" and told is not None:
                told = ranks.index(told) + 1  # a file may leave places free after a tie
            yield make_cell(asks.kind, at, question, told)


def _shown(items: Items) -> tuple[str, ...]:
    """The medium, and what is shown beside the items."""
    beside = dict.fromkeys(name for item in items.all for name, _ in item.context)
    return (items[0].medium, *beside)


def _cell(item: Item, name: str) -> str:
    return item.content if name == item.medium else dict(item.context).get(name, "")


def _slot(task: Task, slot: int, name: str, items: Items) -> str:
    if slot >= len(task.items):
        return ""
    item = items[items.index[task.items[slot]]]
    return item.id if name == "id" else _cell(item, name)
