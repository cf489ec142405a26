"""Systems from comparisons, rankings and choices: the model fitted again with systems in the items' place."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from steelyard.errors import UnknownName
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import MISSING, Judgments
from steelyard.models.clusters import rater_codes, segment_codes
from steelyard.models.outputs import RATERS, SEGMENTS, target_in_words
from steelyard.scales.fit import Fit, Sample

INDEPENDENT = "Standard errors of this model assume independent judgments, whoever gave them on what segment."


@dataclass(frozen=True, eq=False)
class RefittingFit(Fit):
    """A scale of items that can be fitted again for the systems behind them."""

    model: Any = None
    source: Judgments | None = None

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """The systems' scale: the same model, with errors clustered for what `target` and `raters` say."""
        if self.source is None:
            return super().systems(target, raters)
        return fit_systems(self.model, self.source, target, raters)


def fit_systems(model: Any, source: Judgments, target: Sample, raters: Sample) -> Fit:
    """The model fitted to judgments of systems.

    Errors are clustered by segment for `target` new, by rater for `raters` new, unless the model says otherwise.
    """
    for name, value, choices in (("target", target, SEGMENTS), ("raters", raters, RATERS)):
        if value not in choices:
            raise UnknownName(name, value, tuple(choices))
    used = replace(
        source, tables={kind: table for kind, table in source.tables.items() if kind in model.kinds}
    )
    systems = used.at_unit("system").compact()
    names = {field.name for field in fields(model)}
    cluster, notes = _cluster(systems, target, raters) if "cluster" in names else ("none", [INDEPENDENT])
    changed: dict[str, Any] = {"reference": None} if "reference" in names else {}
    if "cluster" in names:
        chosen = model.cluster != "auto" or getattr(model, "standard_errors", "information") != "information"
        changed["cluster"] = model.cluster if chosen else cluster
        notes = [] if chosen else notes
    fit: Fit = replace(model, **changed).fit(systems)
    settings = {"unit": "system", "target": target_in_words(target, raters), **fit.provenance.settings}
    return replace(
        fit,
        provenance=replace(fit.provenance, settings=settings),
        notes=(*_left_out(used, systems), *notes, *fit.notes),
    )


def _cluster(systems: Judgments, target: Sample, raters: Sample) -> tuple[str, list[str]]:
    """The ways of clustering that the target needs, and a note for each that the judgments do not name."""
    tables = systems.tables.values()
    named = {
        "rater": _levels([rater_codes(systems, table) for table in tables]),
        "segment": _levels([segment_codes(table) for table in tables]),
    }
    wanted = [name for name, sample in (("rater", raters), ("segment", target)) if sample == "new"]
    ways = [name for name in wanted if named[name] > 1]
    notes = [
        f"The judgments name {named[name] if named[name] else 'no'} {name}{'' if named[name] == 1 else 's'}, so that "
        f"errors do not allow for new {name}s."
        for name in wanted
        if name not in ways
    ]
    return ("both" if len(ways) == 2 else ways[0] if ways else "none"), notes


def _levels(columns: list[Any]) -> int:
    codes = np.concatenate([np.empty(0, dtype=np.int64), *columns])
    return len(np.unique(codes[codes != MISSING]))


def _left_out(items: Judgments, systems: Judgments) -> list[str]:
    """How many judgments name no system, or one on both sides."""
    before, after = (count_judgments(each, each.kinds) for each in (items, systems))
    if before == after:
        return []
    return [
        f"{before - after:,} of {before:,} judgments name no system, or compare a system with itself, and are left "
        "out of the scale of systems."
    ]
