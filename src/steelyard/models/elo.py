"""Elo: a rating per item, updated by each comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from steelyard.judgments.logs import OrderedComparisons
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.models.model import Capabilities
from steelyard.models.online.learning import Folding, fit_in_order, fit_log_in_order, update_in_order
from steelyard.models.online.posterior import GaussianPosterior
from steelyard.models.online.settings import check_above_zero, check_place
from steelyard.models.online.steps import Course, Steps
from steelyard.scales.belief import GaussianBelief
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Elo:
    r"""Elo rating of items from comparisons with ties.

    After each comparison, both ratings move by the difference between the score and the expected score:

    .. math::

        e = \frac{1}{1 + 10^{(r_j - r_i) / \mathrm{scale}}}

        r_i \leftarrow r_i + k (s - e), \qquad r_j \leftarrow r_j - k (s - e)

    where the score s is 1 for a win of item i, 1/2 for a tie and 0 for a loss. A difference of `scale` points means
    odds of ten to one.

    The standard error of a rating combines what remains of `start_spread` and the noise of single outcomes.

    Assumptions: comparisons are independent and all raters have the same noise. Results depend on the order of the
    rows, and the last comparisons have the most influence. Set `passes` to reduce this effect.

    A row with a count of n is n updates. A fractional count scales the step of the update.

    Parameters
    ----------
    k
        Largest change of a rating by one comparison, in points. Above 0, default 4.
    scale
        Difference in points that corresponds to odds of ten to one. Above 0, default 400.
    start_rating
        Rating of every item before any comparison. Default: 1000.
    start_spread
        Standard deviation of the true ratings around `start_rating`. It affects standard errors, not ratings. Above
        0, default 200.
    passes
        Number of passes through the comparisons. Default: 1. Each comparison has weight 1 / passes in each pass, so
        results depend less on the order of the rows.
    shuffle
        Whether each pass processes the comparisons in a random order. Default: False, the order of the rows.
    seed
        Seed of the random order. Default: 0.

    References
    ----------
    Elo, A. E. (1978). The rating of chessplayers, past and present. Arco. Used here with the logistic curve.

    Examples
    --------
    >>> from steelyard import Comparison, Judgments
    >>> fit = Elo(k=32).fit(Judgments.of([Comparison("ann", "tea", "milk", "left")]))
    >>> fit.scale.position.tolist()
    [1016.0, 984.0]
    """

    name: ClassVar[str] = "elo"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(online=True, counts=True)
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
        """Meaning of the positions: Elo ratings, with the difference that means odds of ten to one."""
        return Quantity(
            "Elo rating",
            f"its Elo rating. A difference of {self.scale:g} points between two {{unit}}s means that the higher one "
            "is expected to be preferred with odds of ten to one",
            "Elo points",
            caveat="Elo ratings depend on the order of the comparisons.",
        )

    def start(self, items: Labels) -> GaussianBelief:
        """Return the belief before any judgment: the same rating for every item.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        GaussianBelief
            The prior belief.
        """
        return GaussianBelief.fresh(items, self.start_rating, self.start_spread**2)

    def update(self, belief: GaussianBelief, judgments: Judgments) -> GaussianBelief:
        """Return the belief after more comparisons, processed in their order.

        With one pass and no shuffling, updating in parts equals fitting all comparisons, to the last digit.

        Parameters
        ----------
        belief
            Belief returned by `start`, `update` or `load_belief`.
        judgments
            Comparisons of items that the belief contains.

        Returns
        -------
        GaussianBelief
            The new belief. The argument is not changed.
        """
        return update_in_order(belief, judgments, self._course, self._fold)

    def fit(self, judgments: Judgments | OrderedComparisons) -> Fit:
        """Fit the model to comparisons, in the order of the rows or shuffled.

        Parameters
        ----------
        judgments
            Comparisons, with or without ties, or a log from `steelyard.connect` with a column of times.

        Returns
        -------
        Fit
            Ratings with standard errors. `fit.posterior.expected_score` predicts the next comparison.

        Raises
        ------
        NothingToFit
            If there are no judgments of this kind.
        """
        if isinstance(judgments, OrderedComparisons):
            return fit_log_in_order(self, judgments, Folding(self._course, self._fold), self._posterior)
        return fit_in_order(self, judgments, self._posterior)

    def _posterior(self, belief: GaussianBelief) -> EloPosterior:
        return EloPosterior(belief, self.scale)

    def _fold(self, belief: GaussianBelief, steps: Steps) -> GaussianBelief:
        from steelyard.models.online.elo_kernel import fold  # numba is slow to import

        rating, variance = fold(belief.position, belief.variance, steps, self.k, self.scale)
        return replace(belief, position=rating, variance=variance)

    @property
    def _course(self) -> Course:
        return Course(self.passes, self.shuffle, self.seed)


@dataclass(frozen=True, eq=False)
class EloPosterior(GaussianPosterior):
    """Ratings with their standard errors, and the expected score of the next comparison."""

    scale: float

    def expected_score(self, left: Codes, right: Codes) -> Vector:
        """Return the expected score of left in one comparison: probability of a win plus half that of a tie.

        `left` and `right` are indices of items in `Fit.item`.
        """
        gap = (self.position[right] - self.position[left]) / self.scale
        expected: Vector = 1.0 / (1.0 + 10.0**gap)
        return expected
