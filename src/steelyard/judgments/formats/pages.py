"""Layouts with a whole page of answers in one row: MTurk results, WMT rankings, best-worst rows."""

from __future__ import annotations

import numpy as np

from steelyard.judgments.formats.layout import (
    UNKNOWN_RATER,
    Answers,
    Layout,
    all_rows,
    blank,
    numbered,
    side_by_side,
)
from steelyard.judgments.formats.mturk import MTURK
from steelyard.judgments.kinds import OPTIONAL_NUMBERS, OPTIONAL_TEXT, RATER_NAMES
from steelyard.judgments.sheet import Cells, Sheet, id_cells
from steelyard.maths.arrays import object_cells

BEST_NAMES = ("bestitem", "best_item", "best")
WORST_NAMES = ("worstitem", "worst_item", "worst")


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
    unranked = [rank is None or rank.strip() in ("-1", "-1.0") for rank in ranks]
    return answers.where(~(np.array(unranked, dtype=bool) | blank(items)))


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
    kept = {"rater": RATER_NAMES, **{name: (name,) for name in (*OPTIONAL_TEXT, *OPTIONAL_NUMBERS)}}
    columns = {role: _column(sheet, *names) for role, names in kept.items() if sheet.named(*names)}
    columns.setdefault("rater", object_cells([UNKNOWN_RATER] * len(sheet)))
    columns.setdefault("task", object_cells([str(row + 1) for row in all_rows(sheet)]))
    answers = _unfolded("best_worst", sheet, {**columns, "item": items, "choice": choices}, len(places))
    return answers.where(~blank(items))


def _unfolded(kind: str, sheet: Sheet, columns: dict[str, Cells], width: int) -> Answers:
    """Rows of `width` answers each as one row per answer; columns as long as the sheet are repeated."""
    long = len(sheet) * width
    repeated = {n: cells if len(cells) == long else np.repeat(cells, width) for n, cells in columns.items()}
    return Answers(kind, repeated, np.repeat(all_rows(sheet), width))


def _column(sheet: Sheet, *names: str) -> Cells:
    """The cells of the first of these columns that is there; nothing but None when none is."""
    column = sheet.named(*names)
    return object_cells([None] * len(sheet)) if column is None else sheet.columns[column]


PAGES = (
    *MTURK,
    Layout("WMT rankings", "ranking", ("judgeId", "system1Id", "system1rank", "srclang", "trglang"), _wmt),
    *(
        Layout("best-worst rows", "best_worst", ("item1", "item2", best, worst), _best_worst)
        for best, worst in zip(BEST_NAMES, WORST_NAMES, strict=True)
    ),
)
