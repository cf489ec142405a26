"""Conversion of a fitted posterior to the belief that later answers update."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels
from steelyard.models.steelyard.answers import answer_noise
from steelyard.models.steelyard.belief import Habits, RaterBelief, SteelyardBelief
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.posterior import SteelyardPosterior


def believed(items: Labels, posterior: SteelyardPosterior, judgments: Judgments) -> SteelyardBelief:
    """Return the posterior as a belief.

    Parameters
    ----------
    items
        Ids of the items of the belief.
    posterior
        Posterior of a fit to all judgments.
    judgments
        The judgments, which name at least these items.

    Returns
    -------
    SteelyardBelief
        Belief about `items`, in their order.
    """
    places = {label: at for at, label in enumerate(judgments.items)}
    order = np.array([places[label] for label in items], dtype=np.int64)
    fullest = posterior.average.fullest
    latent = (fullest.latent - fullest.learnt.centre)[order]
    precision = fullest.precision[order]
    return SteelyardBelief(
        item=items,
        count=posterior.layout.count[order],
        precision=precision,
        pull=latent * precision,
        position_at_refit=(posterior.position[order] - posterior.lowest) / posterior.width,
        variance_at_refit=(posterior.spread[order] / posterior.width) ** 2,
        latent_at_refit=latent,
        precision_at_refit=precision,
        habits=habits_of(fullest),
        raters=MappingProxyType(_raters(fullest, judgments.raters)),
        places=MappingProxyType({label: at for at, label in enumerate(items)}),
    )


def habits_of(solution: Solution) -> Habits:
    """Return the variances of one variant."""
    learnt = solution.learnt
    return Habits(
        learnt.centre,
        learnt.bias_variance,
        learnt.offset_variance,
        learnt.slope_variance,
        answer_noise(solution),
        learnt.spam_share,
        solution.ratings.low,
        solution.ratings.high,
    )


def _raters(solution: Solution, labels: Labels) -> dict[str, RaterBelief]:
    learnt, messages = solution.learnt, solution.messages
    precision = 1.0 / learnt.bias_variance + messages.rater_precision
    columns = (precision, messages.rater_pull, learnt.slope, learnt.slope_error, learnt.noise, learnt.spam)
    rows = zip(*(column[: len(labels)].tolist() for column in columns), strict=True)
    return {str(label): RaterBelief(*row) for label, row in zip(labels, rows, strict=True)}
