"""EASL: a Beta distribution per item, updated by ratings."""

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
    r"""EASL estimates of items from ratings: a Beta(alpha, beta) distribution per item on the range of the study.

    A rating s, rescaled to [0, 1], adds s to alpha and 1 - s to beta of its item:

    .. math::

        \alpha_i \leftarrow \alpha_i + s, \qquad \beta_i \leftarrow \beta_i + 1 - s

    Starting from Beta(1, 1), the mode of the distribution equals the mean of the ratings. EASL therefore gives the
    same positions as direct assessment. It adds a variance that task selection can use.

    Assumptions: ratings of an item are independent, and raters do not differ. The variance depends on the number of
    ratings and on their mean, not on the agreement between raters, so intervals are wider than necessary.

    Parameters
    ----------
    seed
        Seed of random draws. Default: 0.

    References
    ----------
    Sakaguchi, K., & Van Durme, B. (2018). Efficient online scalar annotation with bounded support. ACL,
    Eqns 12-13 and 24-25.

    Examples
    --------
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
        """Return the belief before any judgment: Beta(1, 1), position 0.5 and variance 1/12.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        BetaBelief
            The prior belief.
        """
        return BetaBelief.fresh(items)

    def update(self, belief: BetaBelief, judgments: Judgments) -> BetaBelief:
        """Return the belief after more ratings: alpha += s, beta += 1 - s for every score [Eqns 24, 25].

        A row with a count of n is added n times.

        Parameters
        ----------
        belief
            Belief returned by `start`, `update` or `load_belief`.
        judgments
            Ratings of items that the belief contains, with a stated range.

        Returns
        -------
        BetaBelief
            The new belief. The argument is not changed.

        Raises
        ------
        BadSetting
            If the judgments do not state their range.
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
        """Fit the model to ratings.

        Parameters
        ----------
        judgments
            Ratings. If they state no range, it is inferred from the scores.

        Returns
        -------
        ScoredFit
            Positions on the range of the study. `fit.systems()` averages them over systems.

        Raises
        ------
        NothingToFit
            If there are no judgments of this kind.
        """
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
    """Beta distributions of the items, rescaled from [0, 1] to the range of the study."""

    belief: BetaBelief
    lowest: float
    highest: float

    @property
    def position(self) -> Vector:
        """Mode of each distribution, on the range of the study."""
        return self._stretched(self.belief.position)

    @property
    def spread(self) -> Vector:
        """Standard deviation of each distribution, on the range of the study."""
        return np.sqrt(self.belief.variance) * (self.highest - self.lowest)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return intervals of the Beta distributions.

        They do not use the agreement between raters and are much too wide (docs/explanation/models/easl.md).
        """
        low, high = beta_distribution.interval(self.belief.alpha, self.belief.beta, level)
        return self._stretched(low), self._stretched(high)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return independent Beta draws; EASL has no effects that items share."""
        drawn = rng.beta(self.belief.alpha, self.belief.beta, size=(n, len(self.belief.item)))
        return self._stretched(drawn)

    def _stretched(self, unit: Matrix) -> Matrix:
        return self.lowest + unit * (self.highest - self.lowest)
