"""Weights of variants by how well each predicts the answers of raters it has not seen (stacking)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.maths.arrays import Mask, Matrix, Vector
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.sums import sums_by

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


def error_products(predicted: Sequence[Vector], bias_only: Solution, layout: Layout, trust: Vector) -> Matrix:
    """Return the products of the prediction errors of each two variants, in units of the smallest variance.

    The products are e' V^-1 f, where V = s² I + so² L + sb² 11' is the covariance of a rater's answers around the
    positions in the bias-only variant: noise, offsets of lists (L is 1 within a list) and bias.

    Parameters
    ----------
    predicted
        Predicted answer for each rating, by variant. NaN where there is none.
    bias_only
        The variant whose variances are used.
    layout
        Ratings in lists.
    trust
        Weight of each rater.

    Returns
    -------
    Matrix
        Variants x variants.
    """
    used = np.isfinite(predicted[0])
    errors = np.array([np.where(used, layout.ratings.score - each, 0.0) for each in predicted])
    weighed = np.array([trust[layout.rater] * _solved(each, used, bias_only, layout) for each in errors])
    products = errors @ weighed.T
    size = float(np.sum(trust[layout.rater[used]]))
    return np.asarray(products / max(float(np.diag(products).min()) / max(size, 1e-9), 1e-9))


def _solved(error: Vector, used: Mask, bias_only: Solution, layout: Layout) -> Vector:
    """Return V^-1 e for the errors of each rater, by the matrix identity for nested groups: lists, then raters."""
    learnt, ratings, rater = bias_only.learnt, layout.ratings, layout.rater
    lists = np.repeat(np.arange(len(ratings.rater)), np.diff(ratings.start))
    offset = learnt.offset_variance if layout.shared_tasks else 0.0
    own = used * ratings.weight / learnt.noise_variance
    room = 1.0 + offset * sums_by(lists, own, len(ratings.rater))
    solved = own * (error - (offset * sums_by(lists, own * error, len(ratings.rater)) / room)[lists])
    ones = own / room[lists]
    share = learnt.bias_variance / (1.0 + learnt.bias_variance * sums_by(rater, ones, layout.raters))
    return np.asarray(solved - ones * (share * sums_by(rater, solved, layout.raters))[rater])
