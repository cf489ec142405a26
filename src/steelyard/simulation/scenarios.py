"""Simulated raters: their habits, what they perceive and how they answer.

Raters differ in bias, slope and noise, and some are spammers. All answers of a task share an offset, and lists may
change noise and contrast. Only the pairwise agreement of raters was matched to a source (Sakaguchi & Van Durme 2018:
.67 and .37; here .55 for `full`, .29 for `hard full`). All other sizes are assumptions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from steelyard.errors import UnknownName
from steelyard.maths.arrays import Vector

Spam = Literal["uniform", "constant"]
Shape = Literal["uniform", "skewed", "bimodal", "clustered"]
SHAPES: tuple[Shape, ...] = get_args(Shape)

MIDDLE = 0.5  # slopes rotate around the middle of the scale
UNIFORM_SHARE = 0.6  # share of spammers with uniform random answers; the others give almost constant answers
CONSTANT_NOISE_SD = 0.05  # of a spammer with almost constant answers
PARTICIPATION_POWER = 0.8  # rater a participates in proportion to 1 / (1 + a)^0.8
CLUSTERS = (0.12, 0.3, 0.5, 0.7, 0.88)
CLUSTER_SD = 0.03


@dataclass(frozen=True, slots=True)
class Scenario:
    """How raters differ, on the unit scale.

    Parameters
    ----------
    bias_sd
        Standard deviation of the bias.
    slope_sd
        Standard deviation of the log slope.
    base_noise
        Median standard deviation of an answer.
    noise_spread
        Standard deviation of the log noise between raters.
    spam
        Share of spammers.
    offset_sd
        Standard deviation of the offset that all answers of a task share.
    list_noise_factor
        Factor of the noise in tasks of several items.
    contrast
        Shift of answers away from the mean of the task's items.
    rounding
        Step to which answers are rounded. Default 0.01.
    """

    bias_sd: float
    slope_sd: float
    base_noise: float
    noise_spread: float
    spam: float
    offset_sd: float
    list_noise_factor: float
    contrast: float
    rounding: float = 0.01


SCENARIOS: dict[str, Scenario] = {
    "iid": Scenario(0.0, 0.0, 0.20, 0.0, 0.0, 0.0, 1.0, 0.0),
    "bias": Scenario(0.10, 0.25, 0.17, 0.3, 0.0, 0.0, 1.0, 0.0),
    "bias+spam": Scenario(0.10, 0.25, 0.17, 0.3, 0.10, 0.0, 1.0, 0.0),
    "full": Scenario(0.10, 0.25, 0.15, 0.3, 0.10, 0.10, 1.0, 0.0),
    "full+cmp": Scenario(0.10, 0.25, 0.15, 0.3, 0.10, 0.10, 0.7, 0.0),
    "full+contrast": Scenario(0.10, 0.25, 0.15, 0.3, 0.10, 0.10, 1.0, 0.3),
    "hard iid": Scenario(0.0, 0.0, 0.40, 0.0, 0.0, 0.0, 1.0, 0.0),
    "hard full": Scenario(0.12, 0.30, 0.28, 0.3, 0.15, 0.15, 1.0, 0.0),
    "hard full+cmp": Scenario(0.12, 0.30, 0.28, 0.3, 0.15, 0.15, 0.7, 0.0),
}


SCENARIO_WORDS = {  # how help texts describe the scenarios
    "iid": "raters differ only by chance",
    "bias": "raters differ in bias, in how much of the scale they use, and in noise",
    "bias+spam": "bias with 10% spammers",
    "full": "bias+spam with slightly less noise, and an offset that all answers of a page share",
    "full+cmp": "full, with less noise on pages of several items, because raters can compare them",
    "full+contrast": "full, with answers shifted away from the mean of the page",
    "hard iid": "iid with twice the noise",
    "hard full": "full with more noise, larger differences and 15% spammers",
    "hard full+cmp": "hard full, with less noise on pages of several items",
}


@dataclass(frozen=True, slots=True)
class SimulatedRater:
    """The habits of a simulated rater.

    Attributes
    ----------
    bias
        Constant that is added to every answer, as a share of the scale.
    slope
        Factor on the distance of an item from the middle of the scale.
    noise_sd
        Standard deviation of the noise, as a share of the scale.
    spam
        How a spammer answers, without regard to the items; None for an honest rater.
    """

    bias: float
    slope: float
    noise_sd: float
    spam: Spam | None = None


def closer(rater: SimulatedRater, scenario: Scenario, factor: float) -> tuple[SimulatedRater, Scenario]:
    """Return a rater and a scenario in which all differences between raters are multiplied by a factor.

    The factor applies to bias, log slope, noise and offset. Spammers do not change.

    Parameters
    ----------
    rater
        Habits of the rater.
    scenario
        How raters differ.
    factor
        Factor of the differences; 0.75 is a quarter less disagreement.

    Returns
    -------
    rater : SimulatedRater
        The rater with smaller or larger differences.
    scenario : Scenario
        The scenario with a smaller or larger offset.
    """
    if rater.spam is not None:
        return rater, scenario
    near = replace(
        rater, bias=factor * rater.bias, slope=rater.slope**factor, noise_sd=factor * rater.noise_sd
    )
    return near, replace(scenario, offset_sd=factor * scenario.offset_sd)


def draw_raters(scenario: Scenario, count: int, rng: np.random.Generator) -> list[SimulatedRater]:
    """Draw raters of the scenario, including spammers.

    Parameters
    ----------
    scenario
        How raters differ.
    count
        Number of raters.
    rng
        Source of randomness.

    Returns
    -------
    list of SimulatedRater
        The raters.
    """
    return [_draw_rater(scenario, rng) for _ in range(count)]


def _draw_rater(scenario: Scenario, rng: np.random.Generator) -> SimulatedRater:
    bias = scenario.bias_sd * rng.standard_normal()
    slope = np.exp(scenario.slope_sd * rng.standard_normal())
    noise_sd = scenario.base_noise * np.exp(scenario.noise_spread * rng.standard_normal())
    return SimulatedRater(float(bias), float(slope), float(noise_sd), draw_spam(scenario.spam, rng))


def draw_spam(probability: float, rng: np.random.Generator) -> Spam | None:
    """Return how a rater answers who is a spammer with this probability; None for an honest rater."""
    spams, uniform = rng.random() < probability, rng.random() < UNIFORM_SHARE
    return None if not spams else "uniform" if uniform else "constant"


def participation(count: int) -> Vector:
    """Return the probability that the next task goes to each rater, in proportion to 1 / (1 + a)^0.8.

    It does not depend on the quality of the rater.

    >>> participation(3).round(3).tolist()
    [0.503, 0.289, 0.209]
    """
    weights = 1.0 / (1.0 + np.arange(count)) ** PARTICIPATION_POWER
    return np.asarray(weights / weights.sum())


def draw_truth(shape: Shape, count: int, rng: np.random.Generator) -> Vector:
    """Draw true positions of items in [0, 1].

    Parameters
    ----------
    shape
        Distribution: "uniform", "skewed", "bimodal" or "clustered".
    count
        Number of items.
    rng
        Source of randomness.

    Returns
    -------
    Vector
        One position per item.
    """
    if shape == "uniform":
        return rng.random(count)
    if shape == "skewed":
        return rng.beta(1.5, 5.0, count)
    if shape == "bimodal":
        low = np.arange(count) < count // 2
        return np.where(low, rng.beta(3.0, 12.0, count), rng.beta(12.0, 3.0, count))
    if shape == "clustered":
        centre = np.array(CLUSTERS)[np.arange(count) % len(CLUSTERS)]
        return np.clip(centre + CLUSTER_SD * rng.standard_normal(count), 0.0, 1.0)
    raise UnknownName("distribution of positions", shape, SHAPES)


def answer_task(
    rater: SimulatedRater, scenario: Scenario, truth: Vector, mean_truth: float, rng: np.random.Generator
) -> Vector:
    """Return the scores that a rater gives to the items of one task; a single rating is a task of one item.

    y = 0.5 + slope (z - 0.5) + bias + offset - contrast (mean z of the task - mean z of all) + factor noise_sd N(0, 1),
    rounded and clipped to [0, 1]. Factor and contrast apply only to tasks of several items.

    Parameters
    ----------
    rater
        Habits of the rater.
    scenario
        How raters differ.
    truth
        True positions z of the items of the task.
    mean_truth
        Mean true position of all items.
    rng
        Source of randomness.

    Returns
    -------
    Vector
        One score per item.
    """
    if rater.spam == "uniform":
        return _on_scale(rng.random(len(truth)), scenario)
    if rater.spam == "constant":
        favourite = MIDDLE + 2.0 * rater.bias
        return _on_scale(favourite + CONSTANT_NOISE_SD * rng.standard_normal(len(truth)), scenario)
    several = len(truth) > 1
    context = -scenario.contrast * (truth.mean() - mean_truth) if several else 0.0
    noise_sd = rater.noise_sd * (scenario.list_noise_factor if several else 1.0)
    offset = scenario.offset_sd * rng.standard_normal()
    centre = MIDDLE + rater.slope * (truth - MIDDLE) + rater.bias + offset + context
    return _on_scale(centre + noise_sd * rng.standard_normal(len(truth)), scenario)


def _on_scale(score: Vector, scenario: Scenario) -> Vector:
    steps = np.round(score / scenario.rounding) * scenario.rounding if scenario.rounding > 0.0 else score
    return np.clip(steps, 0.0, 1.0)


def expected_answers(
    scenario: Scenario, truth: Vector, rng: np.random.Generator, raters: int = 300
) -> Vector:
    """Return the expected answer of an average honest rater after clipping, which intervals should cover.

    It is the mean over simulated honest raters, each of whom answers every item once as a single rating.

    Parameters
    ----------
    scenario
        How raters differ.
    truth
        True positions of the items.
    rng
        Source of randomness.
    raters
        Number of raters.

    Returns
    -------
    Vector
        One expected answer per item.
    """
    shape = (raters, 1)
    bias = scenario.bias_sd * rng.standard_normal(shape)
    slope = np.exp(scenario.slope_sd * rng.standard_normal(shape))
    noise_sd = scenario.base_noise * np.exp(scenario.noise_spread * rng.standard_normal(shape))
    each = (raters, len(truth))
    wobble = scenario.offset_sd * rng.standard_normal(each) + noise_sd * rng.standard_normal(each)
    answers = MIDDLE + slope * (truth - MIDDLE) + bias + wobble
    return np.asarray(_on_scale(answers, scenario).mean(axis=0))
