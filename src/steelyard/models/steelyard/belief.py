"""The belief that selection looks at, and how new answers move it without a refit.

Between refits the variances and the slope, noise and spam probability of each rater stand still; positions
and biases move, each list once, in the order of its arrival.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from steelyard.errors import UnknownItem
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.models.model import unit_scores
from steelyard.models.steelyard.clipping import cut_site, expected_clip

N = TypeVar("N", float, Vector)


@dataclass(frozen=True, slots=True)
class RaterBelief:
    """The estimate of one rater: bias as precision and precision x mean, and the terms of the last refit."""

    precision: float
    pull: float
    slope: float
    slope_error: float
    noise_variance: float
    spam: float


@dataclass(frozen=True, slots=True)
class Habits:
    """Variances of the last refit, and where the latent scale lies on the scale of answers."""

    centre: float
    bias_variance: float
    offset_variance: float
    slope_variance: float
    noise_variance: float
    spam_share: float
    low: float = -np.inf  # answers at an end say "there or beyond"; infinite where ends are ignored
    high: float = np.inf

    def newcomer(self) -> RaterBelief:
        """A rater nobody has seen."""
        prior = 1.0 / self.bias_variance
        return RaterBelief(prior, 0.0, 1.0, self.slope_variance, self.noise_variance, self.spam_share)

    def answer(self, latent: Vector) -> Vector:
        """Expected answers of average honest raters, inside [0, 1]."""
        if not np.isfinite(self.low):
            return np.clip(latent, 0.0, 1.0)
        steady = self.bias_variance + self.offset_variance + self.noise_variance
        return expected_clip(latent, np.sqrt(steady + self.slope_variance * (latent - self.centre) ** 2))


# Before any refit: raters much like those of the simulated scenario `full`.
DEFAULT_HABITS = Habits(0.5, 0.01, 0.005, 0.04, 0.03, 0.05)
DEFAULT_ITEM_VARIANCE = 1.0 / 12.0


@dataclass(frozen=True, eq=False)
class SteelyardBelief:
    """Positions and variances in [0, 1], with what it takes to move them.

    `position_then` and `variance_then` are those of the last refit, an average over variants; answers since
    then move them as they move the latent positions of the fullest variant.
    """

    item: Labels
    count: Vector
    precision: Vector
    pull: Vector
    position_then: Vector
    variance_then: Vector
    latent_then: Vector
    precision_then: Vector
    habits: Habits
    raters: Mapping[str, RaterBelief]
    places: Mapping[str, int]

    @property
    def latent(self) -> Vector:
        """Latent position of each item, less the centre."""
        return self.pull / self.precision

    @cached_property
    def position(self) -> Vector:
        """Expected answer of an average honest rater to each item."""
        centre = self.habits.centre
        moved = self.habits.answer(centre + self.latent) - self.habits.answer(centre + self.latent_then)
        return np.clip(self.position_then + moved, 0.0, 1.0)

    @cached_property
    def variance(self) -> Vector:
        """Variance of each position."""
        return self.variance_then * self.precision_then / self.precision

    @property
    def answer_variance(self) -> float:
        """Variance of one honest answer about the item's position: what selection weighs an answer by."""
        return self.habits.noise_variance + self.habits.offset_variance + self.habits.bias_variance

    def worth(self, rater: str) -> float:
        """What one answer of this rater is worth, in answers of a usual rater."""
        terms = self.raters.get(rater, self.habits.newcomer())
        return float(worth_of(terms.spam, terms.slope, terms.noise_variance, self.habits.noise_variance))


def worth_of(spam: N, slope: N, noise: N, usual_noise: float) -> N:
    """What one answer of a rater says about a position, in answers of an honest rater of slope 1 and usual noise."""
    return (1.0 - spam) * slope**2 * usual_noise / noise


def fresh(item: Labels) -> SteelyardBelief:
    """Nothing judged: the middle of the scale, with the variance of a uniform distribution."""
    flat = np.zeros(len(item))
    precision = np.full(len(item), 1.0 / DEFAULT_ITEM_VARIANCE)
    return SteelyardBelief(
        item=item,
        count=flat,
        precision=precision,
        pull=flat,
        position_then=np.full(len(item), DEFAULT_HABITS.centre),
        variance_then=1.0 / precision,
        latent_then=flat,
        precision_then=precision,
        habits=DEFAULT_HABITS,
        raters=MappingProxyType({}),
        places=MappingProxyType({label: at for at, label in enumerate(item)}),
    )


