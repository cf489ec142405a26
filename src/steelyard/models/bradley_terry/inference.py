"""Covariance of the estimates: from the information, from sandwich estimators, or by products only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from steelyard.errors import BadSetting, TooFewLevels
from steelyard.judgments.counts import PairCounts
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector, sum_by
from steelyard.maths.definite import inverse, root_of
from steelyard.models.bradley_terry.columns import words_of
from steelyard.models.bradley_terry.design import Design, make_design
from steelyard.models.bradley_terry.likelihoods import Likelihood, Slopes
from steelyard.models.bradley_terry.penalties import covariance_of
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.bradley_terry.solve import GraphCurvature, dense_information
from steelyard.scales.joint import Joint

LARGEST = 2500  # parameters up to which the full covariance is computed
EXACT = 1e-8  # tolerance of conjugate gradients for standard errors
EXACT_VARIANCE = 3e-3  # tolerance for variances, whose relative error is its square
AT_ONCE = 25  # columns solved together
DRAWS = 200  # draws for the standard errors of very many items


class Covariance(Protocol):
    """Covariance of all parameters."""

    def product(self, columns: Matrix) -> Matrix:
        """Return covariance times columns. Each column must sum to 0 over items."""

    def variances(self, columns: Matrix) -> Vector:
        """Return the variances of linear combinations of the parameters, one per column."""


@dataclass(frozen=True, eq=False)
class DenseCovariance:
    """Covariance as a full matrix, with 0 for reference parameters."""

    matrix: Matrix

    def product(self, columns: Matrix) -> Matrix:
        """Return covariance times columns."""
        return np.asarray(self.matrix @ columns)

    def variances(self, columns: Matrix) -> Vector:
        """Return the variances of linear combinations, one per column."""
        return np.asarray(np.einsum("ij,ij->j", columns, self.matrix @ columns))


@dataclass(frozen=True, eq=False)
class ImplicitCovariance:
    """Covariance as the inverse of a curvature matrix that is not computed explicitly."""

    curvature: GraphCurvature

    def product(self, columns: Matrix) -> Matrix:
        """Return covariance times columns, by conjugate gradients."""
        parts = [
            self.curvature.solve(columns[:, start : start + AT_ONCE], EXACT)
            for start in range(0, columns.shape[1], AT_ONCE)
        ]
        return np.concatenate(parts, axis=1)

    def variances(self, columns: Matrix) -> Vector:
        """Return the variances of linear combinations. Relative errors are squares of those of the solutions."""
        parts = []
        for start in range(0, columns.shape[1], AT_ONCE):
            some = columns[:, start : start + AT_ONCE]
            parts.append(np.sum(some * self.curvature.solve(some, EXACT_VARIANCE), axis=0))
        return np.concatenate(parts)


def dense_covariance(design: Design, information: Matrix) -> Matrix:
    """Return the inverse information of the free parameters."""
    return covariance_of(information[np.ix_(design.free, design.free)], design)


def meat_of(
    design: Design, likelihood: Likelihood, theta: Vector, table: PairCounts, settings: Settings
) -> Matrix:
    """Return the middle matrix of the sandwich estimator: squared scores by rater (CR0, CR1) or judgment (HC0).

    CR1 multiplies by G/(G-1) (n-1)/(n-k) for G raters, n judgments and k parameters.

    Parameters
    ----------
    design
        Design of the model.
    likelihood
        Likelihood of one comparison.
    theta
        Estimates of all parameters.
    table
        Counts split by rater.
    settings
        Settings; `standard_errors` selects the estimator.

    Returns
    -------
    Matrix
        Parameters x parameters.
    """
    if settings.standard_errors == "judgment":
        return _judgment_meat(design, likelihood, theta)
    codes, labels, split = by_rater(table, settings)
    check_raters(labels)
    scores = rater_scores(split, likelihood, theta, codes, len(labels))
    factor = 1.0
    if settings.standard_errors == "rater_cr1":
        judgments, groups = float(split.totals[split.real].sum()), len(labels)
        factor = groups / (groups - 1.0) * (judgments - 1.0) / (judgments - design.rank)
    return np.asarray(factor * scores.T @ scores)


def by_rater(table: PairCounts, settings: Settings) -> tuple[Codes, Labels, Design]:
    """Return the rater of each row (-1 for pseudo-comparisons), the raters, and the design split by rater."""
    if "rater" not in table.cells:
        raise BadSetting("rater", "these counts do not identify raters. Count the comparisons by rater.")
    split = make_design(table, settings)
    words, rater_codes = words_of(split.table.cells["rater"])
    codes = np.full(len(split.left), -1, dtype=np.int64)
    order = np.argsort(split.table.left, kind="stable")  # rows of a design are sorted by their first item
    codes[split.real] = rater_codes[order]
    return codes, np.array(words, dtype=object), split


def check_raters(raters: Labels) -> None:
    """Raise `TooFewLevels` if there is only one rater."""
    if len(raters) < 2:
        raise TooFewLevels("rater", str(raters[0]))


def rater_scores(split: Design, likelihood: Likelihood, theta: Vector, codes: Codes, raters: int) -> Matrix:
    """Return the scores of raters: derivatives of each rater's log-likelihood by the parameters.

    Parameters
    ----------
    split
        Design split by rater.
    likelihood
        Likelihood of one comparison.
    theta
        Estimates of all parameters.
    codes
        Rater of each row, -1 for pseudo-comparisons.
    raters
        Number of raters.

    Returns
    -------
    Matrix
        Raters x parameters.
    """
    from scipy import sparse  # SciPy is slow to import

    ability, tie = split.predictors(theta)
    _, slopes = likelihood.evaluate(ability, tie, split.outcomes)
    rows = np.flatnonzero(codes >= 0)
    gather = sparse.csr_array((np.ones(len(rows)), (codes[rows], rows)), shape=(raters, len(codes)))
    scores = gather @ (sparse.diags_array(slopes.ability) @ split.matrix)
    if slopes.tie is not None and split.ties.shape[1]:
        scores = scores + gather @ (sparse.diags_array(slopes.tie) @ split.tie_matrix)
    return np.asarray(scores.toarray())


def _judgment_meat(design: Design, likelihood: Likelihood, theta: Vector) -> Matrix:
    """Return the sum of squared scores over judgments."""
    ability, tie = design.predictors(theta)
    total = [np.zeros(len(ability)) for _ in range(3)]
    for outcome in range(likelihood.outcomes):
        unit = np.zeros_like(design.outcomes)
        unit[outcome] = 1.0
        slopes = likelihood.evaluate(ability, tie, unit)[1]
        by_tie = np.zeros_like(ability) if slopes.tie is None else slopes.tie
        weight = design.outcomes[outcome] * design.real
        for at, square in enumerate((slopes.ability**2, slopes.ability * by_tie, by_tie**2)):
            total[at] = total[at] + weight * square
    meat = Slopes(np.zeros_like(ability), total[0], np.zeros_like(ability), total[1], total[2])
    return dense_information(design, meat, np.zeros(len(theta)))


@dataclass(frozen=True, eq=False)
class NormalPosterior:
    """Positions with a joint normal distribution and its full covariance."""

    position: Vector
    covariance: Matrix

    @property
    def spread(self) -> Vector:
        """Standard errors of the positions."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def joint(self) -> Joint:
        """Return positions and their covariance, without degrees of freedom."""
        return Joint(self.position, self.covariance)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Position plus and minus the normal quantile times the standard error."""
        return _interval(self.position, self.spread, level)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Joint normal draws."""
        root = root_of(self.covariance)
        return np.asarray(self.position + rng.standard_normal((n, len(root))) @ root.T)


