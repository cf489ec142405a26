"""Recognition of the layout of a sheet by its columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.errors import AmbiguousLayout, MissingColumn, UnknownLayout
from steelyard.judgments.formats.layout import Answers, FileLayout
from steelyard.judgments.formats.long import long_layouts
from steelyard.judgments.formats.mturk import mturk_layouts
from steelyard.judgments.formats.pages import PAGES
from steelyard.judgments.formats.pairs import PAIRS
from steelyard.judgments.sheet import Sheet, text_cells
from steelyard.maths.arrays import Mask


def recognise(sheet: Sheet, kind: str | None = None) -> Answers:
    """Return the answers of the sheet, one per row, by the first layout that its columns fit.

    Steelyard's own layouts are tried first. If two of them fit and no kind is chosen, AmbiguousLayout is raised.
    """
    long = long_layouts()
    own = [layout for layout in long if _fits(layout, sheet, None)]
    chosen = [layout for layout in own if kind in (None, layout.kind)]
    if len(chosen) > 1:
        raise AmbiguousLayout(sheet.source, _row_counts(chosen, sheet), sheet.header_line)
    if chosen:
        return _without_others(chosen[0], own if kind is None else _fitting(sheet), sheet)
    for layout in (*mturk_layouts(), *PAGES, *PAIRS):
        if _fits(layout, sheet, kind):
            return layout.convert(sheet) if kind is None else _without_others(layout, own, sheet)
    if kind is None:
        lacking = [
            name for layout in long for name in layout.missing(sheet) if len(layout.missing(sheet)) == 1
        ]
        raise UnknownLayout(sheet.source, list(sheet.columns), sheet.header_line, lacking)
    wanted = next(layout for layout in long if layout.kind == kind)
    raise MissingColumn(sheet.source, wanted.missing(sheet), list(sheet.columns), kind, sheet.header_line)


def kinds_of_rows(sheet: Sheet) -> tuple[str, ...]:
    """Return the kinds of judgment of a sheet whose columns fit several kinds and whose rows are of one kind each.

    Return nothing if the columns fit one kind only, or if a row is of several kinds.
    """
    own = [layout for layout in long_layouts() if _fits(layout, sheet, None)]
    if len(own) < 2:
        return ()
    filled = np.array([_filled(layout.needs, sheet) for layout in own])
    if filled.sum(axis=0).max(initial=0) > 1:
        return ()
    return tuple(layout.kind for layout, rows in zip(own, filled, strict=True) if rows.any())


def row_of_kind(kind: str) -> str:
    """Return the reason for which a row of this kind is left out when another kind is read."""
    return f"of another kind ({kind})"


def other_kind(sheet: Sheet, kind: str) -> tuple[int, str] | None:
    """Return the first row that is an answer of another kind, and that kind; None if all rows are of this kind."""
    layouts = _fitting(sheet)
    own = next((layout for layout in layouts if layout.kind == kind), None)
    others = [] if own is None else [(layout, _rows_of(layout, own, sheet)) for layout in layouts]
    first_rows = [(int(np.argmax(rows)), layout.kind) for layout, rows in others if rows.any()]
    return min(first_rows) if first_rows else None


def _fitting(sheet: Sheet) -> list[FileLayout]:
    """Return the layouts of single answers that the columns of the sheet fit."""
    return [layout for layout in (*long_layouts(), *PAIRS) if _fits(layout, sheet, None)]


def _rows_of(other: FileLayout, layout: FileLayout, sheet: Sheet) -> Mask:
    """Return which rows are filled for the other layout, and blank in the columns that only this layout has."""
    apart = [name for name in layout.needs if name not in other.needs]
    if other.kind == layout.kind or not apart:
        return np.zeros(len(sheet), dtype=bool)
    blank = np.logical_and.reduce([_blank(name, sheet) for name in apart])
    return np.asarray(_filled(other.needs, sheet) & blank, dtype=bool)


def _row_counts(layouts: Sequence[FileLayout], sheet: Sheet) -> dict[str, int]:
    """Return the number of rows with a value in every column that a layout needs."""
    return {layout.kind: int(_filled(layout.needs, sheet).sum()) for layout in layouts}


def _without_others(layout: FileLayout, own: Sequence[FileLayout], sheet: Sheet) -> Answers:
    """Return the answers of one layout, without rows that belong to another layout of the same sheet."""
    answers = layout.convert(sheet)
    for other in own:
        theirs = _rows_of(other, layout, sheet)
        if theirs.any():
            answers = answers.where(~theirs[answers.rows], row_of_kind(other.kind))
    return answers


def _filled(names: Sequence[str], sheet: Sheet) -> Mask:
    """Return which rows have a value in all these columns."""
    return np.asarray(np.logical_and.reduce([~_blank(name, sheet) for name in names]), dtype=bool)


def _blank(name: str, sheet: Sheet) -> Mask:
    column = sheet.named(name)
    if column is None:
        return np.ones(len(sheet), dtype=bool)
    return text_cells(sheet.columns[column]).where(lambda label: False, empty=True)


def _fits(layout: FileLayout, sheet: Sheet, kind: str | None) -> bool:
    return kind in (None, layout.kind) and not layout.missing(sheet)
