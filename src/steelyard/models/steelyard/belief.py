"""The belief that selection uses, and its updates without a refit.

Between refits, variances and the slope, noise and spam probability of each rater are fixed. Positions and biases are
updated once per list, in the order of arrival.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from steelyard.errors import UnknownItem
from steelyard.judgments.table import MISSING, Judgments
from steelyard.judgments.table_kinds import KINDS
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.models.model import unit_scores
from steelyard.models.steelyard.clipping import cut_site, expected_clip
from steelyard.models.steelyard.mixed.learning import FIRST_TIE_WIDTH
from steelyard.models.steelyard.mixed.next_answer import (
    KindBelief,
    pair_information,
    rating_information,
    variance_removed,
)
from steelyard.models.steelyard.mixed.statements import Link

N = TypeVar("N", float, Vector)


@dataclass(frozen=True, slots=True)
class RaterBelief:
    """Estimates of one rater: bias as precision and precision x mean, and the effects of the last refit."""

    precision: float
    pull: float
    slope: float
    slope_error: float
    noise_variance: float
    spam: float


@dataclass(frozen=True, slots=True)
class Habits:
    """Variances of the last refit, and the location of the latent scale on the scale of answers."""

    centre: float
    bias_variance: float
    offset_variance: float
    slope_variance: float
    noise_variance: float
    spam_share: float
    low: float = -np.inf  # answers at an end are censored here; infinite if ends are ignored
    high: float = np.inf

    def newcomer(self) -> RaterBelief:
        """Return the belief about a rater without answers."""
        prior = 1.0 / self.bias_variance
        return RaterBelief(prior, 0.0, 1.0, self.slope_variance, self.noise_variance, self.spam_share)

    def answer(self, latent: Vector) -> Vector:
        """Return the expected answers of average honest raters, inside [0, 1]."""
        if not np.isfinite(self.low):
            return np.clip(latent, 0.0, 1.0)
        steady = self.bias_variance + self.offset_variance + self.noise_variance
        return expected_clip(latent, np.sqrt(steady + self.slope_variance * (latent - self.centre) ** 2))


# Before any refit: values similar to the raters of the simulated scenario `full`.
DEFAULT_HABITS = Habits(0.5, 0.01, 0.005, 0.04, 0.03, 0.05)
DEFAULT_ITEM_VARIANCE = 1.0 / 12.0


@dataclass(frozen=True, eq=False)
class SteelyardBelief:
    """Positions and variances in [0, 1], with the quantities needed to update them.

    Attributes
    ----------
    item
        Item ids.
    count
        Number of judgments of each item.
    precision
        Precision of the latent position of each item.
    pull
        Precision times latent position of each item.
    position_at_refit, variance_at_refit
        Positions and variances of the last refit, averaged over variants. Later answers change them by as much as
        they change the latent positions of the variant with the largest weight.
    latent_at_refit, precision_at_refit
        Latent positions and precisions at the last refit.
    habits
        Variances of the last refit, and the location of the latent scale.
    raters
        Estimated habits of each rater, by name.
    places
        Index of each item, by id.
    links
        How judgments of each kind that orders items depend on the latent scale, by kind; from the last refit.
    """

    item: Labels
    count: Vector
    precision: Vector
    pull: Vector
    position_at_refit: Vector
    variance_at_refit: Vector
    latent_at_refit: Vector
    precision_at_refit: Vector
    habits: Habits
    raters: Mapping[str, RaterBelief]
    places: Mapping[str, int]
    links: Mapping[str, Link] = field(default_factory=dict)

    @property
    def latent(self) -> Vector:
        """Latent position of each item, relative to the centre."""
        return self.pull / self.precision

    @cached_property
    def position(self) -> Vector:
        """Expected answer of an average honest rater to each item."""
        centre = self.habits.centre
        moved = self.habits.answer(centre + self.latent) - self.habits.answer(centre + self.latent_at_refit)
        return np.clip(self.position_at_refit + moved, 0.0, 1.0)

    @cached_property
    def variance(self) -> Vector:
        """Variance of each position."""
        return self.variance_at_refit * self.precision_at_refit / self.precision

    @property
    def answer_variance(self) -> float:
        """Variance of one honest answer around the item's position, which selection uses."""
        return self.habits.noise_variance + self.habits.offset_variance + self.habits.bias_variance

    def link_of(self, kind: str) -> Link:
        """Return the link of a kind; before its first fit, a difference has the noise of two ratings."""
        first = Link(1.0 / float(np.sqrt(2.0 * self.habits.noise_variance)), FIRST_TIE_WIDTH)
        return self.links.get(kind, first)

    def in_kind(self, kind: str) -> KindBelief:
        """Return this belief in units of the noise of a kind that orders items."""
        unit = self.link_of(kind).discrimination
        return KindBelief(self.item, self.count, unit * self.latent, unit**2 / self.precision)

    def variance_removed(self, kind: str, items: Codes, pairs: Codes, weights: Vector, rater: str) -> float:
        """Return how much of the variance of the latent positions one answer is expected to remove.

        Parameters
        ----------
        kind
            Kind of the answer.
        items
            Indices of the items of the task.
        pairs
            Places in the task of the items of each pair that is compared, for kinds that order items.
        weights
            Weight of each of these items.
        rater
            Rater who would answer, whose bias may be known.

        Returns
        -------
        float
            Weighted sum over the items. 0 for a task that carries no information.
        """
        variance, table = 1.0 / self.precision[items], KINDS[kind]
        if table.orders is None:
            bias = 1.0 / self.raters.get(rater, self.habits.newcomer()).precision
            common = bias + self.habits.offset_variance
            information = rating_information(len(items), self.habits.noise_variance, common)
        else:
            information = pair_information(self.latent[items], variance, self.link_of(kind), table, pairs)
        return variance_removed(variance, information, weights)

    def worth(self, rater: str) -> float:
        """Return the information in one answer of this rater, relative to an average honest rater.

        A value of 0.1 means that ten answers of this rater carry the information of one answer of an average rater.
        """
        terms = self.raters.get(rater, self.habits.newcomer())
        return float(
            relative_information(terms.spam, terms.slope, terms.noise_variance, self.habits.noise_variance)
        )


