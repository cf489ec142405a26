"""Weights of variants by how well each predicts the answers of raters it has not seen (stacking)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Mask, Matrix, Vector
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.sums import sums_by

SLOPE_VARIANCE = 0.25  # of raters who are left out; wide enough for a slope of 0
SUM_WEIGHT = 1e3  # weight of the condition that weights sum to 1, relative to the errors


def stacked_weights(errors: Matrix, prior: Vector, prior_deviation: float) -> Vector:
    """Return the weights that minimise the squared error of the weighted prediction, 0 or above with sum 1.

    w' E w + |w - prior|² / prior_deviation², where E (`errors`) contains the products of the prediction errors of the
    variants, in units of their variance. The prior decides if the variants predict about equally well.

    Parameters
    ----------
    errors
        Sums of products of prediction errors, variants x variants.
    prior
        Prior weights of the variants.
    prior_deviation
        Standard deviation of the weights around the prior.

    Returns
    -------
    Vector
        One weight per variant.
    """
    from scipy.optimize import nnls  # SciPy is slow to import

    precision = np.eye(len(prior)) / prior_deviation**2
    root = np.linalg.cholesky(errors + precision).T
    target = np.linalg.solve(root.T, precision @ prior)
    equal = SUM_WEIGHT * np.sqrt(np.trace(errors + precision))
    weights, _ = nnls(np.vstack([root, np.full(len(prior), equal)]), np.append(target, equal))
    return np.asarray(weights / weights.sum())


def error_products(predicted: Sequence[Vector], bias_only: Solution, layout: Layout) -> Matrix:
    """Return the products of the prediction errors of each two variants, in units of the smallest variance.

    The products are e' V^-1 f, where V = s² I + so² L + sb² 11' + sk² tt' is the covariance of a rater's answers around
    the positions: noise, offsets of lists (L is 1 within a list), bias, and slope (t is the mean of the predictions,
    centred). The slope of a rater who is left out is unknown, and that of a spammer is 0. All raters count: a weight
    from the probability of spam would exclude raters because they disagree with a variant under test.

    Parameters
    ----------
    predicted
        Predicted answer for each rating, by variant. NaN where there is none.
    bias_only
        The variant whose variances are used.
    layout
        Ratings in lists.

    Returns
    -------
    Matrix
        Variants x variants.
    """
    score, used = layout.ratings.score, np.isfinite(predicted[0])
    errors = np.array([np.where(used, score - each, 0.0) for each in predicted])
    middle = np.where(used, np.mean(predicted, axis=0) - score.mean(), 0.0)
    covariance = _Shared(bias_only, layout, used)
    along = covariance.solve(middle)
    size = SLOPE_VARIANCE / (1.0 + SLOPE_VARIANCE * sums_by(layout.rater, middle * along, layout.raters))
    crossed = np.array([sums_by(layout.rater, along * each, layout.raters) for each in errors])
    products = errors @ np.array([covariance.solve(each) for each in errors]).T - (crossed * size) @ crossed.T
    variance = float(np.diag(products).min()) / max(float(np.sum(used)), 1.0)
    return np.asarray(products / max(variance, 1e-9))


@dataclass(frozen=True, eq=False)
class _Shared:
    """Covariance of the answers of each rater through noise, offsets of lists and bias."""

    bias_only: Solution
    layout: Layout
    used: Mask

    def solve(self, error: Vector) -> Vector:
        """Return V^-1 e by the matrix identity for nested groups: lists, then raters."""
        learnt, ratings, rater = self.bias_only.learnt, self.layout.ratings, self.layout.rater
        lists = np.repeat(np.arange(len(ratings.rater)), np.diff(ratings.start))
        offset = learnt.offset_variance if self.layout.shared_tasks else 0.0
        own = self.used * ratings.weight / learnt.noise_variance
        room = 1.0 + offset * sums_by(lists, own, len(ratings.rater))
        solved = own * (error - (offset * sums_by(lists, own * error, len(ratings.rater)) / room)[lists])
        ones = own / room[lists]
        raters = self.layout.raters
        share = learnt.bias_variance / (1.0 + learnt.bias_variance * sums_by(rater, ones, raters))
        return np.asarray(solved - ones * (share * sums_by(rater, solved, raters))[rater])
