"""The audit slice: a share of tasks chosen at random, so that what is measured on it is not chosen by the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.selection.pool import Choice, Pool, distinct_systems, shuffled


@dataclass(frozen=True, slots=True)
class AuditChoice:
    """A task chosen at random, and the chance that each of its items had to be in it."""

    choice: Choice
    probability: float


def choose_at_random(pool: Pool, size: int, rng: np.random.Generator) -> AuditChoice | None:
    """A random item among those that may be shown, filled up at random from its segment; None without any."""
    allowed = np.flatnonzero(pool.allowed)
    if not len(allowed) or not pool.remaining:
        return None
    head = int(rng.choice(allowed))
    near = allowed[(pool.segment[allowed] == pool.segment[head]) & (allowed != head)]
    items = np.concatenate([[head], rng.permutation(near)]).astype(np.int64)
    if pool.by_system:
        items = distinct_systems(items, pool.system)
    items = items[:size]
    # A segment is drawn as often as it has items, and then each of its items with the same chance.
    probability = len(items) / len(allowed)
    return AuditChoice(Choice(shuffled(items, rng)), float(probability))
