"""Beliefs from several kinds of judgment: after a joint fit, and updated by statements about two items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from steelyard.judgments.orders import Orders
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Labels
from steelyard.models.steelyard.belief import (
    RaterBelief,
    SteelyardBelief,
    fresh,
    places_of,
)
from steelyard.models.steelyard.mixed.fitting import orders_by_kind
from steelyard.models.steelyard.mixed.joint import JointSolution
from steelyard.models.steelyard.mixed.model import posterior_of_all
from steelyard.models.steelyard.mixed.results import judged_times
from steelyard.models.steelyard.mixed.statements import Cavity, Link, Stated, chance_of, message_of
from steelyard.models.steelyard.refit import believed

if TYPE_CHECKING:  # that module imports this one
    from steelyard.models.steelyard.model import Steelyard


def believed_from_all(model: Steelyard, items: Labels, judgments: Judgments) -> SteelyardBelief:
    """Return the belief after a joint fit to judgments of several kinds.

    Without ratings the scale has no unit, so the judgments then update the belief one by one.

    Parameters
    ----------
    model
        The model with its settings.
    items
        Ids of the items of the belief.
    judgments
        Judgments, which name at least these items.

    Returns
    -------
    SteelyardBelief
        Belief about `items`, in their order.
    """
    posterior = posterior_of_all(model, judgments)
    if posterior is None:
        return with_orders(fresh(items), judgments)
    belief, solution = believed(items, posterior, judgments), posterior.orders
    places = {label: at for at, label in enumerate(judgments.items)}
    order = np.array([places[label] for label in items], dtype=np.int64)
    latent, precision = solution.mean[order], 1.0 / np.diag(solution.covariance)[order]
    return replace(
        belief,
        count=judged_times(judgments)[order],
        precision=precision,
        pull=latent * precision,
        latent_at_refit=latent,
        precision_at_refit=precision,
        raters=MappingProxyType(_with_spam(belief, judgments.raters, solution)),
        links=MappingProxyType({term.kind: term.link for term in solution.terms}),
    )


def _with_spam(belief: SteelyardBelief, labels: Labels, solution: JointSolution) -> dict[str, RaterBelief]:
    """Return the raters with their probability of spam from all kinds."""
    spam = dict(zip(map(str, labels), solution.raters.spam.tolist(), strict=False))
    return {name: replace(each, spam=spam.get(name, each.spam)) for name, each in belief.raters.items()}


def with_orders(belief: SteelyardBelief, judgments: Judgments) -> SteelyardBelief:
    """Return the belief after more judgments that order items, one statement after another.

    Each statement changes the positions of its two items as if they were independent.

    Parameters
    ----------
    belief
        The belief before.
    judgments
        Judgments of items that the belief contains.

    Returns
    -------
    SteelyardBelief
        The new belief. The argument is not changed.
    """
    by_kind = orders_by_kind(judgments)
    if not by_kind:
        return belief
    places = places_of(belief, judgments)
    for kind, orders in by_kind.items():
        named = [str(judgments.raters[at]) if at != MISSING else "" for at in orders.rater.tolist()]
        link = belief.link_of(kind)
        ends = np.column_stack([places[orders.first], places[orders.second]])
        belief = _stated(belief, orders, ends, link, named)
        only = replace(judgments, tables={kind: judgments.tables[kind]})
        count = belief.count.copy()
        np.add.at(count, places, judged_times(only))
        belief = replace(belief, count=count)
    return belief


def _stated(
    belief: SteelyardBelief,
    orders: Orders,
    items: Codes,
    link: Link,
    raters: Sequence[str],
) -> SteelyardBelief:
    """Return the belief after statements of one kind about these pairs of items."""
    precision, pull = belief.precision.copy(), belief.pull.copy()
    own = 2.0 * (link.taste + link.discrepancy)
    newcomer = belief.habits.newcomer()
    for row in range(len(orders)):
        ends = items[row]
        variance = 1.0 / precision[ends]
        mean = pull[ends] * variance
        cavity = Cavity(mean[:1] - mean[1:], np.array([variance.sum() + own]))
        stated = Stated(orders.is_tie[row : row + 1], orders.side[row : row + 1])
        message, drawn = message_of(chance_of(cavity, stated, link, np.array([link.discrimination])), cavity)
        answer = int(orders.answer[row])
        honest = 1.0 - belief.raters.get(raters[answer], newcomer).spam
        weight = honest * float(orders.weight[answer]) * message
        # The message about the difference, as messages about each item given the other one.
        to_item = weight / (1.0 + weight * (variance[::-1] + own))
        middle = drawn / message
        precision[ends] += to_item
        pull[ends] += to_item * np.array([mean[1] + middle[0], mean[0] - middle[0]])
    return replace(belief, precision=precision, pull=pull)
