"""Raters with tastes of their own: a random effect of every rater on every item, normal with mean 0.

logit P(first) = delta + (a_f + u_rf) - (a_s + u_rs) with u_ri ~ N(0, sd^2), independent between raters and between
items. Only differences of a rater's effects enter the likelihood. With B the rater's comparisons (one row each, +1
at the first item and -1 at the second) and Q an orthonormal basis of its row space, B u = sd (B Q) w with
w ~ N(0, I), so the integral over a rater's effects has as many dimensions as B has rank.
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
    """One rater's comparisons: outcomes, columns of the free parameters, and how the effects w enter each row."""

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
    """Where one rater's integral is evaluated: effects (dimensions x nodes), log weights, the mode between them."""

    effects: Matrix
    log_weight: Vector
    mode: Vector


@dataclass(frozen=True, eq=False)
class RaterPart:
    """One rater's share of the log marginal likelihood, its gradient and information, and the nodes' weights."""

    value: float
    gradient: Vector
    information: Matrix
    heights: Vector


@dataclass(frozen=True, eq=False)
class ItemEffectModel:
    """The marginal likelihood of a design whose rows belong to raters with tastes of their own."""

    design: Design
    likelihood: Likelihood
    own: tuple[OwnRows, ...]

    def nodes(self, theta: Vector, sd: float, before: Sequence[Nodes] = ()) -> tuple[Nodes, ...]:
        """Nodes around each rater's mode, as wide as the integrand is there."""
        ability, tie = self.design.predictors(theta)
        starts = [each.mode for each in before] if before else [np.zeros(o.reach.shape[1]) for o in self.own]
        return tuple(
            self._centred(own, ability[own.rows], tie[own.rows], sd, start)
            for own, start in zip(self.own, starts, strict=True)
        )

    def values(self, theta: Vector, sd: float, nodes: Sequence[Nodes]) -> float:
        """The log marginal likelihood at fixed nodes."""
        ability, tie = self.design.predictors(theta)
        heights = (
            self._heights(own, ability[own.rows], tie[own.rows], sd, at)
            for own, at in zip(self.own, nodes, strict=True)
        )
        return float(sum(_log_sum(each) for each in heights))

    def parts(self, theta: Vector, sd: float, nodes: Sequence[Nodes]) -> list[RaterPart]:
        """Value, gradient and information of every rater by the free parameters and, last, the sd."""
        ability, tie = self.design.predictors(theta)
        return [
            self._part(own, ability[own.rows], tie[own.rows], sd, at)
            for own, at in zip(self.own, nodes, strict=True)
        ]

    def _heights(self, own: OwnRows, ability: Vector, tie: Vector, sd: float, at: Nodes) -> Vector:
        """log of weight times likelihood times density of w, at each node."""
        shifted = ability[:, None] + sd * (own.reach @ at.effects)
        logs = self.likelihood.log_probabilities(shifted, tie[:, None])
        seen = np.where(own.counts > 0.0, own.counts * logs, 0.0)
        return np.asarray(at.log_weight + seen.sum(axis=(0, 1)) + _log_normal(at.effects))

    def _part(self, own: OwnRows, ability: Vector, tie: Vector, sd: float, at: Nodes) -> RaterPart:
        """Louis (1982): the information is its posterior mean less the posterior covariance of the score."""
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
        """The most likely w of a rater and the curvature there, by Newton steps that are cut at one."""
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
    """The posterior mean of minus the second derivatives, by the free parameters and the sd."""
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
    """Every rater's effects on the items: posterior means and standard deviations, raters x items."""

    mean: Matrix
    sd: Matrix


def tastes_of(model: ItemEffectModel, theta: Vector, sd: float, nodes: Sequence[Nodes]) -> Tastes:
    """Posterior means and standard deviations of u; those of items that a rater never compared keep the prior's."""
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
    """Of each rater: name, rows, basis of the directions that the comparisons measure, and B Q."""
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
    """One rater's rows with the columns of the free parameters written out."""
    rater, rows, basis, reach = split
    ability = design.matrix[rows].toarray()[:, free]
    tie = design.tie_matrix[rows].toarray()[:, free]
    return OwnRows(rater, rows, design.outcomes[:, rows, None], ability, tie, basis, reach, rule)
