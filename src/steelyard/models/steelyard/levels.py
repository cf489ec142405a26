"""Levels of parts of the items that have no rater in common.

If no rater links two parts, the levels of their items and the biases of their raters can be exchanged: the answers
fit equally well, and the priors decide. A prior of independent items takes most of a difference between parts for
bias. Whether parts differ more than independent items is estimated: with the variance v of the observed levels and the
variance e that items, biases and noise explain, parts have the share 1 - e/v. By this share, the levels are moved to
those of the variant without rater effects. Parts with one or two raters are left alone. They come about by chance
while a study has few answers.

The mean of a part's m items has the prior variance k² + tau²/m, where k² = v - e, and is observed with the variance
sb²/R + s²/N from R raters and N answers. The joint errors of positions contain the posterior variance for k² = 0. The
rest is an error that all items of a part share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.parameters import SMALLEST
from steelyard.models.steelyard.sums import sums_by

LEAST_RATERS = 3  # of a part whose level is set


def with_levels_of(level: Solution, variant: Solution, layout: Layout) -> Solution:
    """Return a variant in which the mean answer to each part is nearer to that of another variant.

    Parameters
    ----------
    level
        The variant without rater effects.
    variant
        The variant whose items are shifted, and the biases of their raters in the opposite direction.
    layout
        Ratings in lists.

    Returns
    -------
    Solution
        The same variant if raters link all items.
    """
    counts = _counts(layout)
    rated = layout.count > 0.0
    share = _share_of_parts(variant, counts)
    if share == 0.0:
        return variant
    part, parts = counts.part, len(counts.raters)
    gap = np.where(rated, answer_of(level, level.latent) - answer_of(variant, variant.latent), 0.0)
    mean = sums_by(part, gap, parts) / np.maximum(counts.items, 1.0)
    shift = np.where(rated & counts.own[part], share * mean[part], 0.0)
    return _shifted(variant, shift, layout)


@dataclass(frozen=True, eq=False)
class LevelErrors:
    """Errors that all items of a part share: part of each item, and variance of each part."""

    part: Codes
    variance: Vector

    @property
    def by_item(self) -> Vector:
        """Variance of each item."""
        return self.variance[self.part]

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return draws of the errors of all items, one row each."""
        levels = rng.standard_normal((n, len(self.variance))) * np.sqrt(self.variance)
        return np.asarray(levels[:, self.part])


def level_errors(variant: Solution, layout: Layout) -> LevelErrors | None:
    """Return the errors of levels that the joint errors of positions lack; None if parts do not differ.

    Parameters
    ----------
    variant
        The variant with biases only.
    layout
        Ratings in lists.

    Returns
    -------
    LevelErrors or None
        On the unit scale.
    """
    counts = _counts(layout)
    share = _share_of_parts(variant, counts)
    if share == 0.0:
        return None
    learnt, items, answers = variant.learnt, np.maximum(counts.items, 1.0), np.maximum(counts.answers, 1.0)
    between = share * _observed_variance(counts)
    prior = learnt.item_variance / items
    error = learnt.bias_variance / np.maximum(counts.raters, 1) + learnt.noise_variance / answers
    without_levels = prior * error / (prior + error)
    variance = (between + prior) * error / (between + prior + error) - without_levels
    return LevelErrors(counts.part, np.where(counts.answers > 0.0, variance, 0.0))


@dataclass(frozen=True, eq=False)
class _Counts:
    """The part of each item, and for each part its rated items, raters, answers and mean score."""

    part: Codes
    items: Vector
    raters: Codes
    answers: Vector
    level: Vector

    @property
    def own(self) -> Mask:
        """Parts with enough raters for a level of their own."""
        return np.asarray(self.raters >= LEAST_RATERS)


def _counts(layout: Layout) -> _Counts:
    part, raters = _parts(layout)
    ratings, parts = layout.ratings, len(raters)
    answers = sums_by(part[ratings.item], ratings.weight, parts)
    total = sums_by(part[ratings.item], ratings.weight * ratings.score, parts)
    items = sums_by(part, (layout.count > 0.0).astype(float), parts)
    return _Counts(part, items, raters, answers, total / np.maximum(answers, SMALLEST))


def _observed_variance(counts: _Counts) -> float:
    """Return the variance of the mean scores of parts with enough raters."""
    return max(float(np.var(counts.level[counts.own], ddof=1)), SMALLEST)


def _share_of_parts(variant: Solution, counts: _Counts) -> float:
    """Return the share of the variance of observed levels that items, biases and noise do not explain."""
    learnt, own = variant.learnt, counts.own
    if np.sum(own) < 2:
        return 0.0
    explained = (
        learnt.item_variance / counts.items[own]
        + learnt.bias_variance / counts.raters[own]
        + learnt.noise_variance / counts.answers[own]
    )
    return max(0.0, 1.0 - float(np.mean(explained)) / _observed_variance(counts))


def _parts(layout: Layout) -> tuple[Codes, Codes]:
    """Return the part of each item, and the number of raters of each part; raters link the items that they rate."""
    from scipy.sparse import coo_array  # SciPy is slow to import
    from scipy.sparse.csgraph import connected_components

    item, rater = layout.ratings.item, layout.rater + layout.items
    nodes = layout.items + layout.raters
    graph = coo_array((np.ones(len(item), dtype=np.int8), (item, rater)), shape=(nodes, nodes))
    count, part = connected_components(graph, directed=False)
    raters = np.bincount(part[layout.items :], minlength=count)
    return np.asarray(part[: layout.items], dtype=np.int64), np.asarray(raters, dtype=np.int64)


def _shifted(variant: Solution, shift: Vector, layout: Layout) -> Solution:
    """Move the items, with their prior means, and the raters and lists that rated them."""
    messages, learnt, ratings = variant.messages, variant.learnt, variant.ratings
    by_list = learnt.slope[ratings.rater] * shift[ratings.item[ratings.start[:-1]]]
    by_rater = np.zeros(layout.raters)
    by_rater[ratings.rater] = by_list
    moved = messages._replace(
        rating_pull=messages.rating_pull + shift[ratings.item] * messages.rating_precision,
        item_pull=messages.item_pull + shift * messages.item_precision,
        list_pull=messages.list_pull - by_list * messages.list_precision,
        rater_pull=messages.rater_pull - by_rater * messages.rater_precision,
    )
    regression = replace(learnt.regression, mean=learnt.regression.mean + shift)
    return replace(variant, messages=moved, learnt=replace(learnt, regression=regression))
