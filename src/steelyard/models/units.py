"""A scale of items, or of the systems that made them, by any model."""

from __future__ import annotations

from steelyard.errors import UnknownName
from steelyard.judgments.table import Judgments
from steelyard.models.model import Model
from steelyard.models.outputs import SEGMENTS
from steelyard.models.refitting import fit_systems
from steelyard.scales.fit import Fit, Sample

UNITS = ("item", "system")


def fit_unit(
    model: Model, judgments: Judgments, unit: str, target: Sample = "new", raters: Sample = "new"
) -> Fit:
    """The scale of items or of systems.

    Scores are about items: a model of scores fits the items, and systems come from them. Comparisons need not link
    the outputs of different segments, so a model of comparisons fits the systems in the items' place.
    """
    for name, value in (("unit", unit), ("target", target), ("raters", raters)):
        known = UNITS if name == "unit" else tuple(SEGMENTS)
        if value not in known:
            raise UnknownName(name, value, known)
    if unit == "item":
        return model.fit(judgments)
    if "rating" in model.kinds:
        return model.fit(judgments).systems(target, raters)
    return fit_systems(model, judgments, target, raters)
