"""From the messages of a sweep to the next variances and rater terms (the M-step).

Every variance is learnt, so that a part which the ratings do not support shrinks to nothing by itself.
The weak priors below are worth a few raters or tasks each; they matter where there are few of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.arrays import Messages, Ratings, Sums, Terms
from steelyard.models.steelyard.features import Features, Regression, explain, regress

SMALLEST = 1e-9  # variance of a term that is switched off
LEAST_NOISE = 1e-6
LEAST_NOISE_SHARE = 0.05  # of the common noise, in what is seen of one rater's
SLOPE_LIMITS = (0.05, 3.0)
STRETCH_LIMITS = (0.8, 1.25)  # in one step
# Answers' worth of the common noise in each rater's. Less than 16 would let a group that agrees among itself
# outvote the others.
NOISE_FREEDOMS = np.array([16.0, 32.0, 64.0, 256.0])
SCATTER_PRIOR = (2.0, 1.0 / 12.0)  # two answers' worth of a uniform scale
ITEM_PRIOR = (2.0, 0.5)  # two items' worth of half the variance of scores
NOISE_PRIOR = (2.0, 0.4)  # two answers' worth
BIAS_PRIOR = (2.0, 0.02)  # two raters' worth of 2% of the variance of scores
OFFSET_PRIOR = (2.0, 0.02)
SLOPE_PRIOR = (4.0, 0.04)  # four raters' worth of a standard deviation of 0.2
SLOPE_VARIANCE_LIMITS = (1e-4, 0.25)
# Prior variance of a slope about 1 when honest raters are distinguished from spammers. It is fixed: the estimated
# variance is that of the raters who are already taken for honest, and would rule a small slope out where these agree.
HONEST_SLOPE_VARIANCE = 0.04
SPAM_PRIOR = (0.5, 10.0)  # half a spammer in ten raters
SPAM_LIMITS = (0.005, 0.3)


@dataclass(frozen=True, slots=True)
class Parts:
    """Which parts of the model are on; the bias and the variances always are."""

    slope: bool
    noise: bool
    spam: bool
    offset: bool


@dataclass(frozen=True, eq=False)
class Learnt:
    """Everything that is learnt besides the positions; positions are relative to the fixed centre."""

    centre: float
    scatter: float  # variance of all scores, the unit of the weak priors
    regression: Regression
    item_variance: float
    bias_variance: float
    offset_variance: float
    slope_variance: float
    noise_variance: float
    noise_freedom: float
    spam_share: float
    slope: Vector
    slope_error: Vector  # variance of each rater's slope
    honest_slope: Vector  # as `slope`, but with the prior of `HONEST_SLOPE_VARIANCE`
    noise: Vector
    spam: Vector

    def terms(self) -> Terms:
        """What a sweep holds fixed."""
        return Terms(
            centre=self.centre,
            prior_mean=self.regression.mean,
            item_variance=self.item_variance,
            bias_variance=self.bias_variance,
            offset_variance=self.offset_variance,
            slope=self.slope,
            slope_variance=self.slope_error,
            noise_variance=self.noise,
            honest_slope=self.honest_slope,
            keep=np.maximum(1.0 - self.spam, 1e-3),
        )


def cold_start(ratings: Ratings, features: Features, raters: int, parts: Parts) -> Learnt:
    """Of the variance that features leave, half is noise, two fifths are the items', a tenth is raters'.

    With one answer per item nothing distinguishes items from noise, so this start decides how far features count.
    """
    score = ratings.score
    scatter = _blend(float(score.var()), len(score), SCATTER_PRIOR)
    regression = explain(score - score.mean(), ratings.item, features, scatter)
    rest = _blend(float(np.var(score - regression.mean[ratings.item])), len(score), SCATTER_PRIOR)
    noise = 0.5 * rest
    return Learnt(
        centre=float(score.mean()),
        scatter=scatter,
        regression=regression,
        item_variance=0.4 * rest,
        bias_variance=0.1 * rest,
        offset_variance=0.1 * rest if parts.offset else SMALLEST,
        slope_variance=SLOPE_PRIOR[1],
        noise_variance=noise,
        noise_freedom=16.0,
        spam_share=0.05,
        slope=np.ones(raters),
        slope_error=np.zeros(raters),
        honest_slope=np.ones(raters),
        noise=np.full(raters, noise),
        spam=np.zeros(raters),
    )


def learn(
    now: Learnt, messages: Messages, sums: Sums, features: Features, parts: Parts
) -> tuple[Learnt, Messages]:
    """The next terms and variances, and the messages in their terms."""
    now, shift = _learn_bias(_learn_items(now, messages, features), messages)
    stretch = 1.0
    if parts.offset:
        now = _learn_offsets(now, sums, len(messages.list_pull))
    if parts.slope:
        rated = messages.item_precision / (1.0 / now.item_variance + messages.item_precision)
        now, stretch = _learn_slopes(now, sums, float(np.mean(rated)))
    now = _learn_noise(now, sums) if parts.noise else _learn_common_noise(now, sums)
    return recentred(now, messages, shift, stretch)


def _learn_items(now: Learnt, messages: Messages, features: Features) -> Learnt:
    """Regression on the features and the variance about it, from the estimates of items by ratings alone.

    tau² = sum w² ((estimate - mean)² - error) / sum w², w = 1 / (tau² + error), which is where the likelihood of
    tau² is flat; an item's answer to the regression weighs w.
    """
    seen = messages.item_precision > 0.0
    precision = np.where(seen, messages.item_precision, 1.0)
    estimate, error = messages.item_pull / precision, 1.0 / precision
    regression, variance = now.regression, now.item_variance
    for _ in range(2):
        weight = np.where(seen, 1.0 / (variance + error), 0.0)
        regression = regress(estimate, weight, features, regression, now.scatter)
        excess = float(np.sum(weight**2 * ((estimate - regression.mean) ** 2 - error)) / np.sum(weight**2))
        variance = _blend(max(excess, 0.0), float(seen.sum()), ITEM_PRIOR, now.scatter)
    return replace(now, regression=regression, item_variance=variance)


def _blend(variance: float, size: float, prior: tuple[float, float], unit: float = 1.0) -> float:
    """A variance estimated from `size` cases, blended with a prior that is worth a few."""
    count, share = prior
    return (size * variance + count * share * unit) / (size + count)


def _learn_bias(now: Learnt, messages: Messages) -> tuple[Learnt, float]:
    """Variance of honest raters' biases, as in `_learn_items`, and their mean, which belongs to the items."""
    precision = np.maximum(messages.rater_precision, 1e-12)
    honest = np.where(messages.rater_precision > 0.0, np.maximum(1.0 - now.spam, 1e-3), 0.0)
    biases = _spread_of(messages.rater_pull / precision, 1.0 / precision, now.bias_variance, honest)
    return replace(now, bias_variance=biases.blended(BIAS_PRIOR, now.scatter)), biases.mean


