"""The posterior of positions on the range of the study: estimates, standard deviations, intervals and draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard.averaging import Average
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.levels import LevelErrors, level_errors
from steelyard.models.steelyard.lists import residuals
from steelyard.models.steelyard.sums import sums_by
from steelyard.models.steelyard.variant import Reach, Variant

# Weight of the items' prior in intervals. With the full prior, coverage would be good for most items but too low for
# extreme items, which the prior shrinks towards the middle.
PRIOR_SHARE = 0.25
POOLED_FREEDOM = 8.0  # degrees of freedom of the pooled variance in each item's disagreement
CHUNK_CELLS = 2_000_000  # draws x items computed at once
# Smallest standard deviation, relative to the latent one, of an item so far beyond an end of the scale that its
# whole interval is cut.
LEAST_SPREAD = 0.05
LEAST_WEIGHT = 1e-4  # variants with a smaller weight are left out


@dataclass(frozen=True, eq=False)
class SteelyardPosterior:
    """Weighted variants of the model, in units of the range of the study."""

    average: Average
    layout: Layout
    features: Features
    lowest: float
    highest: float

    @property
    def width(self) -> float:
        """Length of the range of the study."""
        return self.highest - self.lowest

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """The variants with a weight that is not negligible."""
        pairs = zip(self.average.weights, self.average.variants, strict=True)
        kept = [(weight, solution) for weight, solution in pairs if weight >= LEAST_WEIGHT]
        total = sum(weight for weight, _ in kept)
        return tuple(
            Variant(weight / total, solution, self.layout, self.features) for weight, solution in kept
        )

    @cached_property
    def fullest(self) -> Variant:
        """The variant with rater effects that has the largest weight. Rater diagnostics use it."""
        counted = [variant for variant in self.variants if variant.solution is self.average.fullest]
        return counted[0] if counted else Variant(0.0, self.average.fullest, self.layout, self.features)

    @cached_property
    def levels(self) -> LevelErrors | None:
        """Errors of the levels of parts that no rater links; None if there are none."""
        return level_errors(self.average.bias_only, self.layout)

    @cached_property
    def position(self) -> Vector:
        """Expected answer of an average honest rater, averaged over the variants."""
        unit = np.sum([variant.weight * variant.position for variant in self.variants], axis=0)
        return np.asarray(self.lowest + self.width * unit)

    @cached_property
    def spread(self) -> Vector:
        """Standard deviation of each position, including the differences between variants."""
        _, down, up = self._reach(1.0, prior_share=1.0)
        latent = np.sqrt(sum(each.weight * each.solution.latent_variance for each in self.variants))
        return self.width * np.maximum((down + up) / 2.0, LEAST_SPREAD * latent)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return the ends of the interval of each position, inside the range."""
        from scipy.special import ndtri  # SciPy is slow to import

        middle, down, up = self._reach(float(ndtri(0.5 + level / 2.0)), PRIOR_SHARE)
        position = (self.position - self.lowest) / self.width
        low = np.clip(np.minimum(middle - down, position), 0.0, 1.0)
        high = np.clip(np.maximum(middle + up, position), 0.0, 1.0)
        return self.lowest + self.width * low, self.lowest + self.width * high

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` joint draws of all positions. Each draw uses one variant, chosen with its weight as probability.

        Errors are shared through biases, task offsets, the mean bias and slope, features and the levels of unlinked
        parts. Draws of variants without censoring are not limited to the scale, so that ranks at its ends are not tied.
        """
        which = rng.choice(len(self.variants), n, p=[variant.weight for variant in self.variants])
        chunk = max(1, CHUNK_CELLS // max(self.layout.items, 1))
        drawn = np.empty((n, self.layout.items))
        for at, variant in enumerate(self.variants):
            rows = np.flatnonzero(which == at)
            for some in np.array_split(rows, max(1, -(-len(rows) // chunk))):
                drawn[some] = self.lowest + self.width * variant.draws(len(some), rng)
        return drawn if self.levels is None else drawn + self.width * self.levels.draws(n, rng)

    @cached_property
    def disagreement(self) -> Vector:
        """Standard deviation of honest answers to each item after rater effects. More answers do not lower it.

        sqrt((8 s² + Q) / (8 + n - 1)), where Q is the sum of squared residuals around the item's mean residual, n
        its number of answers and s² the variance pooled over items, which counts as 8 answers (Smyth 2004, df
        fixed).
        """
        one, layout = self.fullest.solution, self.layout
        item, trust = layout.ratings.item, layout.ratings.weight * (1.0 - one.learnt.spam[layout.rater])
        left = residuals(one, layout, self.fullest.shifts)
        count = sums_by(item, trust, layout.items)
        mean = sums_by(item, trust * left, layout.items) / np.maximum(count, 1e-300)
        squares = sums_by(item, trust * (left - mean[item]) ** 2, layout.items)
        return self.width * item_deviations(count, squares, float(np.sum(trust * left**2)))

    @property
    def too_few_answers(self) -> Vector:
        """Standard deviation of each position, which more answers would lower."""
        return self.spread

    def _reach(self, deviations: float, prior_share: float) -> tuple[Vector, Vector, Vector]:
        """Return the middle of the interval and its distance down and up, on the unit scale.

        Distances are root mean squares over the variants, each widened by its distance from their common middle and
        by the errors of the levels of unlinked parts.
        """
        reaches = [(v.weight, v.reach(deviations, prior_share)) for v in self.variants]
        middle = np.asarray(np.sum([weight * one.middle for weight, one in reaches], axis=0))
        apart = np.sum([w * deviations**2 * (one.middle - middle) ** 2 for w, one in reaches], axis=0)
        apart = apart + (0.0 if self.levels is None else deviations**2 * self.levels.by_item)
        down, up = _mean_square(reaches, "low"), _mean_square(reaches, "high")
        return middle, np.sqrt(down + apart), np.sqrt(up + apart)


def item_deviations(count: Vector, squares: Vector, all_squares: float) -> Vector:
    """Return the standard deviation of honest answers to each item, see `SteelyardPosterior.disagreement`.

    Parameters
    ----------
    count
        Number of answers of each item.
    squares
        Sum of squared residuals of each item around their mean.
    all_squares
        Sum of all squared residuals around the positions, which is used if no item has two answers.

    Returns
    -------
    Vector
        Standard deviations on the unit scale.
    """
    freedom = np.maximum(count - 1.0, 0.0)
    repeated = freedom > 0.0
    if repeated.any():
        pooled = float(squares[repeated].sum() / freedom.sum())
    else:
        pooled = all_squares / max(float(count.sum()), 1e-9)
    own = np.where(repeated, squares, 0.0)
    return np.asarray(np.sqrt((POOLED_FREEDOM * pooled + own) / (POOLED_FREEDOM + freedom)))


def _mean_square(reaches: list[tuple[float, Reach]], end: str) -> Vector:
    return np.asarray(np.sum([w * (getattr(one, end) - one.middle) ** 2 for w, one in reaches], axis=0))
