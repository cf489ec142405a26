"""Systems from comparisons, rankings and choices: the model is refitted with systems in place of items."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from steelyard.errors import UnknownName
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import MISSING, Judgments
from steelyard.models.clusters import rater_codes, segment_codes
from steelyard.models.outputs import RATERS, SEGMENTS, target_in_words
from steelyard.models.samples import absent, left_out, sampled
from steelyard.scales.fit import Fit, Sample

INDEPENDENT = (
    "Standard errors of this model assume independent judgments, even from one rater or about one segment."
)


@dataclass(frozen=True, eq=False)
class RefittingFit(Fit):
    """Scale of items that can be refitted for systems.

    Parameters
    ----------
    model
        Model that made the fit.
    source
        Judgments of the fit. None if it cannot be refitted. See `Fit` for the other fields.
    """

    model: Any = None
    source: Judgments | None = None

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Return the scale of the systems: the same model, with clustered standard errors.

        Parameters
        ----------
        target
            `"new"` (default) clusters by segment, to generalise to new segments. `"these"` does not.
        raters
            `"new"` (default) clusters by rater, to generalise to new raters. `"these"` does not.

        Returns
        -------
        Fit
            A fit whose items are the systems.
        """
        if self.source is None:
            return super().systems(target, raters)
        return fit_systems(self.model, self.source, target, raters)


def fit_systems(model: Any, source: Judgments, target: Sample, raters: Sample) -> Fit:
    """Fit the model to judgments of systems.

    Parameters
    ----------
    model
        Model with its settings. A setting `cluster` other than `"auto"` takes precedence over `target` and `raters`.
    source
        Judgments with a system for each item.
    target
        `"new"` clusters standard errors by segment, `"these"` does not.
    raters
        `"new"` clusters standard errors by rater, `"these"` does not.

    Returns
    -------
    Fit
        A fit whose items are the systems.
    """
    for name, value, choices in (("target", target, SEGMENTS), ("raters", raters, RATERS)):
        if value not in choices:
            raise UnknownName(name, value, tuple(choices))
    used = replace(
        source, tables={kind: table for kind, table in source.tables.items() if kind in model.kinds}
    )
    systems = used.at_unit("system").compact()
    names = {field.name for field in fields(model)}
    changed: dict[str, Any] = {"reference": None} if "reference" in names else {}
    notes = [INDEPENDENT]
    if "cluster" in names:
        changed["cluster"], notes = _clustered(model, systems, target, raters)
    fit: Fit = replace(model, **changed).fit(systems)
    settings = {"unit": "system", "target": target_in_words(target, raters), **fit.provenance.settings}
    return replace(
        fit,
        provenance=replace(fit.provenance, settings=settings),
        notes=(*_left_out(used, systems), *notes, *fit.notes),
    )


def _clustered(model: Any, systems: Judgments, target: Sample, raters: Sample) -> tuple[str, list[str]]:
    """Return the clustering and remarks on it. The settings of the model take precedence over the target."""
    if model.cluster != "auto":
        return model.cluster, left_out(model.cluster, target, raters)
    if getattr(model, "standard_errors", "information") != "information":
        return "auto", []
    return _cluster(systems, target, raters)


def _cluster(systems: Judgments, target: Sample, raters: Sample) -> tuple[str, list[str]]:
    """Return the clustering that the target needs, and a note for each variable that the judgments lack."""
    tables = systems.tables.values()
    named = {
        "rater": _levels([rater_codes(systems, table) for table in tables]),
        "segment": _levels([segment_codes(table) for table in tables]),
    }
    wanted = sampled(target, raters)
    ways = [name for name in wanted if named[name] > 1]
    notes = [absent(name, named[name]) for name in wanted if name not in ways]
    return ("both" if len(ways) == 2 else ways[0] if ways else "none"), notes


def _levels(columns: list[Any]) -> int:
    codes = np.concatenate([np.empty(0, dtype=np.int64), *columns])
    return len(np.unique(codes[codes != MISSING]))


def _left_out(items: Judgments, systems: Judgments) -> list[str]:
    """Return a note on judgments that name no system, or the same system twice."""
    before, after = (count_judgments(each, each.kinds) for each in (items, systems))
    if before == after:
        return []
    return [
        f"{before - after:,} of {before:,} judgments name no system, or compare a system with itself. They are not "
        "used for the scale of systems."
    ]
