"""The bootstrap of Hayes & Krippendorff for alpha, which draws pairs of values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.maths.arrays import Codes, Mask, Vector
from steelyard.quality.agreement.intervals import LEVEL, Interval, percentiles
from steelyard.quality.agreement.krippendorff import (
    Level,
    checked,
    disagreement,
    mean_ranks_of,
    ratio_distances,
)
from steelyard.quality.agreement.ratings import RatingTable, as_ratings
from steelyard.quality.agreement.value_counts import ValueCounts, count_values

PAIRS_PER_CELL = 25  # of the published algorithm
BATCH_CELLS = 4_000_000
LARGEST_LATTICE = 4_000_000  # sums of distances, up to which their distribution is computed exactly
GRID_ROUNDING = 1e-6  # of a step, for values on an even grid
METHOD = "Hayes-Krippendorff bootstrap over pairs of values"


@dataclass(frozen=True, eq=False)
class PairBootstrap:
    """Alpha with the interval of Hayes & Krippendorff (2007).

    Attributes
    ----------
    alpha
        Krippendorff's alpha.
    interval
        2.5% and 97.5% points of the draws.
    pairs
        Number of pairs of values in one draw.
    cells
        Number of cells of the coincidence matrix that are not zero.
    sd
        Exact standard deviation of a draw that is not cut at -1.
    """

    alpha: float
    interval: Interval
    pairs: int
    cells: int
    sd: float


@dataclass(frozen=True, eq=False)
class _Coincidences:
    """Cells of the coincidence matrix with c <= k: the share of all pairs, the distance, and whether c = k."""

    share: Vector
    distance: Vector
    is_equal: Mask

    @property
    def cells(self) -> int:
        """Number of cells in both triangles and the diagonal."""
        return int(2 * len(self.share) - np.sum(self.is_equal))


def alpha_over_pairs(
    table: RatingTable, level: Level, rng: np.random.Generator, draws: int = 1000
) -> PairBootstrap:
    """Return alpha with the bootstrap interval of Hayes & Krippendorff (2007), for comparison with published ones.

    A draw has M pairs of values from the observed coincidences, M = min(25 q, (m - 1) n / 2) for q coincidences that
    are not zero, m raters and n ratings. The expected disagreement stays fixed. The interval depends on M as if pairs
    were independent. It is not an interval for new items or raters; `alpha_over_items` is one for new items. If the
    squared distances are multiples of a common unit, the distribution of the draws is computed exactly.

    Parameters
    ----------
    table
        Items, raters and ratings, as in `krippendorff_alpha`.
    level
        Level of measurement.
    rng
        Source of randomness, not used if the distribution is exact.
    draws
        Number of draws if the distribution is not exact. Default 1000.

    Returns
    -------
    PairBootstrap
        Alpha, its interval, and the exact standard deviation of a draw.

    References
    ----------
    - Hayes, A. F. & Krippendorff, K. (2007). Answering the call for a standard reliability measure for coding data.
      Communication Methods and Measures 1.
    """
    ratings = checked(as_ratings(table), level)
    counts = count_values(ratings)
    expected = (
        float(disagreement(counts, level, np.ones((1, counts.items))).expected[0]) if counts.items else 0.0
    )
    if expected <= 0.0:
        raise NothingToTest(
            "Krippendorff's alpha", "no two different values can be paired.", "Collect more ratings."
        )
    cells = _coincidences(counts, level)
    pairs = int(min(PAIRS_PER_CELL * cells.cells, (ratings.raters - 1) * counts.ratings / 2))
    mean = float(cells.share @ cells.distance)
    variance = float(cells.share @ (cells.distance - mean) ** 2)
    unit = _unit(counts, level)
    exact = unit > 0.0 and pairs * cells.distance.max(initial=0.0) / unit <= LARGEST_LATTICE
    return PairBootstrap(
        1.0 - mean / expected,
        _exact(cells, pairs, expected, unit)
        if exact
        else percentiles(_drawn(cells, pairs, expected, draws, rng), f"{METHOD}, {draws:,} draws"),
        pairs,
        cells.cells,
        float(np.sqrt(variance / pairs) / expected),
    )


def _coincidences(counts: ValueCounts, level: str) -> _Coincidences:
    """Return the upper triangle of the coincidence matrix, as shares of all pairs."""
    from scipy.sparse import diags_array, triu  # SciPy is slow to import

    table, scale = counts.table, 1.0 / (counts.sizes - 1.0)
    weighted = diags_array(scale) @ table
    above = triu(table.T @ weighted, k=1).tocoo()
    # Two ratings of one value by different raters: computed apart, so that single ratings give exactly 0.
    same = np.asarray((diags_array(scale) @ (table * table - table)).sum(axis=0)).ravel()
    equal = np.flatnonzero(same > 0.0)
    share = np.concatenate([same[equal], 2.0 * above.data]) / counts.ratings
    first, second = (np.concatenate([equal, each]).astype(np.int64) for each in (above.row, above.col))
    return _Coincidences(share, _distance(counts, level, first, second), first == second)


def _distance(counts: ValueCounts, level: str, first: Codes, second: Codes) -> Vector:
    if level == "nominal":
        return np.asarray(first != second, dtype=np.float64)
    if level == "ratio":
        return np.asarray(ratio_distances(counts.values)[first, second])
    place = counts.values
    if level == "ordinal":
        place = mean_ranks_of(np.asarray(counts.table.sum(axis=0), dtype=np.float64).reshape(1, -1))[0]
    return np.asarray((place[first] - place[second]) ** 2)


def _unit(counts: ValueCounts, level: str) -> float:
    """Return a number of which every squared distance is a multiple, or 0 if there is none."""
    if level == "nominal":
        return 1.0
    if level == "ordinal":  # mean ranks are multiples of a half, as shares of all ratings
        return 1.0 / (2.0 * counts.ratings) ** 2
    steps = np.diff(counts.values)
    if level == "ratio" or not len(steps):
        return 0.0
    step = float(steps.min())
    on_grid = np.abs(steps / step - np.round(steps / step)).max() < GRID_ROUNDING
    return step**2 if on_grid else 0.0


def _exact(cells: _Coincidences, pairs: int, expected: float, unit: float) -> Interval:
    """Return the interval from the exact distribution of the sum of the distances of M independent pairs."""
    places = np.rint(cells.distance / unit).astype(np.int64)
    single = np.bincount(places, cells.share, minlength=1)
    size = pairs * (len(single) - 1) + 1
    chance = np.maximum(np.fft.irfft(np.fft.rfft(single, 2 * size) ** pairs, 2 * size)[:size], 0.0)
    alpha = np.maximum(1.0 - np.arange(size) * unit / (pairs * expected), -1.0)
    equal = cells.share[cells.is_equal]
    lost = chance[0] if len(equal) == 1 else min(float(np.sum(equal**pairs)), chance[0])
    chance[0] -= lost
    alpha, chance = np.append(alpha, 0.0), np.append(chance, lost)
    order = np.argsort(alpha, kind="stable")
    reached = np.cumsum(chance[order]) / chance.sum()
    low, high = (
        float(alpha[order][np.searchsorted(reached, point - 1e-12)])
        for point in ((1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0)
    )
    return Interval(low, high, f"{METHOD}, exact")


def _drawn(cells: _Coincidences, pairs: int, expected: float, draws: int, rng: np.random.Generator) -> Vector:
    """Return alpha in each draw, cut at -1."""
    share = cells.share / cells.share.sum()
    step = max(1, BATCH_CELLS // len(share))
    batches = [min(step, draws - start) for start in range(0, draws, step)]
    sums = np.concatenate([rng.multinomial(pairs, share, size=rows) @ cells.distance for rows in batches])
    alpha = np.maximum(1.0 - sums / (pairs * expected), -1.0)
    # Draws without any variation do not show agreement, so they count as 0.
    certain = np.flatnonzero(alpha == 1.0)
    equal = cells.share[cells.is_equal]
    lost = len(certain) if len(equal) == 1 else round(draws * float(np.sum(equal**pairs)))
    alpha[certain[:lost]] = 0.0
    return alpha
