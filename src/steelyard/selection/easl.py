"""EASL's selection: heads by variance, partners by match quality (Algorithm 1 of the paper, corrected).

Where the paper and its authors' code differ, this implementation does the following. The first round covers every item
once. A round has k = N / n lists, capped so that enough partners are left. Ties of variance are broken at random.
Partners are drawn without replacement among the items that are not heads. No item occurs twice in a list.

Reference: Sakaguchi & Van Durme (2018), Efficient Online Scalar Annotation with Bounded Support, ACL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Codes
from steelyard.maths.sampling import shuffled_order, weighted_sample
from steelyard.scales.belief import Belief, BetaBelief
from steelyard.selection.match_quality import GAMMA, match_quality
from steelyard.selection.partners import NOBODY
from steelyard.selection.pool import Choice, Pool, Traits
from steelyard.selection.units import Units


@dataclass(frozen=True, slots=True)
class EaslSelection:
    """Lists of the most uncertain items, each with partners at similar positions.

    Parameters
    ----------
    size
        Number of items in a list. Default 5.
    gamma
        Width of the match quality, as a fraction of the scale. A larger value allows partners that are further away.
        Default 0.1, as in the paper's experiments.
    """

    name: ClassVar[str] = "easl"
    traits: ClassVar[Traits] = Traits(
        learns=True,
        method="Tasks contained the most uncertain items, each with items at similar positions (Sakaguchi & Van Durme, "
        "2018).",
        references=(
            "Sakaguchi, K., & Van Durme, B. (2018). Efficient online scalar annotation with bounded support. ACL.",
        ),
        needs=frozenset({"beta"}),
        default_models={"rating": "easl", "comparison": "beta_ranking"},
        stand_in="match_quality",  # these lists do not link items; the paper uses match quality for comparisons
    )
    size: int = 5
    gamma: float = GAMMA

    def round_size(self, pool: Pool) -> int:
        """Return k = N / n, rounded up and capped so that N - k >= n - 1 (units: items, or systems)."""
        units = len(Units.of(pool).open)
        return max(min(-(-units // self.size), units - (self.size - 1)), 1)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose unjudged units first, then heads by variance with partners by match quality."""
        if not isinstance(belief, BetaBelief):
            raise BadSetting("selection", "'easl' needs a model with a Beta belief. Set model = \"easl\".")
        units = Units.of(pool)
        tasks = min(tasks, -(-pool.remaining // self.size))
        lists = self._covering(units, tasks, rng)
        if len(lists) < tasks:
            lists = lists + self._by_variance(units, _anticipated(belief, units), tasks - len(lists), rng)
        return units.tasks(_rows(lists, self.size), 1, rng)

    def _covering(self, units: Units, tasks: int, rng: np.random.Generator) -> list[Codes]:
        """Return disjoint lists of unjudged units; the last list of a segment is completed at random."""
        lists: list[Codes] = []
        unseen = rng.permutation(np.flatnonzero(units.open & (units.expected == 0)))
        for segment in dict.fromkeys(units.segment[unseen].tolist()):
            members = unseen[units.segment[unseen] == segment]
            for start in range(0, len(members), self.size):
                if len(lists) == tasks:
                    return lists
                lists.append(self._filled(members[start : start + self.size], units, rng))
        return lists

    def _filled(self, few: Codes, units: Units, rng: np.random.Generator) -> Codes:
        """Return a list, completed at random from its segment if it is too short."""
        if len(few) == self.size:
            return few
        others = np.flatnonzero(units.open & (units.segment == units.segment[few[0]]))
        spare = rng.permutation(np.setdiff1d(others, few))
        return np.concatenate([few, spare[: self.size - len(few)]])

    def _by_variance(
        self, units: Units, belief: BetaBelief, tasks: int, rng: np.random.Generator
    ) -> list[Codes]:
        ranked = shuffled_order(np.where(units.open, belief.variance, -1.0), rng)
        heads = ranked[: min(tasks, int(units.open.sum()))]
        return [np.append(head, self._partners(int(head), heads, units, belief, rng)) for head in heads]

    def _partners(
        self, head: int, heads: Codes, units: Units, belief: BetaBelief, rng: np.random.Generator
    ) -> Codes:
        """Return n - 1 partners among the non-heads; heads are used only if a segment has too few others."""
        near = np.flatnonzero(units.open & (units.segment == units.segment[head]))
        candidates = np.setdiff1d(near, heads)
        position, variance = belief.position, belief.variance
        quality = match_quality(
            float(position[head]),
            float(variance[head]),
            position[candidates],
            variance[candidates],
            self.gamma,
        )
        partners = candidates[weighted_sample(quality, self.size - 1, rng)]
        spare = rng.permutation(np.setdiff1d(near, np.append(candidates, head)))
        return np.append(partners, spare[: self.size - 1 - len(partners)])


def _anticipated(belief: BetaBelief, units: Units) -> BetaBelief:
    """Return the belief as if every pending answer agreed with it."""
    pending = units.pending.astype(float)
    middle = belief.position
    return belief.added(pending * middle, pending * (1.0 - middle), pending)


def _rows(lists: list[Codes], size: int) -> Codes:
    """Return lists as rows of equal length, with NOBODY in empty places."""
    rows = np.full((len(lists), size), NOBODY)
    for row, units in enumerate(lists):
        rows[row, : len(units)] = units
    return rows
