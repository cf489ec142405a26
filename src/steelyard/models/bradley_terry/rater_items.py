"""Random item effects: a normal random effect of every rater on every item, with mean 0.

logit P(first) = delta + (a_f + u_rf) - (a_s + u_rs), where the u_ri ~ N(0, sd^2) are independent between raters and
items. Only differences of a rater's effects enter the likelihood. Let B hold the rater's comparisons, one per row,
with +1 at the first item and -1 at the second, and let Q be an orthonormal basis of its row space. Then
B u = sd (B Q) w with w ~ N(0, I). The integral over a rater's effects therefore has rank(B) dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.likelihoods import Likelihood
from steelyard.models.bradley_terry.quadrature import Rule

MODE_STEPS = 100
MODE_TOLERANCE = 1e-11


@dataclass(frozen=True, eq=False)
class OwnRows:
    """Comparisons of one rater: outcomes, columns of the free parameters, and coefficients of the effects w."""

    rater: str
    rows: Codes
    counts: Any  # outcomes x rows x 1
    ability: Matrix
    tie: Matrix
    basis: Matrix  # items x dimensions
    reach: Matrix  # rows x dimensions: B Q
    rule: Rule


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of the integral of one rater: effects (dimensions x nodes), log-weights and mode."""

    effects: Matrix
    log_weight: Vector
    mode: Vector


@dataclass(frozen=True, eq=False)
class RaterPart:
    """Contribution of one rater: marginal log-likelihood, gradient, information, and log-heights of the nodes."""

    value: float
    gradient: Vector
    information: Matrix
    heights: Vector


@dataclass(frozen=True, eq=False)
class ItemEffectModel:
    """Marginal likelihood of a design split by rater, with random effects of raters on items."""

    design: Design
    likelihood: Likelihood
    own: tuple[OwnRows, ...]

    def nodes(self, theta: Vector, sd: float, before: Sequence[Nodes] = ()) -> tuple[Nodes, ...]:
        """Return nodes centred at each rater's mode and scaled by the curvature there.

        Parameters
        ----------
        theta
            Parameters.
        sd
            Standard deviation of the random effects.
        before
            Earlier nodes, whose modes are starting values. Default: start at 0.

        Returns
        -------
        tuple of Nodes
            Nodes of each rater.
        """
        ability, tie = self.design.predictors(theta)
        starts = [each.mode for each in before] if before else [np.zeros(o.reach.shape[1]) for o in self.own]
        return tuple(
            self._centred(own, ability[own.rows], tie[own.rows], sd, start)
            for own, start in zip(self.own, starts, strict=True)
        )

    def values(self, theta: Vector, sd: float, nodes: Sequence[Nodes]) -> float:
        """Return the marginal log-likelihood at fixed nodes.

        Parameters
        ----------
        theta
            Parameters.
        sd
            Standard deviation of the random effects.
        nodes
            Nodes of each rater.

        Returns
        -------
        float
            Sum over raters.
        """
        ability, tie = self.design.predictors(theta)
        heights = (
            self._heights(own, ability[own.rows], tie[own.rows], sd, at)
            for own, at in zip(self.own, nodes, strict=True)
        )
        return float(sum(_log_sum(each) for each in heights))

    def parts(self, theta: Vector, sd: float, nodes: Sequence[Nodes]) -> list[RaterPart]:
        """Return value, gradient and information of every rater, by the free parameters and, last, the sd.

        Parameters
        ----------
        theta
            Parameters.
        sd
            Standard deviation of the random effects.
        nodes
            Nodes of each rater.

        Returns
        -------
        list of RaterPart
            One contribution per rater.
        """
        ability, tie = self.design.predictors(theta)
        return [
            self._part(own, ability[own.rows], tie[own.rows], sd, at)
            for own, at in zip(self.own, nodes, strict=True)
        ]

    def _heights(self, own: OwnRows, ability: Vector, tie: Vector, sd: float, at: Nodes) -> Vector:
        """Return log(weight x likelihood x density of w) at each node."""
        shifted = ability[:, None] + sd * (own.reach @ at.effects)
        logs = self.likelihood.log_probabilities(shifted, tie[:, None])
        seen = np.where(own.counts > 0.0, own.counts * logs, 0.0)
        return np.asarray(at.log_weight + seen.sum(axis=(0, 1)) + _log_normal(at.effects))

    def _part(self, own: OwnRows, ability: Vector, tie: Vector, sd: float, at: Nodes) -> RaterPart:
        """Return the contribution of one rater.

        The information is its posterior mean minus the posterior covariance of the score (Louis 1982).
        """
        heights = self._heights(own, ability, tie, sd, at)
        value = _log_sum(heights)
        share = np.exp(heights - value)
        pull = own.reach @ at.effects
        slopes = self.likelihood.evaluate(ability[:, None] + sd * pull, tie[:, None], own.counts)[1]
        score = own.ability.T @ slopes.ability
        if slopes.tie is not None:
            score = score + own.tie.T @ slopes.tie
        score = np.vstack([score, np.sum(slopes.ability * pull, axis=0)])
        mean = score @ share
        expected = _expected_information(own, slopes, pull, share)
        return RaterPart(value, mean, expected - (score * share) @ score.T + np.outer(mean, mean), heights)

    def _centred(self, own: OwnRows, ability: Vector, tie: Vector, sd: float, start: Vector) -> Nodes:
        mode, curve = self._mode(own, ability, tie, sd, start)
        root = np.linalg.inv(np.linalg.cholesky(curve)).T  # root root' = curve^-1
        width = float(np.log(np.diag(root)).sum())
        return Nodes(mode[:, None] + root @ own.rule.nodes, own.rule.log_weight + width, mode)

    def _mode(
        self, own: OwnRows, ability: Vector, tie: Vector, sd: float, start: Vector
    ) -> tuple[Vector, Matrix]:
        """Return the posterior mode of a rater's w and its curvature, from Newton steps of length at most 1."""
        mode, reach, counts = start, sd * own.reach, own.counts[:, :, 0]
        for _ in range(MODE_STEPS):
            slopes = self.likelihood.evaluate(ability + reach @ mode, tie, counts)[1]
            curve = np.eye(len(mode)) + (reach.T * slopes.ability_ability) @ reach
            step = np.linalg.solve(curve, reach.T @ slopes.ability - mode)
            largest = float(np.abs(step).max(initial=0.0))
            mode = mode + step / max(largest, 1.0)
            if largest < MODE_TOLERANCE:
                break
        return mode, curve


