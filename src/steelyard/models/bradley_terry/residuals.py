"""Residuals of a Bradley-Terry fit by pair and by rater."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.errors import UnknownName
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import sum_by
from steelyard.models.bradley_terry.goodness import Goodness
from steelyard.models.bradley_terry.inference import by_rater as split_by_rater
from steelyard.scales.tables import Rows

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit


def by_pair(fit: BradleyTerryFit) -> Rows:
    """Return observed and expected counts, Pearson residuals and deviance of every row of the table."""
    design, good = fit.design, fit.goodness
    left, right = design.left[design.real], design.right[design.real]
    names = ("left", "tie", "right") if len(good.observed) == 3 else ("left", "right")
    rows = []
    for at in range(good.rows):
        row: dict[str, Any] = {"left_item": str(fit.item[left[at]]), "right_item": str(fit.item[right[at]])}
        for outcome, name in enumerate(names):
            row[name] = float(good.observed[outcome, at])
            row[f"{name}_expected"] = float(good.fitted[outcome, at])
            row[f"{name}_residual"] = float(good.residuals[outcome, at])
        rows.append({**row, "deviance": float(good.by_row[at])})
    return Rows(rows)


def by_rater(fit: BradleyTerryFit, by: str) -> Rows:
    """Return deviance, Pearson chi-square and standardised log-likelihood of every rater.

    `unusual` is the rater's log-likelihood minus its expectation, divided by its standard deviation (Drasgow et al.
    1985). Strongly negative values mean answers that are improbable under the model.
    """
    if by != "rater":
        raise UnknownName("grouping of residuals", by, ("pair", "rater"))
    table = counted_by_rater(fit)
    codes, raters, split = split_by_rater(table, fit.settings)
    ability, tie = split.predictors(fit.theta)
    logs = fit.likelihood.log_probabilities(ability, tie)[:, split.real]
    observed, rater = split.outcomes[:, split.real], codes[split.real]
    good = Goodness(observed, np.exp(logs), 0)
    mean = np.sum(good.shares * logs, axis=0)
    variance = np.sum(good.shares * logs**2, axis=0) - mean**2
    size = len(raters)
    gap = sum_by(rater, np.sum(observed * logs, axis=0) - good.totals * mean, size)
    spread = np.sqrt(np.maximum(sum_by(rater, good.totals * variance, size), 1e-300))
    numbers = {
        "judgments": sum_by(rater, good.totals, size),
        "deviance": sum_by(rater, good.by_row, size),
        "pearson": sum_by(rater, np.sum(good.residuals**2, axis=0), size),
        "unusual": gap / spread,
    }
    return Rows(
        [
            {"rater": str(name), **{key: float(values[at]) for key, values in numbers.items()}}
            for at, name in enumerate(raters)
        ]
    )


def counted_by_rater(fit: BradleyTerryFit) -> PairCounts:
    """Return the counts of a fit, split by rater."""
    columns = tuple(dict.fromkeys((*fit.settings.columns, "rater")))
    return table_of(fit.source, columns, fit.settings.ordered)


def table_of(source: Any, columns: tuple[str, ...], ordered: bool) -> PairCounts:
    """Return counts of comparisons by pair and columns.

    Parameters
    ----------
    source
        Judgments, or counts or a log whose counts are pooled.
    columns
        Columns by which the counts are split.
    ordered
        Whether pairs are split by which item was shown first.

    Returns
    -------
    PairCounts
        One row per pair and combination of the columns.
    """
    if isinstance(source, Judgments):
        return PairCounts.of(source, columns, ordered)
    counts: PairCounts = source.pooled(columns, ordered)
    return counts
