"""Updates of variances and rater effects from the messages of a sweep (the M-step).

Every variance is estimated, so effects that the ratings do not support shrink to zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.arrays import Messages, Sums
from steelyard.models.steelyard.features import Features, regress
from steelyard.models.steelyard.parameters import SMALLEST, Learnt, Parts
from steelyard.models.steelyard.weak_priors import (
    BIAS_PRIOR,
    ITEM_PRIOR,
    NOISE_PRIOR,
    OFFSET_PRIOR,
    SLOPE_PRIOR,
    SPAM_LIMITS,
    SPAM_PRIOR,
    blended,
)

LEAST_NOISE = 1e-6
LEAST_NOISE_SHARE = 0.05  # smallest observed noise of a rater, as a share of the common noise
SLOPE_LIMITS = (0.05, 3.0)
STRETCH_LIMITS = (0.8, 1.25)  # in one step
# Number of answers that the common noise counts as in each rater's noise. With less than 16, a group of raters who
# agree among themselves could dominate the others.
NOISE_FREEDOMS = np.array([16.0, 32.0, 64.0, 256.0])
SLOPE_VARIANCE_LIMITS = (1e-4, 0.25)
# Prior variance of a slope around 1 when honest raters are distinguished from spammers. It is fixed, because the
# estimated variance includes only raters already considered honest. If these agree, it would exclude small slopes.
HONEST_SLOPE_VARIANCE = 0.04
UNSURE_PRIOR = 20.0  # items
MOST_UNSURE = 0.9


def learn(
    now: Learnt, messages: Messages, sums: Sums, features: Features, parts: Parts
) -> tuple[Learnt, Messages]:
    """Return updated variances and rater effects, and the messages expressed in them.

    Parameters
    ----------
    now
        Current values.
    messages
        Messages of the last sweep.
    sums
        Sums of the last sweep.
    features
        Features of the items.
    parts
        Effects that the variant includes.

    Returns
    -------
    tuple of Learnt and Messages
        New values and rescaled messages.
    """
    now = _learn_items(now, messages, features)
    is_damped = now.is_damped and bool(features.score_names)
    now, shift = _learn_bias(now, messages, is_damped) if parts.bias else (now, 0.0)
    stretch = 1.0
    if parts.offset:
        now = _learn_offsets(now, sums)
    if parts.slope:
        rated = messages.item_precision / (1.0 / now.prior_variance + messages.item_precision)
        now, stretch = _learn_slopes(now, sums, float(np.mean(rated)))
    now = _learn_noise(now, sums) if parts.noise else _learn_common_noise(now, sums)
    return recentred(now, messages, shift, stretch)


def _learn_items(now: Learnt, messages: Messages, features: Features) -> Learnt:
    """Update the regression on features and the residual variance, from the items' estimates by ratings only.

    tau² = sum r w² ((estimate - mean)² - error) / sum r² w², w = 1 / (r tau² + error). This is the stationary point of
    the likelihood of tau². The relative variance r is 1, unless machine judges are less sure of some items. Each item
    has weight w in the regression.
    """
    seen = messages.item_precision > 0.0
    precision = np.where(seen, messages.item_precision, 1.0)
    estimate, error = messages.item_pull / precision, 1.0 / precision
    regression, variance, relative = now.regression, now.item_variance, now.relative_variance
    for _ in range(2):
        weight = np.where(seen, 1.0 / (relative * variance + error), 0.0)
        regression = regress(estimate, weight, features, regression, now.scatter)
        excess = (estimate - regression.mean) ** 2 - error
        mean_excess = float(np.sum(relative * weight**2 * excess) / np.sum(relative**2 * weight**2))
        variance = blended(max(mean_excess, 0.0), float(seen.sum()), ITEM_PRIOR, now.scatter)
    share = _unsure_share(now, excess, weight**2) if features.has_unsure else 0.0
    return replace(now, regression=regression, item_variance=variance, unsure_share=share)


def _unsure_share(now: Learnt, excess: Vector, weight: Vector) -> float:
    """Return the share of the items' variance that is proportional to the uncertainty of machine judges.

    It is the slope of a weighted regression of the squared residuals on the uncertainty, over the prediction at its
    mean. The prior counts as `UNSURE_PRIOR` items of average weight with a slope of 0. The share moves by half steps.
    """
    total = float(np.sum(weight))
    distance = now.unsure - float(np.sum(weight * now.unsure)) / total
    square = float(np.sum(weight * distance**2)) + UNSURE_PRIOR * total / max(
        float(np.sum(weight > 0.0)), 1.0
    )
    slope = float(np.sum(weight * distance * excess)) / square
    middle = float(np.sum(weight * (excess - slope * distance))) / total
    share = np.clip(slope / middle, 0.0, MOST_UNSURE) if middle > 0.0 else 0.0
    return float((now.unsure_share + share) / 2.0)


def _learn_bias(now: Learnt, messages: Messages, is_damped: bool) -> tuple[Learnt, float]:
    """Update the variance of honest raters' biases, as in `_learn_items`, and return their mean.

    The mean bias is added to the items. Half steps are used if `is_damped`: where scores explain most of the variance
    of the items, the regression and the biases may each correct the same error, and full steps alternate.
    """
    precision = np.maximum(messages.rater_precision, 1e-12)
    honest = np.where(messages.rater_precision > 0.0, np.maximum(1.0 - now.spam, 1e-3), 0.0)
    biases = _spread_of(messages.rater_pull / precision, 1.0 / precision, now.bias_variance, honest)
    variance = biases.blended(BIAS_PRIOR, now.scatter)
    if is_damped:
        return replace(now, bias_variance=(now.bias_variance + variance) / 2.0), biases.mean / 2.0
    return replace(now, bias_variance=variance), biases.mean


@dataclass(frozen=True, slots=True)
class _Spread:
    """Mean of a rater effect, its variance beyond the errors, and the effective number of raters."""

    mean: float
    excess: float
    size: float

    def blended(self, prior: tuple[float, float], unit: float = 1.0) -> float:
        return blended(max(self.excess, 0.0), self.size, prior, unit)


def _spread_of(estimate: Vector, error: Vector, variance: float, honest: Vector) -> _Spread:
    """Return sum h w² ((estimate - mean)² - error) / sum h w², w = 1 / (variance + error), h = P(rater is honest)."""
    weight = 1.0 / (variance + error)
    total, square = float(np.sum(honest * weight)), float(np.sum(honest * weight**2))
    mean = float(np.sum(honest * weight * estimate)) / total
    excess = float(np.sum(honest * weight**2 * ((estimate - mean) ** 2 - error))) / square
    return _Spread(mean, excess, total**2 / square)


def _learn_offsets(now: Learnt, sums: Sums) -> Learnt:
    excess, weight, lists = sums.offset_excess
    variance = blended(max(float(excess / weight), 0.0), float(lists), OFFSET_PRIOR, now.scatter)
    return replace(now, offset_variance=max((now.offset_variance + variance) / 2.0, SMALLEST))


def _learn_slopes(now: Learnt, sums: Sums, rated: float) -> tuple[Learnt, float]:
    """Update the slopes around a mean of 1 and their variance over honest raters, and return the stretch.

    The stretch makes the mean slope 1. It is applied to the degree that ratings determine positions (`rated`),
    because it would drift otherwise.
    """
    honest = np.where(sums.noise_weight > 0.0, np.maximum(1.0 - now.spam, 1e-3), 0.0)
    precision = 1.0 / now.slope_variance + sums.slope_square
    slope = np.clip((1.0 / now.slope_variance + sums.slope_cross) / precision, *SLOPE_LIMITS)
    information = np.maximum(sums.slope_square, 1e-12)
    unshrunk = np.clip(sums.slope_cross / information, *SLOPE_LIMITS)
    slopes = _spread_of(unshrunk, 1.0 / information, now.slope_variance, honest)
    stretch = float(np.clip(1.0 + rated * (slopes.mean - 1.0), *STRETCH_LIMITS))
    variance = float(np.clip(slopes.blended(SLOPE_PRIOR), *SLOPE_VARIANCE_LIMITS))
    variance = (now.slope_variance + variance) / 2.0
    slope = (now.slope + slope) / 2.0 if now.is_damped else slope
    learnt = replace(now, slope=slope, slope_error=1.0 / precision, slope_variance=variance)
    return replace(learnt, honest_slope=_honest_slopes(sums)), stretch


def _honest_slopes(sums: Sums) -> Vector:
    """Return each rater's slope on the assumption that the rater is honest, for `learn_spam`."""
    prior = 1.0 / HONEST_SLOPE_VARIANCE
    return np.clip((prior + sums.slope_cross) / (prior + sums.slope_square), *SLOPE_LIMITS)


