"""Learning from comparisons one after the other: what `update` and `fit` of the models that do so share.

They are taken in the order of the file, or in that of the model's `Course` where it shuffles them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

from steelyard.judgments.comparison_arrays import TIE
from steelyard.judgments.table import Judgments
from steelyard.models.linking import Preferences, unlinked_parts
from steelyard.models.model import AnyBelief, OnlineModel, provenance_of, rows_of
from steelyard.models.online.steps import Course, Steps, sorted_items, steps_of, times_judged
from steelyard.models.refitting import RefittingFit
from steelyard.scales.belief import BetaBelief, GaussianBelief
from steelyard.scales.fit import Posterior
from steelyard.scales.provenance import whole_or_short

Folded = TypeVar("Folded", GaussianBelief, BetaBelief)


def update_in_order(
    belief: Folded, judgments: Judgments, course: Course, fold: Callable[[Folded, Steps], Folded]
) -> Folded:
    """The belief after these comparisons, one after the other; `fold` moves it by the steps of one pass."""
    steps = steps_of(judgments, belief.item)
    if not len(steps.left):
        return belief
    after = belief
    for each in course.through(steps):
        after = fold(after, each)
    return replace(after, count=times_judged(steps, belief.count))


def fit_in_order(
    model: OnlineModel[AnyBelief],
    judgments: Judgments,
    posterior: Callable[[AnyBelief], Posterior],
    counts_ties: bool = True,
) -> RefittingFit:
    """The model's belief after all comparisons, in the order that it takes them in, as a fit with this posterior."""
    rows_of(judgments, "comparison", model.name)
    items, places = sorted_items(judgments)
    belief = model.update(model.start(items), judgments)
    settings, seed = settings_of(model)
    provenance = provenance_of(model.name, settings, judgments, seed, "comparison")
    steps = steps_of(judgments, items)
    used = (steps.weight > 0.0) & (counts_ties | (steps.outcome != TIE))
    ties = float(steps.weight[~used].sum())
    left_out = [f"{whole_or_short(ties)} of the comparisons are ties, which are not counted."] * bool(ties)
    return RefittingFit(
        belief.item,
        belief.count,
        posterior(belief),
        provenance,
        places=places,
        part=unlinked_parts(Preferences(len(items), steps.left[used], steps.right[used]).linked()),
        notes=tuple(left_out),
        model=model,
        source=judgments,
    )


def settings_of(model: Any) -> tuple[dict[str, Any], int]:
    """The settings of a model by name, in the order in which it states them, and its seed apart."""
    settings = {field.name: getattr(model, field.name) for field in fields(model)}
    seed = settings.pop("seed")
    return settings, seed
