"""One sweep of message passing in plain NumPy. Tests compare it with the compiled `kernel.py`.

y_o = centre + k_a theta_i + u_t + e_o,  u_t = b_a + h_t.  Lists are visited in order. For each list, its earlier
messages are removed, the shift u is solved for, and new messages are sent to items and rater.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.arrays import Messages, Ratings, Sums, Terms

FLAT = 1e-3


@dataclass(frozen=True, eq=False)
class TaskTerms:
    """One list before its visit: its answers, and items and rater without its own messages."""

    answer: Vector
    blur: Vector
    own_noise: Vector  # s²_a / weight
    mean: Vector
    variance: Vector
    bias_mean: float
    bias_variance: float


def sweep(ratings: Ratings, terms: Terms, old: Messages, honest: bool) -> tuple[Messages, Sums]:
    """Return new messages after one pass through all lists, and the sums for the next update.

    Parameters
    ----------
    ratings
        Ratings in lists.
    terms
        Priors, variances and rater effects, which stay fixed.
    old
        Messages before the sweep.
    honest
        Whether to compute the sums that distinguish honest raters from spammers.

    Returns
    -------
    tuple of Messages and Sums
        New messages, and the sums for the next update.
    """
    now = Messages(*(array.copy() for array in old))
    raters = len(terms.slope)
    sums = Sums(*(np.zeros(size) for size in (raters, raters, raters, raters, raters, raters, 3)))
    for t, a in enumerate(ratings.rater):
        rows = np.arange(ratings.start[t], ratings.start[t + 1])
        page = _page(ratings, terms, now, t)
        if honest:
            sums.honest_log[a] += _honest_log(ratings, terms, page, t)
        _add_sums(sums, terms, page, a, ratings.weight[rows])
        _send(ratings, terms, now, page, t)
    return now, sums


def _page(ratings: Ratings, terms: Terms, now: Messages, t: int) -> TaskTerms:
    """Return v = 1/(1/tau² + IP - p) and m = (prior/tau² + IR - r) v of items, and the same for the rater's bias."""
    rows, a = np.arange(ratings.start[t], ratings.start[t + 1]), ratings.rater[t]
    item = ratings.item[rows]
    variance = 1.0 / (
        1.0 / terms.prior_variance[item] + now.item_precision[item] - now.rating_precision[rows]
    )
    pull = terms.prior_mean[item] / terms.prior_variance[item] + now.item_pull[item] - now.rating_pull[rows]
    bias_variance = 1.0 / (1.0 / terms.bias_variance + now.rater_precision[a] - now.list_precision[t])
    return TaskTerms(
        answer=now.answer[rows],
        blur=now.blur[rows],
        own_noise=terms.noise_variance[a] / ratings.weight[rows],
        mean=pull * variance,
        variance=variance,
        bias_mean=float((now.rater_pull[a] - now.list_pull[t]) * bias_variance),
        bias_variance=float(bias_variance),
    )


def _solved(terms: Terms, page: TaskTerms, a: int) -> tuple[Vector, Vector, Vector, float, float]:
    """Return noise, certainty and gap of each rating, and precision and pull of the shift.

    The certainty is 1/(k² v + noise), the gap y - centre - k m.
    """
    slope = terms.slope[a]
    noise = (
        page.own_noise / terms.keep[a] + terms.slope_variance[a] * (page.mean**2 + page.variance) + page.blur
    )
    certainty = 1.0 / (slope**2 * page.variance + noise)
    gap = page.answer - terms.centre - slope * page.mean
    prior = 1.0 / (page.bias_variance + terms.offset_variance)
    return noise, certainty, gap, prior + certainty.sum(), prior * page.bias_mean + np.sum(certainty * gap)


def _add_sums(sums: Sums, terms: Terms, page: TaskTerms, a: int, weight: Vector) -> None:
    """Add the list's terms to the sums for noise, slope and offset."""
    slope, keep = terms.slope[a], terms.keep[a]
    noise, certainty, gap, precision, pull = _solved(terms, page, a)
    miss, rest = gap - pull / precision, noise * certainty
    own = page.own_noise / keep
    part = own / noise
    square = rest**2 * (miss**2 + 1.0 / precision) + rest * slope**2 * page.variance
    sums.noise_square[a] += keep**2 * np.sum(weight * (part**2 * square + part * (noise - own)))
    sums.noise_weight[a] += keep * len(gap)
    sums.noise_information[a] += keep * _noise_information(terms, own, certainty, precision, a)
    _add_slope(sums, terms, page, a)
    list_precision = precision - 1.0 / (page.bias_variance + terms.offset_variance)
    error = page.bias_variance + 1.0 / list_precision
    apart = np.sum(certainty * gap) / list_precision - page.bias_mean
    certain = 1.0 / (terms.offset_variance + error) ** 2
    sums.offset_excess[:] += certain * (apart**2 - error), certain, 1.0