def _learn_common_noise(now: Learnt, sums: Sums) -> Learnt:
    size = float(sums.noise_weight.sum())
    noise = blended(float(sums.noise_square.sum()) / size, size, NOISE_PRIOR, now.scatter)
    return replace(now, noise_variance=noise, noise=np.full(len(sums.noise_weight), noise))


def _learn_noise(now: Learnt, sums: Sums) -> Learnt:
    """Update each rater's noise, shrunk to a common value: scaled inverse chi-square, averaged over degrees of freedom.

    This is a step of scoring. The observed noise, without the part imputed from its current value, counts as
    `noise_information` answers. Noise enters through its mean precision (nu + W_a)/(nu s² + E_a). Half steps on
    the log scale are used, because full steps may oscillate.
    """
    weight, square = observed_noise(now, sums)
    common, share = noise_posterior(now, weight, square, NOISE_FREEDOMS)
    freedom = NOISE_FREEDOMS[:, None]
    precision = share @ ((freedom + weight) / (freedom * common[:, None] + square))
    return replace(
        now,
        noise_variance=float(1.0 / np.sum(share / common)),
        noise_freedom=float(1.0 / np.sum(share / NOISE_FREEDOMS)),
        noise=np.maximum(np.sqrt(now.noise / precision), LEAST_NOISE),
    )


