"""A model in another package: the mean rating of each item, shrunk towards the middle of the scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import ndtr

from steelyard import Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector, sum_by
from steelyard.models.model import (
    Capabilities,
    in_sorted_order,
    places_of,
    provenance_of,
    rows_of,
    stated_range,
    unit_scores,
)
from steelyard.scales.fit import Fit
from steelyard.scales.joint import Joint, JointNormal
from steelyard.scales.quantity import Quantity

PRIOR_MEAN, PRIOR_VARIANCE = 0.5, 1.0 / 12.0  # of a uniform distribution on the unit scale


@dataclass(frozen=True, eq=False)
class MeanBelief:
    """Counts and sums of the scores of each item, on the unit scale."""

    item: Labels
    count: Vector
    total: Vector
    answer_variance: float

    @property
    def variance(self) -> Vector:
        """Posterior variance, 1 / (1 / prior variance + n / answer variance)."""
        return 1.0 / (1.0 / PRIOR_VARIANCE + self.count / self.answer_variance)

    @property
    def position(self) -> Vector:
        """Posterior mean."""
        return self.variance * (PRIOR_MEAN / PRIOR_VARIANCE + self.total / self.answer_variance)


@dataclass(frozen=True, eq=False)
class MeanForecast:
    """A normal distribution for each answer, on the unit scale."""

    mean: Vector
    deviation: Vector

    def holds(self, score: Vector, levels: Vector) -> Matrix:
        """Return 1 where the central interval of a level (row) contains the score, else 0."""
        tail = (1.0 - levels[:, None]) / 2.0
        below = ndtr((score - self.mean) / self.deviation)[None, :]
        return ((below >= tail) & (below <= 1.0 - tail)).astype(float)


@dataclass(frozen=True, slots=True)
class ShrunkenMean:
    """score = position + noise; position ~ N(1/2, 1/12) and noise ~ N(0, `noise`) on the unit scale."""

    name: ClassVar[str] = "shrunken_mean"
    kinds: ClassVar[tuple[str, ...]] = ("rating",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        online=True,
        predicts_answers=True,
        needs_range=True,
        belief=frozenset({"answer_variance", "intervals"}),
    )
    quantity: ClassVar[Quantity] = Quantity(
        "shrunken mean", "the mean rating of the {unit}, shrunk towards the middle of the scale", "points"
    )
    noise: float = 0.04

    def start(self, items: Labels) -> MeanBelief:
        """Return the belief before any rating: every item at the middle of the scale."""
        zeros = np.zeros(len(items))
        return MeanBelief(items, zeros, zeros, self.noise)

    def update(self, belief: MeanBelief, judgments: Judgments) -> MeanBelief:
        """Return the belief after these ratings."""
        ratings, size = judgments.table("rating"), len(belief.item)
        at = places_of(judgments.items, belief.item)[ratings.codes["item"]]
        score = unit_scores(ratings.numbers["score"], stated_range(judgments))
        count = belief.count + sum_by(at, ratings.weights, size)
        return replace(belief, count=count, total=belief.total + sum_by(at, ratings.weights * score, size))

    def forecast(self, belief: MeanBelief, rater: str, at: Codes) -> MeanForecast:
        """Predict answers. The model has no rater effects, so that all raters share one forecast."""
        return MeanForecast(belief.position[at], np.sqrt(belief.variance[at] + self.noise))

    def fit(self, judgments: Judgments) -> Fit:
        """Fit all ratings and return positions on their range."""
        judgments, places = in_sorted_order(judgments)
        rows_of(judgments, "rating", self.name)
        low, high = judgments.score_range
        belief = self.update(self.start(judgments.items), replace(judgments, range=(low, high)))
        covariance = np.diag(belief.variance) * (high - low) ** 2
        posterior = JointNormal(Joint(low + belief.position * (high - low), covariance))
        provenance = provenance_of(self.name, {"noise": self.noise}, judgments, seed=0)
        return Fit(belief.item, belief.count, posterior, provenance, places=places)
