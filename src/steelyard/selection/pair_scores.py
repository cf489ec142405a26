"""Scores of pairs: how much one comparison is expected to reduce the uncertainty of distances and of the order.

Positions are in units of the comparison noise and have the posterior N(m, S). One comparison of items i and j, whose
gap has mean g = m_i - m_j and variance v, has an expected covariance after it of  S - k uu'  with  u = S_.i - S_.j  and

    k(g, v) = phi(t)² / (Phi(t) Phi(-t)) / (1 + v),   t = g / sqrt(1 + v)

For the goal matrix G it reduces  tr(GS)  by  A = k u'Gu. Distances have G = I. The expected rank of item i is the sum
of Phi(g / sqrt(v)) over the others, and the variance of ranks has G = J'J with their derivatives J. With the entropy H
of an outcome and c = pi ln(2) / 2, the mutual information of the comparison and all positions is (Houlsby et al. 2011)

    I = H(Phi(g / sqrt(1 + v))) - sqrt(c / (v + c)) exp(-g² / (2 (v + c)))

The score is sqrt(A I). A looks at the goal one step ahead. I also values what later comparisons can use. For very many
items the covariance is not kept, and positions count as independent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.maths.gaussian import expected_reduction

FALL = 1.0 - 2.0 / np.pi  # of the information with the square of the gap
LEAST_VARIANCE = 1e-12  # of a gap


def mutual_information(gap: Matrix, variance: Matrix) -> Matrix:
    """Return the mutual information of one comparison and all positions, in bits.

    >>> mutual_information(np.array([0.0, 3.0]), np.array([1.0, 1.0])).round(2).tolist()
    [0.28, 0.04]
    """
    from scipy.special import ndtr  # SciPy is slow to import

    chance = np.clip(ndtr(np.abs(gap) / np.sqrt(1.0 + variance)), 0.5, 1.0 - 1e-12)
    entropy = -(chance * np.log2(chance) + (1.0 - chance) * np.log2(1.0 - chance))
    noise = np.pi * np.log(2.0) / 2.0
    expected = np.sqrt(noise / (variance + noise)) * np.exp(-(gap**2) / (2.0 * (variance + noise)))
    return np.asarray(np.maximum(entropy - expected, 0.0))


def rough_information(gap: Matrix, variance: Matrix) -> Matrix:
    """Return the expected information of one comparison with  phi(x)² / (Phi(x) Phi(-x))  ~  2/pi exp(-a x²).

    With a = 1 - 2/pi the expectation over x ~ N(gap, variance) has a closed form. The error is 13% at a gap of 2.

    >>> rough_information(np.array([0.0, 2.0]), np.array([0.0, 0.0])).round(3).tolist()
    [0.637, 0.149]
    """
    widened = 1.0 + 2.0 * FALL * variance
    return np.asarray(2.0 / np.pi * np.exp(-FALL * gap**2 / widened) / np.sqrt(widened))


def rank_slopes(position: Vector, covariance: Matrix, comparable: Mask) -> Matrix:
    """Return the derivatives of expected ranks by positions, among pairs of items that are comparable.

    Parameters
    ----------
    position
        Positions of the items.
    covariance
        Their covariance.
    comparable
        Whether each pair may be compared.

    Returns
    -------
    Matrix
        One row and one column per item.

    Examples
    --------
    >>> rank_slopes(np.array([0.0, 0.0]), np.eye(2), np.ones((2, 2), bool)).round(3).tolist()
    [[0.282, -0.282], [-0.282, 0.282]]
    """
    variance = gap_variances(covariance)
    gap = position[:, None] - position
    density = np.exp(-(gap**2) / (2.0 * variance)) / np.sqrt(2.0 * np.pi * variance)
    density = np.where(comparable, density, 0.0)
    np.fill_diagonal(density, 0.0)
    return np.asarray(np.diag(density.sum(axis=1)) - density)


def gap_variances(covariance: Matrix) -> Matrix:
    """Return the variance of the gap of every two items."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2.0 * covariance, LEAST_VARIANCE)


