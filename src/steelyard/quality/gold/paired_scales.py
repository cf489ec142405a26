"""Paired tests of two scales against one gold: the scores of the two scales are swapped at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.quality.gold.intervals import Statistic, quantile, spread_of
from steelyard.quality.gold.levels import Level, ScaleEstimates
from steelyard.quality.gold.matching import means_by, rounded
from steelyard.quality.gold.pair_counts import pair_counts
from steelyard.quality.gold.resampling import Resamples
from steelyard.quality.gold.segments import TESTED, SegmentEstimates
from steelyard.quality.paired_segments import sign_flip_p

MOST_ITEMS = 1_000  # with more items, the test uses the standard error of the bootstrap
MOST_OUTPUTS = 100_000  # the same, if the means of systems are compared
CHUNK_CELLS = 1_000_000  # scores that are processed at once
EQUAL = 1e-12  # differences of statistics that are closer are equal
COMPARED = (
    Statistic.PEARSON,
    Statistic.SPEARMAN,
    Statistic.TAU_B,
    Statistic.PAIRWISE_ACCURACY,
    Statistic.ACC_EQ,
    Statistic.RMSE,
)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Difference of a statistic between two scales, with its test.

    Attributes
    ----------
    statistic
        The statistic.
    difference
        First scale minus second scale.
    low
        Lower end of the 95% interval.
    high
        Upper end of the 95% interval.
    p
        Two-sided p value.
    test
        How the p value was computed.
    """

    statistic: Statistic
    difference: float
    low: float
    high: float
    p: float
    test: str