def _expected_information(own: OwnRows, slopes: Any, pull: Matrix, share: Vector) -> Matrix:
    """Return the posterior mean of the negative second derivatives, by the free parameters and the sd."""
    x, z = own.ability, own.tie
    by_sd = slopes.ability_ability * pull
    top = (x.T * (slopes.ability_ability @ share)) @ x
    edge = x.T @ (by_sd @ share)
    if slopes.ability_tie is not None and slopes.tie_tie is not None:
        cross = (x.T * (slopes.ability_tie @ share)) @ z
        top = top + cross + cross.T + (z.T * (slopes.tie_tie @ share)) @ z
        edge = edge + z.T @ ((slopes.ability_tie * pull) @ share)
    corner = float(np.sum(by_sd * pull, axis=0) @ share)
    return np.block([[top, edge[:, None]], [edge[None, :], np.array([[corner]])]])


def _log_sum(heights: Vector) -> float:
    top = float(heights.max())
    return top + float(np.log(np.sum(np.exp(heights - top)))) if np.isfinite(top) else -np.inf


def _log_normal(effects: Matrix) -> Vector:
    return np.asarray(-0.5 * (np.sum(effects**2, axis=0) + len(effects) * np.log(2.0 * np.pi)))


@dataclass(frozen=True, eq=False)
class Tastes:
    """Posterior means and standard deviations of the random effects, raters x items."""

    mean: Matrix
    sd: Matrix


def tastes_of(model: ItemEffectModel, theta: Vector, sd: float, nodes: Sequence[Nodes]) -> Tastes:
    """Return posterior means and standard deviations of the random effects u.

    An item that a rater never compared has the prior mean and standard deviation.

    Parameters
    ----------
    model
        Marginal likelihood.
    theta
        Parameters.
    sd
        Standard deviation of the random effects.
    nodes
        Nodes of each rater.

    Returns
    -------
    Tastes
        Means and standard deviations.
    """
    items = len(model.design.items)
    mean, spread = np.zeros((len(model.own), items)), np.full((len(model.own), items), sd)
    for at, (own, part, node) in enumerate(zip(model.own, model.parts(theta, sd, nodes), nodes, strict=True)):
        share = np.exp(part.heights - part.value)
        middle = node.effects @ share
        away = node.effects - middle[:, None]
        inside = (away * share) @ away.T
        left = 1.0 - np.sum(own.basis**2, axis=1) + np.einsum("ij,jk,ik->i", own.basis, inside, own.basis)
        mean[at], spread[at] = sd * own.basis @ middle, sd * np.sqrt(np.maximum(left, 0.0))
    return Tastes(mean, spread)


def split_rows(
    design: Design, codes: Codes, raters: Sequence[str]
) -> list[tuple[str, Codes, Matrix, Matrix]]:
    """Return the rows of each rater with a basis Q of their row space.

    Parameters
    ----------
    design
        Design split by rater.
    codes
        Rater of each row.
    raters
        Names of the raters.

    Returns
    -------
    list of tuple
        Name, rows, Q (items x dimensions) and B Q (rows x dimensions) of each rater.
    """
    by_rater = []
    for at, rater in enumerate(raters):
        rows = np.flatnonzero(codes == at)
        signs = np.zeros((len(rows), len(design.items)))
        signs[np.arange(len(rows)), design.left[rows]] = 1.0
        signs[np.arange(len(rows)), design.right[rows]] = -1.0
        _, values, across = np.linalg.svd(signs, full_matrices=False)
        basis = across[values > 1e-9 * values.max(initial=1.0)].T
        by_rater.append((str(rater), rows, basis, signs @ basis))
    return by_rater


def own_rows(design: Design, free: Mask, split: tuple[str, Codes, Matrix, Matrix], rule: Rule) -> OwnRows:
    """Return the rows of one rater with full columns of the free parameters.

    Parameters
    ----------
    design
        Design split by rater.
    free
        Mask of the free parameters.
    split
        Name, rows, Q and B Q of the rater.
    rule
        Integration rule.

    Returns
    -------
    OwnRows
        Comparisons of the rater.
    """
    rater, rows, basis, reach = split
    ability = design.matrix[rows].toarray()[:, free]
    tie = design.tie_matrix[rows].toarray()[:, free]
    return OwnRows(rater, rows, design.outcomes[:, rows, None], ability, tie, basis, reach, rule)
