"""Linear models with crossed effects, fitted by REML: score = sum of effects + noise, noise ~ N(0, sigma² / weight).

Each effect has one level per observation, so its own block of the normal equations is diagonal. The largest effect is
eliminated through that diagonal; the rest is dense. Random effects are in units of the noise: u = theta × v with
v ~ N(0, sigma²), which stays regular at theta = 0 (Bates et al. 2015, "Fitting Linear Mixed-Effects Models Using lme4",
section 3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by

DENSE_CELLS = 4_000_000  # largest coupling between the eliminated effect and the rest that is kept dense
START = 1.0  # standard deviation of a random effect, in units of the noise
STEP = 1e-3  # in the logarithm of a variance, for derivatives
ZERO = 1e-4  # relative standard deviation below which a variance counts as zero
SMALLEST = 1e-12  # relative variance at which the criterion is computed for zero
TOLERANCE = 1e-12  # relative step of the criterion at which the search ends


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

    own: Vector
    own_score: Vector
    dense: Matrix
    dense_score: Vector
    coupling: Any  # eliminated x dense, dense or sparse
    square: float  # weighted sum of squared scores
    log_weight: float


def _products(design: MixedDesign) -> Products:
    from scipy.sparse import csr_array, hstack  # SciPy is slow to import

    weight, score, large = design.weight, design.score, design.largest
    rows, total = np.arange(len(score)), design.starts[-1]
    rest = hstack([_columns(effect) for effect in design.rest], format="csr")
    own = csr_array((large.column, (rows, large.codes)), shape=(len(score), large.size))
    weighted = rest.multiply(weight[:, None]).tocsr()
    coupling = (own.T @ weighted).tocsr()
    return Products(
        own=sum_by(large.codes, weight * large.column**2, large.size),
        own_score=sum_by(large.codes, weight * large.column * score, large.size),
        dense=np.asarray((rest.T @ weighted).toarray()),
        dense_score=np.asarray(weighted.T @ score),
        coupling=coupling.toarray() if large.size * total <= DENSE_CELLS else coupling,
        square=float(np.sum(weight * score**2)),
        log_weight=float(np.sum(np.log(weight))),
    )


def _columns(effect: Effect) -> Any:
    """Return the effect's columns of the design matrix, sparse."""
    from scipy.sparse import csr_array  # SciPy is slow to import

    rows = np.arange(len(effect.codes))
    columns = csr_array((effect.column, (rows, effect.codes)), shape=(len(rows), effect.levels))
    return columns if effect.basis is None else csr_array(columns @ effect.basis)


@dataclass(frozen=True, eq=False)
class Solved:
    """The solved equations at given relative standard deviations."""

    design: MixedDesign
    deviations: Vector  # relative to the noise, one per random effect
    own: Vector  # diagonal of the eliminated effect
    link: Any  # scaled coupling
    root: Matrix  # lower Cholesky factor of the dense part
    dense: Vector  # solution of the dense part, in units where random effects have the noise's variance
    eliminated: Vector
    rest_square: float
    log_determinant: float

    @property
    def noise_variance(self) -> float:
        """REML estimate of the noise variance at these relative deviations."""
        return self.rest_square / self.design.freedom

    @property
    def criterion(self) -> float:
        """Minus twice the restricted log-likelihood, with the noise profiled out."""
        freedom = self.design.freedom
        fitted = self.log_determinant - self.design.products.log_weight
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
        from scipy.linalg import cho_solve  # SciPy is slow to import

        return np.asarray(cho_solve((self.root, True), np.eye(len(self.root))))

    @cached_property
    def scale(self) -> Vector:
        """Factor of each level of the dense part: its relative deviation, or 1 for fixed effects."""
        return _scale(self.design, self.deviations)

    def effect(self, name: str) -> Vector:
        """Return the estimated levels of an effect, in units of the scores."""
        if name == self.design.largest.name:
            return self.eliminated * _own_scale(self.design, self.deviations)
        places = self.design.places(name)
        estimate = self.dense[places] * self.scale[places]
        basis = next(effect.basis for effect in self.design.rest if effect.name == name)
        return estimate if basis is None else np.asarray(basis @ estimate)

    def log_slopes(self, noise_variance: float) -> Vector:
        """Return the derivative of the criterion by each log relative variance: levels - trace - |v|² / sigma²."""
        return np.array([self._log_slope(effect, noise_variance) for effect in self.design.random])

    def _log_slope(self, effect: Effect, noise_variance: float) -> float:
        if effect is self.design.largest:
            between = _reduced(self.link, self.own**2)
            trace = float(np.sum(1.0 / self.own) + np.sum(self.inverse * between))
            return effect.size - trace - float(np.sum(self.eliminated**2)) / noise_variance
        places = self.design.places(effect.name)
        trace = float(np.trace(self.inverse[places, places]))
        return effect.size - trace - float(np.sum(self.dense[places] ** 2)) / noise_variance

    def influence(self, dense: Matrix) -> Matrix:
        """Return the derivative of each combination of dense levels by each score."""
        from scipy.linalg import cho_solve  # SciPy is slow to import

        design, scale = self.design, self.scale
        solved = np.asarray(cho_solve((self.root, True), (dense * scale).T)).T
        rows = np.zeros((len(dense), len(design.score)))
        for effect in design.rest:
            places = design.places(effect.name)
            rows += np.asarray((_columns(effect) @ (solved[:, places] * scale[places]).T).T)
        large, own_scale = design.largest, _own_scale(design, self.deviations)
        passed = np.asarray((self.link @ solved.T).T) / self.own * own_scale
        rows -= passed[:, large.codes] * large.column
        return rows * design.weight

    def covariance(self, dense: Matrix, eliminated: Matrix | None = None) -> Matrix:
        """Return the covariance of combinations of levels, one per row, in units of the scores.

        `dense` combines levels of the dense part, `eliminated` levels of the eliminated effect.
        """
        from scipy.linalg import solve_triangular  # SciPy is slow to import

        combined = dense * self.scale
        own: Matrix = np.zeros((len(dense), len(dense)))
        if eliminated is not None:
            scaled = eliminated * _own_scale(self.design, self.deviations)
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
    from scipy.linalg import cho_solve  # SciPy is slow to import

    products, scale, own_scale = design.products, _scale(design, deviations), _own_scale(design, deviations)
    own = own_scale**2 * products.own + (1.0 if design.largest.random else 0.0)
    ridge = np.concatenate([np.full(effect.size, float(effect.random)) for effect in design.rest])
    link = _scaled(products.coupling, own_scale, scale)
    reduced = _reduced(link, own)
    dense = scale[:, None] * products.dense * scale + np.diag(ridge) - reduced
    own_score = own_scale * products.own_score
    right = scale * products.dense_score - np.asarray(link.T @ (own_score / own))
    root: Matrix = np.asarray(np.linalg.cholesky(dense), dtype=np.float64)
    solution = np.asarray(cho_solve((root, True), right))
    return Solved(
        design,
        deviations,
        own,
        link,
        root,
        solution,
        (own_score - np.asarray(link @ solution)) / own,
        max(products.square - float(np.sum(own_score**2 / own)) - float(right @ solution), 1e-300),
        float(np.sum(np.log(own)) + 2.0 * np.sum(np.log(np.diag(root)))),
    )


