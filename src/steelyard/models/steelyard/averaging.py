"""Variants of the model, averaged by how well each predicts held-out answers.

The variants are: a shrunk mean without rater effects; bias only; all rater effects; all rater effects with answers at
the ends treated as censored. Weights come from stacking: each variant is refitted without some raters and predicts
their answers. Cheaper predictions serve for the share of the last variant, and for all weights if data are large. A
message excludes its own rating, so each variant predicts each answer from the others at no extra cost. It has seen
other answers of the same rater, though.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.clipping import with_ends
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.inference import Schedule, Solution, infer
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.learn import Parts
from steelyard.models.steelyard.leaving_out import folds_of, predictions_without
from steelyard.models.steelyard.stacking import error_products, stacked_weights
from steelyard.models.steelyard.sums import sums_by

# Largest number of ratings for which variants are refitted without some raters. Raters then have many answers each.
MOST_STACKED = 20_000
FOLDS = 8
LEAST_RATERS = 3  # smallest number of raters for stacking
# Prior weights of mean, bias only and rater effects in stacking, and their standard deviation.
PRIOR_WEIGHTS, PRIOR_DEVIATION = np.array([0.1, 0.2, 0.7]), 1.0

# For large data only. Rater effects are estimated from all answers, including the predicted one. If raters do not
# differ, this looks like a gain of 2.5 to 3.5 standard errors. One is subtracted. In simulations, a larger value
# needs more answers if raters differ, and a smaller value follows groups of raters who agree only among themselves.
HANDICAP = 1.0
# Share of answers at the ends for which the variant with ends is fitted. Below it there is nothing to gain. Above it
# too few answers lie between the ends to estimate a latent scale.
PILE_UP = (0.005, 0.5)

SLOPE_ANSWERS, SLOPE_RATERS = 4, 3  # smallest numbers of answers per rater, and of raters, for slopes

FIRST = Schedule(quiet=3, spam_after=99, least=6, most=12, tolerance=0.02)
RICH = Schedule(quiet=0, spam_after=0, least=6, most=80)
ENDS = Schedule(quiet=0, spam_after=0, least=5, most=80)
# Refits without some raters, which start from the solution with them.
MEAN_WITHOUT = Schedule(quiet=0, spam_after=99, least=1, most=1)
BIAS_WITHOUT = Schedule(quiet=0, spam_after=99, least=2, most=2)
RICH_WITHOUT = Schedule(quiet=0, spam_after=0, least=3, most=3)


@dataclass(frozen=True, eq=False)
class Average:
    """Variants with their weights, which sum to 1."""

    variants: tuple[Solution, ...]
    weights: tuple[float, ...]

    @property
    def fullest(self) -> Solution:
        """The variant with rater effects that has the largest weight. Rater diagnostics use it."""
        pairs = zip(self.weights, self.variants, strict=True)
        return max((pair for pair in pairs if pair[1].parts.noise), key=lambda pair: pair[0])[1]

    @property
    def bias_only(self) -> Solution:
        """The variant in which raters differ in bias only."""
        return next(each for each in self.variants if each.parts.bias and not each.parts.noise)


def average_variants(layout: Layout, features: Features) -> Average:
    """Fit the variants, each starting from the previous one, and return them with their weights.

    The plain mean is a variant only up to 20,000 ratings.
    """
    offset = layout.shared_tasks
    bias_only = infer(layout, features, Parts(slope=False, noise=False, spam=False, offset=offset), FIRST)
    parts = Parts(slope=_slopes_show(layout), noise=True, spam=True, offset=offset)
    rich = infer(layout, features, parts, RICH, bias_only)
    with_effects, shares = _with_effects(bias_only, rich, layout, features)
    fold = folds_of(layout, FOLDS)
    if len(layout.ratings.score) > MOST_STACKED or np.sum(fold >= 0) < LEAST_RATERS:
        share = _rich_share(bias_only, with_effects, shares, layout)
        return Average((bias_only, *with_effects), (1.0 - share, *(share * each for each in shares)))
    nothing = Parts(slope=False, noise=False, spam=False, offset=False, bias=False)
    mean = infer(layout, features, nothing, FIRST)
    schedules = (MEAN_WITHOUT, BIAS_WITHOUT, RICH_WITHOUT)
    predicted = [
        predictions_without(variant, layout, features, fold, schedule)
        for variant, schedule in zip((mean, bias_only, rich), schedules, strict=True)
    ]
    errors = error_products(predicted, bias_only, layout, 1.0 - rich.learnt.spam)
    *simple, share = stacked_weights(errors, PRIOR_WEIGHTS, PRIOR_DEVIATION).tolist()
    return Average((mean, bias_only, *with_effects), (*simple, *(share * each for each in shares)))


def _with_effects(
    bias_only: Solution, rich: Solution, layout: Layout, features: Features
) -> tuple[tuple[Solution, ...], tuple[float, ...]]:
    """Return the variants with rater effects, without and with ends if some answers are there, and their shares."""
    at_ends = with_ends(layout.ratings)
    if not PILE_UP[0] <= np.mean(at_ends.ends != 0) <= PILE_UP[1]:
        return (rich,), (1.0,)
    ends = infer(replace(layout, ratings=at_ends), features, rich.parts, ENDS, rich)
    if not ends.is_sound:
        return (rich, ends), (1.0, 0.0)
    answered = _without_bias(bias_only, layout)
    part = _best_mix(answered, _predictions(rich), _predictions(ends), _honesty(rich, layout))
    return (rich, ends), (1.0 - part, part)


def _slopes_show(layout: Layout) -> bool:
    """Whether enough raters give enough answers to estimate slopes."""
    answers = np.bincount(layout.rater, minlength=layout.raters)
    return bool(np.sum(answers >= SLOPE_ANSWERS) >= SLOPE_RATERS)


def _predictions(solution: Solution) -> Vector:
    """Return the expected answer for each rating, from the position of its item without that rating."""
    item, messages, learnt = solution.ratings.item, solution.messages, solution.learnt
    precision = solution.precision[item] - messages.rating_precision
    pull = (learnt.regression.mean / learnt.item_variance + messages.item_pull)[item] - messages.rating_pull
    return answer_of(solution, learnt.centre + pull / precision)


def _without_bias(bias_only: Solution, layout: Layout) -> Vector:
    """Return each answer minus its rater's shrunk mean residual on all other answers."""
    learnt, rater, raters = bias_only.learnt, layout.rater, layout.raters
    miss = layout.ratings.score - _predictions(bias_only)
    weight = 1.0 / (learnt.noise_variance + 1.0 / bias_only.precision[layout.ratings.item])
    total = sums_by(rater, weight, raters)[rater] - weight + 1.0 / learnt.bias_variance
    others = sums_by(rater, weight * miss, raters)[rater] - weight * miss
    return layout.ratings.score - others / total


