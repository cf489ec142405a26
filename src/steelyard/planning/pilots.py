"""The world of a pilot: how its raters differ, and how its items are spread, estimated by the Steelyard model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.counting import count_judgments, count_raters
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.mixed.joint import JointSolution
from steelyard.models.steelyard.mixed.results import MixedFit
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.steelyard.posterior import SteelyardPosterior
from steelyard.models.steelyard.variant import Variant
from steelyard.planning.calibration import noise_factor
from steelyard.planning.noise import RaterNoise, noise_of_raters
from steelyard.planning.returning import ReturningRaters
from steelyard.planning.worlds import Sureness, World, stretched
from steelyard.simulation.scenarios import MIDDLE, Scenario

UNRATED_SD = 0.2  # standard deviation of the positions on the unit scale, if the pilot has no ratings
LEAST_FREEDOM = 2.0
LEAST_ITEMS, LEAST_RATERS = 20, 3  # a smaller pilot has a remark
LEAST_ANSWERS = 2  # per item
LEAST_SHOWN = 0.05  # squared share of the variance of positions that the pilot shows
ROUNDING = 0.01


def world_of_pilot(judgments: Judgments, name: str = "pilot", same_raters: bool = False) -> World:
    """Return the world from which a pilot may have come.

    Ratings determine bias, slope, noise and spam of raters, offsets of tasks, and the variance of positions. Judgments
    that order items determine the noise of a comparison, and the unit of the scale is then arbitrary.

    Parameters
    ----------
    judgments
        Judgments of the pilot, of kinds that the Steelyard model takes.
    name
        Name of the pilot.
    same_raters
        Whether the raters of the pilot take part in the study. Otherwise, all raters are new.

    Returns
    -------
    World
        The estimates, and how many cases they are based on.
    """
    judgments = judgments.compact()
    _check(judgments)
    world, returning = _world_and_raters(judgments, name)
    world = replace(world, remarks=tuple(_remarks(judgments, world)))
    if not same_raters:
        return world
    if not len(returning):
        raise BadSetting("--same-raters", "the pilot does not name its raters. Leave this option out.")
    return replace(world, name=f"{name}, same raters", returning=returning)


def _check(judgments: Judgments) -> None:
    """Raise BadSetting if the judgments cannot show how items differ."""
    if len(judgments.items) < 2:
        raise BadSetting(
            "--pilot",
            f"its judgments are about {len(judgments.items)} item. A pilot needs at least 2 items, and should have "
            "about 100.",
        )
    if tuple(judgments.kinds) == ("rating",) and np.ptp(judgments.table("rating").numbers["score"]) == 0.0:
        raise BadSetting(
            "--pilot",
            "all of its ratings are equal, so they do not show how items and raters differ. Use a pilot with items "
            "of different quality.",
        )


def _remarks(judgments: Judgments, world: World) -> Iterator[str]:
    """Yield what a reader must know about a pilot that is too small."""
    items, answers = len(judgments.items), count_judgments(judgments)
    if items < LEAST_ITEMS or answers < LEAST_ANSWERS * items:
        yield (
            f"The pilot has {answers:,} judgments of {items:,} items, so the plan depends mostly on assumptions. "
            "About 100 items with four answers each are a good basis."
        )
    if count_raters(judgments) < LEAST_RATERS:
        yield (
            f"The pilot has fewer than {LEAST_RATERS} identified raters, so differences between raters cannot be "
            "estimated, and the plan assumes small ones."
        )
    if world.sureness.items < LEAST_SHOWN * (items - 1):
        yield (
            "The judgments of the pilot hardly show that its items differ, so the plan may be far too high or too low. "
            "Collect more answers per item."
        )


def _world_and_raters(judgments: Judgments, name: str) -> tuple[World, ReturningRaters]:
    model = Steelyard()
    if tuple(judgments.kinds) == model.kinds:
        return _calibrated(judgments, name)
    else:
        fit = model.fit(judgments)
        if not isinstance(fit.posterior, SteelyardPosterior):
            assert isinstance(fit, MixedFit) and fit.orders is not None  # noqa: PT018
            world = _ordered(fit.orders, judgments, name)
            return world, _ordering_raters(fit.orders, judgments, world.scenario)
        posterior = fit.posterior
    one = latent_variant(posterior)
    noise = noise_of_raters(one)
    return _rated(one, noise, judgments, name), _rating_raters(one, noise, judgments)


def _calibrated(judgments: Judgments, name: str) -> tuple[World, ReturningRaters]:
    """Return the world and the raters of a pilot of ratings, with their noise calibrated by simulated pilots."""

    def noise_of(some: Judgments) -> float:
        return noise_of_raters(latent_variant(Steelyard().posterior(some))).root_mean_square

    one = latent_variant(Steelyard().posterior(judgments))
    noise = noise_of_raters(one)
    factor = noise_factor(judgments, _rated(one, noise, judgments, name), noise_of)
    noise = noise.times(factor)
    return _rated(one, noise, judgments, name), _rating_raters(one, noise, judgments)


def latent_variant(posterior: SteelyardPosterior) -> Variant:
    """Return the variant with rater effects whose answers are simulated: the one with ends, if it has weight.

    Simulated answers are limited to the scale. The other variant describes answers after this, with less noise and
    positions that are closer together, and would be limited twice.
    """
    ends = [each for each in posterior.variants if each.solution.parts.noise and each.solution.has_ends]
    return ends[0] if ends and ends[0].solution.is_sound else posterior.fullest


def _rated(one: Variant, noise: RaterNoise, judgments: Judgments, name: str) -> World:
    learnt, common = one.solution.learnt, noise.posterior.mean
    answers = answers_by_rater(judgments)
    scenario = Scenario(
        bias_sd=math.sqrt(learnt.bias_variance),
        slope_sd=math.sqrt(learnt.slope_variance) if one.solution.parts.slope else 0.0,
        base_noise=common.geometric_mean,
        noise_spread=common.spread,
        spam=spam_share(learnt.spam[: len(answers)], answers),
        offset_sd=math.sqrt(learnt.offset_variance),
        list_noise_factor=1.0,
        contrast=0.0,
        rounding=ROUNDING,
    )
    variance, positions = _positions(one)
    sure = _sureness(one, variance, judgments)
    return World(name, scenario, positions, _shares(answers), sure, noise=noise.posterior)


def _rating_raters(one: Variant, noise: RaterNoise, judgments: Judgments) -> ReturningRaters:
    """Return the posterior of each rater. Biases are moved from the centre of the items to the middle of the scale."""
    learnt, answers = one.solution.learnt, answers_by_rater(judgments)
    order, share = _busiest(answers)
    slope = learnt.slope[order]
    return ReturningRaters(
        share=share,
        bias=one.bias[order] + (1.0 - slope) * (learnt.centre - MIDDLE),
        bias_sd=np.sqrt(one.bias_variance[order]),
        slope=slope,
        slope_sd=np.sqrt(learnt.slope_error[order]) if one.solution.parts.slope else np.zeros(len(order)),
        noise_square=noise.square[order],
        noise_weight=noise.weight[order],
        spam=np.clip(learnt.spam[order], 0.0, 1.0),
    )


def _ordering_raters(solution: JointSolution, judgments: Judgments, scenario: Scenario) -> ReturningRaters:
    """Return the posterior of each rater of a pilot without ratings, who differ in discrimination only."""
    order, share = _busiest(answers_by_rater(judgments))
    raters, none = solution.raters, np.zeros(len(order))
    freedom = 0.5 / np.maximum(raters.deviation[order], 1e-3) ** 2
    return ReturningRaters(
        share=share,
        bias=none,
        bias_sd=none,
        slope=none + 1.0,
        slope_sd=none,
        noise_square=freedom * (scenario.base_noise * np.exp(-raters.mean[order])) ** 2,
        noise_weight=freedom,
        spam=np.clip(raters.spam[order], 0.0, 1.0) if raters.differ else none,
    )


def _busiest(answers: Vector) -> tuple[Codes, Vector]:
    """Return the raters who answered, those with most answers first, and their shares of the answers."""
    order = np.argsort(-answers, kind="stable")[: int(np.count_nonzero(answers))]
    return order, answers[order] / max(float(answers.sum()), 1.0)


def _positions(one: Variant) -> tuple[float, Vector]:
    """Return the variance of true positions, and posterior means stretched to have it."""
    learnt, latent = one.solution.learnt, np.asarray(one.solution.latent)
    variance = learnt.item_variance + float(np.var(learnt.regression.mean))
    return variance, stretched(latent, variance)


def _sureness(one: Variant, variance: float, judgments: Judgments) -> Sureness:
    """Return the degrees of freedom of the estimates; that of the variance of positions falls with their errors."""
    layout, items = one.layout, one.layout.items
    error = float(np.mean(1.0 / one.solution.precision))
    shown = max(1.0 - error / max(variance, 1e-12), 0.1)
    answers, raters = float(layout.ratings.weight.sum()), float(len(judgments.raters))
    return Sureness(
        items=max((items - 1) * shown**2, LEAST_FREEDOM),
        raters=max(raters - 1.0, LEAST_FREEDOM),
        answers=max(answers - items * shown - raters, LEAST_FREEDOM),
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
    shown = max(1.0 - variance / solution.base.variance, 0.1)
    positions = 0.5 + stretched(unit * (solution.mean - solution.mean.mean()), UNRATED_SD**2)
    total, items = float(answers.sum()), len(solution.mean)
    sure = Sureness(
        items=max((items - 1) * shown**2, LEAST_FREEDOM),
        raters=max(float(len(answers)) - 1.0, LEAST_FREEDOM),
        answers=max(total - items * shown, LEAST_FREEDOM),
    )
    return World(name, scenario, positions, _shares(answers), sure, has_unit=False)


def spam_share(spam: Vector, answers: Vector) -> float:
    """Return the share of spammers: the mean probability of spam, weighted by answers.

    Raters with few answers keep a probability near its prior, so a plain mean would be too small.
    """
    return float(np.average(spam, weights=answers)) if answers.sum() > 0.0 else 0.0


def answers_by_rater(judgments: Judgments) -> Vector:
    """Return the number of rows of each rater; none for a file that does not name its raters."""
    count = np.zeros(len(judgments.raters))
    for table in judgments.tables.values():
        rater = table.codes.get("rater", np.zeros(0, dtype=np.int64))
        np.add.at(count, rater[rater >= 0], table.weights[: len(rater)][rater >= 0])
    return count


def _shares(answers: Vector) -> tuple[float, ...]:
    """Return the share of the answers of each rater, in falling order."""
    return tuple(_busiest(answers)[1].tolist())
