"""A scale of items or of systems, for any model."""

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
    """Fit a model and return the scale of items or of systems.

    Models of ratings fit the items and then average them within systems. Comparisons may not link the outputs of
    different segments, so models of comparisons are fitted to systems directly.

    Parameters
    ----------
    model
        Model with its settings.
    judgments
        Judgments of a kind that the model takes, or that can be converted to one.
    unit
        `"item"` or `"system"`.
    target
        Segments that a scale of systems describes: `"new"` or `"these"`.
    raters
        Raters that a scale of systems describes: `"new"` or `"these"`.

    Returns
    -------
    Fit
        A fit whose items are the items or the systems.
    """
    for name, value in (("unit", unit), ("target", target), ("raters", raters)):
        choices = UNITS if name == "unit" else tuple(SEGMENTS)
        if value not in choices:
            raise UnknownName(name, value, choices)
    judgments = suited(model, judgments)
    if unit == "item":
        if model.capabilities.systems_only:
            raise BadSetting(
                "unit",
                f"the model {model.name} estimates systems, not items. It needs "
                f"{' or '.join(model.kinds)} judgments with a system column and "
                "unit='system' (--unit system).",
            )
        return model.fit(judgments)
    if "rating" in model.kinds:
        aimed, target = _aimed(model, target)
        return aimed.fit(judgments).systems(target, raters)
    return fit_systems(model, judgments, target, raters)


def _aimed(model: Any, target: Sample) -> tuple[Model, Sample]:
    """Return the model with this target if it has the setting, and the target. `these` takes precedence."""
    settings = {each.name for each in fields(model)} if is_dataclass(model) else set()
    if "target" not in settings:
        made: Model = model
        return made, target
    chosen: Sample = "these" if "these" in (target, model.target) else "new"
    aimed: Model = replace(model, target=chosen)
    return aimed, chosen
