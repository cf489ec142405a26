"""Shared parts of models of log-worths: information between items, maximisation, linked groups, posterior."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from steelyard.errors import BadSetting, UnknownItem
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector, sum_by
from steelyard.maths.newton import Optimum, minimise, tolerance_for, unit_of
from steelyard.maths.precision import DensePrecision, Links, Precision, SparsePrecision
from steelyard.scales.joint import Joint
from steelyard.scales.quantity import Quantity

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FULL_ITEMS = 500  # with more items, the information is sparse and is solved by conjugate gradients
GHOSTLY_VARIANCE = (
    4.0  # variance of a log-worth after half a win and half a loss against an equal item: 1 / (1 x 1/4)
)
DENSE_ITEMS = 3000  # with more items, standard errors come from draws instead of the inverse
TOLERANCE = 1e-10  # on the norm of the gradient, for judgments of weight 1
# Logistic curvature changes by at most exp(|step|) along a step (Bach 2010). A longer step could reach a flat part of
# the function, where Newton steps are unreliable.
LONGEST_STEP = 2.0


def zero_at(reference: str | None) -> str:
    """Return a sentence, without its full stop, that states which position is 0."""
    return "The mean of all positions is 0" if reference is None else f"The position of {reference} is 0"


def log_worth(reference: str | None) -> Quantity:
    """Return the meaning of a log-worth, for positions centred or relative to a reference item."""
    return Quantity(
        "log-worth",
        "its log-worth. The difference between the log-worths of two {unit}s is the logarithm of the odds that the "
        f"first is preferred to the second. {zero_at(reference)}",
        "logits",
    )


@dataclass(frozen=True, eq=False)
class Slope:
    """Log-likelihood, gradient and information at one point. The matrix is sparse for many items."""

    value: float
    gradient: Vector
    matrix: Matrix | csr_array[Any]


class WorthLikelihood(Protocol):
    """A concave log-likelihood of log-worths and other parameters, invariant to a common factor of all worths."""

    @property
    def items(self) -> int:
        """Number of log-worths, which are the first parameters."""

    @property
    def size(self) -> int:
        """Number of parameters."""

    def at(self, parameters: Vector) -> Slope:
        """Return value, gradient and information."""


@dataclass(frozen=True, eq=False)
class InformationCells:
    """Cells in which the information between items is summed: a full matrix, or the cells of a sparse one.

    `slot` is the cell of each compared pair. It is empty for a full matrix.
    """

    items: int
    slot: Codes
    pairs: Codes  # row * items + column of each cell of a sparse matrix, sorted

    @property
    def count(self) -> int:
        """Number of cells."""
        return len(self.pairs) if len(self.pairs) else self.items**2

    def matrix(self, cells: Vector, cross: Matrix, corner: Matrix) -> Matrix | csr_array[Any]:
        """Return the information matrix of all parameters.

        Parameters
        ----------
        cells
            Information between items, by cell.
        cross
            Information between items and other parameters.
        corner
            Information between other parameters.

        Returns
        -------
        Matrix or csr_array
            Parameters x parameters.
        """
        if not len(self.pairs):
            inner = cells.reshape(self.items, self.items)
            return np.block([[inner, cross], [cross.T, corner]]) if cross.size else inner
        from scipy.sparse import block_array, csr_array  # SciPy is slow to import

        begin = np.searchsorted(self.pairs, np.arange(self.items + 1) * self.items)
        shape = (self.items, self.items)
        sparse = csr_array((cells, self.pairs % self.items, begin), shape=shape)
        if not cross.size:
            return sparse
        blocks: Any = [[sparse, csr_array(cross)], [csr_array(cross.T), csr_array(corner)]]
        return csr_array(block_array(blocks))


def cells_between(items: int, row: Codes, column: Codes) -> InformationCells:
    """Return the cells for pairs of items, including the diagonal.

    Parameters
    ----------
    items
        Number of items.
    row
        First item of each pair.
    column
        Second item of each pair.

    Returns
    -------
    InformationCells
        Cells of the information matrix.
    """
    if items <= FULL_ITEMS:
        return InformationCells(items, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    diagonal = np.arange(items) * (items + 1)
    pairs, slot = np.unique(np.r_[row * items + column, diagonal], return_inverse=True)
    return InformationCells(items, np.asarray(slot[: len(row)], dtype=np.int64), pairs)


def precision_of(matrix: Matrix | csr_array[Any], links: Links) -> Precision:
    """Return the matrix with its links as a precision matrix that can be solved."""
    return DensePrecision(matrix, links) if isinstance(matrix, np.ndarray) else SparsePrecision(matrix, links)


def posterior_precision(matrix: Matrix | csr_array[Any], groups: Codes, ghostly: Vector) -> Precision:
    """Return the precision matrix for standard errors and draws.

    For up to 3,000 items it includes all parameters. For more, it includes log-worths only, and the other parameters
    are taken as known.

    Parameters
    ----------
    matrix
        Information of all parameters.
    groups
        Linked group of each item.
    ghostly
        Information of each item in its comparisons with the hypothetical item.

    Returns
    -------
    Precision
        Precision matrix with the links between groups.
    """
    items = len(groups)
    if not isinstance(matrix, np.ndarray):
        matrix = matrix.toarray() if items <= DENSE_ITEMS else matrix[:items, :items].tocsr()
    return precision_of(matrix, links_of(groups, matrix, ghostly))


@dataclass(frozen=True, eq=False)
class Depth:
    """Negative log-likelihood at one point, with its gradient and precision."""

    value: float
    gradient: Vector
    precision: Precision

    def solve(self, target: Vector, tolerance: float) -> Vector:
        """Return the Newton direction."""
        return self.precision.solve(target, tolerance)


def climb_worths(likelihood: WorthLikelihood, weights: Vector) -> Optimum:
    """Maximise the likelihood from equal worths. Log-worths have mean 0; `weights` are those of the answers."""
    group = np.where(np.arange(likelihood.size) < likelihood.items, 0, -1)

    def depth(parameters: Vector) -> Depth:
        slope = likelihood.at(parameters)
        links = Links(group, np.array([_scale(slope.matrix, likelihood.items)]))
        return Depth(-slope.value, -slope.gradient, precision_of(slope.matrix, links))

    unit = unit_of(weights)
    tolerance = tolerance_for(float(weights.sum()), TOLERANCE, unit)
    return minimise(depth, np.zeros(likelihood.size), tolerance, longest=LONGEST_STEP, unit=unit)


def _scale(matrix: Matrix | csr_array[Any], items: int) -> float:
    """Return a precision for the sum of all log-worths, which has no effect on results, of a comparable size."""
    return max(float(matrix.diagonal()[:items].sum()), 1e-300)


def links_of(groups: Codes, matrix: Matrix | csr_array[Any], ghostly: Vector) -> Links:
    """Return the precision of the relative position of unlinked groups, which comes from the hypothetical item only.

    Parameters
    ----------
    groups
        Linked group of each item.
    matrix
        Information of all parameters.
    ghostly
        Information of each item in its comparisons with the hypothetical item. Not used for a single group.

    Returns
    -------
    Links
        Groups and their precisions.
    """
    others = np.full(matrix.shape[0] - len(groups), -1)
    if groups.max(initial=0) == 0:
        return Links(np.r_[groups, others], np.array([_scale(matrix, len(groups))]))
    return Links(np.r_[groups, others], np.maximum(sum_by(groups, ghostly), 1e-12))


def ghost_information(theta: Vector, ghost: float, pseudo: float, steepness: float = 1.0) -> Vector:
    """Return the information of pseudo-comparisons: 2 pseudo s^2 p (1 - p), p = logistic(s (theta - ghost)).

    Parameters
    ----------
    theta
        Log-worths of the items.
    ghost
        Log-worth of the hypothetical item.
    pseudo
        Number of wins, and of losses, of every item against it.
    steepness
        Slope s of the log-odds. Default: 1.

    Returns
    -------
    Vector
        Information of each item.
    """
    p = 1.0 / (1.0 + np.exp(-steepness * (theta - ghost)))
    return np.asarray(2.0 * pseudo * steepness**2 * p * (1.0 - p))


def place_of(reference: str | None, items: Labels) -> int | None:
    """Return the index of the reference item; None if log-worths are centred."""
    if reference is None:
        return None
    places = np.flatnonzero(items == reference)
    if not len(places):
        raise UnknownItem(reference)
    return int(places[0])


@dataclass(frozen=True, eq=False)
class WorthPosterior:
    """Log-worths with a joint normal distribution, centred or relative to a reference item."""

    theta: Vector
    precision: Precision
    reference: int | None
    seed: int

    @cached_property
    def position(self) -> Vector:
        """Log-worths."""
        return np.asarray(self.theta - self._middle(self.theta[None, :])[0])

    def _middle(self, rows: Matrix) -> Vector:
        """Return the value that is subtracted from each row: its mean or the reference."""
        return rows.mean(axis=1) if self.reference is None else rows[:, self.reference]

    @property
    def _centred(self) -> Codes:
        return np.arange(len(self.theta)) if self.reference is None else np.array([self.reference])

    @cached_property
    def spread(self) -> Vector:
        """Standard errors."""
        variances = self.precision.variances(self._centred, self.seed)[: len(self.theta)]
        if self.reference is not None:
            variances[self.reference] = 0.0
        return np.sqrt(variances)

    @property
    def covariance(self) -> Matrix:
        """Covariance of all log-worths, in the order of the items of the fit."""
        if isinstance(self.precision, SparsePrecision):
            raise BadSetting(
                "covariance",
                f"not available for more than {DENSE_ITEMS:,} items. Use draws, which are joint.",
            )
        full = self.precision.covariance[: len(self.theta), : len(self.theta)]
        rows = full - full[:, self._centred].mean(axis=1)[:, None]
        return np.asarray(rows - rows[self._centred].mean(axis=0)[None, :])

    def joint(self) -> Joint:
        """Return log-worths and their covariance, without degrees of freedom."""
        return Joint(self.position, self.covariance)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return log-worth plus and minus the normal quantile times the standard error."""
        from scipy.special import ndtri  # SciPy is slow to import

        reach = float(ndtri(0.5 + level / 2.0)) * self.spread
        return self.position - reach, self.position + reach

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` joint draws of all log-worths."""
        drawn = self.precision.draws(n, rng)[:, : len(self.theta)]
        return self.position + drawn - self._middle(drawn)[:, None]
