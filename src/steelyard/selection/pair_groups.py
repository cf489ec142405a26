"""Groups of units to compare, chosen by the scores of their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Matrix
from steelyard.selection.pair_scores import JointScores, Scores
from steelyard.selection.units import Units

STEPS = 32  # of a round, after each of which the groups chosen so far count
MOST_PER_ROUND = 2  # tasks of one item in one round; without a limit a few items are asked again and again
MOST_WITH_COVARIANCE = 5  # the same from the full covariance, which shows when an item has been asked enough
NOBODY = -1  # an empty place of a task
LEAST_DRAWN = 16  # items whose candidates are drawn at once
BRIDGE_PARTNERS = 16  # candidates per place of a task that links parts
PARTNERS = 8  # candidates for the partner of an item where the covariance is not kept


@dataclass(frozen=True, eq=False)
class PairGroups:
    """Groups of `size` units, one per row, with -1 in empty places; `met` are pairs that the rater has seen."""

    units: Units
    size: int
    met: frozenset[tuple[int, int]]

    def best(self, scores: JointScores, tasks: int, rng: np.random.Generator) -> Codes:
        """Return the best groups, no unit in more than five of them.

        They are chosen a few at a time. Before the next ones, the covariance is that after their expected information,
        because groups that are informative for the same reason would repeat each other.

        Parameters
        ----------
        scores
            Scores of pairs.
        tasks
            Largest number of groups.
        rng
            Source of randomness.

        Returns
        -------
        Codes
            One row of units per group.
        """
        rows: list[list[int]] = []
        uses = self.units.pending - int(self.units.pending[self.units.open].min(initial=0))
        at_once = -(-int(self.units.open.sum()) // STEPS)
        while len(rows) < tasks:
            added = self._highest(scores.all, min(at_once, tasks - len(rows)), uses, rng)
            if not added:
                break
            rows += added
            scores = scores.after(added)
        return self._filled(rows)

    def disjoint(self, scores: Scores, tasks: int, rng: np.random.Generator) -> Codes:
        """Return groups led by the units with the fewest answers, no unit in more than two of them.

        Each takes the best of a few random units.

        Parameters
        ----------
        scores
            Scores of pairs.
        tasks
            Largest number of groups.
        rng
            Source of randomness.

        Returns
        -------
        Codes
            One row of units per group.
        """
        rows: list[list[int]] = []
        for _ in range(MOST_PER_ROUND):
            self._add_disjoint(rows, scores, tasks, rng)
        return self._filled(rows)

    def bridges(self, scores: Scores, tasks: int, rng: np.random.Generator) -> Codes:
        """Return groups that link the smaller parts of each segment to the others.

        Parameters
        ----------
        scores
            Scores of pairs.
        tasks
            Largest number of groups.
        rng
            Source of randomness.

        Returns
        -------
        Codes
            One row of units per group.
        """
        heads = self.units.bridgeheads(rng.permutation(np.flatnonzero(self.units.open)))
        part = self.units.part
        rows: list[list[int]] = []
        if part is None or not len(heads):
            return self._filled(rows)
        candidates = self._candidates(scores, heads, BRIDGE_PARTNERS * self.size, rng)
        free = self.units.open.tolist()
        for head, row in zip(heads.tolist(), candidates, strict=True):
            group = self._group(head, row[part[row] != part[head]].tolist(), free)
            if len(rows) < tasks and len(group) > 1:
                rows.append(group)
        return self._filled(rows)

    def _filled(self, rows: Sequence[list[int]]) -> Codes:
        filled = [row + [NOBODY] * (self.size - len(row)) for row in rows]
        return np.array(filled, dtype=np.int64).reshape(-1, self.size)

    def _highest(self, scores: Matrix, tasks: int, uses: Codes, rng: np.random.Generator) -> list[list[int]]:
        """The groups with the highest scores; `uses` counts the tasks of each unit and is kept up to date."""
        first, second = np.triu_indices(len(scores), 1)
        free = uses < MOST_WITH_COVARIANCE
        usable = (scores[first, second] > 0.0) & free[first] & free[second]
        first, second = first[usable], second[usable]
        best = np.argsort(-scores[first, second] * (1.0 + 1e-3 * rng.random(len(first))))
        rows: list[list[int]] = []
        for pair in np.stack([first[best], second[best]], axis=1).tolist():
            if len(rows) == tasks:
                break
            if max(uses[pair[0]], uses[pair[1]]) >= MOST_WITH_COVARIANCE:
                continue
            group = self._extended(pair, scores, uses)
            if len(group) == min(self.size, int(self.units.open.sum())):
                uses[group] += 1
                rows.append(group)
        return rows

    def _extended(self, pair: list[int], scores: Matrix, uses: Codes) -> list[int]:
        """The pair with the units whose comparisons with all members carry most information."""
        group = list(pair)
        while len(group) < self.size:
            among = scores[group]
            gain = np.where((among > 0.0).all(axis=0) & (uses < MOST_WITH_COVARIANCE), among.sum(axis=0), 0.0)
            best = int(np.argmax(gain))
            if gain[best] <= 0.0:
                break
            group.append(best)
        return group

    def _add_disjoint(
        self, rows: list[list[int]], scores: Scores, tasks: int, rng: np.random.Generator
    ) -> None:
        """Add groups without common units, until there are so many tasks or no unit is free."""
        shown = rng.permutation(np.flatnonzero(self.units.open))
        heads: Codes = np.asarray(shown[np.argsort(self.units.expected[shown], kind="stable")])
        start = 0
        free = self.units.open.tolist()
        while start < len(heads) and len(rows) < tasks:
            block = heads[start : start + LEAST_DRAWN + 2 * (tasks - len(rows))]
            start += len(block)
            candidates = self._candidates(scores, block, (self.size - 1) * PARTNERS, rng).tolist()
            for head, row in zip(block.tolist(), candidates, strict=True):
                if len(rows) == tasks or not free[head]:
                    continue
                group = self._group(head, row, free)
                if len(group) == self.size:
                    rows.append(group)
                    for item in group:
                        free[item] = False

    def _candidates(self, scores: Scores, heads: Codes, count: int, rng: np.random.Generator) -> Codes:
        """Random units of each head's segment, those with the highest scores first."""
        segment = self.units.segment
        shown = np.flatnonzero(self.units.open)
        shown = shown[np.argsort(segment[shown], kind="stable")]
        start = np.searchsorted(segment[shown], segment[heads], "left")
        stop = np.searchsorted(segment[shown], segment[heads], "right")
        drawn = start[:, None] + (rng.random((len(heads), count)) * (stop - start)[:, None]).astype(np.int64)
        candidates = shown[drawn]
        order = np.argsort(-scores.of(heads[:, None], candidates), axis=1)
        return np.asarray(np.take_along_axis(candidates, order, 1))

    def _group(self, head: int, candidates: list[int], free: Sequence[bool]) -> list[int]:
        """The head and the best of its candidates that are free and that the rater has not met with a member."""
        group = [head]
        for item in candidates:
            if len(group) == self.size:
                break
            met = self.met and any((min(item, other), max(item, other)) in self.met for other in group)
            if free[item] and item not in group and not met:
                group.append(item)
        return group