@dataclass(frozen=True, slots=True)
class _Spread:
    """How far terms of raters differ beyond their errors, about which mean, and the effective number of raters."""

    mean: float
    excess: float
    size: float

    def blended(self, prior: tuple[float, float], unit: float = 1.0) -> float:
        return _blend(max(self.excess, 0.0), self.size, prior, unit)


def _spread_of(estimate: Vector, error: Vector, variance: float, honest: Vector) -> _Spread:
    """sum h w² ((estimate - mean)² - error) / sum h w², w = 1 / (variance + error), h = P(rater is honest)."""
    weight = 1.0 / (variance + error)
    total, square = float(np.sum(honest * weight)), float(np.sum(honest * weight**2))
    mean = float(np.sum(honest * weight * estimate)) / total
    excess = float(np.sum(honest * weight**2 * ((estimate - mean) ** 2 - error))) / square
    return _Spread(mean, excess, total**2 / square)


def _learn_offsets(now: Learnt, sums: Sums, lists: int) -> Learnt:
    excess, weight = sums.offset_excess
    variance = _blend(max(float(excess / weight), 0.0), lists, OFFSET_PRIOR, now.scatter)
    return replace(now, offset_variance=max((now.offset_variance + variance) / 2.0, SMALLEST))


def _learn_slopes(now: Learnt, sums: Sums, rated: float) -> tuple[Learnt, float]:
    """Slopes about a mean of 1, their variance over honest raters, and the stretch that makes the mean 1.

    The stretch is taken as far as ratings fix positions (`rated`): where they do not, it would drift.
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
    learnt = replace(now, slope=slope, slope_error=1.0 / precision, slope_variance=variance)
    return replace(learnt, honest_slope=_honest_slopes(sums)), stretch


def _honest_slopes(sums: Sums) -> Vector:
    """Each rater's slope on the assumption that the rater is honest, for `learn_spam`."""
    prior = 1.0 / HONEST_SLOPE_VARIANCE
    return np.clip((prior + sums.slope_cross) / (prior + sums.slope_square), *SLOPE_LIMITS)


