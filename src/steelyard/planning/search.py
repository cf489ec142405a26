"""Search for the answers per item that a target needs, by simulated studies of growing size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.planning.curves import Curve
from steelyard.planning.designs import Design, collect
from steelyard.planning.targets import Target
from steelyard.planning.worlds import World

SCOUTS = 2  # studies of the first search
LEAST_GAIN = 0.1  # of the level by twice as many answers; with less, more answers do not help
STEPS = (0.5, 1.0, 2.0)  # of the answers that the first search suggests
MOST_ROUNDS = 3  # of studies around the point at which the ones before reached the target
MOST_JUDGED = 150_000  # answers about items in one simulated study
MOST_ANSWERS = 200  # per item


@dataclass(frozen=True, slots=True)
class Searching:
    """How much is simulated.

    Parameters
    ----------
    repetitions
        Number of simulated studies per protocol.
    seed
        Seed of all of them.
    """

    repetitions: int = 16
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Search:
    """The result of a search.

    Attributes
    ----------
    curve
        Level of the target by answers per item.
    needed
        Answers per item at which an average study reaches the target; infinity if it does not.
    low, high
        Ends of the 80% interval of what a single study needs.
    most
        Largest number of answers per item that was possible.
    unasked
        Share of the tasks for which no rater was left.
    """

    curve: Curve
    needed: float
    low: float
    high: float
    most: int
    unasked: float


def search(
    design: Design,
    world: World,
    target: Target,
    settings: Searching,
    on_study: Callable[[], None] = lambda: None,
) -> Search:
    """Return the answers per item that a target needs under a design.

    A few studies grow by factors of 2 until they reach the target on average. New studies are then simulated at half,
    once and twice this number. If the target is outside, this is repeated around the new point.

    Parameters
    ----------
    design
        Protocol and numbers of items and raters.
    world
        What studies are simulated from.
    target
        What is to be reached.
    settings
        How much is simulated.
    on_study
        Function that is called after each simulated study.

    Returns
    -------
    Search
        Curve, answers per item and their interval.
    """
    scouting, measuring = (
        np.random.default_rng([settings.seed, part, *design.name.encode()]) for part in (0, 1)
    )
    most = max(min(design.most_answers, MOST_ANSWERS, MOST_JUDGED // design.items), 1)
    guess = _scouted(design, world, target, most, scouting)
    for _ in range(MOST_ROUNDS):
        turns = sorted({min(max(round(guess * step), 1), most) for step in STEPS})
        studies = []
        for _ in range(settings.repetitions):
            studies.append(_grown(design, world, target, turns, measuring))
            on_study()
        curve = Curve(np.array(turns, dtype=float), np.array([levels for levels, _ in studies]))
        guess = min(curve.needed(target.wanted_level, math.inf), float(most))
        if turns[0] <= guess <= turns[-1]:
            break
    low, high = curve.needed_band(target.wanted_level)
    return Search(
        curve,
        needed=_possible(curve.needed(target.wanted_level), most),
        low=_possible(low, most),
        high=_possible(high, most),
        most=most,
        unasked=float(np.mean([unasked for _, unasked in studies])),
    )


def _possible(answers: float, most: int) -> float:
    """Return the answers, or infinity if they are more than possible."""
    return answers if answers <= most else math.inf


def _scouted(design: Design, world: World, target: Target, most: int, rng: np.random.Generator) -> float:
    """Return a first guess of the answers per item, at most `most`."""
    turns = [min(2, most)]
    seeds = rng.integers(2**32, size=SCOUTS)
    while True:
        rows = [_grown(design, world, target, turns, np.random.default_rng(seed))[0] for seed in seeds]
        curve = Curve(np.array(turns, dtype=float), np.array(rows))
        stuck = len(turns) > 2 and curve.middle[-1] - curve.middle[-2] < LEAST_GAIN
        if curve.middle[-1] >= target.wanted_level or turns[-1] >= most or stuck:
            return min(curve.needed(target.wanted_level), float(most))
        turns = [*turns, min(2 * turns[-1], most)]


def _grown(
    design: Design, world: World, target: Target, turns: Sequence[int], rng: np.random.Generator
) -> tuple[list[float], float]:
    """Return the level of one study after each number of answers per item, and the share of tasks without a rater."""
    drawn = target.draw(world, design, rng)
    collected = collect(design, drawn, turns[-1], rng)
    levels = [target.measure(design, collected.first(turn), drawn) for turn in turns]
    return levels, collected.unasked / max(design.tasks(turns[-1]), 1)
