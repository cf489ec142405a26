"""`PairCounts`: comparisons counted by pair, outcome and covariates, as fits of comparisons need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, NothingToFit, UnknownName
from steelyard.judgments.coding import Vocabulary
from steelyard.judgments.comparison_arrays import SIGNS
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector, sum_by

ROW = "row"  # the name of the cell that keeps every row of the source separate
FIRST, TIE, SECOND = 0, 1, 2  # rows of `counts`
DENSE_CELLS = 2**22  # largest number of possible cells for which counting is faster than sorting


@dataclass(frozen=True, eq=False)
class Covariate:
    """A column of the judgments that a model uses as a covariate.

    Attributes
    ----------
    values
        Value in each row: numbers, or codes of labels.
    labels
        Labels of the codes; None if the values are numbers.
    """

    values: Codes | Vector
    labels: Labels | None = None

    def at(self, rows: Codes) -> Covariate:
        """Return the same column for the selected rows."""
        return Covariate(self.values[rows], self.labels)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Number of times the first item was preferred, neither was, and the second was: one row per pair and cell.

    Parameters
    ----------
    items
        Sorted item ids.
    places
        Index in `items` of each item, in order of first appearance.
    left, right
        Index of the first and of the second item of each row.
    counts
        Array with three rows: first preferred, tie, second preferred.
    cells
        Covariates of each row, by name.
    ordered
        Whether the first item of a pair is the one shown on the left. Otherwise it is the one that comes first in
        `items`.
    """

    items: Labels
    places: Codes
    left: Codes
    right: Codes
    counts: Matrix
    cells: Mapping[str, Covariate]
    ordered: bool

    def __len__(self) -> int:
        return len(self.left)

    @staticmethod
    def of(judgments: Judgments, by: Sequence[str] = (), ordered: bool = True) -> PairCounts:
        """Count comparisons by pair and by these columns.

        Parameters
        ----------
        judgments
            Comparisons, with or without ties.
        by
            Columns that rows must agree in to be counted together. "row" keeps every row separate.
        ordered
            Whether to distinguish which item was shown on the left.

        Returns
        -------
        PairCounts
            One row per pair and combination of values.

        Examples
        --------
        >>> from steelyard import Comparison
        >>> table = [Comparison("ann", "tea", "milk", "left"), Comparison("bob", "milk", "tea", "right")]
        >>> counts = PairCounts.of(Judgments.of(table), ordered=False)
        >>> list(counts.items), counts.counts.T.tolist()
        (['milk', 'tea'], [[0.0, 0.0, 2.0]])
        """
        table = judgments.table("comparison")
        if not len(table):
            present = judgments.kinds if len(judgments) else ()
            raise NothingToFit.among("bradley_terry", ("comparison",), present)
        vocabulary, places, left, right = sides_of(judgments, table)
        columns = {name: _column(judgments, table, name) for name in dict.fromkeys(by)}
        weights = table.weights if "count" in table else None
        signs = np.array([SIGNS[label] for label in judgments.labels("outcome")], dtype=np.int8)
        rows = _ComparisonRows(left, right, (1 - signs)[table.codes["outcome"]], weights, columns)
        return _counted(rows, vocabulary.labels, places, ordered)

    def pooled(self, by: Sequence[str] = (), ordered: bool = False) -> PairCounts:
        """Return the same counts by fewer columns, and without the order of the pair unless `ordered`."""
        for name in by:
            if name not in self.cells:
                raise UnknownName("column", name, tuple(self.cells))
        if ordered and not self.ordered:
            raise BadSetting("order", "these counts do not record which item of a pair was shown first.")
        if set(by) == set(self.cells) and ordered == self.ordered:
            return self
        return replace(self, cells={name: self.cells[name] for name in by}).summed(ordered)

    def summed(self, ordered: bool) -> PairCounts:
        """Return the counts with rows of the same pair and cell added up, sorted and without rows of zeros."""
        left, right, counts = self.left, self.right, self.counts
        if not ordered:
            turned = left > right
            left, right = np.where(turned, right, left), np.where(turned, left, right)
            counts = np.where(turned, counts[::-1], counts)
        cell, distinct, columns = _cells(self.cells)
        key = left.astype(np.int64) * len(self.items) + right
        key = key if cell is None else key * distinct + cell
        order = np.argsort(key, kind="stable")
        key = key[order]
        starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if len(key) else np.empty(0, np.int64)
        sums = np.stack([np.add.reduceat(row[order], starts) for row in counts]) if len(key) else counts
        occurred = sums.sum(axis=0) > 0
        at, sums = order[starts[occurred]], np.ascontiguousarray(sums[:, occurred])
        cells = {} if cell is None else {name: column.at(cell[at]) for name, column in columns.items()}
        return PairCounts(self.items, self.places, left[at], right[at], sums, cells, ordered)

    @cached_property
    def totals(self) -> Vector:
        """Number of comparisons in each row."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def judgments(self) -> float:
        """Total number of comparisons."""
        return float(self.totals.sum())

    @property
    def whole_judgments(self) -> int | float:
        """Total number of comparisons, as an integer unless counts are fractions."""
        return int(self.judgments) if self.judgments.is_integer() else self.judgments

    def codes_of(self, name: str) -> Codes:
        """Return the code of a cluster, such as the rater, of each row; MISSING where it is not recorded."""
        if name not in self.cells:
            return np.full(len(self), MISSING)
        column = self.cells[name]
        if column.labels is None:
            return np.unique(column.values, return_inverse=True)[1].astype(np.int64)
        unnamed = ("", UNKNOWN_RATER) if name == "rater" else ("",)
        nameless = np.array([str(label) in unnamed for label in column.labels], dtype=bool)
        codes = column.values.astype(np.int64)
        return np.where(nameless[codes], MISSING, codes)

    @cached_property
    def by_item(self) -> Vector:
        """Number of comparisons of each item."""
        size = len(self.items)
        return sum_by(self.left, self.totals, size) + sum_by(self.right, self.totals, size)


@dataclass(frozen=True, eq=False)
class _ComparisonRows:
    """Rows to count: item codes, outcome (0 first, 1 tie, 2 second), weights and covariates."""

    left: Codes
    right: Codes
    outcome: Any
    weights: Vector | None
    columns: Mapping[str, Covariate]


def sides_of(judgments: Judgments, table: Table) -> tuple[Vocabulary, Codes, Codes, Codes]:
    """Return the compared items, sorted, the index of each item among them, and both sides of each pair."""
    left, right = table.codes["left"], table.codes["right"]
    vocabulary = judgments.vocabularies["item"]
    used = np.bincount(left, minlength=len(vocabulary)) + np.bincount(right, minlength=len(vocabulary)) > 0
    if not used.all():
        vocabulary, kept = vocabulary.kept(np.flatnonzero(used))
        left, right = kept[left], kept[right]
    sorted_items, places = vocabulary.in_order()
    recoding: Any = places.astype(np.int32 if len(vocabulary) < 2**31 else np.int64)  # half the memory
    return sorted_items, places, recoding[left], recoding[right]


def _column(judgments: Judgments, table: Table, name: str) -> Covariate:
    if name == ROW:
        return Covariate(np.arange(len(table), dtype=np.int64))
    if name not in table:
        raise UnknownName("column", name, table.columns)
    if name in table.numbers:
        empty = int(np.isnan(table.numbers[name]).sum())
        column = Covariate(table.numbers[name])
    else:
        vocabulary, new = judgments.vocabularies[name].in_order()
        codes = table.codes[name]
        empty = int((codes == MISSING).sum())
        column = Covariate(new[codes], vocabulary.labels)
    if empty:
        raise BadSetting(
            name, f"{empty:,} comparisons have no value in this column. Fill the cells, or remove the rows."
        )
    return column


def _counted(rows: _ComparisonRows, items: Labels, places: Codes, ordered: bool) -> PairCounts:
    """Return the rows summed by pair and cell, without rows whose counts are all 0."""
    left, right, outcome = rows.left, rows.right, rows.outcome
    if not ordered:
        turned = left > right
        left, right = np.where(turned, right, left), np.where(turned, left, right)
        outcome = np.where(turned, 2 - outcome, outcome)
    cell, distinct, columns = _cells(rows.columns)
    pair = left.astype(np.int64) * len(items) + right
    key = pair if cell is None else pair * distinct + cell
    keys, counts = _tally(key, outcome, rows.weights, len(items) ** 2 * distinct)
    occurred = counts.sum(axis=0) > 0
    keys, counts = keys[occurred], counts[:, occurred]
    pairs, at = (keys, None) if cell is None else (keys // distinct, keys % distinct)
    cells = {name: column.at(at) for name, column in columns.items()} if at is not None else {}
    side = rows.left.dtype
    return PairCounts(
        items,
        places,
        (pairs // len(items)).astype(side),
        (pairs % len(items)).astype(side),
        counts,
        cells,
        ordered,
    )


def _tally(key: Codes, outcome: Any, weights: Vector | None, possible: int) -> tuple[Codes, Matrix]:
    """Return the sorted distinct keys, and the count of each of three outcomes by key."""
    full = key * 3 + outcome
    if 3 * possible <= DENSE_CELLS:
        counted = np.bincount(full, weights, minlength=3 * possible).reshape(-1, 3)
        keys = np.flatnonzero(counted.any(axis=1))
        return keys, np.ascontiguousarray(counted[keys].T, dtype=np.float64)
    if weights is None:
        full.sort()
        starts = np.flatnonzero(np.r_[True, full[1:] != full[:-1]])
        sums = np.diff(np.r_[starts, len(full)]).astype(np.float64)
    else:
        order = np.argsort(full, kind="stable")
        full = full[order]
        starts = np.flatnonzero(np.r_[True, full[1:] != full[:-1]])
        sums = np.add.reduceat(weights[order], starts)
    combinations = full[starts]
    keys, which = np.divmod(combinations, 3)
    first = np.r_[True, keys[1:] != keys[:-1]]
    counts = np.zeros((3, int(first.sum())))
    counts[which, np.cumsum(first) - 1] = sums
    return keys[first], counts


def _cells(columns: Mapping[str, Covariate]) -> tuple[Codes | None, int, dict[str, Covariate]]:
    """Return one code per row for the combination of all columns, the number of codes, and each column by code."""
    cell: Codes | None = None
    firsts: Codes = np.empty(0, dtype=np.int64)
    for column in columns.values():
        _, codes = np.unique(column.values, return_inverse=True)
        joined = codes if cell is None else cell * (int(codes.max()) + 1) + codes
        _, firsts, cell = np.unique(joined, return_index=True, return_inverse=True)
    if cell is None:
        return None, 1, {}
    return cell, len(firsts), {name: column.at(firsts) for name, column in columns.items()}
