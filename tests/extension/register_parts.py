"""Register a kind, a model and a selection in a script, before a study is opened."""

from most_uncertain import MostUncertain
from shrunken_mean import ShrunkenMean
from yes_no import YES_NO

from steelyard import register_kind, register_model, register_selection

register_kind(YES_NO)
register_model(ShrunkenMean)
register_selection(MostUncertain)
