"""`read`: any file or frame of judgments, checked, as one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from steelyard.errors import (
    BadRows,
    BadSetting,
    EmptyFile,
    MissingValue,
    NotANumber,
    NotATime,
    RowMistakes,
    UnreadableFile,
)
from steelyard.judgments.coded import Coded
from steelyard.judgments.files import read_file, read_stream
from steelyard.judgments.formats.layout import UNKNOWN_RATER, Answers
from steelyard.judgments.formats.recognise import recognise
from steelyard.judgments.frames import read_frame
from steelyard.judgments.kinds import ITEM_COLUMNS, KINDS, OPTIONAL_NUMBERS, OPTIONAL_TEXT, known_kind
from steelyard.judgments.sheet import Cells, Sheet, id_cells, number_cells, text_cells, time_cells
from steelyard.judgments.table import Judgments
from steelyard.judgments.validation import Fault, Rules, find_faults, group, sound
from steelyard.maths.arrays import object_cells

GLANCE = 100  # the first rows mostly tell text from numbers, before all of them are looked at


def read(
    source: Any,
    kind: str | None = None,
    *,
    range: tuple[float, float] | None = None,
    items: Collection[str] | None = None,
    bad_rows: Literal["refuse", "drop"] = "refuse",
) -> Judgments:
    """Judgments from a file or frame, all of them checked; one mistake anywhere and none is taken over.

    `source` is a path to a CSV, JSONL or Parquet file, an open file, a pandas, Polars or Arrow frame, a dict
    of columns, or a list of any of these. The layout is told from the columns; `kind` settles it where two
    would fit. `range` is the scale that scores must lie on, `items` the ids that may occur. Spaces around ids
    are taken off.
    A file without raters has one, called "unknown". `at` is kept as seconds since 1970; text without a time
    zone counts as UTC. Columns without a meaning of their own stay as covariates: numbers if every cell is
    one, else text. With `bad_rows="drop"` rows with mistakes are left out instead, and of a repeated answer
    the first counts: for published files that cannot be mended.

    >>> judgments = read({"rater": ["ann", "bob"], "item": ["tea", "tea"], "score": [20, 30]})
    >>> judgments.kinds, len(judgments)
    (('rating',), 2)
    """
    if isinstance(source, list | tuple):
        if not source:
            raise EmptyFile("the list of files", None)
        parts = [read(part, kind, range=range, items=items, bad_rows=bad_rows) for part in source]
        return Judgments.concat(parts)
    if range is not None and not range[0] < range[1]:
        raise BadSetting("range", f"the low end {range[0]:g} is not below the high end {range[1]:g}.")
    known = None if kind is None else known_kind(kind)
    return _checked(_sheet(source), known, Rules(items, range), bad_rows == "drop")


def _sheet(source: Any) -> Sheet:
    if isinstance(source, Sheet):
        return source
    if isinstance(source, str | os.PathLike):
        return read_file(source)
    return read_stream(source) if hasattr(source, "read") else read_frame(source)


def _checked(sheet: Sheet, kind: str | None, rules: Rules, drop: bool) -> Judgments:
    if not len(sheet) and sheet.ragged is None:
        raise EmptyFile(sheet.source, sheet.header_line)
    answers = recognise(sheet, kind)
    columns, faults = _typed(answers)
    anonymous = "rater" not in columns
    if anonymous:
        columns["rater"] = Coded(np.zeros_like(answers.rows), object_cells([UNKNOWN_RATER]))
    judgments = Judgments.from_columns(answers.kind, columns, rules.range or answers.range)
    told = replace(
        rules, range=judgments.range, anonymous=anonymous, place=_placer(sheet, answers), unit=sheet.unit
    )
    faults += find_faults(judgments, told)
    if not drop:
        _refuse(sheet, group(faults, told))
    kept = judgments.where(lambda table: sound(faults, len(table))).compact() if drop else judgments
    if not len(kept):
        raise UnreadableFile(sheet.source, "no row holds an answer.", "Check that this is the right file.")
    return kept


def _placer(sheet: Sheet, answers: Answers) -> Callable[[int], int]:
    return lambda row: sheet.place(int(answers.rows[row]))


def _refuse(sheet: Sheet, groups: list[RowMistakes]) -> None:
    found = groups if sheet.ragged is None else [sheet.ragged, *groups]
    if found:
        raise BadRows(sheet.source, found)


def _typed(answers: Answers) -> tuple[dict[str, Cells], list[Fault]]:
    """Each column as text or as numbers, as its name or its cells say, and the cells that are neither."""
    known = KINDS[answers.kind]
    columns: dict[str, Cells] = {}
    faults: list[Fault] = []
    for name, cells in answers.columns.items():
        if name in known.numbers or name in OPTIONAL_NUMBERS:
            columns[name], found = _numbers(name, cells, name in known.numbers)
            faults += found
        elif name in known.text or name in OPTIONAL_TEXT or name in ITEM_COLUMNS:
            columns[name] = id_cells(cells)
        else:
            columns[name] = _covariate(cells)
    return columns, faults


def _numbers(name: str, cells: Cells, required: bool) -> tuple[Cells, list[Fault]]:
    values, bad = time_cells(cells) if name == "at" else number_cells(cells)
    mistake = NotATime if name == "at" else NotANumber
    faults = [Fault(mistake, np.flatnonzero(bad), lambda row: mistake(name, cells[row]))]
    if required:
        empty = np.flatnonzero(np.isnan(values) & ~bad)
        faults.append(Fault(MissingValue, empty, lambda row: MissingValue(name)))
    return values, faults


def _covariate(cells: Cells) -> Cells:
    """Numbers where every cell is one, else text."""
    if number_cells(np.asarray(cells[:GLANCE]))[1].any():
        return text_cells(cells)
    values, bad = number_cells(cells)
    return text_cells(cells) if bad.any() else values
