"""Bradley-Terry: items have worths, and the odds of one being preferred to another are those of their worths.

Bradley & Terry (1952); with ties Davidson (1970) or Rao & Kupper (1967), with order effects Davidson & Beaver
(1977), as a log-linear model with rater covariates Dittrich, Hatzinger & Katzenbeisser (1998) and Dras (2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from steelyard.judgments.table import Judgments
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.model import Capabilities
from steelyard.models.worths import log_worth
from steelyard.scales.quantity import Quantity

if TYPE_CHECKING:
    from steelyard.judgments.counts import PairCounts
    from steelyard.models.bradley_terry.results import BradleyTerryFit


@dataclass(frozen=True)
class BradleyTerry(Settings):
    """Log-worths of items from comparisons, with ties, order, covariates and rater effects as the settings say.

    >>> from steelyard import BradleyTerry, Judgments
    >>> table = {"left": ["tea"] * 3, "right": ["milk"] * 3, "outcome": ["left", "tie", "right"], "count": [61, 24, 35]}
    >>> fit = BradleyTerry(reference="milk").fit(Judgments.from_columns("comparison", table))
    >>> round(fit.coefficients("lambda")["tea"]["estimate"], 4), round(fit.coefficients("lambda")["tie"]["estimate"], 4)
    (0.2778, -0.6551)
    """

    name: ClassVar[str] = "bradley_terry"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        study_settings={"penalty": "auto"},  # the first answers alone would give infinite positions
        remedy="penalty=firth",
    )

    @property
    def quantity(self) -> Quantity:
        """The log-worth; with a probit link, the position of Thurstone's model."""
        if self.link == "logit":
            return log_worth(None)
        return Quantity(
            "Thurstone position",
            "its position in Thurstone’s model. The difference between the positions of two {unit}s is the probit of "
            "the probability that the first is preferred to the second. The mean of all positions is 0",
            "probits",
        )

    def fit(self, judgments: Judgments | PairCounts) -> BradleyTerryFit:
        """The scale of log-worths that these comparisons give, and the model behind it."""
        from steelyard.models.bradley_terry.fitting import fit_model  # its modules are slow to import

        return fit_model(self, self.name, judgments)
