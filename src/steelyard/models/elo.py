"""Elo: a rating per item, moved by what a comparison gave beyond what was expected.

Elo (1978), "The Rating of Chessplayers, Past and Present", with the logistic curve. The result hangs on the order of
the judgments: `fit` takes them in the order of the file, and the last ones weigh most (docs/comparisons.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.models.model import provenance_of, rows_of
from steelyard.models.online.posterior import GaussianPosterior
from steelyard.models.online.steps import Course, sorted_items, steps_of, times_judged
from steelyard.scales.belief import GaussianBelief
from steelyard.scales.fit import Fit


@dataclass(frozen=True, slots=True)
class Elo:
    """r += k (score - expected), a tie scoring one half; `scale` points apart is ten wins to one.

    `start_spread` is how far items are thought to stand from `start` before anything is known; it says how sure
    ratings are and does not move them. A count of n is n updates, a fraction of one a fraction of the step. With
    `passes` each row counts 1/passes in each of them; `shuffle` takes the rows of each pass in a random order made
    from `seed`.

    >>> from steelyard import Comparison, Judgments
    >>> fit = Elo(k=32).fit(Judgments.of([Comparison("ann", "tea", "milk", "left")]))
    >>> fit.scale.position.tolist()
    [1016.0, 984.0]
    """

    name: ClassVar[str] = "elo"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    k: float = 4.0
    scale: float = 400.0
    start_rating: float = 1000.0
    start_spread: float = 200.0
    passes: int = 1
    shuffle: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("k", "scale", "start_spread"):
            if not getattr(self, name) > 0.0:
                raise BadSetting(name, f"{getattr(self, name)} is not above 0.")
        _ = self._course

    def start(self, items: Labels) -> GaussianBelief:
        """The same rating for every item."""
        return GaussianBelief.fresh(items, self.start_rating, self.start_spread**2)

    def update(self, belief: GaussianBelief, judgments: Judgments) -> GaussianBelief:
        """The belief after these comparisons, one after the other.

        With one pass and no shuffling, folding parts is fitting the whole, to the last digit.
        """
        steps = steps_of(judgments, belief.item)
        if not len(steps.left):
            return belief
        from steelyard.models.online.elo_kernel import fold  # late: numba

        state = belief.position, belief.variance
        for each in self._course.through(steps):
            state = fold(*state, each, self.k, self.scale)
        rating, variance = state
        return replace(belief, position=rating, variance=variance, count=times_judged(steps, belief.count))

    def fit(self, judgments: Judgments) -> Fit:
        """The ratings after all comparisons in the order of the file."""
        rows_of(judgments, "comparison", self.name)
        items, places = sorted_items(judgments)
        belief = self.update(self.start(items), judgments)
        settings = {
            "k": self.k,
            "scale": self.scale,
            "start_rating": self.start_rating,
            "start_spread": self.start_spread,
            "passes": self.passes,
            "shuffle": self.shuffle,
        }
        provenance = provenance_of(self.name, settings, judgments, self.seed, "comparison")
        return Fit(belief.item, belief.count, EloPosterior(belief, self.scale), provenance, places=places)

    @property
    def _course(self) -> Course:
        return Course(self.passes, self.shuffle, self.seed)


@dataclass(frozen=True, eq=False)
class EloPosterior(GaussianPosterior):
    """Ratings, and their errors: what is left of the spread at the start, and what single outcomes still move."""

    scale: float

    def expected_score(self, left: Codes, right: Codes) -> Vector:
        """Wins and half the ties that left may expect of one comparison, items by their places in `Fit.item`."""
        gap = (self.position[right] - self.position[left]) / self.scale
        expected: Vector = 1.0 / (1.0 + 10.0**gap)
        return expected
