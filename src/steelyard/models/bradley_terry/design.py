"""Design of a Bradley-Terry model: rows of counted pairs and columns of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.judgments.counts import FIRST, SECOND, TIE, PairCounts
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector
from steelyard.models.bradley_terry.columns import DesignColumns, make_columns
from steelyard.models.bradley_terry.settings import Settings

GHOST = "ghost"  # the hypothetical item of pseudo-comparisons


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """A complete set of item columns: the main effects, or their differences in one group of raters."""

    label: str
    start: int


@dataclass(frozen=True, eq=False)
class Design:
    """Rows of pairs with their outcomes, and three groups of parameters: items, other effects, tie effects.

    Rows are sorted by their first item. Parameters are in the order above. `free` marks those that are estimated;
    reference and aliased parameters are 0. `rank` is the number of identified parameters. `real` marks observed rows.
    The other rows are pseudo-comparisons with a hypothetical item, the "ghost", which is the last item.
    """

    table: PairCounts
    left: Codes
    right: Codes
    outcomes: Matrix
    real: Mask
    size: int
    others: Any  # sparse, rows x effects
    ties: Any
    names: tuple[str, ...]
    blocks: tuple[ItemColumns, ...]
    component: Codes
    free: Mask
    rank: int = 0
    aliased: tuple[str, ...] = ()

    @property
    def items(self) -> Labels:
        """Items of the scale, without the ghost."""
        return self.table.items

    @property
    def kinds(self) -> tuple[slice, slice, slice]:
        """Slices of the parameters: items, other effects, ties."""
        others = self.size + self.others.shape[1]
        return slice(0, self.size), slice(self.size, others), slice(others, len(self.names))

    @cached_property
    def totals(self) -> Vector:
        """Comparisons in each row."""
        return np.asarray(self.outcomes.sum(axis=0))

    @cached_property
    def matrix(self) -> Any:
        """Design matrix of the ability predictor: rows x parameters, sparse."""
        from scipy import sparse  # SciPy is slow to import

        rows = len(self.left)
        empty = sparse.csr_array((rows, self.ties.shape[1]))
        return sparse.hstack([self._incidence, self.others, empty], format="csr")

    @cached_property
    def tie_matrix(self) -> Any:
        """Design matrix of the tie predictor: rows x parameters, sparse."""
        from scipy import sparse  # SciPy is slow to import

        before = sparse.csr_array((len(self.left), self.size + self.others.shape[1]))
        return sparse.hstack([before, self.ties], format="csr")

    @cached_property
    def _incidence(self) -> Any:
        """+1 at the first and -1 at the second item of each row."""
        from scipy import sparse  # SciPy is slow to import

        rows = len(self.left)
        if not self.size:
            return sparse.csr_array((rows, 0))
        at = np.stack([self.left, self.right], axis=1).ravel()
        signs = np.tile([1.0, -1.0], rows)
        return sparse.csr_array((signs, at, np.arange(0, 2 * rows + 1, 2)), shape=(rows, self.size))

    def predictors(self, theta: Vector) -> tuple[Vector, Vector]:
        """Return the ability predictor and the tie predictor of each row."""
        items, others, ties = self.kinds
        rows = len(self.left)
        ability: Vector = self.others @ theta[others] if self.others.shape[1] else np.zeros(rows)
        if self.size:
            worth = theta[items]
            ability = worth[self.left] - worth[self.right] + (ability if self.others.shape[1] else 0.0)
        if self.one_tie:
            return ability, np.broadcast_to(theta[ties.start] if self.ties.shape[1] else 0.0, rows)
        return np.asarray(ability), np.asarray(self.ties @ theta[ties])

    @cached_property
    def one_tie(self) -> bool:
        """Whether the tie parameter is the same for all rows."""
        count = self.ties.shape[1]
        return count == 0 or (
            count == 1 and self.ties.nnz == len(self.left) and bool(np.all(self.ties.data == 1.0))
        )

    @cached_property
    def starts(self) -> Codes:
        """First row of each first item, followed by the number of rows."""
        return np.searchsorted(self.left, np.arange(self.size + 1)).astype(self.right.dtype)

    def graph(self, weights: Vector) -> Any:
        """Return a sparse matrix, items x items, with the weight of each row at its first and second item."""
        from scipy import sparse  # SciPy is slow to import

        return sparse.csr_array((weights, self.right, self.starts), shape=(self.size, self.size))

    @cached_property
    def columns(self) -> tuple[Matrix, Matrix]:
        """Columns other than items as full matrices. Large designs have few of them."""
        return self.others.toarray(), self.ties.toarray()

    def net(self, rows: Vector) -> Vector:
        """Return the net sum of the rows by item: plus as first item, minus as second item."""
        graph, ones = self.graph(rows), np.ones(self.size)
        return np.asarray(graph @ ones - graph.T @ ones)

    def gradient(self, ability: Vector, tie: Vector | None) -> Vector:
        """Return the gradient by parameter from the derivatives by row."""
        items = self.net(ability) if self.size else np.empty(0)
        if tie is None or not self.ties.shape[1]:
            ties = np.zeros(self.ties.shape[1])
        else:
            ties = np.array([tie.sum()]) if self.one_tie else self.ties.T @ tie
        return np.concatenate([items, self.others.T @ ability, ties])


def make_design(table: PairCounts, settings: Settings) -> Design:
    """Return the design of a table of counts under these settings."""
    table = _with_outcomes(table, settings)
    outcomes = treated(table.counts, settings.ties)
    ghosts = len(table.items) if settings.penalty == "pseudo" and settings.item_effects else 0
    columns = make_columns(table, settings, ghosts)
    size = (len(table.items) + bool(ghosts)) if settings.item_effects else 0
    left, right, outcomes = _haunted(table, outcomes, ghosts, settings.pseudo)
    real = np.arange(len(left)) < len(table)
    order = _order(left)
    if order is not None:
        left, right, outcomes, real = left[order], right[order], outcomes[:, order], real[order]
        columns = columns.at(order)
    names = _names(table, size, columns)
    blocks = ((ItemColumns("", 0),) if size else ()) + tuple(
        ItemColumns(label, size + start) for label, start in columns.blocks
    )
    free = np.ones(len(names), dtype=bool)
    component = np.zeros(len(table.items), dtype=np.int64)
    return Design(
        table, left, right, outcomes, real, size, columns.others, columns.ties, names, blocks, component, free
    )


def _with_outcomes(table: PairCounts, settings: Settings) -> PairCounts:
    """Return the rows that have outcomes. Without ties, some rows are empty."""
    if settings.ties != "drop":
        return table
    kept = np.flatnonzero(table.counts[FIRST] + table.counts[SECOND] > 0)
    if len(kept) == len(table):
        return table
    cells = {name: column.at(kept) for name, column in table.cells.items()}
    return replace(
        table, left=table.left[kept], right=table.right[kept], counts=table.counts[:, kept], cells=cells
    )


def treated(counts: Matrix, ties: str) -> Matrix:
    """Return the counts of the outcomes of the model from counts of first, tie and second."""
    if ties == "half":
        return np.asarray(counts[[FIRST, SECOND]] + 0.5 * counts[TIE])
    return np.asarray(counts[[FIRST, SECOND]]) if ties == "drop" else counts


def _haunted(table: PairCounts, outcomes: Matrix, ghosts: int, pseudo: float) -> tuple[Codes, Codes, Matrix]:
    """Append pseudo-comparisons: every item wins and loses `pseudo` times against the ghost."""
    if not ghosts:
        return table.left, table.right, outcomes
    added = np.zeros((len(outcomes), ghosts))
    added[0] = added[-1] = pseudo
    left = np.concatenate([table.left, np.arange(ghosts, dtype=table.left.dtype)])
    right = np.concatenate([table.right, np.full(ghosts, ghosts, dtype=table.right.dtype)])
    return left, right, np.concatenate([outcomes, added], axis=1)


def _order(left: Codes) -> Codes | None:
    """Return the order of rows by their first item; None if they are already sorted."""
    if len(left) < 2 or bool(np.all(left[1:] >= left[:-1])):
        return None
    return np.argsort(left, kind="stable")


def _names(table: PairCounts, size: int, columns: DesignColumns) -> tuple[str, ...]:
    items: Sequence[Any] = table.items.tolist() if size else []
    ghost = [GHOST] if size > len(items) else []
    return (*map(str, items), *ghost, *columns.other_names, *columns.tie_names)