def _honesty(rich: Solution, layout: Layout) -> Vector:
    return (1.0 - rich.learnt.spam[layout.rater]) * layout.ratings.weight


def _best_mix(answered: Vector, one: Vector, other: Vector, trust: Vector) -> float:
    """Return the share of `other` that predicts best by least squares, between 0 and 1."""
    gap = other - one
    power = float(np.sum(trust * gap**2))
    return float(np.clip(np.sum(trust * gap * (answered - one)) / power, 0.0, 1.0)) if power > 0.0 else 0.0


def _rich_share(
    bias_only: Solution, with_effects: Sequence[Solution], shares: Sequence[float], layout: Layout
) -> float:
    """Return the weight of the variants with rater effects, Phi(z - handicap).

    z is the gain in squared error divided by its standard error, clustered by rater.
    """
    from scipy.special import ndtr  # SciPy is slow to import

    answered, plain = _without_bias(bias_only, layout), _predictions(bias_only)
    mixed = sum(share * _predictions(each) for share, each in zip(shares, with_effects, strict=True) if share)
    trust = _honesty(with_effects[0], layout)
    gain = trust * ((answered - plain) ** 2 - (answered - mixed) ** 2)
    each = sums_by(layout.rater, gain, layout.raters)
    each = each[np.bincount(layout.rater, minlength=layout.raters) > 0]
    error = float(np.sqrt(np.sum((each - each.mean()) ** 2)))
    return float(ndtr(each.sum() / error - HANDICAP)) if error > 0.0 else 0.5
