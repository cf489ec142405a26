"""Maximisation of the marginal likelihood with random effects of raters on items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.maths.definite import inverse
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.likelihoods import Likelihood
from steelyard.models.bradley_terry.quadrature import MOST_DIMENSIONS, Rule, draws, grid
from steelyard.models.bradley_terry.rater_items import (
    ItemEffectModel,
    Nodes,
    RaterPart,
    Tastes,
    own_rows,
    split_rows,
    tastes_of,
)

FIRST_SD = 0.5  # starting value of the standard deviation
SECOND_SD = 0.1  # second starting value, used if the first leads to 0 although the likelihood increases at 0
ABSENT = 1e-3  # a standard deviation below it counts as 0
STEPS = 200
TOLERANCE = 1e-7  # on the norm of the gradient
SETTLED = 1e-4  # norm of the gradient up to which the optimisation counts as converged
DIFFERENCE = 5e-4  # step of numerical derivatives of Laplace's approximation


@dataclass(frozen=True, eq=False)
class ItemEffects:
    """Estimates of a model with random effects of raters on items.

    Attributes
    ----------
    theta
        Estimates of the parameters.
    sd
        Standard deviation of the random effects.
    sd_error
        Standard error of `sd`; NaN if `sd` is 0.
    log_likelihood
        Marginal log-likelihood.
    without
        Log-likelihood without random effects.
    monte_carlo_error
        Standard error of the log-likelihood from simulation; 0 if quadrature was used.
    dimensions
        Largest number of dimensions of the integral of a rater.
    covariance
        Covariance of the parameters.
    tastes
        Random effects of each rater.
    steps
        Number of Newton steps.
    converged
        Whether the optimisation converged.
    """

    theta: Vector
    sd: float
    sd_error: float
    log_likelihood: float
    without: float
    monte_carlo_error: float
    dimensions: int
    covariance: Matrix
    tastes: Tastes
    steps: int
    converged: bool


@dataclass(frozen=True, slots=True)
class Integration:
    """Method of integration: Laplace, a grid with `points(dimensions)` per dimension, or draws beyond four."""

    laplace: bool
    points: Callable[[int], int]
    draws: int
    seed: int


def item_effect_model(
    design: Design, likelihood: Likelihood, codes: Codes, raters: Sequence[str], way: Integration
) -> ItemEffectModel:
    """Return the marginal likelihood, with an integration rule for every rater.

    Parameters
    ----------
    design
        Design split by rater.
    likelihood
        Likelihood of one comparison.
    codes
        Rater of each row.
    raters
        Names of the raters.
    way
        Method of integration.

    Returns
    -------
    ItemEffectModel
        Marginal likelihood of the comparisons.
    """
    rng = np.random.default_rng(way.seed)
    grids: dict[int, Rule] = {}
    own = []
    for split in split_rows(design, codes, raters):
        dimensions = split[2].shape[1]
        if way.laplace or dimensions <= MOST_DIMENSIONS:
            points = 1 if way.laplace else way.points(dimensions)
            rule = grids.setdefault(dimensions, grid(dimensions, points))
        else:
            rule = draws(dimensions, way.draws, rng)
        own.append(own_rows(design, design.free, split, rule))
    return ItemEffectModel(design, likelihood, tuple(own))


@dataclass(frozen=True, eq=False)
class _Place:
    """State of the optimisation: free parameters and sd, nodes, likelihood and derivatives."""

    place: Vector
    nodes: tuple[Nodes, ...]
    parts: list[RaterPart]
    gradient: Vector
    information: Matrix

    @property
    def value(self) -> float:
        """The log marginal likelihood."""
        return float(sum(part.value for part in self.parts))


@dataclass(frozen=True, eq=False)
class _Search:
    """Newton's method over the free parameters and the sd. Nodes are re-centred before every step."""

    model: ItemEffectModel
    start: Vector
    laplace: bool

    def full(self, place: Vector) -> Vector:
        """Return all parameters."""
        theta = self.start.copy()
        theta[np.flatnonzero(self.model.design.free)] = place[:-1]
        return theta

    def at(self, place: Vector, before: Sequence[Nodes] = ()) -> _Place:
        """Return the likelihood and its derivatives at these parameters."""
        theta, sd = self.full(place), float(place[-1])
        nodes = self.model.nodes(theta, sd, before)
        parts = self.model.parts(theta, sd, nodes)
        if self.laplace:
            gradient, information = self._differences(place, nodes)
        else:
            gradient = np.sum([part.gradient for part in parts], axis=0)
            information = np.sum([part.information for part in parts], axis=0)
        return _Place(place, nodes, parts, gradient, information)

    def value(self, place: Vector, nodes: Sequence[Nodes]) -> float:
        """Return the log-likelihood at fixed nodes, for which the derivatives hold; Laplace re-centres the nodes."""
        theta, sd = self.full(place), float(place[-1])
        return self.model.values(theta, sd, self.model.nodes(theta, sd, nodes) if self.laplace else nodes)

    def _differences(self, place: Vector, nodes: Sequence[Nodes]) -> tuple[Vector, Matrix]:
        """Return numerical derivatives of Laplace's approximation, whose mode and width depend on the parameters."""
        size, steps = len(place), DIFFERENCE * np.eye(len(place))
        here = self.value(place, nodes)
        up, down = ([self.value(place + sign * step, nodes) for step in steps] for sign in (1.0, -1.0))
        gradient = (np.array(up) - np.array(down)) / (2.0 * DIFFERENCE)
        second = np.diag((np.array(up) + np.array(down) - 2.0 * here) / DIFFERENCE**2)
        for one in range(size):
            for other in range(one):
                corners = [
                    self.value(place + a * steps[one] + b * steps[other], nodes)
                    for a, b in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))
                ]
                mixed = (corners[0] - corners[1] - corners[2] + corners[3]) / (4.0 * DIFFERENCE**2)
                second[one, other] = second[other, one] = mixed
        return gradient, -second

    def climbed(self, sd: float) -> tuple[_Place, int]:
        """Maximise from the start with this sd. The likelihood is an even function of the sd."""
        here = self.at(np.append(self.start[self.model.design.free], sd))
        tolerance = 1e-5 if self.laplace else TOLERANCE
        for done in range(STEPS):
            if float(np.linalg.norm(here.gradient)) < tolerance:
                return here, done
            after = self._stepped(here)
            if after is None:
                return here, done
            here = self.at(after, here.nodes)
        return here, STEPS

    def _stepped(self, now: _Place) -> Vector | None:
        """Return the parameters after a step that increases the likelihood; None if no step does.

        Absolute eigenvalues make it an ascent step also where the likelihood is not concave.
        """
        values, vectors = np.linalg.eigh(now.information)
        curves = np.maximum(np.abs(values), 1e-6 * np.abs(values).max())
        step = vectors @ ((vectors.T @ now.gradient) / curves)
        step = step / max(1.0, float(np.abs(step).max()))
        here = self.value(now.place, now.nodes)
        for halving in range(30):
            place = now.place + 0.5**halving * step
            place = np.append(place[:-1], abs(place[-1]))
            if self.value(place, now.nodes) >= here - 1e-12 * abs(here):
                return place
        return None


