"""Ratings on a few levels as ordered categories, with cut-points that are estimated.

A rater answers level l if the latent answer is between two cut-points,  c_l < u < c_(l+1).  Each rating becomes a
Gaussian message about u with the moments of the truncated distribution, as answers at the ends of a slider do. The
cut-points make the expected number of answers up to each level equal to the observed one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.arrays import resummed
from steelyard.models.steelyard.averaging import Average, average_variants
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.learn import learn
from steelyard.models.steelyard.sums import sums_by

MIDDLE, DEVIATION = 0.5, 0.2  # of all latent answers at the start, which fixes the latent unit
LEAST_SWEEPS, MOST_SWEEPS = 6, 40
SETTLED = 1e-3  # root mean square change of expected levels on the unit scale
REMOVED = (1e-3, 0.999)  # share of the variance of a latent answer that its level removes
TOLERANCE = 1e-6  # of a score that should be a level
NEWTON_STEPS = 3
LEAST_GAP = 1e-3  # between cut-points


def level_codes(score: Vector, levels: int) -> Codes:
    """Return the level of each score on the unit scale, from 0."""
    if levels < 2:
        raise BadSetting("levels", f"{levels} is not at least 2.")
    code = np.round(score * (levels - 1)).astype(np.int64)
    if len(score) and np.max(np.abs(code / (levels - 1) - score)) > TOLERANCE:
        raise BadSetting(
            "levels",
            f"some scores are not one of {levels} evenly numbered levels of the range. Check the range.",
        )
    return code


def average_levels(layout: Layout, features: Features, levels: int) -> Average:
    """Fit the variants to ordered categories, with the weights of a fit to their normal scores.

    Parameters
    ----------
    layout
        Ratings in lists, on the unit scale.
    features
        Features of the items.
    levels
        Number of levels.

    Returns
    -------
    Average
        Variants with cut-points, and their weights.
    """
    code = level_codes(layout.ratings.score, levels)
    cuts, scores = _first_cuts(code, levels)
    scored = replace(layout, ratings=layout.ratings._replace(score=scores[code]))
    average = average_variants(scored, features)
    plain = [each for each in average.variants if not each.has_ends]
    shares = np.array(
        [share for share, each in zip(average.weights, average.variants, strict=True) if not each.has_ends]
    )
    if len(plain) < len(average.variants):  # the variant with ends is one with rater effects
        shares[-1] += 1.0 - shares.sum()
    refined = tuple(_refined(each, scored, features, code, cuts) for each in plain)
    return Average(refined, tuple(float(share) for share in shares))


def _first_cuts(code: Codes, levels: int) -> tuple[Vector, Vector]:
    """Return cut-points and mean latent answers of levels if all latent answers had one normal distribution."""
    from scipy.special import ndtri  # SciPy is slow to import

    count = np.bincount(code, minlength=levels) + 0.5
    cut = ndtri(np.cumsum(count)[:-1] / count.sum())
    density = np.exp(-0.5 * np.concatenate([[-40.0], cut, [40.0]]) ** 2) / np.sqrt(2.0 * np.pi)
    mean = (density[:-1] - density[1:]) / (count / count.sum())
    return np.asarray(MIDDLE + DEVIATION * cut), np.asarray(MIDDLE + DEVIATION * mean)


def _refined(start: Solution, layout: Layout, features: Features, code: Codes, cuts: Vector) -> Solution:
    """Alternate messages of levels, sweeps and updates of variances and cut-points."""
    from steelyard.models.steelyard.kernel import sweep  # numba is slow to import

    now = replace(start, ratings=layout.ratings, cuts=cuts)
    still, done, before = False, 0, answer_of(now, now.latent)
    while done < MOST_SWEEPS and not (still and done >= LEAST_SWEEPS):
        expected, variance = _latent_answers(now, layout)
        cuts = _moved(cuts, expected, variance, code)
        answer, blur = _messages(expected, variance, code, cuts)
        messages = now.messages._replace(answer=answer, blur=blur)
        messages, sums = sweep(layout.ratings, now.learnt.terms(), messages, False)
        learnt, messages = learn(now.learnt, resummed(layout.ratings, messages), sums, features, now.parts)
        now = replace(now, learnt=learnt, messages=messages, sums=sums, cuts=cuts)
        level = answer_of(
            now, now.latent
        )  # the unit of the latent scale is free, so expected levels are compared
        done, still, before = done + 1, bool(np.sqrt(np.mean((level - before) ** 2)) < SETTLED), level
    return replace(now, sweeps=start.sweeps + done, converged=still)


def _latent_answers(now: Solution, layout: Layout) -> tuple[Vector, Vector]:
    """Return mean and variance of each latent answer without its own level."""
    ratings, messages, learnt, rater = layout.ratings, now.messages, now.learnt, layout.rater
    lists = np.repeat(np.arange(len(ratings.rater)), np.diff(ratings.start))
    slope, count = learnt.slope[rater], len(ratings.rater)
    variance = 1.0 / np.maximum(now.precision[ratings.item] - messages.rating_precision, 1e-9)
    pull = (learnt.regression.mean / learnt.prior_variance + messages.item_pull)[ratings.item]
    mean = (pull - messages.rating_pull) * variance
    own = learnt.noise[rater] / (np.maximum(1.0 - learnt.spam[rater], 1e-3) * ratings.weight)
    noise = own + learnt.slope_error[rater] * (mean**2 + variance)
    certainty = 1.0 / (slope**2 * variance + noise + messages.blur)
    gap = messages.answer - learnt.centre - slope * mean
    at = ratings.rater
    loose = 1.0 / (1.0 / learnt.bias_variance + messages.rater_precision[at] - messages.list_precision)
    bias = (messages.rater_pull[at] - messages.list_pull) * loose
    prior = 1.0 / (loose + learnt.offset_variance)
    precision = (prior + sums_by(lists, certainty, count))[lists] - certainty
    shift = ((prior * bias + sums_by(lists, certainty * gap, count))[lists] - certainty * gap) / precision
    return learnt.centre + slope * mean + shift, slope**2 * variance + noise + 1.0 / precision


def _moved(cuts: Vector, expected: Vector, variance: Vector, code: Codes) -> Vector:
    """Return cut-points at which the expected number of answers up to each level is the observed one."""
    from scipy.special import ndtr  # SciPy is slow to import

    deviation = np.sqrt(variance)[:, None]
    observed = np.array([np.sum(code <= at) for at in range(len(cuts))]) + 0.5
    observed = observed * len(code) / (len(code) + 1.0)
    for _ in range(NEWTON_STEPS):
        z = (cuts - expected[:, None]) / deviation
        slope = np.sum(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) / deviation, axis=0)
        step = (observed - ndtr(z).sum(axis=0)) / np.maximum(slope, 1e-6)
        cuts = cuts + np.clip(step, -0.1, 0.1)
    apart = LEAST_GAP * np.arange(len(cuts))
    return np.asarray(np.maximum.accumulate(cuts - apart) + apart)


def _messages(expected: Vector, variance: Vector, code: Codes, cuts: Vector) -> tuple[Vector, Vector]:
    """Return mean and variance of the message of each level about its latent answer."""
    from scipy.special import log_ndtr  # SciPy is slow to import

    deviation = np.sqrt(variance)
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    low, high = (edges[code] - expected) / deviation, (edges[code + 1] - expected) / deviation
    flip = low > 0.0  # in the upper tail, the lower tail of the mirrored distribution is more accurate
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    top = log_ndtr(high)
    mass = np.exp(top) * -np.expm1(np.minimum(log_ndtr(low) - top, -1e-12))
    mass = np.maximum(mass, 1e-280)
    lower, upper = (np.where(np.isfinite(z), np.exp(-0.5 * z * z), 0.0) for z in (low, high))
    root = np.sqrt(2.0 * np.pi)
    first = (lower - upper) / root / mass
    finite_low, finite_high = np.where(np.isfinite(low), low, 0.0), np.where(np.isfinite(high), high, 0.0)
    removed = first**2 - (finite_low * lower - finite_high * upper) / root / mass
    removed = np.clip(removed, *REMOVED)
    first = np.where(flip, -first, first)
    return expected + deviation * first / removed, variance * (1.0 - removed) / removed
