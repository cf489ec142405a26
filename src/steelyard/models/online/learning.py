"""`update` and `fit` of models that process comparisons in order.

The order is that of the rows, or a random order if the model's `Course` shuffles them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.comparison_arrays import LEFT, RIGHT, TIE
from steelyard.judgments.logs import OrderedComparisons
from steelyard.judgments.table import Judgments
from steelyard.models.linking import Preferences, unlinked_parts
from steelyard.models.model import AnyBelief, OnlineModel, provenance_of, rows_of
from steelyard.models.online.steps import (
    Course,
    Steps,
    sorted_items,
    steps_of,
    steps_of_counts,
    times_judged,
)
from steelyard.models.refitting import RefittingFit
from steelyard.scales.belief import BetaBelief, GaussianBelief
from steelyard.scales.fit import Posterior
from steelyard.scales.provenance import Provenance, whole_or_short

OUTCOMES = np.array([LEFT, TIE, RIGHT])  # by the code of an answer in a log
Folded = TypeVar("Folded", GaussianBelief, BetaBelief)


def update_in_order(
    belief: Folded, judgments: Judgments, course: Course, fold: Callable[[Folded, Steps], Folded]
) -> Folded:
    """Return the belief after comparisons, processed in order.

    Parameters
    ----------
    belief
        Current belief.
    judgments
        Comparisons of items that the belief contains.
    course
        Number of passes and order of the comparisons.
    fold
        Function that returns the belief after the steps of one pass.

    Returns
    -------
    GaussianBelief or BetaBelief
        The new belief.
    """
    steps = steps_of(judgments, belief.item)
    if not len(steps.left):
        return belief
    after = belief
    for each in course.through(steps):
        after = fold(after, each)
    return replace(after, count=times_judged(steps, belief.count))


@dataclass(frozen=True)
class Folding:
    """How a model processes comparisons: its passes, and the function that returns a belief after the steps of one."""

    course: Course
    fold: Callable[[Any, Steps], Any]


def fit_in_order(
    model: OnlineModel[AnyBelief],
    judgments: Judgments,
    posterior: Callable[[AnyBelief], Posterior],
    counts_ties: bool = True,
) -> RefittingFit:
    """Return a fit of the model to all comparisons, processed in order.

    Parameters
    ----------
    model
        Online model of comparisons.
    judgments
        Comparisons.
    posterior
        Function that returns the posterior of a belief.
    counts_ties
        Whether the model uses ties. If not, ties do not link items and are mentioned in a note.

    Returns
    -------
    RefittingFit
        The final belief as a scale.
    """
    rows_of(judgments, "comparison", model.name)
    items, places = sorted_items(judgments)
    belief = model.update(model.start(items), judgments)
    settings, seed = settings_of(model)
    provenance = provenance_of(model.name, settings, judgments, seed, "comparison")
    steps = steps_of(judgments, items)
    fit = tallied_fit(belief, posterior(belief), provenance, steps, counts_ties)
    return replace(fit, places=places, model=model, source=judgments)


def fit_log_in_order(
    model: Any, log: OrderedComparisons, folding: Folding, posterior: Callable[[Any], Posterior]
) -> RefittingFit:
    """Return a fit of a model that uses ties to a log, in the order of the times of its comparisons.

    Parameters
    ----------
    model
        Online model of comparisons.
    log
        Log of comparisons.
    folding
        How the model processes comparisons.
    posterior
        Function that returns the posterior of a belief.

    Returns
    -------
    RefittingFit
        The final belief as a scale.
    """
    course = folding.course
    if course.passes > 1 or course.shuffle:
        setting = "shuffle" if course.shuffle else "passes"
        raise BadSetting(
            setting, "a log is processed once, in the order of its times. Leave this setting out."
        )
    counts = log.pooled()
    belief = model.start(counts.items)
    for some in log.in_order(counts.items):
        belief = folding.fold(belief, Steps(some.left, some.right, OUTCOMES[some.answer], some.weight))
    steps = steps_of_counts(counts)
    belief = replace(belief, count=times_judged(steps, np.zeros(len(counts.items))))
    settings, seed = settings_of(model)
    size = (len(counts.items), counts.whole_judgments, log.rater_count)
    provenance = Provenance(model.name, settings, *size, None, seed)
    return tallied_fit(belief, posterior(belief), provenance, steps, counts_ties=True)


def tallied_fit(
    belief: Any, posterior: Posterior, provenance: Provenance, steps: Steps, counts_ties: bool
) -> RefittingFit:
    """Return the final belief as a fit, with the parts that no comparison links and the ties that were not counted.

    Parameters
    ----------
    belief
        Belief after all comparisons.
    posterior
        Its posterior.
    provenance
        Model, settings and size of the data.
    steps
        All comparisons.
    counts_ties
        Whether the model uses ties.

    Returns
    -------
    RefittingFit
        The fit, without the source that it could be refitted from.
    """
    used = (steps.weight > 0.0) & (counts_ties | (steps.outcome != TIE))
    ties = float(steps.weight[~used].sum())
    left_out = [f"{whole_or_short(ties)} of the comparisons are ties, which are not counted."] * bool(ties)
    return RefittingFit(
        belief.item,
        belief.count,
        posterior,
        provenance,
        part=unlinked_parts(Preferences(len(belief.item), steps.left[used], steps.right[used]).linked()),
        notes=tuple(left_out),
    )


def settings_of(model: Any) -> tuple[dict[str, Any], int]:
    """Return the settings of a model by name, in the order of its fields, and separately its seed."""
    settings = {field.name: getattr(model, field.name) for field in fields(model)}
    seed = settings.pop("seed")
    return settings, seed
