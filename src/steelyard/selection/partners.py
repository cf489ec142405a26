"""Partners drawn in proportion to match quality, exactly but without a look at every item.

Items of similar position and variance share a cell. The match quality between two cells has an upper bound. A cell is
drawn in proportion to this bound times its number of members, then one of its members at random, which is kept with
probability quality / bound. By rejection sampling the draw is exact. Places that are still empty after some passes, or
small problems, are filled by the plain `scan`.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector

NOBODY = -1  # an empty place in a group
CELL_WIDTH = 0.125  # of a cell in position, in units of the smallest c
CELL_RATIO = 1.25  # of largest to smallest 2 gamma^2 + variance in a cell
MOST_STEPS = (96, 16)  # cells by position, and by variance
FEW_CANDIDATES = 256  # up to this number, a scan is as fast
FEW_DRAWS = 3  # sorting into cells takes as long as this number of scans
PASSES = 40  # proposals per place before the scan is used


@dataclass(frozen=True, eq=False)
class MatchBelief:
    """Positions and variances of items, and the pairs that must not be in a group together.

    With `part`, the second item of a group is from another part than its head, so that the group links the two.
    """

    position: Vector
    variance: Vector
    gamma: float
    met: Set[tuple[int, int]] = frozenset()
    part: Codes | None = None

    def log_quality(self, heads: Codes | int, others: Codes) -> Vector:
        """Return log match quality without its constant, -log(c^2) / 2 - (M_i - M_j)^2 / (2 c^2) [Eqns 11, 23]."""
        total = 2.0 * self.gamma**2 + self.variance[heads] + self.variance[others]
        return _log_quality(self.position[heads] - self.position[others], total)

    def suits(self, groups: Codes, others: Codes) -> Mask:
        """Return whether each of the others may join the group of its row, or the only group."""
        members = others[:, None]
        suits = ~(groups == members).any(axis=1)
        if self.met:
            low, high = np.minimum(groups, members), np.maximum(groups, members)
            suits &= ~np.isin(low * len(self.position) + high, self._met_codes).any(axis=1)
        if self.part is not None and groups.shape[1] > 1:
            suits &= (groups[:, 1] != NOBODY) | (self.part[others] != self.part[groups[:, 0]])
        return np.asarray(suits)

    @cached_property
    def _met_codes(self) -> Codes:
        pairs = np.array(sorted(self.met), dtype=np.int64)
        return pairs[:, 0] * len(self.position) + pairs[:, 1]


def fill(belief: MatchBelief, groups: Codes, candidates: Codes, rng: np.random.Generator) -> Codes:
    """Fill the empty places of groups with partners.

    Each partner of a head is drawn in proportion to match quality with the head, among the remaining candidates.

    Parameters
    ----------
    belief
        Positions, variances and forbidden pairs.
    groups
        One group per row: its head first, then members or NOBODY.
    candidates
        Items that may be partners.
    rng
        Source of randomness.

    Returns
    -------
    Codes
        The groups. Places stay empty if no candidate may join.
    """
    wanting = np.flatnonzero((groups == NOBODY).any(axis=1))
    draws = int(np.sum(groups == NOBODY))
    if len(candidates) > FEW_CANDIDATES and draws > FEW_DRAWS:
        groups = _fill_by_cells(belief, groups, wanting, candidates, rng)
        wanting = np.flatnonzero((groups == NOBODY).any(axis=1))
    if not len(wanting):
        return groups
    filled = groups.copy()
    for row in wanting:
        filled[row] = scan(belief, groups[row], candidates, rng)
    return filled


def scan(belief: MatchBelief, group: Codes, candidates: Codes, rng: np.random.Generator) -> Codes:
    """Fill one group by a look at every candidate: the readable version of `fill`.

    Parameters
    ----------
    belief
        Positions, variances and forbidden pairs.
    group
        The head, then members or NOBODY.
    candidates
        Items that may be partners.
    rng
        Source of randomness.

    Returns
    -------
    Codes
        The group.
    """
    group = group.copy()
    log_quality = belief.log_quality(int(group[0]), candidates)
    for place in np.flatnonzero(group == NOBODY):
        suits = belief.suits(group[None], candidates)
        if not suits.any():
            break
        weight = np.exp(np.where(suits, log_quality - log_quality[suits].max(), -np.inf))
        reached = np.cumsum(weight)
        group[place] = candidates[np.searchsorted(reached, rng.random() * reached[-1], side="right")]
    return group


def _fill_by_cells(
    belief: MatchBelief, groups: Codes, wanting: Codes, candidates: Codes, rng: np.random.Generator
) -> Codes:
    """Return groups filled by rejection sampling; rows that are not full after all passes stay incomplete."""
    groups = groups.copy()
    proposals = _Proposals.between(belief, groups[wanting, 0], candidates)
    rows = np.arange(len(wanting))
    for _ in range(PASSES * groups.shape[1]):
        if not len(rows):
            break
        open_groups = groups[wanting[rows]]
        drawn, kept = proposals.draw(belief, rows, open_groups[:, 0], rng)
        kept[kept] = belief.suits(open_groups[kept], drawn[kept])
        place = np.argmax(open_groups == NOBODY, axis=1)
        groups[wanting[rows[kept]], place[kept]] = drawn[kept]
        full = kept & (place == groups.shape[1] - 1)
        rows = rows[~full]
    return groups


@dataclass(frozen=True, eq=False)
class _Cells:
    """Items by cell: the members of cell c are members[start[c] : start[c] + size[c]], with each cell's extremes."""

    cell: Codes  # of each item
    members: Codes
    start: Codes
    size: Codes
    position: tuple[Vector, Vector]
    variance: tuple[Vector, Vector]

    @staticmethod
    def of(belief: MatchBelief, items: Codes, width: float) -> _Cells:
        position, variance = belief.position[items], belief.variance[items]
        along = _steps(position, width, MOST_STEPS[0])
        across = _steps(np.log(2.0 * belief.gamma**2 + variance), np.log(CELL_RATIO), MOST_STEPS[1])
        code = (along * MOST_STEPS[1] + across).astype(np.int16)
        order = np.argsort(code, kind="stable")  # of 16 bits: a radix sort
        held = np.bincount(code)
        size = held[held > 0]
        start = np.cumsum(size) - size
        number = np.cumsum(held > 0) - 1
        extremes = _extremes(position[order], start), _extremes(variance[order], start)
        return _Cells(number[code], items[order], start, size, *extremes)


