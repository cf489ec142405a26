"""Steelyard: graded human judgments in, one calibrated scale with honest uncertainty out."""

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
    "convert",
    "load_belief",
    "read",
    "register_kind",
    "register_model",
    "register_selection",
    "save_belief",
]
