"""Layouts with a whole page of answers in one row: WMT rankings and best-worst rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from steelyard.judgments.formats.layout import (
    Answers,
    FileLayout,
    all_rows,
    blank,
    numbered,
    renamed,
    side_by_side,
    usual_roles,
)
from steelyard.judgments.sheet import Cells, Sheet, id_cells
from steelyard.maths.arrays import object_cells

BEST_NAMES = ("bestitem", "best_item", "best")
WORST_NAMES = ("worstitem", "worst_item", "worst")
WMT_NAMES = ("judgeId", "srclang", "trglang", "srcIndex", "segmentId")


def _wmt(sheet: Sheet) -> Answers:
    """Return the rankings of WMT files (2014 to 2016), in which each row ranks up to five systems on one segment.

    The question is the language pair, the segment is srcIndex, and each row is a separate task. A rank of -1 or an
    empty rank means that the system was not ranked. Merged outputs such as "sysA,sysB" stay one item.
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
    """Return wide best-worst rows: Item1..n with BestItem and WorstItem, which hold the chosen items.

    Each row is a separate task unless there is a task column.
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


def _unused(sheet: Sheet, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that have none of these names."""
    used = {sheet.named(name) for name in names}
    return tuple(column for column in sheet.columns if column not in used)


def _without(sheet: Sheet, names: Collection[str | None]) -> dict[str, Cells]:
    return {name: cells for name, cells in sheet.columns.items() if name not in names}


def _unfolded(kind: str, sheet: Sheet, columns: dict[str, Cells], width: int) -> Answers:
    """Return rows of `width` answers as one row per answer; columns as long as the sheet are repeated."""
    long = len(sheet) * width
    repeated = {n: cells if len(cells) == long else np.repeat(cells, width) for n, cells in columns.items()}
    return Answers(kind, repeated, np.repeat(all_rows(sheet), width))


def _column(sheet: Sheet, *names: str) -> Cells:
    """Return the cells of the first of these columns that exists, otherwise only None."""
    column = sheet.named(*names)
    return object_cells([None] * len(sheet)) if column is None else sheet.columns[column]


PAGES = (
    FileLayout(
        "WMT rankings", "ranking", ("judgeId", "system1Id", "system1rank", "srclang", "trglang"), _wmt
    ),
    *(
        FileLayout("best-worst rows", "best_worst", ("item1", "item2", best, worst), _best_worst)
        for best, worst in zip(BEST_NAMES, WORST_NAMES, strict=True)
    ),
)
