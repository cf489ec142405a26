"""Linear models with crossed effects: score = sum of effects + noise, noise ~ N(0, sigma² / weight).

Each effect has one level per observation, so its own block of the normal equations is diagonal. The largest effect is
eliminated through that diagonal; the rest is dense. Random effects are in units of the noise: u = theta × v with
v ~ N(0, sigma²), which stays regular at theta = 0 (Bates et al. 2015, "Fitting Linear Mixed-Effects Models Using lme4",
section 3). The module `reml` estimates the variances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by


@dataclass(frozen=True, eq=False)
class Effect:
    """An effect with one level per observation, multiplied by `value` if it is set.

    With a `basis` (levels x columns, orthonormal) the levels are restricted to the space of its columns.
    """

    name: str
    codes: Codes
    levels: int
    random: bool = True
    value: Vector | None = None
    basis: Matrix | None = None

    @property
    def size(self) -> int:
        """Number of estimated parameters."""
        return self.levels if self.basis is None else self.basis.shape[1]

    @property
    def column(self) -> Vector:
        """Factor of the level in each observation."""
        return np.ones(len(self.codes)) if self.value is None else self.value

    @cached_property
    def columns(self) -> Any:
        """The effect's columns of the design matrix, sparse."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        rows = np.arange(len(self.codes))
        columns = csr_array((self.column, (rows, self.codes)), shape=(len(rows), self.levels))
        return columns if self.basis is None else csr_array(columns @ self.basis)