def _scaled(coupling: Any, own_scale: float, scale: Vector) -> Any:
    if isinstance(coupling, np.ndarray):
        return own_scale * coupling * scale
    return coupling.multiply(own_scale * scale[None, :]).tocsr()


def _reduced(link: Any, own: Vector) -> Matrix:
    """Return link' (1/own) link as a dense matrix."""
    if isinstance(link, np.ndarray):
        return np.asarray(link.T @ (link / own[:, None]))
    return np.asarray((link.T @ link.multiply((1.0 / own)[:, None])).toarray())


@dataclass(frozen=True, eq=False)
class Reml:
    """The solution at the REML estimate, and whether the search converged."""

    solved: Solved
    converged: bool
    evaluations: int

    @property
    def on_the_boundary(self) -> bool:
        """Whether a variance is estimated as zero."""
        return bool(np.any(self.solved.deviations < ZERO))


def fit_reml(design: MixedDesign, start: Vector | None = None) -> Reml:
    """Find the relative standard deviations with the highest restricted likelihood.

    The search is over variances. The criterion is an even function of a standard deviation, so its slope at zero
    would not show whether a variance should leave zero.
    """
    from scipy.optimize import minimize  # SciPy is slow to import

    def criterion(variances: Vector) -> tuple[float, Vector]:
        deviations = np.sqrt(np.maximum(variances, SMALLEST))
        solved = solve(design, deviations)
        return solved.criterion, solved.log_slopes(solved.noise_variance) / deviations**2

    count = len(design.random)
    first = np.full(count, START) if start is None else start
    optimum = minimize(
        criterion,
        first**2,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * count,
        options={"ftol": TOLERANCE, "gtol": 1e-6, "maxiter": 300},
    )
    deviations = np.sqrt(np.where(optimum.x < ZERO**2, 0.0, optimum.x))
    return Reml(solve(design, deviations), bool(optimum.success), int(optimum.nfev))


def satterthwaite(reml: Reml, variances_of: Callable[[Solved, float], Vector]) -> Vector:
    """Return degrees of freedom of estimated variances: 2 V² / (V' H V'), H the covariance of the log variances.

    `variances_of(solved, noise_variance)` returns the variances of interest. Derivatives by the log variances are
    finite differences. A variance estimated as zero is treated as known [Satterthwaite 1946].
    """
    solved = reml.solved
    design, noise = solved.design, solved.noise_variance
    moved = np.flatnonzero(solved.deviations >= ZERO)
    value = variances_of(solved, noise)
    slope = _full_slopes(solved, noise, moved)
    hessian, gradient = np.empty((len(moved) + 1, len(moved) + 1)), np.empty((len(moved) + 1, len(value)))
    for row, at in enumerate(moved):
        deviations = solved.deviations.copy()
        deviations[at] *= np.exp(STEP / 2.0)
        near = solve(design, deviations)
        hessian[row] = (_full_slopes(near, noise, moved) - slope) / STEP
        gradient[row] = (variances_of(near, noise) - value) / STEP
    louder = noise * np.exp(STEP)
    hessian[-1] = (_full_slopes(solved, louder, moved) - slope) / STEP
    gradient[-1] = (variances_of(solved, louder) - value) / STEP
    errors = 2.0 * np.linalg.pinv((hessian + hessian.T) / 2.0, hermitian=True)
    spread = np.einsum("ij,ik,kj->j", gradient, errors, gradient)
    return np.where(spread > 0.0, 2.0 * value**2 / np.where(spread > 0.0, spread, 1.0), np.inf)


def _full_slopes(solved: Solved, noise_variance: float, moved: Codes) -> Vector:
    """Return derivatives of the criterion by the log relative variances that moved, and by the log noise variance."""
    noise = solved.design.freedom - solved.rest_square / noise_variance
    return np.append(solved.log_slopes(noise_variance)[moved], noise)
