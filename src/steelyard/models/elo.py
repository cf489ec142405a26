"""Elo: a rating per item, moved by what a comparison gave beyond what was expected.

Elo (1978), "The Rating of Chessplayers, Past and Present", with the logistic curve. The result depends on the order of
the judgments: `fit` takes them in the order of the file unless `shuffle` is set, and the last ones weigh most
(docs/comparisons.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.models.model import Capabilities
from steelyard.models.online.learning import fit_in_order, update_in_order
from steelyard.models.online.posterior import GaussianPosterior
from steelyard.models.online.settings import check_above_zero, check_place
from steelyard.models.online.steps import Course, Steps
from steelyard.scales.belief import GaussianBelief
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity


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
    capabilities: ClassVar[Capabilities] = Capabilities(online=True)
    k: float = 4.0
    scale: float = 400.0
    start_rating: float = 1000.0
    start_spread: float = 200.0
    passes: int = 1
    shuffle: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_place(start_rating=self.start_rating)
        check_above_zero(k=self.k, scale=self.scale, start_spread=self.start_spread)
        _ = self._course

    @property
    def quantity(self) -> Quantity:
        """The Elo rating, with the difference that stands for odds of ten to one."""
        return Quantity(
            "Elo rating",
            f"its Elo rating. A difference of {self.scale:g} points between two {{unit}}s means that the higher one "
            "is expected to be preferred with odds of ten to one",
            "Elo points",
            caveat="Elo ratings depend on the order of the comparisons.",
        )

    def start(self, items: Labels) -> GaussianBelief:
        """The same rating for every item."""
        return GaussianBelief.fresh(items, self.start_rating, self.start_spread**2)

    def update(self, belief: GaussianBelief, judgments: Judgments) -> GaussianBelief:
        """The belief after these comparisons, one after the other.

        With one pass and no shuffling, folding parts is fitting the whole, to the last digit.
        """
        return update_in_order(belief, judgments, self._course, self._fold)

    def fit(self, judgments: Judgments) -> Fit:
        """The ratings after all comparisons, in the order of the file or shuffled."""
        return fit_in_order(self, judgments, lambda belief: EloPosterior(belief, self.scale))

    def _fold(self, belief: GaussianBelief, steps: Steps) -> GaussianBelief:
        from steelyard.models.online.elo_kernel import fold  # numba is slow to import

        rating, variance = fold(belief.position, belief.variance, steps, self.k, self.scale)
        return replace(belief, position=rating, variance=variance)

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
