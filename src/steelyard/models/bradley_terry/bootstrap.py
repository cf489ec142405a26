"""Bootstrap of raters: whole raters are drawn with replacement, and the model is refitted.

Drawing raters instead of judgments makes the intervals allow for correlated answers of one rater. The cost of a
replicate does not depend on the number of judgments: it is a product of counts and a few Newton steps.

If the counts by rater of a log do not fit into memory, blocks of raters are drawn (block bootstrap). The engine codes
the rows, and one pass counts them by block. Raters are assigned to blocks at random, so the variance of a sum over
blocks has the expectation of that over raters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.logs import CountedComparisons
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
from steelyard.models.streamed_clusters import streamed_blocks

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit

MOST_BLOCKS = 1000  # of raters
MOST_COUNTS = 2**26  # entries x blocks that are held in memory (512 MiB)
LEAST_BLOCKS = 50
REPLICATE_TOLERANCE = 1e-6  # on the norm of the gradient; far below the standard deviation of the replicates


@dataclass(frozen=True, eq=False)
class BootstrapPosterior:
    """Positions with bootstrap replicates. Intervals are percentiles, draws are replicates.

    `failed` counts replicates with infinite estimates. They are excluded from `replicates`. `drawn` names what was
    drawn.
    """

    position: Vector
    replicates: Matrix
    failed: int
    drawn: str = "raters"

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
    """Refit the model to bootstrap samples of the raters.

    Parameters
    ----------
    fit
        Fitted model.
    replicates
        Number of bootstrap samples.
    rng
        Random numbers.
    show
        Called with the number of finished samples; None for no progress report.

    Returns
    -------
    BootstrapPosterior
        The positions of the fit with the replicates.

    Raises
    ------
    BadSetting
        If the model has random effects or Firth's penalty, or if fewer than two samples have finite estimates.
    """
    if fit.settings.penalty not in ("none", "ridge", "pseudo") or fit.position_sd is not None:
        raise BadSetting(
            "bootstrap",
            "not available with random effects or with Firth's penalty. Use penalty 'none', 'ridge' or 'pseudo'.",
        )
    drawn = _counts_drawn(fit)
    rows = _position_rows(fit)
    positions: list[Vector] = []
    for done in range(replicates):
        theta = _refit(fit, drawn.replicate(rng))
        if theta is not None:
            positions.append(rows(theta))
        if show is not None:
            show(done + 1)
    if len(positions) < 2:
        raise BadSetting(
            "bootstrap",
            "fewer than two bootstrap samples have finite estimates. Add raters, or use penalty='ridge' or 'pseudo'.",
        )
    failed = replicates - len(positions)
    return BootstrapPosterior(fit.posterior.position, np.array(positions), failed, drawn.words)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Counts of the units that a replicate draws with replacement.

    Attributes
    ----------
    counts
        Cells of the table x units.
    units
        Number of raters or blocks.
    words
        What the units are.
    alone
        Counts of judgments without a rater, each of which is drawn by itself; None if there are none.
    """

    counts: Any
    units: int
    words: str = "raters"
    alone: Vector | None = None

    def replicate(self, rng: np.random.Generator) -> Matrix:
        """Return the counts of one bootstrap sample, outcomes x rows of the table."""
        weights = rng.multinomial(self.units, np.full(self.units, 1.0 / self.units)).astype(np.float64)
        sample = np.asarray(self.counts @ weights)
        alone = 0.0 if self.alone is None else rng.poisson(self.alone)
        return np.asarray((sample + alone).reshape(3, -1), dtype=np.float64)


def _counts_drawn(fit: BradleyTerryFit) -> _Drawn:
    """Return the counts by rater, or by block of raters if those of a log do not fit into memory."""
    if not isinstance(fit.source, CountedComparisons):
        return _Drawn(*_cells_by_rater(fit, counted_by_rater(fit)))
    raters = len(fit.source.clusters("rater").weight)
    if not raters:
        raise BadSetting("bootstrap", "the log names no raters, which a bootstrap draws. Leave it out.")
    check_raters(np.arange(raters).astype(object))
    cells = fit.source.cells(("rater",), fit.settings.columns, fit.settings.ordered)
    if cells is not None:
        return _Drawn(*_cells_by_rater(fit, cells))
    table = fit.design.table
    most = int(np.clip(MOST_COUNTS // (3 * len(table)), LEAST_BLOCKS, MOST_BLOCKS))
    counts, alone = streamed_blocks(fit.source, table, "rater", most)
    units = counts.shape[1]
    return _Drawn(counts, units, f"{units:,} blocks of raters", alone if alone.any() else None)


def _position_rows(fit: BradleyTerryFit) -> Callable[[Vector], Vector]:
    """Return the function that computes positions from parameters."""
    design, count, settings = fit.design, len(fit.item), fit.settings
    plain = design.size and not (design.component.any() or settings.varying or settings.item_covariates)
    if plain:
        return lambda theta: theta[:count] - theta[:count].mean()
    turn = centring(design.component) @ item_rows(design, settings, mean_profile(design, settings))
    return lambda theta: np.asarray(turn @ theta)


def _cells_by_rater(fit: BradleyTerryFit, split: PairCounts) -> tuple[Any, int]:
    """Return the counts as a sparse matrix, cells of the table x raters, and the number of raters."""
    from scipy import sparse  # SciPy is slow to import

    whole = fit.design.table
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
    """Return the row of the whole table for each row of the split table; -1 if it has none."""
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
    """Return the parameters of one replicate, starting from those of the fit; None if some would be infinite."""
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
