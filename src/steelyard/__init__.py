"""Steelyard: graded human judgments in, one calibrated scale with honest uncertainty out."""

from steelyard.errors import SteelyardError
from steelyard.judgments.read import read
from steelyard.judgments.records import BestWorst, Comparison, Range, Ranking, Rating
from steelyard.judgments.table import Judgments
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.easl import Easl
from steelyard.models.steelyard.model import Steelyard
from steelyard.scales.fit import Fit
from steelyard.scales.scale import Scale
from steelyard.version import VERSION as __version__

__all__ = [
    "BestWorst",
    "Comparison",
    "DirectAssessment",
    "Easl",
    "Fit",
    "Judgments",
    "Range",
    "Ranking",
    "Rating",
    "Scale",
    "Steelyard",
    "SteelyardError",
    "__version__",
    "read",
]
