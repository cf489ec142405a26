"""A selection in another package: it asks about the items with the largest variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.errors import BadSetting
from steelyard.scales.belief import Belief
from steelyard.selection.pool import Choice, Pool, Traits, shuffled


@dataclass(frozen=True, slots=True)
class MostUncertain:
    """Lists of `size` items. Each awaited answer divides the variance of its item by `shrinkage`."""

    name: ClassVar[str] = "most_uncertain"
    traits: ClassVar[Traits] = Traits(
        learns=True, default_models={"rating": "shrunken_mean"}, audit_share=0.3
    )
    size: int = 1
    shrinkage: float = 2.0

    def round_size(self, pool: Pool) -> int:
        """Return the number of tasks that show every item once."""
        return -(-len(pool) // self.size)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose tasks of one segment each, until the study has all the answers that it wants."""
        if belief is None:
            raise BadSetting("selection", "'most_uncertain' needs a model that learns as answers arrive.")
        choices: list[Choice] = []
        while len(choices) < tasks and pool.remaining and pool.allowed.any():
            variance = belief.variance / self.shrinkage**pool.pending
            keys = np.where(pool.allowed, variance * (1.0 + 1e-6 * rng.random(len(pool))), -1.0)
            same_segment = pool.segment == pool.segment[int(np.argmax(keys))]
            near = np.flatnonzero(pool.allowed & same_segment)
            items = near[np.argsort(-keys[near])][: self.size]
            choices.append(Choice(shuffled(items, rng)))
            pool = pool.asked(items.tolist())
        return choices
