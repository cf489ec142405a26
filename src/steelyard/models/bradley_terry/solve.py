"""Maximum likelihood by Newton's method, with full matrices for few and conjugate gradients for many parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.definite import cholesky, conjugate_gradients
from steelyard.maths.newton import Optimum, minimise, tolerance_for, unit_of
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.likelihoods import Likelihood, Slopes

SMALL = 128  # parameters up to which steps are solved by Cholesky; with more, BLAS threads cost more than they save
SMALL_ROWS = 400  # the same limit if there are too many other effects for a bordered graph
FEW_OTHERS = 64  # effects other than items up to which the information is stored as a bordered graph
BLOCK = 2**14  # rows whose likelihood is computed at once
SLOPES = ("ability", "ability_ability", "tie", "ability_tie", "tie_tie")
TOLERANCE = 1e-8  # on the norm of the gradient, for judgments of weight 1


class Curvature(Protocol):
    """Information matrix of all parameters."""

    def solve(self, target: Matrix, tolerance: float) -> Matrix:
        """Return the solution x of information @ x = target, with 0 for parameters that are not free."""


@dataclass(frozen=True, eq=False)
class DenseCurvature:
    """Information as a full matrix. Reference and aliased parameters are excluded when solving."""

    matrix: Matrix
    free: Any

    @cached_property
    def _solver(self) -> Callable[[Matrix], Matrix]:
        return cholesky(self.matrix[np.ix_(self.free, self.free)])

    def solve(self, target: Matrix, tolerance: float = 0.0) -> Matrix:
        """Return the exact solution."""
        solution = np.zeros_like(target)
        solution[self.free] = self._solver(target[self.free])
        return solution


@dataclass(frozen=True, eq=False)
class GraphCurvature:
    """Information of item effects as a weighted graph of pairs, bordered by that of the few other effects.

    Without a penalty, only differences of items have information. Targets must then sum to 0 over the items, and
    solutions sum to 0 over the items.
    """

    above: Any  # sparse, items x items: the weight of each pair, first item before second
    degree: Vector
    border: Matrix
    corner: Matrix
    centred: bool

    def product(self, direction: Matrix) -> Matrix:
        """Return information times direction."""
        size = len(self.degree)
        items, others = direction[:size], direction[size:]
        degree = self.degree if direction.ndim == 1 else self.degree[:, None]
        pairs = self.above @ items + self.above.T @ items
        return np.concatenate(
            [degree * items - pairs + self.border @ others, self.border.T @ items + self.corner @ others]
        )

    def dense(self) -> Matrix:
        """Return the information as a full matrix."""
        pairs = self.above.toarray()
        items = np.diag(self.degree) - pairs - pairs.T
        return np.block([[items, self.border], [self.border.T, self.corner]])

    def solve(self, target: Matrix, tolerance: float) -> Matrix:
        """Return the solution by conjugate gradients."""
        diagonal = np.concatenate([self.degree, np.diag(self.corner)])
        aim = self._centre(target)
        return self._centre(conjugate_gradients(self.product, aim, np.maximum(diagonal, 1e-300), tolerance))

    def _centre(self, values: Matrix) -> Matrix:
        """Remove rounding errors along the direction without information."""
        if not self.centred:
            return values
        size = len(self.degree)
        return np.concatenate([values[:size] - values[:size].mean(axis=0), values[size:]])


@dataclass(frozen=True, eq=False)
class RowCurvature:
    """Information as a product over rows, for very many parameters other than items."""

    design: Design
    slopes: Slopes
    ridge: Vector

    def product(self, direction: Vector) -> Vector:
        """Return information times direction."""
        ability, tie = self.design.matrix @ direction, self.design.tie_matrix @ direction
        s = self.slopes
        first = s.ability_ability * ability
        if s.tie is None or s.ability_tie is None or s.tie_tie is None:
            return np.asarray(self.design.matrix.T @ first) + self.ridge * direction
        first = first + s.ability_tie * tie
        second = s.ability_tie * ability + s.tie_tie * tie
        both = self.design.matrix.T @ first + self.design.tie_matrix.T @ second
        return np.asarray(both) + self.ridge * direction

    @cached_property
    def _diagonal(self) -> Vector:
        squares = self.design.matrix.power(2).T @ self.slopes.ability_ability
        if self.slopes.tie_tie is not None:
            squares = squares + self.design.tie_matrix.power(2).T @ self.slopes.tie_tie
        return np.maximum(np.asarray(squares) + self.ridge, 1e-300)

    def solve(self, target: Matrix, tolerance: float) -> Matrix:
        """Return the solution by conjugate gradients, column by column, with 0 for parameters that are not free."""
        free = self.design.free.astype(float)
        columns = target.T if target.ndim == 2 else target[None]
        solutions = [
            conjugate_gradients(
                lambda d: free * self.product(free * d), free * each, self._diagonal, tolerance
            )
            for each in columns
        ]
        return np.stack(solutions, axis=1) if target.ndim == 2 else solutions[0]


@dataclass(frozen=True, eq=False)
class ObjectivePoint:
    """Negative (penalised) log-likelihood at one set of parameters."""

    value: float
    gradient: Vector
    curvature: Curvature

    def solve(self, target: Vector, tolerance: float) -> Vector:
        """Return the Newton direction."""
        return self.curvature.solve(target, tolerance)


@dataclass(frozen=True, eq=False)
class Objective:
    """Negative log-likelihood of a design plus the ridge penalty `ridge` / 2 times the squared parameters."""

    design: Design
    likelihood: Likelihood
    ridge: Vector

    def __call__(self, theta: Vector) -> ObjectivePoint:
        """Return the function at these parameters."""
        ability, tie = self.design.predictors(theta)
        value, slopes = self._evaluate(ability, tie)
        gradient = self.ridge * theta - self.design.gradient(slopes.ability, self._tie(slopes.tie))
        penalty = 0.5 * float(self.ridge @ theta**2)
        held = gradient if self.as_graph else np.where(self.design.free, gradient, 0.0)
        return ObjectivePoint(penalty - value, held, self.curvature(slopes))

    def _evaluate(self, ability: Vector, tie: Vector) -> tuple[float, Slopes]:
        """Return value and derivatives, computed in blocks of rows so that arrays stay in the processor cache."""
        rows, outcomes = len(ability), self.design.outcomes
        if rows <= BLOCK:
            return self.likelihood.evaluate(ability, tie, outcomes)
        value = 0.0
        filled: dict[str, Vector] = {}
        for start in range(0, rows, BLOCK):
            here = slice(start, start + BLOCK)
            part, slopes = self.likelihood.evaluate(ability[here], tie[here], outcomes[:, here])
            value += part
            for name in SLOPES:
                values = getattr(slopes, name)
                if values is not None:
                    filled.setdefault(name, np.empty(rows))[here] = values
        return value, Slopes(**filled)

    @property
    def as_graph(self) -> bool:
        """Whether to use a bordered graph: many items and few other effects. No item is then fixed at 0."""
        size = self.design.size
        others = len(self.design.names) - size
        return size + others > SMALL and size > 0 and others <= FEW_OTHERS and not self.design.aliased

    def _tie(self, slope: Vector | None) -> Vector | None:
        return slope if self.design.ties.shape[1] else None

    def curvature(self, slopes: Slopes) -> Curvature:
        """Return the information in the form that suits the number of parameters."""
        design = self.design
        if self.as_graph:
            return _graph(design, slopes, self.ridge)
        if len(design.names) <= SMALL_ROWS:
            return DenseCurvature(dense_information(design, slopes, self.ridge), design.free)
        return RowCurvature(design, slopes, self.ridge)


def dense_information(design: Design, slopes: Slopes, ridge: Vector) -> Matrix:
    """Return the information X'WX of both predictors as a full matrix.

    Parameters
    ----------
    design
        Design of the model.
    slopes
        Information of each row.
    ridge
        Ridge weight of each parameter.

    Returns
    -------
    Matrix
        Parameters x parameters.
    """
    if design.size and len(design.names) - design.size <= FEW_OTHERS:
        return _graph(design, slopes, ridge).dense()
    x, z = design.matrix, design.tie_matrix
    total = x.T @ _scaled(x, slopes.ability_ability)
    if slopes.ability_tie is not None and slopes.tie_tie is not None and design.ties.shape[1]:
        cross = x.T @ _scaled(z, slopes.ability_tie)
        total = total + cross + cross.T + z.T @ _scaled(z, slopes.tie_tie)
    return np.asarray(total.toarray()) + np.diag(ridge)


def _scaled(matrix: Any, weights: Vector) -> Any:
    """Return the rows of a sparse matrix multiplied by their weights."""
    from scipy import sparse  # SciPy is slow to import

    data = matrix.data * np.repeat(weights, np.diff(matrix.indptr))
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _graph(design: Design, slopes: Slopes, ridge: Vector) -> GraphCurvature:
    size = design.size
    weight = slopes.ability_ability
    above, ones = design.graph(weight), np.ones(size)
    degree = above @ ones + above.T @ ones
    others, ties = design.columns
    net = [design.net(column * weight) for column in others.T]
    if slopes.ability_tie is not None:
        cross = slopes.ability_tie
        net += [design.net(cross if design.one_tie else column * cross) for column in ties.T]
    border = np.stack(net, axis=1) if net else np.empty((size, 0))
    items = design.kinds[0]
    corner = _corner(design, slopes) + np.diag(ridge[size:])
    return GraphCurvature(above, degree + ridge[items], border, corner, not ridge[items].any())


def _corner(design: Design, slopes: Slopes) -> Matrix:
    """Return the information of the effects other than items."""
    e, z = design.columns
    if not e.shape[1] and z.shape[1] == 1 and design.one_tie and slopes.tie_tie is not None:
        return np.array([[float(np.sum(slopes.tie_tie))]])
    top = e.T @ (slopes.ability_ability[:, None] * e)
    if slopes.ability_tie is None or slopes.tie_tie is None or not z.shape[1]:
        return np.asarray(top)
    cross = e.T @ (slopes.ability_tie[:, None] * z)
    bottom = z.T @ (slopes.tie_tie[:, None] * z)
    return np.block([[top, cross], [cross.T, bottom]])


def maximise(objective: Objective, start: Vector) -> Optimum:
    """Maximise the (penalised) likelihood."""
    totals = objective.design.totals
    unit = unit_of(totals)
    return minimise(objective, start, tolerance_for(float(totals.sum()), TOLERANCE, unit), unit=unit)
