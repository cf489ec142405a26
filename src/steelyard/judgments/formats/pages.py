"""Layouts with a whole page of answers in one row: MTurk results, WMT rankings, best-worst rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from steelyard.judgments.formats.layout import (
    Answers,
    Layout,
    all_rows,
    blank,
    numbered,
    renamed,
    side_by_side,
    usual_roles,
    words,
)
from steelyard.judgments.sheet import Cells, Sheet, id_cells, number_cells
from steelyard.maths.arrays import Mask, object_cells

SLIDER = (0.0, 100.0)  # the range input of EASL's MTurk page
TICKED = frozenset({"on", "true", "1", "yes", "checked"})
BEST_NAMES = ("bestitem", "best_item", "best")
WORST_NAMES = ("worstitem", "worst_item", "worst")
MS_PER_SECOND = 1000.0
MTURK_NAMES = ("WorkerId", "Input.task", "HITId", "AssignmentStatus", "WorkTimeInSeconds")
WMT_NAMES = ("judgeId", "srclang", "trglang", "srcIndex", "segmentId")


def _mturk(sheet: Sheet) -> Answers:
    """Results of an MTurk or Turkle batch: Input.id1..n rated by Answer.range1..n from 0 to 100.

    A rating is left out where the item or the answer is blank, where Answer.na says that none was given, and
    in rejected assignments. The task is Input.task where the batch had one, else the HIT. milliseconds is the
    working time of the whole page, on each of its rows. Other Input and Answer columns are left out.
    """
    places = [at for at in numbered(sheet, "Input.id") if sheet.named(f"Answer.range{at}")]
    items = side_by_side([_column(sheet, f"Input.id{at}") for at in places])
    scores = side_by_side([_column(sheet, f"Answer.range{at}") for at in places])
    skipped = np.column_stack([_not_applicable(sheet, at) for at in places]).ravel()
    rejected = words(_column(sheet, "AssignmentStatus")).where("rejected".__eq__)
    columns = {
        "rater": _column(sheet, "WorkerId"),
        "task": _column(sheet, "Input.task", "HITId"),
        "milliseconds": _milliseconds(sheet),
    }
    present = {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}
    answers = _unfolded("rating", sheet, {**present, "item": items, "score": scores}, len(places), SLIDER)
    answers = replace(answers, ignored=_unused(sheet, [*MTURK_NAMES, *_numbered_names(places)]))
    shown, answered = ~blank(items), ~(blank(scores) | skipped)
    accepted = ~np.repeat(rejected, len(places))
    kept = answers.where(shown)
    kept = kept.where(accepted[shown], "of rejected assignments")
    return kept.where(answered[shown & accepted], "without an answer, or marked as not applicable")


def _numbered_names(places: Sequence[int]) -> list[str]:
    """The numbered columns of an MTurk batch that are read."""
    return [
        name
        for at in places
        for name in (f"Input.id{at}", f"Answer.range{at}", f"Answer.na{at}", f"Answer.na{at}.on")
    ]


def _unused(sheet: Sheet, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that go by none of these names."""
    used = {sheet.named(name) for name in names}
    return tuple(column for column in sheet.columns if column not in used)


def _not_applicable(sheet: Sheet, at: int) -> Mask:
    return words(_column(sheet, f"Answer.na{at}", f"Answer.na{at}.on")).where(TICKED.__contains__)


def _milliseconds(sheet: Sheet) -> Cells:
    seconds, bad = number_cells(_column(sheet, "WorkTimeInSeconds"))
    cells = (seconds * MS_PER_SECOND).astype(object)
    cells[np.isnan(seconds) | bad] = None
    return cells


