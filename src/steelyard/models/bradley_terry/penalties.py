"""Penalised likelihoods: Firth's penalty in multinomial or Poisson form, and ridge weights.

Firth (1993) maximises l + log det I / 2, where I is the expected information (Jeffreys prior). The multinomial form
conditions on the pair totals. In the Poisson form, as fitted by R's brglm2 to the design of prefmod, the totals are
parameters and the estimates differ slightly (Kosmidis & Firth 2011).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.definite import inverse
from steelyard.maths.newton import Optimum, minimise
from steelyard.models.bradley_terry.connectivity import penalised
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.likelihoods import Likelihood, Slopes, bends
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.bradley_terry.solve import DenseCurvature, ObjectivePoint, dense_information

CHUNK = 4096  # rows whose leverages are computed at once
MOST = 1000
FIRTH_TOLERANCE = 1e-9


def ridge_weights(design: Design, settings: Settings) -> Vector:
    """Return 1 / prior_sd^2 for item effects and their differences between raters, and 0 for other effects."""
    return np.where(penalised(design, settings), settings.prior_sd**-2, 0.0)


@dataclass(frozen=True, eq=False)
class Leverage:
    """x V x' of each row for both predictors, where V is the covariance of the parameters."""

    ability_ability: Vector
    ability_tie: Vector
    tie_tie: Vector


def leverage_of(design: Design, covariance: Matrix) -> Leverage:
    """Return the variances and the covariance of both predictors of each row."""
    x, z = design.matrix, design.tie_matrix
    parts: list[tuple[Vector, Vector, Vector]] = []
    for rows in _chunks(len(design.left)):
        a, t = x[rows].toarray(), z[rows].toarray()
        spread = a @ covariance
        parts.append(
            (
                np.einsum("ij,ij->i", spread, a),
                np.einsum("ij,ij->i", spread, t),
                np.einsum("ij,ij->i", t @ covariance, t),
            )
        )
    joined = [np.concatenate(each) for each in zip(*parts, strict=True)]
    return Leverage(*joined)


def _chunks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, CHUNK):
        yield slice(start, start + CHUNK)


@dataclass(frozen=True, eq=False)
class FirthObjective:
    """Negative of the log-likelihood plus half the log-determinant of the expected information."""

    design: Design
    likelihood: Likelihood

    def __call__(self, theta: Vector) -> ObjectivePoint:
        """Return the function at these parameters."""
        design = self.design
        ability, tie = design.predictors(theta)
        value, slopes = self.likelihood.evaluate(ability, tie, design.outcomes)
        if not np.isfinite(value):
            return ObjectivePoint(
                np.inf, np.zeros_like(theta), DenseCurvature(np.eye(len(theta)), design.free)
            )
        expected = self.likelihood.expected(ability, tie, design.totals)
        information = dense_information(design, expected, np.zeros(len(theta)))
        inside = information[np.ix_(design.free, design.free)]
        sign, volume = np.linalg.slogdet(inside)
        if sign <= 0:
            return ObjectivePoint(
                np.inf, np.zeros_like(theta), DenseCurvature(np.eye(len(theta)), design.free)
            )
        pull = self._pull(ability, tie, covariance_of(inside, design))
        ties = slopes.tie if design.ties.shape[1] else None
        gradient = -design.gradient(slopes.ability, ties) - pull
        return ObjectivePoint(
            -value - 0.5 * float(volume),
            np.where(design.free, gradient, 0.0),
            DenseCurvature(information, design.free),
        )

    def _pull(self, ability: Vector, tie: Vector, covariance: Matrix) -> Vector:
        """Return half the gradient of the log-determinant, tr(V dI), summed over rows."""
        leverage = leverage_of(self.design, covariance)
        by_ability, by_tie = (
            0.5
            * (
                leverage.ability_ability * bend.ability_ability
                + 2.0 * leverage.ability_tie * bend.ability_tie
                + leverage.tie_tie * bend.tie_tie
            )
            for bend in bends(self.likelihood, ability, tie, self.design.totals)
        )
        return self.design.gradient(by_ability, by_tie if self.design.ties.shape[1] else None)


