"""Variants of the model, averaged by how well each predicts held-out answers.

The variants are: a shrunk mean without rater effects; bias only; all rater effects; all rater effects with answers at
the ends treated as censored. Weights come from stacking (Wolpert 1992; Breiman 1996): each variant is refitted without
some raters and predicts their answers. Large data use cheaper predictions. A message excludes its own rating, so each
variant predicts each answer from the others without a refit, but it has seen other answers of the same rater.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.clipping import with_ends
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.inference import Schedule, Solution, infer
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.leaving_out import Refit, folds_of, predictions_without
from steelyard.models.steelyard.levels import with_levels_of
from steelyard.models.steelyard.parameters import Parts
from steelyard.models.steelyard.stacking import error_products, stacked_weights
from steelyard.models.steelyard.sums import sums_by

# Largest number of ratings for which variants are refitted without some raters.
MOST_STACKED = 20_000
FOLDS = 5
LEAST_RATERS = 3  # smallest number of raters for stacking
# Prior weights of mean, bias only and rater effects, and their standard deviation. Without a prior, weights from few
# answers vary more than necessary.
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
MEAN_WITHOUT = Schedule(quiet=0, spam_after=99, least=2, most=2)
BIAS_WITHOUT = Schedule(quiet=0, spam_after=99, least=3, most=3)
RICH_WITHOUT = Schedule(quiet=0, spam_after=0, least=4, most=4)


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

    The shrunk mean is a variant only if weights come from stacking. It then decides the levels of parts of the items
    that no rater links.
    """
    offset = layout.shared_tasks
    bias_only = infer(layout, features, Parts(slope=False, noise=False, spam=False, offset=offset), FIRST)
    parts = Parts(
        slope=slopes_show(np.bincount(layout.rater, minlength=layout.raters)),
        noise=True,
        spam=True,
        offset=offset,
    )
    rich = _RaterEffects.fitted(infer(layout, features, parts, RICH, bias_only), bias_only, layout, features)
    is_large = len(layout.ratings.score) > MOST_STACKED
    fold = np.empty(0, dtype=np.int64) if is_large else folds_of(layout, FOLDS)
    if np.sum(fold >= 0) < LEAST_RATERS:
        share = _rich_share(bias_only, rich, layout)
        return Average((bias_only, *rich.variants), (1.0 - share, *(share * each for each in rich.shares)))
    nothing = Parts(slope=False, noise=False, spam=False, offset=False, bias=False)
    mean = infer(layout, features, nothing, FIRST)
    *simple, share = _stacked(mean, bias_only, rich, _Held(layout, features, fold))
    levelled = [with_levels_of(mean, each, layout) for each in (bias_only, *rich.variants)]
    return Average((mean, *levelled), (*simple, *(share * each for each in rich.shares)))


@dataclass(frozen=True, eq=False)
class _RaterEffects:
    """One or two variants with rater effects, without and with ends, and their shares, which sum to 1."""

    variants: tuple[Solution, ...]
    shares: tuple[float, ...]

    @staticmethod
    def fitted(rich: Solution, bias_only: Solution, layout: Layout, features: Features) -> _RaterEffects:
        """Fit the variant with ends if some answers are at them. Its share is the one that predicts answers best."""
        at_ends = with_ends(layout.ratings)
        if not PILE_UP[0] <= np.mean(at_ends.ends != 0) <= PILE_UP[1]:
            return _RaterEffects((rich,), (1.0,))
        ends = infer(replace(layout, ratings=at_ends), features, rich.parts, ENDS, rich)
        answered, predicted = without_bias(bias_only, layout), predictions(rich)
        beyond = predictions(ends) if ends.is_sound else predicted
        part = best_mix(mix_sums(answered, predicted, beyond, honesty(rich, layout)))
        return _RaterEffects((rich, ends), (1.0 - part, part))

    def mixed(self, predictions: Sequence[Vector]) -> Vector:
        """Return the predictions of the variants, averaged by their shares."""
        pairs = zip(self.shares, predictions, strict=False)
        return np.asarray(np.sum([share * each for share, each in pairs if share > 0.0], axis=0))


@dataclass(frozen=True, eq=False)
class _Held:
    """Ratings and features, and the fold in which each rater is left out."""

    layout: Layout
    features: Features
    fold: Codes


