"""Win rate: the share of its comparisons that an item wins.

The ways of the WMT campaigns: ties not counted (Callison-Burch et al. 2012) or as half a win, over all comparisons of
an item, or averaged over its opponents, which is the number of expected wins (Koehn 2012; Bojar et al. 2013). Unlike
the other models of comparisons it takes no notice of their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels, Matrix, Vector
from steelyard.models.online.learning import fit_in_order
from steelyard.models.online.steps import steps_of
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity
from steelyard.scales.tally import Rates, Tally


@dataclass(frozen=True, slots=True)
class WinRate:
    """Wins over comparisons: ties not counted or halved, opponents pooled or averaged.

    Pooled rates reward items that met weak opponents; averaged ones do not, but give an opponent met once as
    much weight as one met a thousand times.

    >>> from steelyard import Comparison, Judgments
    >>> rows = [Comparison("ann", "tea", "milk", "left"), Comparison("bob", "tea", "milk", "tie")]
    >>> WinRate(ties="half").fit(Judgments.of(rows)).scale.position.tolist()
    [0.75, 0.25]
    """

    name: ClassVar[str] = "win_rate"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    ties: Literal["ignore", "half"] = "ignore"
    average: Literal["pooled", "opponents"] = "pooled"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.ties not in ("ignore", "half"):
            raise BadSetting("ties", f"{self.ties!r} is neither 'ignore' nor 'half'.")
        if self.average not in ("pooled", "opponents"):
            raise BadSetting("average", f"{self.average!r} is neither 'pooled' nor 'opponents'.")

    @property
    def quantity(self) -> Quantity:
        """The win rate: what is counted and averaged, as the settings say."""
        ties = "not counting ties" if self.ties == "ignore" else "counting a tie as half a win"
        over = ", averaged over its opponents" if self.average == "opponents" else ""
        return Quantity(
            "win rate", f"the share of its comparisons that the {{unit}} won, {ties}{over}", "", (0.0, 1.0)
        )

    def start(self, items: Labels) -> Tally:
        """Nothing compared yet: every rate is 0.5."""
        return Tally.fresh(items, self.ties, self.average)

    def update(self, belief: Tally, judgments: Judgments) -> Tally:
        """The tally with these comparisons added: folding parts is fitting the whole, to the last digit."""
        steps = steps_of(judgments, belief.item)
        return belief.added(*steps) if len(steps.left) else belief

    def fit(self, judgments: Judgments) -> Fit:
        """The rates over all comparisons."""
        ties = self.ties == "half"
        return fit_in_order(self, judgments, lambda belief: RatePosterior(belief.rates), counts_ties=ties)


@dataclass(frozen=True, eq=False)
class RatePosterior:
    """Win rates, and a Beta each that says how sure they are against opponents such as these."""

    rates: Rates

    @property
    def position(self) -> Vector:
        """Win rates."""
        return self.rates.rate

    @property
    def spread(self) -> Vector:
        """Standard deviations of the Betas."""
        return np.sqrt(self.rates.variance)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Equal-tailed intervals of the Betas, widened where needed to hold the rate: one of 0 or 1 lies outside."""
        from scipy.special import betaincinv  # late: SciPy would double the time of `import steelyard`

        tail = (1.0 - level) / 2.0
        low = betaincinv(self.rates.alpha, self.rates.beta, tail)
        high = betaincinv(self.rates.alpha, self.rates.beta, 1.0 - tail)
        return np.minimum(low, self.rates.rate), np.maximum(high, self.rates.rate)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent Beta draws."""
        return rng.beta(self.rates.alpha, self.rates.beta, size=(n, len(self.rates.rate)))