@dataclass(frozen=True, eq=False)
class Swappable:
    """Scores that can be swapped between scales.

    Parameters
    ----------
    scores
        Score of each item on each scale, scales x items.
    unit
        Unit of each item; the scores of a unit are swapped together.
    system
        System of each item, if means of systems are compared with gold; otherwise None.
    """

    scores: Matrix
    unit: Codes
    system: Codes | None = None

    def draw(
        self, pair: tuple[int, int], raw: bool, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Matrix, Matrix]]:
        """Yield scores of two scales, first as they are and then after random swaps, in chunks of rows.

        Parameters
        ----------
        pair
            Indices of the two scales.
        raw
            Whether scores are swapped as they are. Otherwise both scales are standardised first.
        count
            Number of random swaps.
        rng
            Random numbers.

        Returns
        -------
        iterator of pairs of Matrix
            Scores of the first and of the second scale, rows x items.
        """
        first, second = (self.scores[at] if raw else _standardised(self.scores[at]) for at in pair)
        yield self._combined(first[None, :]), self._combined(second[None, :])
        units, step = int(self.unit.max()) + 1, max(1, CHUNK_CELLS // len(first))
        for start in range(0, count, step):
            shape = (min(step, count - start), units)
            swap = rng.integers(0, 2, shape, dtype=np.int8).astype(bool)[:, self.unit]
            yield self._combined(np.where(swap, second, first)), self._combined(np.where(swap, first, second))

    def _combined(self, scores: Matrix) -> Matrix:
        if self.system is None:
            return scores
        return np.stack([means_by(self.system, row) for row in scores])

    @property
    def is_small(self) -> bool:
        """Whether there are few enough items for random swaps."""
        return bool(self.scores.shape[1] <= (MOST_ITEMS if self.system is None else MOST_OUTPUTS))

    def words(self, name: str) -> str:
        """Return what is swapped."""
        items, units = self.scores.shape[1], int(self.unit.max()) + 1
        return (
            f"{units:,} segments"
            if units < items
            else f"{items:,} {name if self.system is None else 'item'}s"
        )


def swap_tests(
    statistics: Sequence[Statistic], gold: Vector, draws: Iterator[tuple[Matrix, Matrix]]
) -> dict[Statistic, float]:
    """Return the two-sided p value of the difference between two scales in each statistic.

    p = (1 + swaps with a difference at least as far from 0) / (1 + swaps). The hypothesis is that it does not
    matter from which of the two scales a score comes.

    Parameters
    ----------
    statistics
        Statistics to compare.
    gold
        Gold values.
    draws
        Scores of the two scales: the observed ones, and chunks of rows after random swaps.

    Returns
    -------
    dict
        P value by statistic.

    References
    ----------
    - Deutsch, D., Dror, R. & Roth, D. (2021). A statistical analysis of summarization evaluation metrics using
      resampling methods. TACL, 9.
    """
    gaps = [_gaps(statistics, one, other, gold) for one, other in draws]
    observed, swapped = gaps[0], gaps[1:]
    p_values = {}
    for name in statistics:
        drawn = np.abs(np.concatenate([chunk[name] for chunk in swapped]))
        drawn = drawn[np.isfinite(drawn)]
        further = np.sum(drawn >= abs(float(observed[name][0])) - EQUAL)
        p_values[name] = float((1.0 + further) / (1.0 + len(drawn)))
    return p_values


def _gaps(
    statistics: Sequence[Statistic], one: Matrix, other: Matrix, gold: Vector
) -> dict[Statistic, Vector]:
    first, second = (row_statistics(statistics, each, gold) for each in (one, other))
    return {name: first[name] - second[name] for name in statistics}


def row_statistics(statistics: Sequence[Statistic], scores: Matrix, gold: Vector) -> dict[Statistic, Vector]:
    """Return statistics of each row of scores against gold.

    Parameters
    ----------
    statistics
        Statistics to compute.
    scores
        Scores, rows x items.
    gold
        Gold value of each item.

    Returns
    -------
    dict
        One value per row, by statistic.
    """
    from scipy.stats import rankdata  # SciPy is slow to import

    rows, items = scores.shape
    counts = pair_counts(scores.ravel(), np.tile(gold, rows), np.repeat(np.arange(rows), items))
    every: dict[Statistic, Callable[[], Vector]] = {
        Statistic.PEARSON: lambda: _row_correlations(scores, gold),
        Statistic.SPEARMAN: lambda: _row_correlations(rankdata(scores, axis=1), rankdata(gold)),
        Statistic.TAU_B: lambda: counts.kendall_tau_b,
        Statistic.PAIRWISE_ACCURACY: lambda: counts.pairwise_accuracy,
        Statistic.ACC_EQ: lambda: counts.acc_eq,
        Statistic.RMSE: lambda: np.asarray(np.sqrt(np.mean((scores - gold) ** 2, axis=1))),
    }
    return {name: every[name]() for name in statistics}


def compare_estimates(
    level: Level,
    pair: tuple[int, int],
    estimated: Sequence[ScaleEstimates],
    resamples: Resamples,
    *,
    swappable: Swappable,
    rng: np.random.Generator,
) -> list[PairedDifference]:
    """Return the differences between two scales at one level.

    Intervals are from the bootstrap. P values are from random swaps. If there are too many items for these, they are
    from a t test with the standard error of the bootstrap.

    Parameters
    ----------
    level
        Scores and gold values.
    pair
        Indices of the two scales.
    estimated
        Statistics of all scales, from the same resamples.
    resamples
        The resamples.
    swappable
        Scores to swap.
    rng
        Random numbers.

    Returns
    -------
    list of PairedDifference
        One difference per statistic that both scales have.
    """
    first, second = (estimated[at] for at in pair)
    both = [name for name in COMPARED if name in first.values and name in second.values]
    gap = {name: first.values[name] - second.values[name] for name in both}
    error = {name: _error(first.replicates[name] - second.replicates[name], resamples) for name in both}
    if swappable.is_small:
        count = len(resamples.weight)
        p = {
            name: value
            for raw in (False, True)
            if (chosen := [each for each in both if (each is Statistic.RMSE) == raw])
            for name, value in swap_tests(chosen, level.gold, swappable.draw(pair, raw, count, rng)).items()
        }
        test = f"random swaps of {swappable.words(level.name)}"
    else:
        p = {name: _t_test(gap[name], error[name], resamples.units) for name in both}
        test = "t test with bootstrap standard error"
    reach = quantile(resamples.units)
    return [
        PairedDifference(
            name, gap[name], gap[name] - reach * error[name], gap[name] + reach * error[name], p[name], test
        )
        for name in both
    ]


def _error(differences: Vector, resamples: Resamples) -> float:
    """Standard error of a difference; NaN if all resamples agree."""
    finite = differences[np.isfinite(differences)]
    spread = spread_of(finite) * resamples.factor if len(finite) else 0.0
    return spread if spread > 0.0 else np.nan


def compare_within(
    estimated: tuple[SegmentEstimates, SegmentEstimates], swaps: int, rng: np.random.Generator
) -> list[PairedDifference]:
    """Return the differences between two scales within segments, tested by random signs of the segments.

    Swapping the scores of a whole segment changes the sign of its difference.

    Parameters
    ----------
    estimated
        Statistics of the two scales by segment.
    swaps
        Number of random assignments of signs.
    rng
        Random numbers.

    Returns
    -------
    list of PairedDifference
        One difference per statistic.
    """
    made = []
    for statistic in TESTED:
        gap = estimated[0].by_segment[statistic] - estimated[1].by_segment[statistic]
        gap = gap[np.isfinite(gap)]
        if len(gap) < 2:
            continue
        mean, error = float(gap.mean()), float(np.std(gap, ddof=1) / np.sqrt(len(gap)))
        reach = quantile(len(gap)) * error if error > 0.0 else np.nan
        p = sign_flip_p(gap, rng, swaps)
        test = f"random swaps of {len(gap):,} segments"
        made.append(PairedDifference(statistic, mean, mean - reach, mean + reach, p, test))
    return made


def _standardised(scores: Vector) -> Vector:
    """Scores with mean 0 and standard deviation 1, so that those of two scales can be swapped."""
    spread = float(np.std(scores))
    return rounded((scores - scores.mean()) / spread) if spread > 0.0 else np.zeros_like(scores)


def _t_test(gap: float, error: float, units: int) -> float:
    from scipy.special import stdtr  # SciPy is slow to import

    if np.isnan(error):
        return 1.0 if gap == 0.0 else np.nan
    return float(2.0 * stdtr(units - 1, -abs(gap) / error))


def _row_correlations(scores: Matrix, gold: Vector) -> Vector:
    x, y = scores - scores.mean(axis=1, keepdims=True), gold - gold.mean()
    size = np.sqrt(np.sum(x**2, axis=1) * np.sum(y**2))
    return np.asarray(np.divide(x @ y, size, out=np.full(len(x), np.nan), where=size > 0.0))