def _noise_information(terms: Terms, own: Vector, certainty: Vector, precision: float, a: int) -> float:
    """Return s⁴ tr(V^-2), the information about the noise as an equivalent number of answers.

    V = diag(1/c) + 11'/p is the covariance of the list's answers. tr(V^-2) = sum c² - 2 sum c³/P + (sum c²)²/P²,
    where c are the certainties and P = p + sum c.
    """
    seen = (own * certainty) ** 2
    shared = np.sum(seen) * terms.keep[a] / (terms.noise_variance[a] * precision)
    return float(np.sum(seen) - 2.0 * np.sum(seen * certainty) / precision + shared**2)


def _add_slope(sums: Sums, terms: Terms, page: TaskTerms, a: int) -> None:
    """Add the least squares of the answers on the positions from all other answers, with the prior of the shift.

    slope_square = sum c m² - (sum c m)²/P, and slope_cross is analogous, with c = 1/(k² v + own noise), P = p +
    sum c. The rater counts as honest here. If answers were weighted by the spam probability, a suspected rater
    would keep the prior slope of 1, and the small slope that explains the answers would never be considered.
    """
    prior = 1.0 / (page.bias_variance + terms.offset_variance)
    clear = 1.0 / (terms.slope[a] ** 2 * page.variance + page.own_noise + page.blur)
    level = page.answer - terms.centre
    lever = np.sum(clear * page.mean) / (prior + np.sum(clear))
    sums.slope_cross[a] += np.sum(clear * level * page.mean) - lever * (
        prior * page.bias_mean + np.sum(clear * level)
    )
    sums.slope_square[a] += np.sum(clear * page.mean**2) - lever * np.sum(clear * page.mean)


def _send(ratings: Ratings, terms: Terms, now: Messages, page: TaskTerms, t: int) -> None:
    """Update the messages to the items, without their own information about the shift, then to the rater."""
    rows, a = np.arange(ratings.start[t], ratings.start[t + 1]), ratings.rater[t]
    slope = terms.slope[a]
    noise, certainty, gap, precision, pull = _solved(terms, page, a)
    other, other_pull = precision - certainty, pull - certainty * gap
    if abs(slope) > FLAT:
        item_precision = slope**2 / (noise + 1.0 / other)
        item_pull = item_precision * (page.answer - terms.centre - other_pull / other) / slope
    else:
        item_precision, item_pull = np.zeros(len(rows)), np.zeros(len(rows))
    np.add.at(now.item_precision, ratings.item[rows], item_precision - now.rating_precision[rows])
    np.add.at(now.item_pull, ratings.item[rows], item_pull - now.rating_pull[rows])
    now.rating_precision[rows], now.rating_pull[rows] = item_precision, item_pull
    blur = 1.0 + certainty.sum() * terms.offset_variance
    list_precision, list_pull = certainty.sum() / blur, np.sum(certainty * gap) / blur
    now.rater_precision[a] += list_precision - now.list_precision[t]
    now.rater_pull[a] += list_pull - now.list_pull[t]
    now.list_precision[t], now.list_pull[t] = list_precision, list_pull
    expected = terms.centre + slope * page.mean + other_pull / other
    total = slope**2 * page.variance + noise - page.blur + 1.0 / other
    now.answer[rows], now.blur[rows] = _cut(ratings, rows, page, expected, total)


def _cut(
    ratings: Ratings, rows: Codes, page: TaskTerms, expected: Vector, total: Vector
) -> tuple[Vector, Vector]:
    """Return mean and variance of the latent answer if the answer is at an end [`clipping.cut_site`]."""
    from scipy.special import log_ndtr  # SciPy is slow to import

    end = ratings.ends[rows]
    z = end * (expected - _edge(ratings, end)) / np.sqrt(total)
    hazard = np.exp(-0.5 * z**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(z))
    removed = np.clip(hazard * (hazard + z), FLAT, 0.999)
    answer = np.where(end == 0, page.answer, expected + end * np.sqrt(total) * hazard / removed)
    return answer, np.where(end == 0, page.blur, total * (1.0 - removed) / removed)


def _honest_log(ratings: Ratings, terms: Terms, page: TaskTerms, t: int) -> float:
    """Return the log-likelihood of the list's answers, each given all others, at the slope of an honest rater."""
    from scipy.special import log_ndtr  # SciPy is slow to import

    rows, a = np.arange(ratings.start[t], ratings.start[t + 1]), ratings.rater[t]
    slope = terms.honest_slope[a]
    total = slope**2 * page.variance + page.own_noise + page.blur
    gap = page.answer - terms.centre - slope * page.mean
    prior = 1.0 / (page.bias_variance + terms.offset_variance)
    other = prior + np.sum(1.0 / total) - 1.0 / total
    miss = gap - (prior * page.bias_mean + np.sum(gap / total) - gap / total) / other
    wide = total - page.blur + 1.0 / other
    inside = -0.5 * np.log(2.0 * np.pi * wide) - 0.5 * miss**2 / wide
    end = ratings.ends[rows]
    beyond = log_ndtr(end * (page.answer - miss - _edge(ratings, end)) / np.sqrt(wide))
    return float(np.sum(np.where(end == 0, inside, beyond)))


def _edge(ratings: Ratings, end: Codes) -> Vector:
    """Return the censoring point of each answer at an end; 0 for answers between the ends."""
    return np.where(end < 0, ratings.low, np.where(end > 0, ratings.high, 0.0))
