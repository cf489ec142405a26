"""Fit of the Steelyard model to kinds of judgment other than ratings, alone or mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.errors import BadSetting, NothingCounted, NothingToFit
from steelyard.judgments.assumptions import machine_left_out
from steelyard.judgments.linked import linked_groups
from steelyard.judgments.orders import Orders
from steelyard.judgments.table import Judgments
from steelyard.kinds.known import KINDS
from steelyard.models.model import in_sorted_order, refuse_other_kinds
from steelyard.models.steelyard.mixed.fitting import orders_by_kind, solve_rated, solve_unrated
from steelyard.models.steelyard.mixed.posterior import MixedPosterior
from steelyard.models.steelyard.mixed.ranges import as_ratings
from steelyard.models.steelyard.mixed.results import (
    MixedFit,
    judged_times,
    provenance_of_kinds,
    rater_columns,
    unrated_fit,
)
from steelyard.models.steelyard.raters import rater_rows

if TYPE_CHECKING:  # that module imports this one
    from steelyard.models.steelyard.model import Steelyard

MOST_ITEMS = 2_000  # for which the covariance of all items is kept


def is_mixed(judgments: Judgments, kinds: Sequence[str]) -> bool:
    """Whether some judgments are of other kinds than these."""
    return any(len(table) for kind, table in judgments.tables.items() if kind not in kinds)


def fit_mixed(model: Steelyard, judgments: Judgments) -> MixedFit:
    """Fit judgments of several kinds, or of kinds other than ratings, on one scale.

    Parameters
    ----------
    model
        The model with its settings.
    judgments
        Ratings, comparisons, rankings, best-worst choices and ranges.

    Returns
    -------
    MixedFit
        The scale, on the range of the ratings if there are any.

    Raises
    ------
    NothingToFit
        If the judgments order no items and contain no ratings.
    """
    refuse_other_kinds(judgments, (*model.kinds, *model.capabilities.also_fits), model.name)
    if len(judgments.items) > MOST_ITEMS:
        raise _too_many_items(model.name, judgments)
    judgments, places = in_sorted_order(judgments)
    orders, rated = orders_by_kind(judgments), as_ratings(model, judgments)
    named = (model.name, _settings(model, judgments) if len(rated) else {}, model.seed)
    if not orders and not len(rated):
        if any(not table.weights.any() for table in judgments.tables.values()):
            raise NothingCounted(model.name)
        kinds = (*model.kinds, *model.capabilities.also_fits)
        raise NothingToFit(model.name, kinds, "no answer orders two items")
    if not len(rated):
        solution = solve_unrated(len(judgments.items), orders, len(judgments.raters))
        provenance = provenance_of_kinds(judgments, named, solution)
        fit = unrated_fit(judgments, solution, provenance, places, rater_columns(judgments, solution))
        fit = replace(fit, notes=(*fit.notes, *(each.sentence for each in machine_left_out(judgments))))
        groups = linked_groups(judgments)
        return replace(fit, part=groups) if groups.max(initial=0) > 0 else fit
    posterior = _posterior(model, rated, orders)
    solution = posterior.orders
    rows = rater_rows(judgments.raters, posterior.fullest, posterior.width)
    rated_well = all(each.converged for each in posterior.average.variants if each.parts.noise)
    provenance = provenance_of_kinds(judgments, named, solution)
    return MixedFit(
        judgments.items,
        judged_times(judgments),
        posterior,
        replace(provenance, converged=provenance.converged and rated_well),
        rater_columns(judgments, solution, rows),
        places,
        notes=model.machine_notes(judgments),
        orders=solution,
        unit=posterior.width,
    )


def _too_many_items(name: str, judgments: Judgments) -> BadSetting:
    """Return the error for more items than the model fits, with the remedy for one kind or for several."""
    kinds = [kind for kind, table in judgments.tables.items() if len(table)]
    most = f"for at most {MOST_ITEMS:,} items, not for {len(judgments.items):,}."
    if len(kinds) > 1:
        remedy = "Select one kind: judgments.only(kind) in Python, --kind on the command line."
        return BadSetting("model", f"{name} fits several kinds {most} {remedy}")
    other = KINDS[kinds[0]].default_model
    return BadSetting("model", f"{name} fits {kinds[0]} judgments {most} Choose the model {other}.")


def posterior_of_all(model: Steelyard, judgments: Judgments) -> MixedPosterior | None:
    """Return the posterior of the positions from judgments of several kinds; None without ratings and ranges."""
    rated = as_ratings(model, judgments)
    return _posterior(model, rated, orders_by_kind(judgments)) if len(rated) else None


def _posterior(model: Steelyard, rated: Judgments, orders: Mapping[str, Orders]) -> MixedPosterior:
    posterior = model.posterior(rated)
    return MixedPosterior(
        posterior.average,
        posterior.layout,
        posterior.features,
        posterior.lowest,
        posterior.highest,
        orders=solve_rated(posterior.fullest, orders, len(rated.raters)),
    )


def _settings(model: Steelyard, judgments: Judgments) -> dict[str, Any]:
    features = model.features_of(judgments)
    names = (*features.score_names, *features.level_names)
    settings: dict[str, Any] = {"features": ",".join(names)} if names else {}
    return settings if model.levels is None else {**settings, "levels": model.levels}