def folded(belief: SteelyardBelief, judgments: Judgments) -> SteelyardBelief:
    """The belief after these ratings: work in proportion to them, and one copy of the arrays."""
    ratings = judgments.table("rating")
    ratings = ratings.where(np.isfinite(ratings.numbers["score"]) & (ratings.weights > 0.0))
    places = _places(belief, judgments)[ratings.codes["item"]]
    score = unit_scores(ratings.numbers["score"], judgments.score_range)
    count, precision, pull = belief.count.copy(), belief.precision.copy(), belief.pull.copy()
    raters, labels = dict(belief.raters), judgments.raters
    np.add.at(count, places, ratings.weights)
    for rows, code in _lists(ratings.codes, len(ratings)):
        name = None if code == MISSING else str(labels[code])
        rater = belief.habits.newcomer() if name is None else raters.get(name, belief.habits.newcomer())
        at = places[rows]
        update = _update_of(
            belief.habits, rater, _Page(score[rows], ratings.weights[rows], precision[at], pull[at])
        )
        np.add.at(precision, at, update.precision)
        np.add.at(pull, at, update.pull)
        if name is not None:
            raters[name] = update.rater
    return replace(belief, count=count, precision=precision, pull=pull, raters=MappingProxyType(raters))


def _places(belief: SteelyardBelief, judgments: Judgments) -> Codes:
    """Where each item that the judgments name stands in the belief."""
    for label in judgments.items:
        if label not in belief.places:
            raise UnknownItem(label)
    return np.array([belief.places[label] for label in judgments.items], dtype=np.int64)


def _lists(codes: Mapping[str, Codes], size: int) -> list[tuple[Codes, int]]:
    """Rows of each list with the code of its rater, in order of arrival."""
    rater = codes.get("rater", np.full(size, MISSING))
    task = codes.get("task", np.full(size, MISSING))
    rows: dict[tuple[int, int], list[int]] = {}
    for at, (who, page) in enumerate(zip(rater.tolist(), task.tolist(), strict=True)):
        rows.setdefault((who, page if page != MISSING else -2 - at), []).append(at)
    return [(np.array(some, dtype=np.int64), who) for (who, _), some in rows.items()]


@dataclass(frozen=True, eq=False)
class _Page:
    """The answers of one list and the estimates of its items."""

    score: Vector
    weight: Vector
    precision: Vector
    pull: Vector


@dataclass(frozen=True, eq=False)
class _Update:
    """What one list adds to its items, and the rater after it."""

    precision: Vector
    pull: Vector
    rater: RaterBelief


def _update_of(habits: Habits, rater: RaterBelief, page: _Page) -> _Update:
    """The messages of one list, as in `twin.py`, to items and rater that have not received them yet."""
    variance = 1.0 / page.precision
    mean = page.pull * variance
    own = rater.noise_variance / (max(1.0 - rater.spam, 1e-3) * page.weight)
    noise = own + rater.slope_error * (mean**2 + variance)
    loose = 1.0 / rater.precision + habits.offset_variance
    expected = habits.centre + rater.slope * mean + rater.pull / rater.precision
    answer, blur = cut_site(
        page.score, expected, rater.slope**2 * variance + noise + loose, (habits.low, habits.high)
    )
    noise = noise + blur
    certainty = 1.0 / (rater.slope**2 * variance + noise)
    gap = answer - habits.centre - rater.slope * mean
    precision = 1.0 / loose + certainty.sum()
    pull = rater.pull / rater.precision / loose + np.sum(certainty * gap)
    other, other_pull = precision - certainty, pull - certainty * gap
    item_precision = rater.slope**2 / (noise + 1.0 / other)
    item_pull = item_precision * (answer - habits.centre - other_pull / other) / rater.slope
    list_precision = certainty.sum() / (1.0 + certainty.sum() * habits.offset_variance)
    list_pull = np.sum(certainty * gap) / (1.0 + certainty.sum() * habits.offset_variance)
    after = replace(
        rater, precision=rater.precision + float(list_precision), pull=rater.pull + float(list_pull)
    )
    return _Update(item_precision, item_pull, after)
