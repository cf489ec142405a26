"""A scale of items, or of the systems that made them, by any model."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.table import Judgments
from steelyard.models.known import suited
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
        choices = UNITS if name == "unit" else tuple(SEGMENTS)
        if value not in choices:
            raise UnknownName(name, value, choices)
    judgments = suited(model, judgments)
    if unit == "item":
        if model.capabilities.systems_only:
            raise BadSetting("unit", f"{model.name} scales systems only. Choose unit system (--unit system).")
        return model.fit(judgments)
    if "rating" in model.kinds:
        aimed, target = _aimed(model, target)
        return aimed.fit(judgments).systems(target, raters)
    return fit_systems(model, judgments, target, raters)


def _aimed(model: Any, target: Sample) -> tuple[Model, Sample]:
    """The model with this target, where it has one of its own; these segments count if either says so."""
    settings = {each.name for each in fields(model)} if is_dataclass(model) else set()
    if "target" not in settings:
        made: Model = model
        return made, target
    chosen: Sample = "these" if "these" in (target, model.target) else "new"
    aimed: Model = replace(model, target=chosen)
    return aimed, chosen