@dataclass(frozen=True, eq=False)
class _Proposals:
    """For each cell of heads, a distribution over the cells of candidates that bounds the match quality."""

    cells: _Cells
    row: Codes  # of each head, among the cells of heads
    log_bound: Matrix
    reached: Vector  # cumulative shares of the cells, row after row, each row from its number to the next

    @staticmethod
    def between(belief: MatchBelief, heads: Codes, candidates: Codes) -> _Proposals:
        least = belief.variance[heads].min() + belief.variance[candidates].min()
        width = CELL_WIDTH * float(np.sqrt(2.0 * belief.gamma**2 + least))
        cells = _Cells.of(belief, candidates, width)
        of_heads = _Cells.of(belief, heads, width)
        log_bound = _log_bounds(of_heads, cells, belief.gamma)
        share = cells.size * np.exp(log_bound - log_bound.max(axis=1, keepdims=True))
        reached = np.cumsum(share, axis=1)
        reached = reached / reached[:, -1:] + np.arange(len(reached))[:, None]
        return _Proposals(cells, of_heads.cell, log_bound, reached.ravel())

    def draw(
        self, belief: MatchBelief, at: Codes, heads: Codes, rng: np.random.Generator
    ) -> tuple[Codes, Mask]:
        """Return a candidate for each head (the `at`-th of all), and whether it is kept."""
        chance = rng.random((3, len(at)))
        row, cells = self.row[at], self.cells
        last = len(cells.size) - 1
        place = np.searchsorted(self.reached, row + chance[0], side="right") - row * (last + 1)
        cell = np.minimum(place, last)
        drawn = cells.members[cells.start[cell] + (chance[1] * cells.size[cell]).astype(np.int64)]
        excess = belief.log_quality(heads, drawn) - self.log_bound[row, cell]
        return drawn, chance[2] < np.exp(excess)


def _log_quality(gap: Matrix, total: Matrix) -> Matrix:
    return np.asarray(-0.5 * (np.log(total) + gap**2 / total))


def _log_bounds(heads: _Cells, others: _Cells, gamma: float) -> Matrix:
    """Return the largest log quality between points of two cells: at the smallest gap, with c^2 near gap^2."""
    low, high = heads.position[0][:, None], heads.position[1][:, None]
    gap = np.maximum(np.maximum(others.position[0] - high, low - others.position[1]), 0.0)
    least = 2.0 * gamma**2 + heads.variance[0][:, None] + others.variance[0]
    most = 2.0 * gamma**2 + heads.variance[1][:, None] + others.variance[1]
    return _log_quality(gap, np.clip(gap**2, least, most))


def _steps(values: Vector, width: float, most: int) -> Codes:
    """Return which of up to `most` steps of at least this width each value is in."""
    lowest = values.min()
    width = max(width, float(values.max() - lowest) / (most - 1), 1e-300)
    return np.asarray((values - lowest) / width).astype(np.int64)


def _extremes(values: Vector, start: Codes) -> tuple[Vector, Vector]:
    return np.minimum.reduceat(values, start), np.maximum.reduceat(values, start)
