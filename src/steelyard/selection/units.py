"""The units of a belief, items or systems, and the way from systems back to items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.selection.pairing import joined, pair_array, pairs_among, unmet
from steelyard.selection.pool import Choice, Pool, distinct_systems

SEGMENTS_TRIED = 20  # segments searched for outputs that the rater has not seen together


@dataclass(frozen=True, eq=False)
class Units:
    """Units that may be asked about (`open`), with their counts and parts.

    Units that comparisons link, given or pending, are in one part. `part` is None if links are not counted.
    """

    pool: Pool
    expected: Codes
    pending: Codes
    segment: Codes
    open: Mask
    part: Codes | None

    @staticmethod
    def of(pool: Pool, chosen: Sequence[Choice] = ()) -> Units:
        """Return the units of a pool from which these tasks were already chosen."""
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
        """Return groups of units as tasks with items in random order.

        Parameters
        ----------
        groups
            One group of units per row, -1 in empty places.
        least
            Smallest number of items in a task. Smaller tasks are omitted.
        rng
            Source of randomness.

        Returns
        -------
        list of Choice
            The tasks.
        """
        if self.pool.by_system:
            groups = self._outputs_of(groups, rng)
        rows = rng.permuted(groups, axis=1).tolist()
        tasks = [tuple(item for item in row if item >= 0) for row in rows]
        return [Choice(items) for items in tasks if len(items) >= least]

    @property
    def has_parts(self) -> bool:
        """Whether open units are in different parts."""
        shown = np.flatnonzero(self.open)
        return (
            self.part is not None and len(shown) > 0 and bool((self.part[shown] != self.part[shown[0]]).any())
        )

    def bridgeheads(self, order: Codes) -> Codes:
        """Return the first unit in this order of each part, except the largest part of each segment."""
        part, segment, shown = self.part, self.segment, np.flatnonzero(self.open)
        if part is None or not self.has_parts:
            return shown[:0]
        code = segment * (int(part.max()) + 1) + part
        codes, first, size = np.unique(code[shown], return_index=True, return_counts=True)
        by_size = np.lexsort((-size, segment[shown[first]]))
        largest = np.unique(segment[shown[first]][by_size], return_index=True)[1]
        leading = order[~np.isin(code[order], codes[by_size][largest])]
        return np.asarray(leading[np.sort(np.unique(code[leading], return_index=True)[1])])

    def _outputs_of(self, groups: Codes, rng: np.random.Generator) -> Codes:
        """Return outputs for groups of systems; each group counts the groups before it as judged."""
        expected, outputs = self.pool.expected, np.full_like(groups, -1)
        for row, group in enumerate(groups):
            items = self._outputs(group[group >= 0], len(group), expected, rng)
            expected[items] += 1
            outputs[row, : len(items)] = items
        return outputs

    def _outputs(self, systems: Codes, size: int, expected: Codes, rng: np.random.Generator) -> Codes:
        """Return up to `size` outputs of different systems, from the segment that offers most and is judged least.

        Outputs of these systems come first, and outputs that need answers before outputs that have them. Other
        systems of the segment complete the list.
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
    """Return systems as units; a system is open while one of its outputs needs answers."""
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
    """Return the part of each system; systems are linked if their outputs are."""
    count = int(pool.system.max()) + 1
    judged = pool.expected > 0
    pairs = np.stack([pool.system[judged], count + part[judged]], axis=1)
    return joined(np.arange(count + int(part.max()) + 1), np.unique(pairs, axis=0))[:count]


def _by_offer(pool: Pool, usable: Codes, expected: Codes, rng: np.random.Generator) -> list[int]:
    """Return segments by the number of systems they offer, then by how little they were judged."""
    if not len(usable):
        return []
    pairs = np.unique(np.stack([pool.segment[usable], pool.system[usable]]), axis=1)
    segments, offered = np.unique(pairs[0], return_counts=True)
    judged = np.bincount(pool.segment, expected)[segments]
    order = np.lexsort((rng.random(len(segments)), judged, -offered))
    return [int(segment) for segment in segments[order]]
