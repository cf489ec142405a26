"""The Gaussian of the latent positions that ratings give, into which other kinds send messages."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Matrix
from steelyard.models.steelyard.joint import ExactJoint
from steelyard.models.steelyard.mixed.joint import Base
from steelyard.models.steelyard.mixed.layers import inverse_of
from steelyard.models.steelyard.variant import Variant


def rated_base(variant: Variant, prior_share: float = 1.0) -> Base:
    """Return the Gaussian of one variant of the rating model, relative to its centre.

    Parameters
    ----------
    variant
        Fitted variant of the rating model.
    prior_share
        Weight of the items' prior.

    Returns
    -------
    Base
        Means, and the precision with the errors that items share through biases and task offsets.
    """
    one = variant.solution
    learnt = one.learnt
    precision = inverse_of(_covariance(variant))
    mean = one.latent - learnt.centre
    if prior_share < 1.0:
        less = (1.0 - prior_share) / learnt.prior_variance
        pull = precision @ mean - less * learnt.regression.mean
        precision = precision - np.diag(less)
        mean = np.asarray(np.linalg.solve(precision, pull))
    variance = learnt.item_variance + float(np.var(learnt.regression.mean))
    answers = float(variant.layout.ratings.weight.sum()) / variant.layout.items
    return Base(mean, precision, variance, answers)


def _covariance(variant: Variant) -> Matrix:
    """Return the covariance of positions given the variances, without errors of means over raters."""
    joint = variant.joint
    if not isinstance(joint, ExactJoint):
        return np.diag(joint.variance)
    reached = np.linalg.solve(joint.root, joint.coupling.T) * joint.own
    return np.asarray(np.diag(joint.own) + reached.T @ reached)


def unrated_base(items: int) -> Base:
    """Return the prior of positions without ratings: independent, with mean 0 and variance 1."""
    return Base(np.zeros(items), np.eye(items), 1.0, answers=0.0)
