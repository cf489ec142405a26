"""`start` and `update` for models that update by refitting all judgments. Updating equals fitting exactly."""

from __future__ import annotations

import numpy as np

from steelyard.errors import UnknownItem
from steelyard.judgments.frames import to_columns
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels
from steelyard.models.model import Model
from steelyard.scales.held import HeldBelief


def start_holding(items: Labels, variance: float) -> HeldBelief:
    """Return the belief before any judgment: every item at 0, with the given variance.

    `variance` is the variance that the model assigns to an item without judgments.
    """
    zeros = np.zeros(len(items))
    return HeldBelief(items, zeros, np.full(len(items), variance), zeros, {})


def update_holding(model: Model, belief: HeldBelief, judgments: Judgments) -> HeldBelief:
    """Return the belief after more judgments: a fit of all judgments so far.

    Parameters
    ----------
    model
        Model to fit.
    belief
        Belief with the judgments so far.
    judgments
        New judgments of items that the belief contains.

    Returns
    -------
    HeldBelief
        The new belief. Items without judgments keep their values.
    """
    if not any(table.weights.any() for table in judgments.tables.values()):
        return belief
    held_items = set(belief.item)
    for label in judgments.items:
        if label not in held_items:
            raise UnknownItem(label)
    parts = [Judgments.from_columns(kind, columns) for kind, columns in belief.columns.items()]
    whole = Judgments.concat([*parts, judgments]).compact()
    fit = model.fit(whole)
    index = {label: at for at, label in enumerate(belief.item)}
    at = np.array([index[label] for label in fit.item])
    position, variance, count = belief.position.copy(), belief.variance.copy(), belief.count.copy()
    position[at], variance[at], count[at] = fit.posterior.position, fit.posterior.spread**2, fit.count
    columns = {kind: to_columns(whole, kind) for kind in whole.kinds}
    return HeldBelief(belief.item, position, variance, count, columns)
