"""`Distributions`: quantiles or draws of the position of each item, for example as soft labels for training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.scales.fit import Fit
from steelyard.scales.tables import Tabular

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
SOURCES = ("ambiguity", "disagreement")  # diagnostics of items that describe the answers, not the estimate
CENTRAL_LEVEL = 1e-6  # coverage of the interval whose middle is the median; some models have no interval of 0


@dataclass(frozen=True, eq=False, repr=False)
class Distributions(Tabular):
    """Distribution of the position of each item under one model, highest position first.

    Parameters
    ----------
    item
        Item id of each row.
    model
        Name of the model.
    values
        Columns after the item: quantiles, or the number of the draw and the position.
    notes
        Sentences about the values, such as draws outside the scale.
    """

    item: Labels
    model: str
    values: dict[str, Any]
    notes: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """Return item, model and the columns of values."""
        return {"item": self.item, "model": [self.model] * len(self.item), **self.values}


def quantiles_of(fit: Fit, probabilities: Sequence[float] = QUANTILES) -> Distributions:
    """Return quantiles of the position of each item, one row per item.

    The quantile for a probability p is an end of the interval with coverage ``|1 - 2p|``. The quantiles for 0.025 and
    0.975 are therefore `low` and `high` of the scale.

    Parameters
    ----------
    fit
        Result of fitting a model.
    probabilities
        Probabilities between 0 and 1. Default: 0.025, 0.25, 0.5, 0.75 and 0.975.

    Returns
    -------
    Distributions
        Columns `position`, `ambiguity` and `disagreement` if the model estimates them, and one column per
        probability, such as `q0.25`.

    Examples
    --------
    >>> from steelyard import DirectAssessment, Judgments, Rating
    >>> ratings = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
    >>> fit = DirectAssessment().fit(Judgments.of(ratings, range=(0, 100)))
    >>> list(quantiles_of(fit, [0.05, 0.5, 0.95]).columns())
    ['item', 'model', 'position', 'q0.05', 'q0.5', 'q0.95']
    """
    for each in probabilities:
        if not 0.0 < each < 1.0:
            raise BadSetting(
                "quantiles", f"{each:g} is not between 0 and 1. Write numbers such as 0.05,0.5,0.95."
            )
    order = _highest_first(fit)
    columns = {f"q{each:g}": _quantile(fit, each)[order] for each in probabilities}
    position = {"position": fit.posterior.position[order]}
    return Distributions(
        fit.item[order], fit.provenance.model, {**position, **sources_of(fit, fit.item[order]), **columns}
    )


def draws_of(fit: Fit, number: int, rng: np.random.Generator) -> Distributions:
    """Return joint draws of the positions, one row per item and draw.

    Rows with the same number of `draw` belong together: they are one draw of the whole scale.

    Parameters
    ----------
    fit
        Result of fitting a model.
    number
        Number of draws.
    rng
        Source of randomness.

    Returns
    -------
    Distributions
        Columns `draw` (from 1) and `position`.
    """
    if number < 1:
        raise BadSetting("draws", f"{number} is too small. Write at least 1.")
    order = _highest_first(fit)
    drawn = fit.draws(number, rng)[:, order]
    rows: Codes = np.repeat(np.arange(len(order)), number)
    numbered = np.tile(np.arange(1, number + 1), len(order))
    values = {"draw": numbered, "position": drawn.T.ravel()}
    return Distributions(fit.item[order][rows], fit.provenance.model, values, _outside(fit, drawn.ravel()))


def sources_of(fit: Fit, items: Labels) -> dict[str, list[float | None]]:
    """Return ambiguity and disagreement of these items, as far as the model estimates them.

    Returns
    -------
    dict
        Columns with None for items without an estimate. Empty if the model estimates neither.
    """
    rows = {row["item"]: row for row in fit.items}
    names = [name for name in SOURCES if any(name in row for row in rows.values())]
    return {name: [rows.get(str(item), {}).get(name) for item in items] for name in names}


def _highest_first(fit: Fit) -> Codes:
    """Return the order of the rows of `fit.scale.ordered()`."""
    order: Codes = np.lexsort((fit.item.astype(str), -fit.posterior.position))
    return order


def _quantile(fit: Fit, probability: float) -> Vector:
    low, high = fit.posterior.interval(max(abs(1.0 - 2.0 * probability), CENTRAL_LEVEL))
    if probability == 0.5:
        return (low + high) / 2.0
    return low if probability < 0.5 else high


def _outside(fit: Fit, drawn: Vector) -> tuple[str, ...]:
    """Return a sentence on draws outside a scale with fixed ends."""
    ends = fit.provenance.range
    share = 0.0 if ends is None else float(np.mean((drawn < ends[0]) | (drawn > ends[1])))
    if ends is None or share == 0.0:
        return ()
    return (
        f"{100 * share:.1f}% of the draws are outside the scale from {ends[0]:g} to {ends[1]:g}, because this model "
        "does not limit draws to the scale. Limit them before you use them as labels.",
    )
