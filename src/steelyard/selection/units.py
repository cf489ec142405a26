"""What a belief is about, the items themselves or the systems that made them, and the way back to items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.selection.pairing import joined, pair_array, pairs_among, unmet
from steelyard.selection.pool import Choice, Pool, distinct_systems

SEGMENTS_TRIED = 20  # segments looked at for outputs that the rater has not met together


@dataclass(frozen=True, eq=False)
class Units:
    """Units that may be asked about (`open`), with their counts; `part` where links are counted.

    Units that comparisons link, had or to come, are in one part.
    """

    pool: Pool
    expected: Codes
    pending: Codes
    segment: Codes
    open: Mask
    part: Codes | None

    @staticmethod
    def of(pool: Pool, chosen: Sequence[Choice] = ()) -> Units:
        """The units of a pool from which these tasks were chosen already."""
        shown = np.array([item for choice in chosen for item in choice.items], dtype=np.int64)
        pool = replace(pool, pending=pool.pending + np.bincount(shown, minlength=len(pool)))
        part = pool.linked
        if part is not None:
            together = {pair for choice in chosen for pair in pairs_among(choice.items)}
            part = joined(part, pair_array(together))
        if pool.by_system:
            return _systems(pool, part)
        return Units(pool, pool.expected, pool.pending, pool.segment, pool.allowed, part)

    def tasks(self, groups: Codes, least: int, rng: np.random.Generator) -> list[Choice]:
        """Groups of units, a row each, as tasks of at least so many items in random order."""
        if self.pool.by_system:
            groups = self._outputs_of(groups, rng)
        rows = rng.permuted(groups, axis=1).tolist()
        tasks = [tuple(item for item in row if item >= 0) for row in rows]
        return [Choice(items) for items in tasks if len(items) >= least]

    def _outputs_of(self, groups: Codes, rng: np.random.Generator) -> Codes:
        """Outputs for groups of systems, each group counting those before it as judged."""
        expected, outputs = self.pool.expected, np.full_like(groups, -1)
        for row, group in enumerate(groups):
            items = self._outputs(group[group >= 0], len(group), expected, rng)
            expected[items] += 1
            outputs[row, : len(items)] = items
        return outputs

    def _outputs(self, systems: Codes, size: int, expected: Codes, rng: np.random.Generator) -> Codes:
        """Up to `size` outputs of different systems, all for one segment: the one that offers most, least judged.

        Outputs of these systems come first, and those that want answers before those that have them. Other systems of
        the segment fill the list up.
        """
        pool = self.pool
        wanting = pool.allowed & (expected < pool.wanted)
        usable = np.flatnonzero(wanting & np.isin(pool.system, systems))
        best = usable[:0]
        for segment in _by_offer(pool, usable, expected, rng)[:SEGMENTS_TRIED]:
            outputs = rng.permutation(np.flatnonzero(pool.allowed & (pool.segment == segment)))
            rank = 2 * ~wanting[outputs] + ~np.isin(pool.system[outputs], systems)
            order = distinct_systems(outputs[np.argsort(rank, kind="stable")], pool.system)
            suitable = unmet(order, size, pool.met)
            if len(suitable) > len(best):
                best = suitable
            if len(best) == min(size, len(order)):
                break
        return best


def _systems(pool: Pool, part: Codes | None) -> Units:
    """Systems as units: open while an output is left that wants answers."""
    count = int(pool.system.max()) + 1
    fresh = pool.allowed & (pool.expected < pool.wanted)
    return Units(
        pool,
        np.bincount(pool.system, pool.expected, minlength=count).astype(np.int64),
        np.bincount(pool.system, pool.pending, minlength=count).astype(np.int64),
        np.zeros(count, dtype=np.int64),
        np.bincount(pool.system, fresh, minlength=count) > 0,
        None if part is None else linked_systems(pool, part),
    )


def linked_systems(pool: Pool, part: Codes) -> Codes:
    """A part per system: systems are linked where outputs of theirs are."""
    count = int(pool.system.max()) + 1
    judged = pool.expected > 0
    pairs = np.stack([pool.system[judged], count + part[judged]], axis=1)
    return joined(np.arange(count + int(part.max()) + 1), np.unique(pairs, axis=0))[:count]


def _by_offer(pool: Pool, usable: Codes, expected: Codes, rng: np.random.Generator) -> list[int]:
    """Segments by how many systems they offer an output of, then by how little they were judged."""
    if not len(usable):
        return []
    pairs = np.unique(np.stack([pool.segment[usable], pool.system[usable]]), axis=1)
    segments, offered = np.unique(pairs[0], return_counts=True)
    judged = np.bincount(pool.segment, expected)[segments]
    order = np.lexsort((rng.random(len(segments)), judged, -offered))
    return [int(segment) for segment in segments[order]]
