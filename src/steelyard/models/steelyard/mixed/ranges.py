"""Ranges as ratings: the midpoint, with a weight that falls with the width of the range.

The variance of a midpoint is  a + c (high - low)².  Both are estimated by least squares from the residuals of a first
fit in which every midpoint counts as one rating.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import KINDS
from steelyard.judgments.table_rows import stacked
from steelyard.maths.arrays import Vector

if TYPE_CHECKING:  # that module imports this package
    from steelyard.models.steelyard.model import Steelyard

WEIGHTS = (0.1, 4.0)  # smallest and largest weight of a midpoint


def as_ratings(model: Steelyard, judgments: Judgments) -> Judgments:
    """Return the ratings, and the midpoints of ranges as ratings, over the same items and raters.

    Parameters
    ----------
    model
        The model with its settings.
    judgments
        Judgments of any kinds, with a common range.

    Returns
    -------
    Judgments
        Ratings only; empty if there are no ratings or ranges.
    """
    kind = model.kinds[0]
    tables = [table for table in judgments.tables.values() if len(table) and table.kind.placed]
    wide = [table for table in tables if not table.kind.pointed]
    if not tables:
        return replace(judgments, tables={})
    whole = replace(judgments, range=judgments.score_range)
    if not wide:
        return replace(whole, tables={kind: judgments.tables[kind]})
    points = [table for table in tables if table.kind.pointed]
    weights = [np.ones(len(table)) for table in wide]
    first = replace(whole, tables={kind: _joined(kind, points, wide, weights)})
    return replace(first, tables={kind: _joined(kind, points, wide, _weights(model, first, wide))})


def _widths(table: Table) -> Vector:
    low, high = (table.numbers[name] for name in table.kind.positions)
    return np.asarray(high - low)


def _joined(kind: str, points: list[Table], wide: list[Table], weights: list[Vector]) -> Table:
    """Return ratings and midpoints in one table, the midpoints last."""
    made = []
    for table, weight in zip(wide, weights, strict=True):
        middle = np.mean([table.numbers[name] for name in table.kind.positions], axis=0)
        numbers = {name: each for name, each in table.numbers.items() if name not in table.kind.positions}
        numbers = {**numbers, "score": middle, "count": table.weights * weight}
        made.append(Table(KINDS[kind], table.codes, numbers))
    counted = [replace(table, numbers={**table.numbers, "count": table.weights}) for table in points]
    return stacked([*counted, *made])


def _weights(model: Steelyard, first: Judgments, wide: list[Table]) -> list[Vector]:
    """Return the weight of each midpoint: noise variance of ratings divided by that of the midpoint."""
    from scipy.optimize import nnls  # SciPy is slow to import

    posterior = model.posterior(first)
    table = first.table(model.kinds[0])
    score, width = table.numbers["score"], posterior.width
    bias = posterior.fullest.shifts.bias[table.codes["rater"]] if "rater" in table.codes else 0.0
    square = ((score - posterior.position[table.codes["item"]]) / width - bias) ** 2
    sizes = [len(each) for each in wide]
    start = len(table) - sum(sizes)
    spans = np.concatenate([_widths(each) for each in wide]) / width
    used = np.isfinite(square[start:]) & np.isfinite(spans)
    design = np.column_stack([np.ones(used.sum()), spans[used] ** 2])
    (steady, growth), _ = nnls(design, square[start:][used])
    rated = square[:start][np.isfinite(square[:start])]
    common = float(rated.mean()) if len(rated) > 1 else float(square[start:][used].mean())
    variance = np.maximum(steady + growth * np.where(np.isfinite(spans), spans, 0.0) ** 2, 1e-9)
    return np.split(np.clip(common / variance, *WEIGHTS), np.cumsum(sizes)[:-1])