def maximise_item_effects(model: ItemEffectModel, start: Vector, laplace: bool) -> ItemEffects:
    """Maximise the marginal likelihood over the parameters and the standard deviation.

    Parameters
    ----------
    model
        Marginal likelihood.
    start
        Maximum likelihood estimates without random effects.
    laplace
        Whether Laplace's approximation is used.

    Returns
    -------
    ItemEffects
        Estimates with their covariance.
    """
    search = _Search(model, start, laplace)
    absent = search.at(np.append(start[model.design.free], 0.0))
    highest, steps = search.climbed(FIRST_SD)
    if highest.place[-1] < ABSENT and rises_from_zero(model, start) > 0.0:
        highest, more = search.climbed(SECOND_SD)
        steps += more
    if highest.place[-1] < ABSENT or highest.value < absent.value:
        return _without(search, absent, steps)
    covariance = _full_covariance(model.design, inverse(highest.information)[:-1, :-1])
    theta, sd = search.full(highest.place), float(highest.place[-1])
    return ItemEffects(
        theta,
        sd,
        float(np.sqrt(inverse(highest.information)[-1, -1])),
        highest.value,
        absent.value,
        _monte_carlo_error(model, highest.parts),
        max(own.reach.shape[1] for own in model.own),
        covariance,
        tastes_of(model, theta, sd, highest.nodes),
        steps,
        float(np.linalg.norm(highest.gradient)) < SETTLED,
    )


def _without(search: _Search, absent: _Place, steps: int) -> ItemEffects:
    """Return the estimates for a standard deviation of 0, which are those without random effects."""
    model = search.model
    theta = search.full(absent.place)
    return ItemEffects(
        theta,
        0.0,
        float("nan"),
        absent.value,
        absent.value,
        0.0,
        max(own.reach.shape[1] for own in model.own),
        _full_covariance(model.design, inverse(absent.information[:-1, :-1])),
        tastes_of(model, theta, 0.0, absent.nodes),
        steps,
        float(np.linalg.norm(absent.gradient[:-1])) < SETTLED,
    )


def rises_from_zero(model: ItemEffectModel, theta: Vector) -> float:
    """Return the derivative of the log-likelihood by the variance at 0.

    It is the sum of (|R's|^2 - tr R'WR) / 2 over raters, with R = B Q, scores s and information W.
    """
    ability, tie = model.design.predictors(theta)
    total = 0.0
    for own in model.own:
        at = own.rows
        slopes = model.likelihood.evaluate(ability[at], tie[at], own.counts[:, :, 0])[1]
        score = own.reach.T @ slopes.ability
        total += 0.5 * float(score @ score - np.sum(slopes.ability_ability @ own.reach**2))
    return total


def _monte_carlo_error(model: ItemEffectModel, parts: Sequence[RaterPart]) -> float:
    """Return the standard error of the log-likelihood, from its variance between batches of draws."""
    variance = 0.0
    for own, part in zip(model.own, parts, strict=True):
        if own.rule.batches > 1:
            shares = np.exp(part.heights - part.value).reshape(own.rule.batches, -1).sum(axis=1)
            variance += float(np.var(shares * own.rule.batches, ddof=1)) / own.rule.batches
    return float(np.sqrt(variance))


def _full_covariance(design: Design, inside: Matrix) -> Matrix:
    full = np.zeros((len(design.free), len(design.free)))
    full[np.ix_(design.free, design.free)] = inside
    return full