def _wmt(sheet: Sheet) -> Answers:
    """WMT ranking files (2014 to 2016): each row ranks up to five systems on one segment.

    The question is the language pair, the segment srcIndex, and each row a task of its own. A rank of -1 or
    none means that the system was not ranked. Merged outputs such as "sysA,sysB" stay one item.
    """
    places = [at for at in numbered(sheet, "system", "Id") if sheet.named(f"system{at}rank")]
    items = side_by_side([_column(sheet, f"system{at}Id") for at in places])
    ranks = side_by_side([_column(sheet, f"system{at}rank") for at in places])
    pairs = [id_cells(_column(sheet, name)) for name in ("srclang", "trglang")]
    segments = id_cells(_column(sheet, "srcIndex", "segmentId"))
    questions = object_cells([f"{source}-{target}" for source, target in zip(*pairs, strict=True)])
    shown = enumerate(zip(questions, segments, strict=True), start=1)
    tasks = [f"{question}:{segment}:{at}" for at, (question, segment) in shown]
    columns = {
        "rater": _column(sheet, "judgeId"),
        "task": object_cells(tasks),
        "question": questions,
        "segment": segments,
    }
    answers = _unfolded("ranking", sheet, {**columns, "item": items, "rank": ranks}, len(places))
    columns_read = [name for at in places for name in (f"system{at}Id", f"system{at}rank")]
    answers = replace(answers, ignored=_unused(sheet, [*WMT_NAMES, *columns_read]))
    ranked = np.array([rank is not None and rank.strip() not in ("-1", "-1.0") for rank in ranks], dtype=bool)
    filled = ~blank(items)
    return answers.where(filled).where(ranked[filled], "without a rank")


def _best_worst(sheet: Sheet) -> Answers:
    """Wide best-worst rows: Item1..n with BestItem and WorstItem, which hold the chosen items themselves.

    Each row is a task of its own unless there is a task column.
    """
    places = numbered(sheet, "item")
    items = np.asarray(id_cells(side_by_side([sheet.columns[column] for column in places.values()])))
    choices = np.full(len(items), "none", dtype=object)
    for choice, names in (("worst", WORST_NAMES), ("best", BEST_NAMES)):
        named = np.repeat(id_cells(_column(sheet, *names)), len(places))
        choices[np.equal(items, named).astype(bool)] = choice
    chosen = {sheet.named(*BEST_NAMES), sheet.named(*WORST_NAMES)}
    columns = renamed(replace(sheet, columns=_without(sheet, {*places.values(), *chosen})), usual_roles())
    columns.setdefault("task", object_cells([str(row + 1) for row in all_rows(sheet)]))
    answers = _unfolded("best_worst", sheet, {**columns, "item": items, "choice": choices}, len(places))
    return answers.where(~blank(items))


def _without(sheet: Sheet, names: Collection[str | None]) -> dict[str, Cells]:
    return {name: cells for name, cells in sheet.columns.items() if name not in names}


def _unfolded(
    kind: str, sheet: Sheet, columns: dict[str, Cells], width: int, scale: tuple[float, float] | None = None
) -> Answers:
    """Rows of `width` answers each as one row per answer; columns as long as the sheet are repeated."""
    long = len(sheet) * width
    repeated = {n: cells if len(cells) == long else np.repeat(cells, width) for n, cells in columns.items()}
    return Answers(kind, repeated, np.repeat(all_rows(sheet), width), scale)


def _column(sheet: Sheet, *names: str) -> Cells:
    """The cells of the first of these columns that is there; nothing but None when none is."""
    column = sheet.named(*names)
    return object_cells([None] * len(sheet)) if column is None else sheet.columns[column]


PAGES = (
    Layout("MTurk results", "rating", ("Input.id1", "Answer.range1", "WorkerId"), _mturk),
    Layout("WMT rankings", "ranking", ("judgeId", "system1Id", "system1rank", "srclang", "trglang"), _wmt),
    *(
        Layout("best-worst rows", "best_worst", ("item1", "item2", best, worst), _best_worst)
        for best, worst in zip(BEST_NAMES, WORST_NAMES, strict=True)
    ),
)