@dataclass(frozen=True, eq=False)
class MixedDesign:
    """Scores, weights and effects; `effects[eliminated]` is eliminated through its diagonal."""

    score: Vector
    weight: Vector
    effects: tuple[Effect, ...]
    eliminated: int

    @property
    def rest(self) -> tuple[Effect, ...]:
        """The effects in the dense part, in order."""
        return tuple(effect for at, effect in enumerate(self.effects) if at != self.eliminated)

    @property
    def largest(self) -> Effect:
        """The eliminated effect."""
        return self.effects[self.eliminated]

    @property
    def random(self) -> tuple[Effect, ...]:
        """The random effects, in the order of their standard deviations."""
        return tuple(effect for effect in self.effects if effect.random)

    @property
    def freedom(self) -> int:
        """Number of observations minus number of fixed effects."""
        return len(self.score) - sum(effect.size for effect in self.effects if not effect.random)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Start index of each effect of the dense part, and the total size."""
        return tuple(np.concatenate([[0], np.cumsum([effect.size for effect in self.rest])]).tolist())

    @cached_property
    def natural_variances(self) -> Vector:
        """Relative variance of each random effect that equals the mean squared error of its observed levels."""
        squares = (effect.columns.power(2).sum(axis=1) for effect in self.random)
        weights = (float(self.weight @ square) for square in squares)
        return np.array([effect.size / weight for effect, weight in zip(self.random, weights, strict=True)])

    def places(self, name: str) -> slice:
        """Return the slice of the named effect in the dense part."""
        at = [effect.name for effect in self.rest].index(name)
        return slice(self.starts[at], self.starts[at + 1])

    @cached_property
    def products(self) -> Products:
        """Quantities that do not depend on the variances."""
        return _products(self)


@dataclass(frozen=True, eq=False)
class Products:
    """Weighted cross products of a design: of the eliminated effect (own), the dense part, and between them."""

    columns: Any  # of the dense part, observations x dense, sparse
    own: Vector
    dense: Matrix
    coupling: Any  # eliminated x dense, sparse
    log_weight: float


def _products(design: MixedDesign) -> Products:
    from scipy.sparse import hstack  # SciPy is slow to import

    weight, large = design.weight, design.largest
    columns = hstack([effect.columns for effect in design.rest], format="csr")
    weighted = columns.multiply(weight[:, None]).tocsr()
    return Products(
        columns=columns,
        own=sum_by(large.codes, weight * large.column**2, large.size),
        dense=np.asarray((columns.T @ weighted).toarray()),
        coupling=(large.columns.T @ weighted).tocsr(),
        log_weight=float(np.sum(np.log(weight))),
    )


@dataclass(frozen=True, eq=False)
class Solved:
    """The solved equations at given relative standard deviations."""

    design: MixedDesign
    deviations: Vector  # relative to the noise, one per random effect
    own: Vector  # diagonal of the eliminated effect
    link: Any  # scaled coupling, sparse
    root: Matrix  # lower Cholesky factor of the dense part

    @cached_property
    def levels(self) -> tuple[Vector, Vector]:
        """Levels of the dense part and of the eliminated effect; random ones have the variance of the noise."""
        return self._levels_for(self.design.score)

    def _levels_for(self, scores: Matrix) -> tuple[Matrix, Matrix]:
        """Return the levels for other scores, one vector or several columns."""
        from scipy.linalg import cho_solve  # SciPy is slow to import

        design = self.design
        weighted = (scores.T * design.weight).T
        own_side = self.own_scale * np.asarray(design.largest.columns.T @ weighted)
        side = np.asarray(design.products.columns.T @ weighted)
        side = (side.T * self.scale - np.asarray(self.link.T @ (own_side.T / self.own).T).T).T
        dense = np.asarray(cho_solve((self.root, True), side))
        return dense, ((own_side - np.asarray(self.link @ dense)).T / self.own).T

    def residuals(self, scores: Matrix) -> Matrix:
        """Return the weighted residuals of other scores, one vector or several columns."""
        design = self.design
        dense, eliminated = self._levels_for(scores)
        fitted = design.products.columns @ (dense.T * self.scale).T
        fitted = fitted + self.own_scale * (design.largest.columns @ eliminated)
        return np.asarray(((scores - fitted).T * design.weight).T)

    @cached_property
    def residual(self) -> Vector:
        """Weighted residual of each score."""
        return self.residuals(self.design.score)

    @cached_property
    def rest_square(self) -> float:
        """Weighted sum of squared residuals, with the penalty of the random effects."""
        return max(float(self.design.score @ self.residual), 1e-300)

    @property
    def noise_variance(self) -> float:
        """REML estimate of the noise variance at these relative deviations."""
        return self.rest_square / self.design.freedom

    @property
    def criterion(self) -> float:
        """Minus twice the restricted log-likelihood, with the noise profiled out."""
        freedom = self.design.freedom
        determinant = float(np.sum(np.log(self.own)) + 2.0 * np.sum(np.log(np.diag(self.root))))
        fitted = determinant - self.design.products.log_weight
        return float(fitted + freedom * (1.0 + np.log(2.0 * np.pi * self.noise_variance)))

    @property
    def variances(self) -> dict[str, float]:
        """Variance of each random effect, and of the noise under `residual`."""
        named = {
            effect.name: float(deviation**2 * self.noise_variance)
            for effect, deviation in zip(self.design.random, self.deviations, strict=True)
        }
        return {**named, "residual": self.noise_variance}

    @cached_property
    def inverse(self) -> Matrix:
        """Inverse of the dense part."""
        from scipy.linalg.lapack import dpotri  # SciPy is slow to import

        lower = np.tril(dpotri(self.root, lower=1)[0])
        return np.asarray(lower + np.tril(lower, -1).T)

    @cached_property
    def scale(self) -> Vector:
        """Factor of each level of the dense part: its relative deviation, or 1 for fixed effects."""
        return _scale(self.design, self.deviations)

    @cached_property
    def own_scale(self) -> float:
        """Factor of each level of the eliminated effect."""
        return _own_scale(self.design, self.deviations)

    def effect(self, name: str) -> Vector:
        """Return the estimated levels of an effect, in units of the scores."""
        dense, eliminated = self.levels
        if name == self.design.largest.name:
            return eliminated * self.own_scale
        places = self.design.places(name)
        estimate = dense[places] * self.scale[places]
        basis = next(effect.basis for effect in self.design.rest if effect.name == name)
        return estimate if basis is None else np.asarray(basis @ estimate)

    def log_slopes(self, noise_variance: float) -> Vector:
        """Return the derivative of the criterion by each log relative variance: levels - trace - |v|² / sigma²."""
        return np.array([self._log_slope(effect, noise_variance) for effect in self.design.random])

    def _log_slope(self, effect: Effect, noise_variance: float) -> float:
        dense, eliminated = self.levels
        if effect is self.design.largest:
            between = _reduced(self.link, self.own**2)
            trace = float(np.sum(1.0 / self.own) + between.multiply(self.inverse).sum())
            return effect.size - trace - float(np.sum(eliminated**2)) / noise_variance
        places = self.design.places(effect.name)
        trace = float(np.trace(self.inverse[places, places]))
        return effect.size - trace - float(np.sum(dense[places] ** 2)) / noise_variance

    def influence(self, dense: Matrix) -> Matrix:
        """Return the derivative of each combination of dense levels by each score."""
        from scipy.linalg import cho_solve  # SciPy is slow to import

        design = self.design
        solved = np.asarray(cho_solve((self.root, True), (dense * self.scale).T))
        rows = design.products.columns @ (solved.T * self.scale).T
        passed = ((self.link @ solved).T / self.own * self.own_scale).T
        return np.asarray((rows - design.largest.columns @ passed).T * design.weight)

    def covariance(self, dense: Matrix, eliminated: Matrix | None = None) -> Matrix:
        """Return the covariance of combinations of levels, one per row, in units of the scores.

        `dense` combines levels of the dense part, `eliminated` levels of the eliminated effect.
        """
        from scipy.linalg import solve_triangular  # SciPy is slow to import

        combined = dense * self.scale
        own: Matrix = np.zeros((len(dense), len(dense)))
        if eliminated is not None:
            scaled = eliminated * self.own_scale
            combined = combined - np.asarray((self.link.T @ (scaled / self.own).T).T)
            own = (scaled / self.own) @ scaled.T
        reached = solve_triangular(self.root, combined.T, lower=True)
        return np.asarray(self.noise_variance * (reached.T @ reached + own))


def _scale(design: MixedDesign, deviations: Vector) -> Vector:
    deviation_of = dict(zip((effect.name for effect in design.random), deviations, strict=True))
    return np.concatenate(
        [np.full(effect.size, deviation_of.get(effect.name, 1.0)) for effect in design.rest]
    )


def _own_scale(design: MixedDesign, deviations: Vector) -> float:
    deviation_of = dict(zip((effect.name for effect in design.random), deviations, strict=True))
    return float(deviation_of.get(design.largest.name, 1.0))


def solve(design: MixedDesign, deviations: Vector) -> Solved:
    """Solve the penalised equations at these relative standard deviations."""
    products, scale, own_scale = design.products, _scale(design, deviations), _own_scale(design, deviations)
    own = own_scale**2 * products.own + (1.0 if design.largest.random else 0.0)
    ridge = np.concatenate([np.full(effect.size, float(effect.random)) for effect in design.rest])
    link = products.coupling.multiply(own_scale * scale[None, :]).tocsr()
    dense = scale[:, None] * products.dense * scale + np.diag(ridge) - _reduced(link, own).toarray()
    return Solved(design, deviations, own, link, np.asarray(np.linalg.cholesky(dense), dtype=np.float64))


def _reduced(link: Any, own: Vector) -> Any:
    """Return link' (1/own) link, sparse."""
    return link.T @ link.multiply((1.0 / own)[:, None]).tocsr()