@dataclass(frozen=True, eq=False)
class GraphPosterior:
    """Positions of very many items, whose covariance is available only through products.

    A ghost item is the last one in the curvature and appears in no result. `component` is the connected group of each
    item. Positions sum to 0 in each group.
    """

    position: Vector
    curvature: GraphCurvature
    seed: int
    component: Codes

    @property
    def spread(self) -> Vector:
        """Standard errors, the roots of 1/d + Var(t) - 2/(d n), estimated from joint draws (Siden et al. 2018).

        d is the item's own information. t is the conditional mean given its opponents, minus the mean of its group of
        n items; its variance is small if items have many opponents.
        """
        drawn = self._draws(DRAWS, np.random.default_rng(self.seed)).T
        above, degree = self.curvature.above, self.curvature.degree[: len(self.position)]
        centred = (above @ drawn + above.T @ drawn)[: len(degree)] / degree[:, None] - self._middle(drawn.T).T
        size = np.bincount(self.component)[self.component]
        own = (1.0 - 2.0 / size) / degree
        return np.asarray(np.sqrt(np.maximum(own + np.mean(centred**2, axis=1), 1.0 / (size * degree))))

    def _middle(self, rows: Matrix) -> Matrix:
        """Return the mean of each item's group, for every row."""
        from scipy import sparse  # SciPy is slow to import

        count = len(self.position)
        ends = (self.component, np.arange(count))
        gather = sparse.csr_array((np.ones(count), ends))
        sums = np.asarray((gather @ rows[:, :count].T).T)
        return np.asarray((sums / np.bincount(self.component))[:, self.component])

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Position plus and minus the normal quantile times the spread."""
        return _interval(self.position, self.spread, level)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Joint normal draws."""
        drawn = self._draws(n, rng)
        return np.asarray(self.position + drawn[:, : len(self.position)] - self._middle(drawn))

    def _draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return draws around 0, including the ghost: first the other effects, then the items given them.

        Noise whose covariance is the information of the items, multiplied by its inverse, is a draw of the items.
        """
        alone, tilt, root = self._given_others()
        parts = []
        for start in range(0, n, AT_ONCE):
            noise = np.stack([self._noise(rng) for _ in range(min(AT_ONCE, n - start))], axis=1)
            others = root @ rng.standard_normal((len(root), noise.shape[1]))
            parts.append(alone.solve(noise, 1e-4) - tilt @ others)
        return np.concatenate(parts, axis=1).T

    def _given_others(self) -> tuple[GraphCurvature, Matrix, Matrix]:
        """Return the curvature of items, their regression on other effects, and a root of those effects' covariance."""
        whole = self.curvature
        size, count = len(whole.degree), whole.corner.shape[0]
        alone = replace(whole, border=np.empty((size, 0)), corner=np.empty((0, 0)))
        tilt = alone.solve(whole.border, EXACT) if count else np.empty((size, 0))
        if not count:
            return alone, tilt, np.empty((0, 0))
        return alone, tilt, root_of(inverse(whole.corner - whole.border.T @ tilt))

    def _noise(self, rng: np.random.Generator) -> Vector:
        """Return one draw whose covariance is the information of the items."""
        above, size = self.curvature.above, len(self.curvature.degree)
        rows = np.repeat(np.arange(size), np.diff(above.indptr))
        columns = above.indices.astype(np.int64)
        noise = np.sqrt(np.maximum(above.data, 0.0)) * rng.standard_normal(len(above.data))
        prior = self.curvature.degree - sum_by(rows, above.data, size) - sum_by(columns, above.data, size)
        own = (
            np.sqrt(np.maximum(prior, 0.0)) * rng.standard_normal(size) if not self.curvature.centred else 0.0
        )
        return np.asarray(sum_by(rows, noise, size) - sum_by(columns, noise, size) + own)


def _interval(position: Vector, spread: Vector, level: float) -> tuple[Vector, Vector]:
    from scipy.special import ndtri  # SciPy is slow to import

    reach = float(ndtri(0.5 + level / 2.0)) * spread
    return position - reach, position + reach


def centring(component: Codes) -> Matrix:
    """Return the matrix that subtracts the mean of its connected group from each item."""
    same = component[:, None] == component[None, :]
    return np.asarray(np.eye(len(component)) - same / same.sum(axis=1, keepdims=True))