def rank_goal(position: Vector, covariance: Matrix, comparable: Mask) -> Matrix:
    """Return G = J'J for the order of items, so that tr(GS) is the variance of expected ranks.

    Parameters
    ----------
    position
        Positions of the items.
    covariance
        Their covariance.
    comparable
        Whether each pair may be compared.

    Returns
    -------
    Matrix
        One row and one column per item.
    """
    slopes = rank_slopes(position, covariance, comparable)
    return np.asarray(slopes.T @ slopes)


def weighted_goal(weights: Vector) -> Matrix:
    """Return G for distances: the weighted variances of positions about the mean of all."""
    centred = np.eye(len(weights)) - 1.0 / len(weights)
    return np.asarray(centred @ (weights[:, None] * centred))


def system_goal(system: Codes) -> Matrix:
    """Return G for the means of systems, from the system of each item."""
    size = sum_by(system, np.ones(len(system)))
    means = np.zeros((len(size), len(system)))
    means[system, np.arange(len(system))] = 1.0 / size[system]
    return np.asarray(means.T @ means)


def mixed_goal(goals: Iterable[Matrix], covariance: Matrix) -> Matrix:
    """Return a goal in which every goal has the same share of the present uncertainty."""
    return np.asarray(sum(goal / max(float(np.sum(goal * covariance)), LEAST_VARIANCE) for goal in goals))


class Scores(Protocol):
    """Scores of pairs of units; larger is better."""

    def of(self, first: Codes, second: Codes) -> Matrix:
        """Return the scores of these pairs; the codes are broadcast."""


@dataclass(frozen=True, eq=False)
class IndependentScores:
    """Scores from single variances, each with its weight in the goal."""

    position: Vector
    variance: Vector
    weights: Vector

    def of(self, first: Codes, second: Codes) -> Matrix:
        """Return the expected information about the second unit of each pair."""
        gap = self.position[first] - self.position[second]
        variance = self.variance[first] + self.variance[second]
        return np.asarray(rough_information(gap, variance) * variance * self.weights[second])


@dataclass(frozen=True, eq=False)
class JointScores:
    """Scores of all pairs from the full covariance.

    Attributes
    ----------
    position, covariance
        Mean m and covariance S of the positions.
    effects
        S G S with the matrix G of the goal. The difference of its columns i and j is the effect S G u of that pair.
    usable
        Pairs that may be shown.
    """

    position: Vector
    covariance: Matrix
    effects: Matrix
    usable: Mask

    @staticmethod
    def towards(goal: Matrix, position: Vector, covariance: Matrix, usable: Mask) -> JointScores:
        """Return the scores of pairs for this goal.

        Parameters
        ----------
        goal
            Matrix G of the goal tr(GS).
        position
            Positions of the items.
        covariance
            Their covariance S.
        usable
            Whether each pair may be shown.

        Returns
        -------
        JointScores
            The scores.
        """
        return JointScores(position, covariance, covariance @ goal @ covariance, usable)

    @cached_property
    def all(self) -> Matrix:
        """Score of each pair; 0 for pairs that may not be shown."""
        gap, variance = self.position[:, None] - self.position, gap_variances(self.covariance)
        drop = expected_reduction(gap, variance) * gap_variances(self.effects)
        return np.where(self.usable, np.sqrt(drop * mutual_information(gap, variance)), 0.0)

    def of(self, first: Codes, second: Codes) -> Matrix:
        """Return the scores of these pairs."""
        return np.asarray(self.all[first, second])

    def after(self, groups: Iterable[Iterable[int]]) -> JointScores:
        """Return the scores after the expected information of these groups, from their neighbouring members."""
        covariance, effects = self.covariance.copy(), self.effects.copy()
        for one, other in (pair for group in groups for pair in pairwise(group)):
            along, effect = covariance[:, one] - covariance[:, other], effects[:, one] - effects[:, other]
            variance = max(float(along[one] - along[other]), LEAST_VARIANCE)
            gap = self.position[one] - self.position[other]
            reduction = float(expected_reduction(np.array(gap), np.array(variance)))
            crossed = np.outer(along, effect)
            covariance -= reduction * np.outer(along, along)
            effects += reduction * (reduction * (effect[one] - effect[other]) * np.outer(along, along))
            effects -= reduction * (crossed + crossed.T)
        return replace(self, covariance=covariance, effects=effects)
