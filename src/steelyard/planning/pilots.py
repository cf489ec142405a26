"""The world of a pilot: how its raters differ, and how its items are spread, estimated by the Steelyard model."""

from __future__ import annotations

import math

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.answers import answer_noise
from steelyard.models.steelyard.mixed.joint import JointSolution
from steelyard.models.steelyard.mixed.results import MixedFit
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.steelyard.posterior import SteelyardPosterior
from steelyard.models.steelyard.variant import Variant
from steelyard.planning.worlds import Sureness, World
from steelyard.simulation.scenarios import Scenario

UNRATED_SD = 0.2  # standard deviation of the positions on the unit scale, if the pilot has no ratings
LEAST_FREEDOM = 2.0
ROUNDING = 0.01


def world_of_pilot(judgments: Judgments, name: str = "pilot") -> World:
    """Return the world from which a pilot may have come.

    Ratings determine bias, slope, noise and spam of raters, offsets of tasks, and the variance of positions. Judgments
    that order items determine the noise of a comparison, and the unit of the scale is then arbitrary.

    Parameters
    ----------
    judgments
        Judgments of the pilot, of kinds that the Steelyard model takes.
    name
        Name of the pilot.

    Returns
    -------
    World
        The estimates, and how many cases they are based on.
    """
    model = Steelyard()
    if tuple(judgments.kinds) == model.kinds:
        return _rated(model.posterior(judgments), judgments, name)
    fit = model.fit(judgments)
    if isinstance(fit.posterior, SteelyardPosterior):
        return _rated(fit.posterior, judgments, name)
    assert isinstance(fit, MixedFit) and fit.orders is not None  # noqa: PT018
    return _ordered(fit.orders, judgments, name)


def _rated(posterior: SteelyardPosterior, judgments: Judgments, name: str) -> World:
    one = posterior.fullest
    learnt = one.solution.learnt
    spread = 0.5 * math.sqrt(2.0 / learnt.noise_freedom)
    answers = answers_by_rater(judgments)
    scenario = Scenario(
        bias_sd=math.sqrt(learnt.bias_variance),
        slope_sd=math.sqrt(learnt.slope_variance) if one.solution.parts.slope else 0.0,
        base_noise=math.sqrt(answer_noise(one.solution)) * math.exp(-(spread**2)),
        noise_spread=spread,
        spam=spam_share(learnt.spam[: len(answers)], answers),
        offset_sd=math.sqrt(learnt.offset_variance),
        list_noise_factor=1.0,
        contrast=0.0,
        rounding=ROUNDING,
    )
    variance, positions = _positions(one)
    return World(name, scenario, positions, _shares(answers), _sureness(one, variance, judgments))


def _positions(one: Variant) -> tuple[float, Vector]:
    """Return the variance of true positions, and posterior means stretched to have it."""
    learnt, latent = one.solution.learnt, np.asarray(one.solution.latent)
    variance = learnt.item_variance + float(np.var(learnt.regression.mean))
    return variance, stretched(latent, variance)


def stretched(positions: Vector, variance: float) -> Vector:
    """Return the positions with another variance and the same mean."""
    centre, now = float(positions.mean()), float(np.var(positions))
    if now <= 0.0:
        return np.asarray(positions)
    return np.asarray(centre + (positions - centre) * math.sqrt(variance / now))


def _sureness(one: Variant, variance: float, judgments: Judgments) -> Sureness:
    """Return the degrees of freedom of the estimates; that of the variance of positions falls with their errors."""
    layout, items = one.layout, one.layout.items
    error = float(np.mean(1.0 / one.solution.precision))
    known = max(1.0 - error / max(variance, 1e-12), 0.1)
    answers, raters = float(layout.ratings.weight.sum()), float(len(judgments.raters))
    return Sureness(
        items=max((items - 1) * known**2, LEAST_FREEDOM),
        raters=max(raters - 1.0, LEAST_FREEDOM),
        answers=max(answers - items * known - raters, LEAST_FREEDOM),
        tasks=raters,
    )


def _ordered(solution: JointSolution, judgments: Judgments, name: str) -> World:
    """Return the world of a pilot without ratings; positions get the standard deviation `UNRATED_SD`."""
    link = solution.terms[0].link
    unit = UNRATED_SD / math.sqrt(solution.base.variance)
    answers = answers_by_rater(judgments)
    scenario = Scenario(
        bias_sd=0.0,
        slope_sd=0.0,
        base_noise=unit / (math.sqrt(2.0) * link.discrimination),
        noise_spread=solution.raters.spread if solution.raters.differ else 0.0,
        spam=spam_share(solution.raters.spam[: len(answers)], answers) if solution.raters.differ else 0.0,
        offset_sd=0.0,
        list_noise_factor=1.0,
        contrast=0.0,
        rounding=0.0,
    )
    variance = float(np.mean(np.diag(solution.covariance)))
    known = max(1.0 - variance / solution.base.variance, 0.1)
    positions = 0.5 + stretched(unit * (solution.mean - solution.mean.mean()), UNRATED_SD**2)
    total, items = float(answers.sum()), len(solution.mean)
    sure = Sureness(
        items=max((items - 1) * known**2, LEAST_FREEDOM),
        raters=max(float(len(answers)) - 1.0, LEAST_FREEDOM),
        answers=max(total - items * known, LEAST_FREEDOM),
    )
    return World(name, scenario, positions, _shares(answers), sure, has_unit=False)


def spam_share(spam: Vector, answers: Vector) -> float:
    """Return the share of spammers: the mean probability of spam, weighted by answers.

    Raters with few answers keep a probability near its prior, so a plain mean would be too small.
    """
    return float(np.average(spam, weights=answers)) if answers.sum() > 0.0 else 0.0


def answers_by_rater(judgments: Judgments) -> Vector:
    """Return the number of rows of each rater."""
    count = np.zeros(len(judgments.raters))
    for table in judgments.tables.values():
        rater = table.codes["rater"]
        np.add.at(count, rater[rater >= 0], table.weights[rater >= 0])
    return count


def _shares(answers: Vector) -> tuple[float, ...]:
    """Return the share of the answers of each rater, in falling order."""
    used = np.sort(answers[answers > 0])[::-1]
    return tuple((used / used.sum()).tolist()) if len(used) else ()
