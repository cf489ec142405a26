"""Worlds from which planned studies are simulated: how raters differ, and where the items are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import UnknownName
from steelyard.maths.arrays import Vector
from steelyard.planning.noise import CommonNoise, NoisePosterior
from steelyard.planning.returning import ReturningRaters
from steelyard.simulation.scenarios import (
    SCENARIOS,
    Scenario,
    Shape,
    SimulatedRater,
    draw_raters,
    draw_truth,
    participation,
)

LEAST_VARIANCE = 1e-12  # of positions that can be stretched
LIMITING = 12  # iterations for the variance of positions that are limited to the scale
POOL = 1000  # true positions that stand for a stated distribution


@dataclass(frozen=True, slots=True)
class Sureness:
    """How many cases each estimate of a pilot is based on; 0 means that the value is stated and not estimated.

    Attributes
    ----------
    items
        Degrees of freedom of the variance of positions.
    raters
        Number of raters, for the differences between them.
    answers
        Degrees of freedom of the noise.
    tasks
        Number of tasks with several items, for the offsets of tasks.
    """

    items: float = 0.0
    raters: float = 0.0
    answers: float = 0.0
    tasks: float = 0.0


@dataclass(frozen=True, eq=False)
class World:
    """What a study is simulated from, on the unit scale.

    Attributes
    ----------
    name
        Where it comes from, in words.
    scenario
        How raters differ.
    positions
        Pool of true positions. Items of a simulated study are drawn from it.
    share
        Share of the tasks that each rater of the pilot answered, in falling order. Empty for the default.
    sureness
        How many cases the estimates are based on.
    has_unit
        Whether positions have the unit of the rating scale. Without ratings in the pilot, they have not.
    returning
        Raters of the pilot who take part in the study; None if all raters are new.
    noise
        Distributions of the raters' noise that a pilot leaves possible; None for that of the scenario.
    remarks
        What a reader must know about the pilot.
    """

    name: str
    scenario: Scenario
    positions: Vector
    share: tuple[float, ...] = ()
    sureness: Sureness = Sureness()
    has_unit: bool = True
    returning: ReturningRaters | None = None
    noise: NoisePosterior | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class DrawnWorld:
    """Items and raters of one simulated study.

    Attributes
    ----------
    scenario
        How raters differ.
    truth
        True position of each item.
    raters
        The raters.
    weight
        Share of the tasks that each rater takes.
    """

    scenario: Scenario
    truth: Vector
    raters: tuple[SimulatedRater, ...]
    weight: Vector

    @property
    def names(self) -> list[str]:
        """Names of the items, by index."""
        return [f"item{at}" for at in range(len(self.truth))]

    def at(self, truth: Vector) -> DrawnWorld:
        """Return the same raters with items at other true positions."""
        return replace(self, truth=truth)


def stated_world(scenario: str, shape: Shape) -> World:
    """Return the world of a named scenario, for a plan without a pilot."""
    if scenario not in SCENARIOS:
        raise UnknownName("scenario", scenario, tuple(SCENARIOS))
    pool = draw_truth(shape, POOL, np.random.default_rng(0))
    return World(f"scenario {scenario}, positions {shape}", SCENARIOS[scenario], pool)


def draw_world(world: World, items: int, raters: int, rng: np.random.Generator) -> DrawnWorld:
    """Draw the items and raters of one study.

    Estimates of a pilot are drawn too, from their approximate posterior: a variance that is based on f cases is
    multiplied by (f + 2) / chi-square(f + 2). Simulated studies therefore differ by as much as the pilot leaves open.

    Parameters
    ----------
    world
        Scenario, positions, and how sure they are.
    items, raters
        Number of items and raters.
    rng
        Source of randomness.

    Returns
    -------
    DrawnWorld
        Items and raters of a study.
    """
    noise = None if world.noise is None else world.noise.draw(rng)
    scenario, stretch = _drawn_scenario(world, noise, rng)
    pool = world.positions
    if stretch != 1.0:
        pool = stretched(pool, stretch**2 * float(np.var(pool)))
    truth = rng.choice(pool, items, replace=items > len(pool))
    return DrawnWorld(scenario, truth, *_drawn_raters(world, scenario, noise, raters, rng))


def stretched(positions: Vector, variance: float) -> Vector:
    """Return the positions with another variance, by moving them away from their mean or towards it.

    Positions stay inside the scale. If many of them are at its ends, the variance may be smaller.

    >>> stretched(np.array([0.4, 0.6]), 0.04).round(6).tolist()
    [0.3, 0.7]
    """
    away = positions - positions.mean()
    now = float(np.var(positions))
    if now < LEAST_VARIANCE:
        return np.asarray(positions)
    factor = math.sqrt(variance / now)
    for _ in range(LIMITING):
        moved = np.clip(positions.mean() + factor * away, 0.0, 1.0)
        factor *= min(math.sqrt(variance / max(float(np.var(moved)), 1e-12)), 2.0)
    return np.asarray(np.clip(positions.mean() + factor * away, 0.0, 1.0))


def _drawn_raters(
    world: World, scenario: Scenario, noise: CommonNoise | None, raters: int, rng: np.random.Generator
) -> tuple[tuple[SimulatedRater, ...], Vector]:
    """Return raters and their shares: those who return, the busiest ones first, and new ones beside them."""
    if world.returning is None:
        return tuple(draw_raters(scenario, raters, rng)), shares_for(world.share, raters)
    share, back = world.returning.share, world.returning.draw(noise, rng)[:raters]
    new = raters - len(back)
    weight = np.concatenate([share[: len(back)], rng.choice(share, new)])
    return (*back, *draw_raters(scenario, new, rng)), weight / weight.sum()


def shares_for(share: Sequence[float], raters: int) -> Vector:
    """Return the share of the tasks that each of a number of raters takes, like the raters of a pilot."""
    if not share:
        return participation(raters)
    falling = np.sort(np.asarray(share, dtype=float))[::-1]
    middle = (np.arange(raters) + 0.5) / raters
    weight = np.interp(middle, (np.arange(len(falling)) + 0.5) / len(falling), falling)
    return np.asarray(weight / weight.sum())


def _drawn_scenario(
    world: World, noise: CommonNoise | None, rng: np.random.Generator
) -> tuple[Scenario, float]:
    """Return a scenario from the posterior of the pilot, and the factor of the standard deviation of positions."""
    sure, one = world.sureness, world.scenario
    scenario = replace(
        one,
        bias_sd=one.bias_sd * _factor(sure.raters, rng),
        slope_sd=one.slope_sd * _factor(sure.raters, rng),
        base_noise=(one.base_noise if noise is None else noise.geometric_mean) * _factor(sure.answers, rng),
        noise_spread=one.noise_spread if noise is None else noise.spread,
        offset_sd=one.offset_sd * _factor(sure.tasks, rng),
        spam=_drawn_share(one.spam, sure.raters, rng),
    )
    return scenario, _factor(sure.items, rng)


def _factor(cases: float, rng: np.random.Generator) -> float:
    """Return a random factor of a standard deviation that was estimated from this many cases."""
    if not cases:
        return 1.0
    freedom = cases + 2.0
    return float(np.sqrt(freedom / rng.chisquare(freedom)))


def _drawn_share(share: float, raters: float, rng: np.random.Generator) -> float:
    """Return a share of spammers from its posterior, a Beta distribution with the mean of the estimate."""
    if not raters or not 0.0 < share < 1.0:
        return share
    return float(rng.beta(share * raters, (1.0 - share) * raters))