def observed_noise(now: Learnt, sums: Sums) -> tuple[Vector, Vector]:
    """Return the number of answers W_a that the noise of each rater is observed in, and their sum of squares E_a.

    Parameters
    ----------
    now
        Current values.
    sums
        Sums of the last sweep.

    Returns
    -------
    tuple of Vector
        One value per rater each. The part of the squares that was imputed from the current noise is removed.
    """
    weight = np.maximum(sums.noise_information, 1e-9)
    unshrunk = now.noise + (sums.noise_square - sums.noise_weight * now.noise) / weight
    return weight, weight * np.maximum(unshrunk, LEAST_NOISE_SHARE * now.noise_variance)


def noise_posterior(
    now: Learnt, weight: Vector, square: Vector, freedoms: Vector, steps: int = 3
) -> tuple[Vector, Vector]:
    """Return the common noise for each of some degrees of freedom, and their posterior probabilities.

    Parameters
    ----------
    now
        Current values.
    weight, square
        Number of answers and sum of squares of each rater, see `observed_noise`.
    freedoms
        Degrees of freedom to choose from.
    steps
        Number of iterations for the common noise, which starts from its current value.

    Returns
    -------
    tuple of Vector
        One value per degrees of freedom each.
    """
    common = _common_noises(now, square, weight, freedoms, steps)
    return common, _freedom_shares(square, weight, common, freedoms)


def _common_noises(now: Learnt, square: Vector, weight: Vector, freedoms: Vector, steps: int) -> Vector:
    """Return the common noise for each degrees of freedom: a harmonic mean, which few noisy raters cannot raise."""
    freedom, size = freedoms[:, None], float(np.sum(weight))
    seen, (count, share) = np.minimum(weight, 1.0), NOISE_PRIOR
    common: Vector = np.full(len(freedoms), now.noise_variance)
    for _ in range(steps):
        precision = (freedom + weight) / (freedom * common[:, None] + square)
        harmonic = np.sum(seen) / (precision @ seen)
        common = np.asarray((size * harmonic + count * share * now.scatter) / (size + count))
    return common