def relative_information(spam: N, slope: N, noise: N, common_noise: float) -> N:
    """Return the information in one answer of a rater about a position.

    The unit is one answer of an honest rater with slope 1 and the common noise variance.

    Parameters
    ----------
    spam
        Probability that the rater is a spammer.
    slope
        Slope of the rater.
    noise
        Noise variance of the rater.
    common_noise
        Noise variance of an average honest rater.

    Returns
    -------
    float or Vector
        (1 - spam) slope^2 common_noise / noise.
    """
    return (1.0 - spam) * slope**2 * common_noise / noise


def fresh(item: Labels) -> SteelyardBelief:
    """Return the belief before any rating: the middle of the scale, with the variance of a uniform distribution."""
    flat = np.zeros(len(item))
    precision = np.full(len(item), 1.0 / DEFAULT_ITEM_VARIANCE)
    return SteelyardBelief(
        item=item,
        count=flat,
        precision=precision,
        pull=flat,
        position_at_refit=np.full(len(item), DEFAULT_HABITS.centre),
        variance_at_refit=1.0 / precision,
        latent_at_refit=flat,
        precision_at_refit=precision,
        habits=DEFAULT_HABITS,
        raters=MappingProxyType({}),
        places=MappingProxyType({label: at for at, label in enumerate(item)}),
    )


def folded(belief: SteelyardBelief, judgments: Judgments) -> SteelyardBelief:
    """Return the belief after more ratings. Time is proportional to them, plus one copy of the arrays."""
    ratings = judgments.table("rating")
    ratings = ratings.where(np.isfinite(ratings.numbers["score"]) & (ratings.weights > 0.0))
    places = places_of(belief, judgments)[ratings.codes["item"]]
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


def places_of(belief: SteelyardBelief, judgments: Judgments) -> Codes:
    """Return the index in the belief of each item that the judgments name."""
    for label in judgments.items:
        if label not in belief.places:
            raise UnknownItem(label)
    return np.array([belief.places[label] for label in judgments.items], dtype=np.int64)


def _lists(codes: Mapping[str, Codes], size: int) -> list[tuple[Codes, int]]:
    """Return the rows of each list with the code of its rater, in order of arrival."""
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
    """Changes of the items by one list, and the rater after it."""

    precision: Vector
    pull: Vector
    rater: RaterBelief


def _update_of(habits: Habits, rater: RaterBelief, page: _Page) -> _Update:
    """Return the messages of one list, as in `twin.py`, to items and rater without earlier messages from it."""
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