def _learn_common_noise(now: Learnt, sums: Sums) -> Learnt:
    size = float(sums.noise_weight.sum())
    noise = _blend(float(sums.noise_square.sum()) / size, size, NOISE_PRIOR, now.scatter)
    return replace(now, noise_variance=noise, noise=np.full(len(sums.noise_weight), noise))


def _learn_noise(now: Learnt, sums: Sums) -> Learnt:
    """Each rater's noise, shrunk to a common one: scaled inverse chi-square, averaged over degrees of freedom.

    A step of scoring: what was seen of the noise, without what was imputed from its present value, is worth
    `noise_information` answers. Noise enters by its mean precision (nu + W_a)/(nu s² + E_a), half a step at a
    time in logarithms: whole steps may swing.
    """
    weight = np.maximum(sums.noise_information, 1e-9)
    unshrunk = now.noise + (sums.noise_square - sums.noise_weight * now.noise) / weight
    square = weight * np.maximum(unshrunk, LEAST_NOISE_SHARE * now.noise_variance)
    common = _common_noises(now, square, weight)
    share = _freedom_shares(square, weight, common)
    freedom = NOISE_FREEDOMS[:, None]
    precision = share @ ((freedom + weight) / (freedom * common[:, None] + square))
    return replace(
        now,
        noise_variance=float(1.0 / np.sum(share / common)),
        noise_freedom=float(1.0 / np.sum(share / NOISE_FREEDOMS)),
        noise=np.maximum(np.sqrt(now.noise / precision), LEAST_NOISE),
    )


def _common_noises(now: Learnt, square: Vector, weight: Vector) -> Vector:
    """The common noise at each degrees of freedom: harmonic over raters, so that a few bad ones cannot raise it."""
    freedom, size = NOISE_FREEDOMS[:, None], float(np.sum(weight))
    seen, (count, share) = np.minimum(weight, 1.0), NOISE_PRIOR
    common: Vector = np.full(len(NOISE_FREEDOMS), now.noise_variance)
    for _ in range(3):
        precision = (freedom + weight) / (freedom * common[:, None] + square)
        harmonic = np.sum(seen) / (precision @ seen)
        common = np.asarray((size * harmonic + count * share * now.scatter) / (size + count))
    return common


def _freedom_shares(square: Vector, weight: Vector, common: Vector) -> Vector:
    """Posterior shares of the degrees of freedom nu, each with its own common noise s².

    log p = sum_a log Gamma((nu + W_a)/2) - log Gamma(nu/2) + nu/2 log(nu s²) - (nu + W_a)/2 log(nu s² + E_a).
    """
    from scipy.special import gammaln  # late: SciPy would double the time of `import steelyard`

    nu, spread = NOISE_FREEDOMS[:, None], (NOISE_FREEDOMS * common)[:, None]
    gamma = gammaln((nu + weight) / 2.0) - gammaln(nu / 2.0)
    evidence = np.sum(
        gamma + nu / 2.0 * np.log(spread) - (nu + weight) / 2.0 * np.log(spread + square), axis=1
    )
    shares = np.exp(evidence - evidence.max())
    return np.asarray(shares / shares.sum())


def learn_spam(now: Learnt, swept: Learnt, sums: Sums, own_log: Vector) -> Learnt:
    """Spam probability of each rater: how much better than the model their own Gaussian explains the answers.

    The model is evaluated at the slope that the rater has if honest, less the price of estimating it. `swept` are
    the terms of the sweep that gave the sums. The probability moves by half a step at a time, because the model of
    honest raters depends on who counts as honest.
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
    """What integrating over slopes k ~ N(1, s²) takes off the log-likelihood at k.

    (k - 1)² / (2 s²) + 1/2 log(1 + s² I)

    I is the information about the slope (`slope_square`). The price is 0 where slopes are not estimated.
    """
    if not swept.slope_error.any():
        return np.zeros(len(swept.slope))
    distance = (swept.honest_slope - 1.0) ** 2 / (2.0 * HONEST_SLOPE_VARIANCE)
    return np.asarray(distance + 0.5 * np.log1p(HONEST_SLOPE_VARIANCE * sums.slope_square))


def recentred(now: Learnt, messages: Messages, shift: float, stretch: float) -> tuple[Learnt, Messages]:
    """The same model with mean bias 0 and mean slope 1: the items take up the shift and the stretch."""
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
