"""True positions for simulated raters, from a column of the items file."""

from __future__ import annotations

import numpy as np

from steelyard.errors import BadSetting, MissingColumn, UnknownName
from steelyard.judgments.sheet import text_cells
from steelyard.maths.arrays import Matrix, Vector
from steelyard.study.definition.items import open_sheet
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.study import Study


def read_truth(study: Study, column: str) -> Matrix:
    """Return the positions in a column of the items file, on the unit scale, one row per question.

    Where raters place items on a scale, positions must be in its range. Where they compare items, the smallest position
    becomes 0 and the largest 1.
    """
    settings = study.definition.items
    sheet = open_sheet(study.folder / settings.file, settings.file)
    if settings.id not in sheet.columns:
        raise MissingColumn(settings.file, [settings.id], list(sheet.columns), "the items file")
    if column not in sheet.columns:
        raise UnknownName("column", column, list(sheet.columns), f"--truth, {settings.file}")
    ids = text_cells(sheet.columns[settings.id]).tolist()
    values = {
        str(item).strip(): cell
        for item, cell in zip(ids, text_cells(sheet.columns[column]).tolist(), strict=True)
    }
    positions = np.array([_number(values.get(item), item, column) for item in study.items.ids])
    if not study.definition.kind.placed:
        rows = [_stretched(positions)] * len(study.definition.questions)
    else:
        rows = [_on_unit_scale(study, question, positions, column) for question in study.definition.questions]
    return np.stack(rows)


def _number(cell: object, item: str, column: str) -> float:
    try:
        number = float(str(cell))
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise BadSetting(
            "truth", f"item {item!r} has {cell!r} in column {column!r}, which is not a number. Correct it."
        )
    return number


def _stretched(positions: Vector) -> Vector:
    low, high = float(positions.min()), float(positions.max())
    return (positions - low) / (high - low) if high > low else np.full(len(positions), 0.5)


def _on_unit_scale(study: Study, question: Question, positions: Vector, column: str) -> Vector:
    scale = study.definition.scale_of(question)
    outside = (positions < scale.low) | (positions > scale.high)
    if outside.any():
        item = study.items.ids[int(np.argmax(outside))]
        reason = f"item {item!r} has {positions[outside][0]:g} in column {column!r}"
        raise BadSetting(
            "truth",
            f"{reason}, which is outside the scale from {scale.low:g} to {scale.high:g}. Correct it, or the scale.",
        )
    return (positions - scale.low) / (scale.high - scale.low)
