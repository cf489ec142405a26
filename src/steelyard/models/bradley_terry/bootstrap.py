"""Intervals from drawing raters anew: whole raters are drawn with replacement, and the model fitted again.

Raters answer more than once and alike each time; drawing raters, not judgments, lets the intervals know it. A
replicate costs a product of counts and a few Newton steps from the fit, whatever the number of judgments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.counts import PairCounts
from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.maths.newton import minimise, unit_of
from steelyard.models.bradley_terry.coefficients import item_rows, mean_profile
from steelyard.models.bradley_terry.columns import words_of
from steelyard.models.bradley_terry.connectivity import infinite_without
from steelyard.models.bradley_terry.design import treated
from steelyard.models.bradley_terry.inference import centring, check_raters
from steelyard.models.bradley_terry.penalties import ridge_weights
from steelyard.models.bradley_terry.residuals import counted_by_rater
from steelyard.models.bradley_terry.solve import Objective

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit

REPLICATE_TOLERANCE = 1e-6  # on the gradient's norm: far below the spread of the replicates


@dataclass(frozen=True, eq=False)
class BootstrapPosterior:
    """Positions with the spread of refitted ones: percentiles for intervals, replicates for draws.

    `failed` replicates left some estimate infinite and are not among `replicates`.
    """

    position: Vector
    replicates: Matrix
    failed: int

    @property
    def spread(self) -> Vector:
        """Standard deviation over the replicates."""
        return np.asarray(self.replicates.std(axis=0, ddof=1))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Percentiles of the replicates."""
        tail = (1.0 - level) / 2.0
        low, high = np.quantile(self.replicates, [tail, 1.0 - tail], axis=0)
        return np.asarray(low), np.asarray(high)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Replicates, drawn with replacement."""
        return np.asarray(self.replicates[rng.integers(0, len(self.replicates), n)])


def bootstrap_of(
    fit: BradleyTerryFit, replicates: int, rng: np.random.Generator, show: Callable[[int], None] | None
) -> BootstrapPosterior:
    """Refit on `replicates` draws of the raters; `show` is called with the number done."""
    if fit.settings.penalty not in ("none", "ridge", "pseudo") or fit.position_sd is not None:
        raise BadSetting("bootstrap", "raters can be drawn anew for penalty none, ridge and pseudo only.")
    drawn, raters = _cells_by_rater(fit)
    rows = _position_rows(fit)
    positions: list[Vector] = []
    for done in range(replicates):
        weights = rng.multinomial(raters, np.full(raters, 1.0 / raters)).astype(np.float64)
        theta = _refit(fit, np.asarray(drawn @ weights).reshape(3, -1))
        if theta is not None:
            positions.append(rows(theta))
        if show is not None:
            show(done + 1)
    if len(positions) < 2:
        raise BadSetting("bootstrap", "fewer than two draws of the raters gave finite estimates; add raters.")
    return BootstrapPosterior(fit.posterior.position, np.array(positions), replicates - len(positions))


def _position_rows(fit: BradleyTerryFit) -> Callable[[Vector], Vector]:
    """How parameters become positions."""
    design, count, settings = fit.design, len(fit.item), fit.settings
    plain = design.size and not (design.component.any() or settings.varying or settings.item_covariates)
    if plain:
        return lambda theta: theta[:count] - theta[:count].mean()
    turn = centring(design.component) @ item_rows(design, settings, mean_profile(design, settings))
    return lambda theta: np.asarray(turn @ theta)


def _cells_by_rater(fit: BradleyTerryFit) -> tuple[Any, int]:
    """Cells of the fit's table (outcome by outcome) x raters, sparse, and the number of raters."""
    from scipy import sparse  # SciPy is slow to import

    whole, split = fit.design.table, counted_by_rater(fit)
    at = _rows_in(whole, split)
    placed = np.flatnonzero(at >= 0)
    names, rater = words_of(split.cells["rater"])
    raters = len(names)
    check_raters(np.array(names, dtype=object))
    cells = np.concatenate([at[placed] + outcome * len(whole) for outcome in range(3)])
    ends = (cells, np.tile(rater[placed], 3))
    shape = (3 * len(whole), raters)
    return sparse.coo_array((split.counts[:, placed].ravel(), ends), shape=shape).tocsr(), raters


def _rows_in(whole: PairCounts, split: PairCounts) -> Codes:
    """The row of the whole table that each row of the split one belongs to; -1 where there is none."""
    sides: list[list[Any]] = [[whole.left, whole.right], [split.left, split.right]]
    for name, column in whole.cells.items():
        sides[0].append(column.values)
        sides[1].append(split.cells[name].values)
    key = np.zeros(len(whole) + len(split), dtype=np.int64)
    for first, second in zip(*sides, strict=True):
        _, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
        _, key = np.unique(key * (int(codes.max()) + 1) + codes, return_inverse=True)
    place = np.full(int(key.max()) + 1, -1, dtype=np.int64)
    place[key[: len(whole)]] = np.arange(len(whole))
    return place[key[len(whole) :]]


def _refit(fit: BradleyTerryFit, counts: Matrix) -> Vector | None:
    """Parameters of one replicate, from the fit's own as a start; None where some would be infinite."""
    design = fit.design
    if fit.settings.penalty == "none" and infinite_without(
        replace(design.table, counts=counts), fit.settings
    ):
        return None
    outcomes = design.outcomes.copy()
    outcomes[:, design.real] = treated(counts, fit.settings.ties)[
        :, np.argsort(design.table.left, kind="stable")
    ]
    objective = Objective(
        replace(design, outcomes=outcomes), fit.likelihood, ridge_weights(design, fit.settings)
    )
    unit = unit_of(design.totals)
    optimum = minimise(objective, fit.theta, REPLICATE_TOLERANCE * unit, 50, unit=unit)
    return optimum.place if optimum.converged else None