def _stacked(mean: Solution, bias_only: Solution, rich: _RaterEffects, held: _Held) -> list[float]:
    """Return the weights of mean, bias only and rater effects, from refits without the raters of each fold."""
    refits = [Refit(mean, MEAN_WITHOUT), Refit(bias_only, BIAS_WITHOUT)]
    for at, (variant, share) in enumerate(zip(rich.variants, rich.shares, strict=True)):
        if at == 0 or share > 0.0:
            refits.append(Refit(variant, RICH_WITHOUT, after=1 + at))
    predicted = predictions_without(refits, held.layout, held.features, held.fold)
    errors = error_products((*predicted[:2], rich.mixed(predicted[2:])), bias_only, held.layout)
    return [float(weight) for weight in stacked_weights(errors, PRIOR_WEIGHTS, PRIOR_DEVIATION)]


def slopes_show(answers: Codes) -> bool:
    """Whether enough raters give enough answers to estimate slopes."""
    return bool(np.sum(answers >= SLOPE_ANSWERS) >= SLOPE_RATERS)


def predictions(solution: Solution) -> Vector:
    """Return the expected answer for each rating, from the position of its item without that rating."""
    item, messages, learnt = solution.ratings.item, solution.messages, solution.learnt
    precision = solution.precision[item] - messages.rating_precision
    pull = (learnt.regression.mean / learnt.prior_variance + messages.item_pull)[item] - messages.rating_pull
    return answer_of(solution, learnt.centre + pull / precision)


def without_bias(bias_only: Solution, layout: Layout) -> Vector:
    """Return each answer minus its rater's shrunk mean residual on all other answers."""
    learnt, rater, raters = bias_only.learnt, layout.rater, layout.raters
    miss = layout.ratings.score - predictions(bias_only)
    weight = 1.0 / (learnt.noise_variance + 1.0 / bias_only.precision[layout.ratings.item])
    total = sums_by(rater, weight, raters)[rater] - weight + 1.0 / learnt.bias_variance
    others = sums_by(rater, weight * miss, raters)[rater] - weight * miss
    return layout.ratings.score - others / total


def honesty(rich: Solution, layout: Layout) -> Vector:
    """Return, for each rating, its weight times the probability that its rater is not a spammer."""
    return (1.0 - rich.learnt.spam[layout.rater]) * layout.ratings.weight


def mix_sums(answered: Vector, one: Vector, other: Vector, trust: Vector) -> Vector:
    """Return the two sums of least squares for the share of `other`: g'(y - one) and g'g, g = other - one.

    Parameters
    ----------
    answered
        Answers.
    one, other
        Predictions of the two variants.
    trust
        Weight of each answer.

    Returns
    -------
    Vector
        The two sums.
    """
    gap = other - one
    return np.array([np.sum(trust * gap * (answered - one)), np.sum(trust * gap**2)])


def best_mix(sums: Vector) -> float:
    """Return the share of `other` that predicts best by least squares, between 0 and 1."""
    cross, power = sums.tolist()
    return float(np.clip(cross / power, 0.0, 1.0)) if power > 0.0 else 0.0


def _rich_share(bias_only: Solution, rich: _RaterEffects, layout: Layout) -> float:
    """Return the weight of the variants with rater effects without refits, Phi(z - handicap).

    z is the gain in squared error divided by its standard error, clustered by rater.
    """
    answered, plain = without_bias(bias_only, layout), predictions(bias_only)
    used = [
        each for each, share in zip(rich.variants, rich.shares, strict=True) if share > 0.0 or each.is_sound
    ]
    mixed = rich.mixed([predictions(each) for each in used])
    gain = honesty(rich.variants[0], layout) * ((answered - plain) ** 2 - (answered - mixed) ** 2)
    each = sums_by(layout.rater, gain, layout.raters)
    return share_of_gains(each[np.bincount(layout.rater, minlength=layout.raters) > 0])


def share_of_gains(each: Vector) -> float:
    """Return Phi(z - handicap) from the gain of each rater who gave answers."""
    from scipy.special import ndtr  # SciPy is slow to import

    error = float(np.sqrt(np.sum((each - each.mean()) ** 2)))
    return float(ndtr(each.sum() / error - HANDICAP)) if error > 0.0 else 0.5
