"""EASL: a Beta belief per item, moved by direct scores.

Sakaguchi & Van Durme (2018), "Efficient Online Scalar Annotation with Bounded Support", Eqns 12-13 and
24-25. The mode of the belief is the mean of the scores, to the last digit: what EASL adds to direct
assessment is a variance to choose by, not another estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Labels, Matrix, Vector, sum_by
from steelyard.models.model import (
    Capabilities,
    in_sorted_order,
    places_of,
    provenance_of,
    rows_of,
    stated_range,
    unit_scores,
)
from steelyard.models.system_means import ScoredFit, ratings_behind
from steelyard.scales.belief import BetaBelief
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Easl:
    """Each score s in [0, 1] adds s to its item's alpha and 1 - s to its beta.

    >>> from steelyard import Judgments, Rating
    >>> fit = Easl().fit(Judgments.of([Rating("ann", "tea", 0.2), Rating("bob", "tea", 0.4)]))
    >>> round(float(fit.scale.position[0]), 3)
    0.3
    """

    name: ClassVar[str] = "easl"
    kinds: ClassVar[tuple[str, ...]] = ("rating",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        online=True, needs_range=True, belief=frozenset({"beta"})
    )
    quantity: ClassVar[Quantity] = Quantity(
        "mean rating",
        "the mean of the ratings of the {unit}",
        "points",
        caveat="EASL’s intervals do not use the agreement between raters, so they are wider than necessary.",
    )
    seed: int = 0

    def start(self, items: Labels) -> BetaBelief:
        """Beta(1, 1) for every item: position 0.5, variance 1/12."""
        return BetaBelief.fresh(items)

    def update(self, belief: BetaBelief, judgments: Judgments) -> BetaBelief:
        """alpha += s, beta += 1 - s for every score [Eqns 24, 25], as often as the row happened.

        The judgments must state their range.
        """
        ratings = judgments.table("rating")
        if not len(ratings):
            return belief
        at = places_of(judgments.items, belief.item)[ratings.codes["item"]]
        score = unit_scores(ratings.numbers["score"], stated_range(judgments))
        size = len(belief.item)
        hits = sum_by(at, ratings.weights, size)
        gained = sum_by(at, ratings.weights * score, size)
        return belief.added(gained, hits - gained, hits)

    def fit(self, judgments: Judgments) -> ScoredFit:
        """The belief after all judgments, as a scale on the study's range (inferred where nobody stated it)."""
        judgments, places = in_sorted_order(judgments)
        rows_of(judgments, "rating", self.name)
        stated = replace(judgments, range=judgments.score_range)
        belief = self.update(self.start(judgments.items), stated)
        posterior = BetaPosterior(belief, *judgments.score_range)
        provenance = provenance_of(self.name, {}, judgments, self.seed)
        table = judgments.table("rating")
        behind = ratings_behind(judgments, table.numbers["score"], table.weights)
        parts = (belief.item, belief.count, posterior, provenance)
        return ScoredFit(*parts, places=places, ratings=behind)


@dataclass(frozen=True, eq=False)
class BetaPosterior:
    """Beta beliefs stretched from [0, 1] to the study's range."""

    belief: BetaBelief
    lowest: float
    highest: float

    @property
    def position(self) -> Vector:
        """Modes, on the study's range."""
        return self._stretched(self.belief.position)

    @property
    def spread(self) -> Vector:
        """Standard deviations, on the study's range."""
        return np.sqrt(self.belief.variance) * (self.highest - self.lowest)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Intervals of the Betas; they ignore how much raters agree and are far too wide (docs/easl.md)."""
        low, high = beta_distribution.interval(self.belief.alpha, self.belief.beta, level)
        return self._stretched(low), self._stretched(high)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent Beta draws: EASL has no terms that items share."""
        drawn = rng.beta(self.belief.alpha, self.belief.beta, size=(n, len(self.belief.item)))
        return self._stretched(drawn)

    def _stretched(self, unit: Matrix) -> Matrix:
        return self.lowest + unit * (self.highest - self.lowest)
