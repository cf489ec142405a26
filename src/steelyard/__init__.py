"""Steelyard: graded human judgments to one calibrated scale with intervals.

`read` loads judgments from a file or data frame. A model such as `BradleyTerry` or `Steelyard` fits them, and the fit
has a `scale` with positions, standard errors and intervals.

>>> from steelyard import BradleyTerry, Comparison, Judgments
>>> votes = [("tea", "milk"), ("milk", "soup"), ("soup", "tea"), ("tea", "soup")]
>>> judgments = Judgments.of(Comparison(f"rater {at}", *pair, "left") for at, pair in enumerate(votes))
>>> scale = BradleyTerry().fit(judgments).scale
>>> dict(zip(scale.item.tolist(), scale.position.round(2).tolist()))
{'tea': 0.42, 'milk': 0.0, 'soup': -0.42}
"""

from steelyard.client.client import Client
from steelyard.engines.connecting import connect
from steelyard.errors import SteelyardError
from steelyard.judgments.conversions import convert
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments
from steelyard.kinds.best_worst import BestWorst
from steelyard.kinds.comparison import Comparison
from steelyard.kinds.known import register_kind
from steelyard.kinds.range import Range
from steelyard.kinds.ranking import Ranking
from steelyard.kinds.rating import Rating
from steelyard.models.best_worst import BestWorstScaling
from steelyard.models.beta_ranking import BetaRanking
from steelyard.models.bradley_terry.anova import anova
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.crossed import Crossed
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.easl import Easl
from steelyard.models.elo import Elo
from steelyard.models.goldilocks import Goldilocks
from steelyard.models.known import register_model
from steelyard.models.plackett_luce.model import PlackettLuce
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.thurstone.model import Thurstone
from steelyard.models.trueskill import TrueSkill
from steelyard.models.win_rate import WinRate
from steelyard.scales.fit import Fit
from steelyard.scales.saved import load_belief, save_belief
from steelyard.scales.scale import Scale
from steelyard.selection.known import register_selection
from steelyard.version import VERSION as __version__

__all__ = [
    "BestWorst",
    "BestWorstScaling",
    "BetaRanking",
    "BradleyTerry",
    "Client",
    "Comparison",
    "Crossed",
    "DirectAssessment",
    "Easl",
    "Elo",
    "Fit",
    "Goldilocks",
    "Judgments",
    "PlackettLuce",
    "Range",
    "Ranking",
    "Rating",
    "Scale",
    "Steelyard",
    "SteelyardError",
    "Thurstone",
    "TrueSkill",
    "WinRate",
    "__version__",
    "anova",
    "connect",
    "convert",
    "load_belief",
    "read",
    "register_kind",
    "register_model",
    "register_selection",
    "save_belief",
]
