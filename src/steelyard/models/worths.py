"""What models of log-worths share: information between items, the climb, linked groups, and the posterior."""

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

FULL_ITEMS = 500  # beyond this, information is kept as a sparse matrix and solved by conjugate gradients
GHOSTLY_VARIANCE = 4.0  # of a log-worth known from half a win and half a loss against an equal: 1 / (1 x 1/4)
DENSE_ITEMS = 3000  # beyond this, standard errors come from draws instead of the inverse
TOLERANCE = 1e-10  # on the norm of the gradient, where a judgment counts 1
# Logistic curvature changes by at most exp(|step|) along a step (Bach 2010): a longer one could leap to where the
# function is flat and no next step is to be trusted.
LONGEST_STEP = 2.0


def zero_at(reference: str | None) -> str:
    """Which position is 0: the end of a sentence, without its full stop."""
    return "The mean of all positions is 0" if reference is None else f"The position of {reference} is 0"


def log_worth(reference: str | None) -> Quantity:
    """What a log-worth is, with the reference at 0 where there is one."""
    return Quantity(
        "log-worth",
        "its log-worth. The difference between the log-worths of two {unit}s is the logarithm of the odds that the "
        f"first is preferred to the second. {zero_at(reference)}",
        "logits",
    )


@dataclass(frozen=True, eq=False)
class Slope:
    """Log-likelihood, gradient and information at one point; the matrix is full, or sparse for many items."""

    value: float
    gradient: Vector
    matrix: Matrix | csr_array[Any]


class WorthLikelihood(Protocol):
    """A concave log-likelihood of log-worths (first) and other parameters, the same when all worths are scaled."""

    @property
    def items(self) -> int:
        """How many of the parameters are log-worths."""

    @property
    def size(self) -> int:
        """How many parameters there are."""

    def at(self, parameters: Vector) -> Slope:
        """Value, gradient and information."""


@dataclass(frozen=True, eq=False)
class InformationCells:
    """Where the information between items is added up: a full matrix, or the cells of a sparse one.

    `slot` has the cell of each pair that was compared; it is empty where the matrix is full.
    """

    items: int
    slot: Codes
    pairs: Codes  # row * items + column of each cell of a sparse matrix, sorted

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.pairs) if len(self.pairs) else self.items**2

    def matrix(self, cells: Vector, cross: Matrix, corner: Matrix) -> Matrix | csr_array[Any]:
        """The information of all parameters: between items, between items and others, between others."""
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
    """Cells for these pairs of items, each diagonal cell among them."""
    if items <= FULL_ITEMS:
        return InformationCells(items, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    diagonal = np.arange(items) * (items + 1)
    pairs, slot = np.unique(np.r_[row * items + column, diagonal], return_inverse=True)
    return InformationCells(items, np.asarray(slot[: len(row)], dtype=np.int64), pairs)


def precision_of(matrix: Matrix | csr_array[Any], links: Links) -> Precision:
    """The matrix and its links, ready to solve."""
    return DensePrecision(matrix, links) if isinstance(matrix, np.ndarray) else SparsePrecision(matrix, links)


def posterior_precision(matrix: Matrix | csr_array[Any], groups: Codes, ghostly: Vector) -> Precision:
    """The precision that standard errors and draws come from.

    For up to 3,000 items it is that of all parameters, factored; for more that of the log-worths alone, as if the
    other parameters were known.
    """
    items = len(groups)
    if not isinstance(matrix, np.ndarray):
        matrix = matrix.toarray() if items <= DENSE_ITEMS else matrix[:items, :items].tocsr()
    return precision_of(matrix, links_of(groups, matrix, ghostly))


@dataclass(frozen=True, eq=False)
class Depth:
    """Minus a log-likelihood at one point, with its precision."""

    value: float
    gradient: Vector
    precision: Precision

    def solve(self, target: Vector, tolerance: float) -> Vector:
        """A Newton direction."""
        return self.precision.solve(target, tolerance)


def climb_worths(likelihood: WorthLikelihood, weights: Vector) -> Optimum:
    """The maximum of the likelihood of answers with these weights, from equal worths; log-worths keep mean 0."""
    group = np.where(np.arange(likelihood.size) < likelihood.items, 0, -1)

    def depth(parameters: Vector) -> Depth:
        slope = likelihood.at(parameters)
        links = Links(group, np.array([_scale(slope.matrix, likelihood.items)]))
        return Depth(-slope.value, -slope.gradient, precision_of(slope.matrix, links))

    unit = unit_of(weights)
    tolerance = tolerance_for(float(weights.sum()), TOLERANCE, unit)
    return minimise(depth, np.zeros(likelihood.size), tolerance, longest=LONGEST_STEP, unit=unit)


def _scale(matrix: Matrix | csr_array[Any], items: int) -> float:
    """The precision for the sum of all log-worths, which nothing depends on: of the size of the others'."""
    return max(float(matrix.diagonal()[:items].sum()), 1e-300)


def links_of(groups: Codes, matrix: Matrix | csr_array[Any], ghostly: Vector) -> Links:
    """What is known of where unlinked groups stand against each other: only what the ghost says.

    `ghostly` is each item's information in its comparisons with the ghost. A single group needs none.
    """
    others = np.full(matrix.shape[0] - len(groups), -1)
    if groups.max(initial=0) == 0:
        return Links(np.r_[groups, others], np.array([_scale(matrix, len(groups))]))
    return Links(np.r_[groups, others], np.maximum(sum_by(groups, ghostly), 1e-12))


def ghost_information(theta: Vector, ghost: float, pseudo: float, steepness: float = 1.0) -> Vector:
    """Information of `pseudo` wins and losses against the ghost: 2 pseudo s^2 p (1 - p), p = logistic(s gap)."""
    p = 1.0 / (1.0 + np.exp(-steepness * (theta - ghost)))
    return np.asarray(2.0 * pseudo * steepness**2 * p * (1.0 - p))


def place_of(reference: str | None, items: Labels) -> int | None:
    """Where the reference item stands; None where log-worths are centred."""
    if reference is None:
        return None
    places = np.flatnonzero(items == reference)
    if not len(places):
        raise UnknownItem(reference)
    return int(places[0])


@dataclass(frozen=True, eq=False)
class WorthPosterior:
    """Log-worths with a joint normal distribution around them, less their mean or less one of them."""

    theta: Vector
    precision: Precision
    reference: int | None
    seed: int

    @cached_property
    def position(self) -> Vector:
        """Log-worths."""
        return np.asarray(self.theta - self._middle(self.theta[None, :])[0])

    def _middle(self, rows: Matrix) -> Vector:
        """What is taken off each row."""
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
        """The covariance of all log-worths, items in the order of the fit's `item`."""
        if isinstance(self.precision, SparsePrecision):
            raise BadSetting("covariance", f"more than {DENSE_ITEMS:,} items; use draws, which are joint.")
        full = self.precision.covariance[: len(self.theta), : len(self.theta)]
        rows = full - full[:, self._centred].mean(axis=1)[:, None]
        return np.asarray(rows - rows[self._centred].mean(axis=0)[None, :])

    def joint(self) -> Joint:
        """Log-worths and their covariance, which counts as known."""
        return Joint(self.position, self.covariance)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Log-worth plus and minus the normal quantile times the standard error."""
        from scipy.special import ndtri  # SciPy is slow to import

        reach = float(ndtri(0.5 + level / 2.0)) * self.spread
        return self.position - reach, self.position + reach

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """`n` joint draws of all log-worths."""
        drawn = self.precision.draws(n, rng)[:, : len(self.theta)]
        return self.position + drawn - self._middle(drawn)[:, None]