def _freedom_shares(square: Vector, weight: Vector, common: Vector, freedoms: Vector) -> Vector:
    """Return the posterior probabilities of the degrees of freedom nu, each with its own common noise s².

    log p = sum_a log Gamma((nu + W_a)/2) - log Gamma(nu/2) + nu/2 log(nu s²) - (nu + W_a)/2 log(nu s² + E_a).
    """
    from scipy.special import gammaln  # SciPy is slow to import

    nu, spread = freedoms[:, None], (freedoms * common)[:, None]
    gamma = gammaln((nu + weight) / 2.0) - gammaln(nu / 2.0)
    evidence = np.sum(
        gamma + nu / 2.0 * np.log(spread) - (nu + weight) / 2.0 * np.log(spread + square), axis=1
    )
    shares = np.exp(evidence - evidence.max())
    return np.asarray(shares / shares.sum())


def learn_spam(now: Learnt, swept: Learnt, sums: Sums, own_log: Vector) -> Learnt:
    """Update the spam probability of each rater.

    It compares the likelihood of the rater's answers under the model with that under a Gaussian of the rater's
    own. The model is evaluated at the slope of an honest rater, with the penalty for estimating it. The
    probability moves by half a step at a time, because the model of honest raters depends on who counts as
    honest.

    Parameters
    ----------
    now
        Current values.
    swept
        Values that the sweep of the sums used.
    sums
        Sums of the sweep.
    own_log
        Log-likelihood of each rater's answers under a Gaussian of their own.

    Returns
    -------
    Learnt
        Values with new spam probabilities.
    """
    odds = (
        np.log(now.spam_share / (1.0 - now.spam_share))
        + own_log
        - sums.honest_log
        + _slope_price(swept, sums)
    )
    spam = 0.5 * now.spam + 0.5 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
    seen = sums.noise_weight > 0.0
    share = (spam[seen].sum() + SPAM_PRIOR[0]) / (seen.sum() + SPAM_PRIOR[1])
    return replace(now, spam=np.where(seen, spam, share), spam_share=float(np.clip(share, *SPAM_LIMITS)))


def _slope_price(swept: Learnt, sums: Sums) -> Vector:
    """Return the penalty for estimating the slope k ~ N(1, s²), as in the integral of the likelihood over k.

    (k - 1)² / (2 s²) + 1/2 log(1 + s² I)

    I is the information about the slope (`slope_square`). The penalty is 0 if slopes are not estimated.
    """
    if not swept.slope_error.any():
        return np.zeros(len(swept.slope))
    distance = (swept.honest_slope - 1.0) ** 2 / (2.0 * HONEST_SLOPE_VARIANCE)
    return np.asarray(distance + 0.5 * np.log1p(HONEST_SLOPE_VARIANCE * sums.slope_square))


def recentred(now: Learnt, messages: Messages, shift: float, stretch: float) -> tuple[Learnt, Messages]:
    """Return the same model with mean bias 0 and mean slope 1. The items absorb the shift and the stretch.

    Parameters
    ----------
    now
        Current values.
    messages
        Messages in the current units.
    shift
        Mean bias.
    stretch
        Mean slope.

    Returns
    -------
    tuple of Learnt and Messages
        Values and messages in the new units.
    """
    moved = messages._replace(
        rating_precision=messages.rating_precision / stretch**2,
        rating_pull=(messages.rating_pull + shift / stretch * messages.rating_precision) / stretch,
        item_precision=messages.item_precision / stretch**2,
        item_pull=(messages.item_pull + shift / stretch * messages.item_precision) / stretch,
        list_pull=messages.list_pull - shift * messages.list_precision,
        rater_pull=messages.rater_pull - shift * messages.rater_precision,
    )
    learnt = replace(
        now,
        regression=now.regression.moved(shift, stretch),
        item_variance=now.item_variance * stretch**2,
        slope=now.slope / stretch,
        honest_slope=now.honest_slope / stretch,
        slope_error=now.slope_error / stretch**2,
        slope_variance=now.slope_variance / stretch**2,
    )
    return learnt, moved