def covariance_of(inside: Matrix, design: Design) -> Matrix:
    """Return the inverse of the free part of an information matrix, with 0 for other parameters."""
    full = np.zeros((len(design.free), len(design.free)))
    full[np.ix_(design.free, design.free)] = inverse(inside)
    return full


def maximise_firth(design: Design, likelihood: Likelihood, start: Vector) -> Optimum:
    """Maximise the likelihood with Firth's penalty in multinomial form, by Fisher scoring with step halving.

    Parameters
    ----------
    design
        Design of the model.
    likelihood
        Likelihood of one comparison.
    start
        Starting values of the parameters.

    Returns
    -------
    Optimum
        Estimates and convergence.
    """
    return minimise(FirthObjective(design, likelihood), start, FIRTH_TOLERANCE, MOST)


@dataclass(frozen=True, eq=False)
class PoissonFirth:
    """Estimates of Firth's penalty in Poisson form: parameters and fitted pair totals."""

    theta: Vector
    totals: Vector
    steps: int
    converged: bool


def maximise_poisson_firth(design: Design, likelihood: Likelihood, start: Vector) -> PoissonFirth:
    """Maximise the likelihood with Firth's penalty in Poisson form.

    Half the leverage of each cell is added to its count, and the model is refitted until convergence. The leverage of
    cell c in a row with fitted total M is M p_c (1/M + d' V d), where d are its predictors minus their mean.

    Parameters
    ----------
    design
        Design of the model.
    likelihood
        Likelihood of one comparison.
    start
        Starting values of the parameters.

    Returns
    -------
    PoissonFirth
        Estimates and convergence.
    """
    theta, totals = start, design.totals + 0.5
    for done in range(MOST):
        ability, tie = design.predictors(theta)
        shares = np.exp(likelihood.log_probabilities(ability, tie))
        expected = likelihood.expected(ability, tie, totals)
        information = dense_information(design, expected, np.zeros(len(theta)))
        inside = information[np.ix_(design.free, design.free)]
        leverage = leverage_of(design, covariance_of(inside, design))
        counts = design.outcomes + 0.5 * _cell_leverages(shares, totals, leverage)
        slopes: Slopes = likelihood.evaluate(ability, tie, counts)[1]
        gradient = design.gradient(slopes.ability, slopes.tie if design.ties.shape[1] else None)
        step = DenseCurvature(information, design.free).solve(gradient)
        change = max(float(np.abs(step).max()), float(np.abs(counts.sum(axis=0) - totals).max()))
        theta, totals = theta + step / (1.0 + np.abs(step).max()), counts.sum(axis=0)
        if change < FIRTH_TOLERANCE:
            return PoissonFirth(theta, totals, done + 1, True)
    return PoissonFirth(theta, totals, MOST, False)


def _cell_leverages(shares: Matrix, totals: Vector, leverage: Leverage) -> Matrix:
    """Return the leverage of every cell. Its predictors are +a/2, tie, -a/2 with ties, and +a/2, -a/2 without."""
    sides = np.array([0.5, 0.0, -0.5]) if len(shares) == 3 else np.array([0.5, -0.5])
    even = np.array([0.0, 1.0, 0.0]) if len(shares) == 3 else np.zeros(2)
    side = sides[:, None] - sides @ shares
    tie = even[:, None] - even @ shares
    reach = (
        side**2 * leverage.ability_ability
        + 2.0 * side * tie * leverage.ability_tie
        + tie**2 * leverage.tie_tie
    )
    return shares + totals * shares * reach


def information_at(design: Design, likelihood: Likelihood, theta: Vector, ridge: Vector) -> Matrix:
    """Return the information matrix for standard errors.

    Parameters
    ----------
    design
        Design of the model.
    likelihood
        Likelihood of one comparison.
    theta
        Parameters.
    ridge
        Ridge weight of each parameter.

    Returns
    -------
    Matrix
        Parameters x parameters.
    """
    ability, tie = design.predictors(theta)
    _, slopes = likelihood.evaluate(ability, tie, design.outcomes)
    return dense_information(design, slopes, ridge)
