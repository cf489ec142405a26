"""Plackett-Luce likelihood of rankings as a function of log-worths and log tie parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.plackett_luce.rankings import Rankings
from steelyard.models.worths import InformationCells, Slope, cells_between

if TYPE_CHECKING:
    from steelyard.models.plackett_luce.kernel import Entries


@dataclass(frozen=True, eq=False)
class RankingLikelihood:
    """Likelihood of rankings with ties of the sizes `orders`, the first of which is 1."""

    rankings: Rankings
    orders: Codes

    @property
    def items(self) -> int:
        """Number of log-worths. The other parameters are log tie parameters."""
        return self.rankings.items

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.items + len(self.orders) - 1

    def at(self, parameters: Vector) -> Slope:
        """Return log-likelihood, gradient and information at these log-worths and log tie parameters."""
        from steelyard.models.plackett_luce.kernel import Totals, sum_up  # numba is slow to import

        extra = self.size - self.items
        totals = Totals(
            np.zeros(self._cells.count),
            np.zeros((self.items, extra)),
            np.zeros((extra, extra)),
            np.zeros(self.size),
        )
        theta, tau = parameters[: self.items], parameters[self.items :]
        widest = int(self.rankings.size.max(initial=1))
        value = sum_up(theta, tau, self._entries, totals, widest)
        matrix = self._cells.matrix(totals.cells, totals.cross, totals.ties)
        return Slope(float(value), totals.gradient, matrix)

    def scores(self, parameters: Vector) -> Any:
        """Return the gradient of each distinct ranking as a sparse matrix, rankings x parameters."""
        from scipy.sparse import csr_array, hstack  # SciPy is slow to import

        from steelyard.models.plackett_luce.kernel import Totals, score_each  # numba is slow to import

        extra, rankings = self.size - self.items, self.rankings
        totals = Totals(
            np.zeros(self._cells.count),
            np.zeros((self.items, extra)),
            np.zeros((extra, extra)),
            np.zeros(self.size),
        )
        by_entry, by_tie = np.zeros(len(rankings.item)), np.zeros((len(rankings), extra))
        once = self._entries._replace(weight=np.ones(len(rankings)))
        theta, tau = parameters[: self.items], parameters[self.items :]
        score_each(theta, tau, once, totals, int(rankings.size.max(initial=1)), by_entry, by_tie)
        shape = (len(rankings), self.items)
        worths = csr_array((by_entry, rankings.item, rankings.start), shape=shape)
        return hstack([worths, csr_array(by_tie)], format="csr") if extra else worths

    @cached_property
    def _cells(self) -> InformationCells:
        size = self.rankings.size
        wide = np.repeat(size, size)  # size of the ranking of each entry
        row = np.repeat(self.rankings.item, wide)
        begin = np.repeat(np.repeat(self.rankings.start[:-1], size), wide)
        ends = np.cumsum(wide)
        column = self.rankings.item[begin + np.arange(len(row)) - np.repeat(ends - wide, wide)]
        return cells_between(self.items, row, column)

    @cached_property
    def _entries(self) -> Entries:
        from steelyard.models.plackett_luce.kernel import Entries  # numba is slow to import

        rankings, size = self.rankings, self.rankings.size
        block = np.cumsum(size**2) - size**2
        arrays = (rankings.start, rankings.item, rankings.stage, rankings.weight)
        return Entries(*arrays, self.orders, self._cells.slot, block)
