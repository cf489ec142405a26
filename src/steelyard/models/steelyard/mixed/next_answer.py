"""How much one answer of any kind is expected to reduce the variance of the positions, before it is asked.

Positions of items are independent with variances V, as in a belief between refits. A page of ratings has the bias of
the rater and the offset of the page in common, so its information is  Lambda = (s² I + c² 11')^-1.  An answer that
orders items carries  A = sum w p (e_i - e_j)(e_i - e_j)'  over its pairs. p is the expected precision of one comparison
of the rater's opinions, and w is 1 for separate comparisons. If n items are perceived once, w is 2/n times the share of
the pairs that the answer decides. Opinions differ from the positions by tastes and discrepancies of variance o, so that
Lambda = A (I + o A)^-1.  The variance of the items falls from  diag V  to the diagonal of  (V^-1 + Lambda)^-1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table_kinds import TableKind
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.maths.gaussian import expected_reduction
from steelyard.models.steelyard.mixed.statements import Link


@dataclass(frozen=True, eq=False)
class KindBelief:
    """A belief in units of the noise of a difference, as one kind that orders items sees it.

    Attributes
    ----------
    item
        Item ids.
    count
        Number of judgments of each item, of all kinds.
    position, variance
        Mean and variance of each position.
    covariance
        None: items are independent between refits.
    """

    item: Labels
    count: Vector
    position: Vector
    variance: Vector
    covariance: Matrix | None = None


def pair_information(mean: Vector, variance: Vector, link: Link, kind: TableKind, pairs: Codes) -> Matrix:
    """Return the expected information of one answer that orders items, as a matrix over the items of the task.

    Parameters
    ----------
    mean, variance
        Latent position of each item of the task.
    link
        How answers of this kind depend on the latent scale.
    kind
        The kind.
    pairs
        Places in the task of the two items of each pair that is compared, one row per pair.

    Returns
    -------
    Matrix
        Lambda above, in units of the latent scale.
    """
    one, other = pairs.T
    own, unit = link.taste + link.discrepancy, link.discrimination
    gap = unit * (mean[one] - mean[other])
    spread = unit**2 * (variance[one] + variance[other] + 2.0 * own)
    removed = expected_reduction(gap, spread)
    precision = unit**2 * removed / np.maximum(1.0 - removed * spread, 1e-9)
    size = len(mean)
    if kind.per_task:
        precision = precision * (2.0 / size) * kind.decided(size)
    signs = np.zeros((len(pairs), size))
    signs[np.arange(len(pairs)), one], signs[np.arange(len(pairs)), other] = 1.0, -1.0
    information = signs.T @ (precision[:, None] * signs)
    return np.asarray(information @ np.linalg.inv(np.eye(size) + own * information))


def rating_information(items: int, noise: float, common: float) -> Matrix:
    """Return the information of one page of ratings, as a matrix over its items.

    Parameters
    ----------
    items
        Number of items.
    noise
        Variance of an answer.
    common
        Variance of what all answers of the page share.

    Returns
    -------
    Matrix
        Lambda above.
    """
    return np.asarray(np.linalg.inv(noise * np.eye(items) + common))


def variance_removed(variance: Vector, information: Matrix, weights: Vector) -> float:
    """Return the weighted sum of variances that an answer with this information removes.

    Parameters
    ----------
    variance
        Variances of the positions, which are taken as independent.
    information
        Precision matrix of the answer about these positions.
    weights
        Weight of each variance.

    Returns
    -------
    float
        Weighted sum of the variances before less that after the answer.

    Examples
    --------
    >>> variance_removed(np.array([1.0, 1.0]), np.eye(2), np.array([1.0, 2.0]))
    1.5
    """
    after = np.diag(np.linalg.inv(np.diag(1.0 / variance) + information))
    return float(weights @ (variance - after))
