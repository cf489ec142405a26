"""The audit slice: a share of tasks chosen at random, so that measures based on it do not depend on the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.selection.pool import Choice, Pool, distinct_systems, shuffled


@dataclass(frozen=True, slots=True)
class AuditChoice:
    """A task chosen at random.

    Attributes
    ----------
    choice
        The task.
    probability
        Probability of each of its items to be in the task.
    """

    choice: Choice
    probability: float


def choose_at_random(pool: Pool, size: int, rng: np.random.Generator) -> AuditChoice | None:
    """Choose a random item, and random items of its segment to complete the task.

    Parameters
    ----------
    pool
        Items to choose from.
    size
        Number of items in the task.
    rng
        Source of randomness.

    Returns
    -------
    AuditChoice or None
        The task, or None if no item may be shown.
    """
    allowed = np.flatnonzero(pool.allowed)
    if not len(allowed) or not pool.remaining:
        return None
    head = int(rng.choice(allowed))
    near = allowed[(pool.segment[allowed] == pool.segment[head]) & (allowed != head)]
    items = np.concatenate([[head], rng.permutation(near)]).astype(np.int64)
    if pool.by_system:
        items = distinct_systems(items, pool.system)
    items = items[:size]
    # A segment is drawn in proportion to its number of items, and its items with equal probability.
    probability = len(items) / len(allowed)
    return AuditChoice(Choice(shuffled(items, rng)), float(probability))
