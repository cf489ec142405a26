"""Streams of coded comparisons: each row of a log as an entry of a table of counts, with its cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.engines import statistics
from steelyard.engines.engine import Engine
from steelyard.engines.labels import Vocabulary
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.logs import LogRows
from steelyard.maths.arrays import Codes

DENSE_KEYS = 50_000_000  # possible keys up to which a lookup is an array
NOWHERE = -1  # a key that is not in the table


@dataclass(frozen=True, eq=False)
class CellCodes:
    """The combinations of covariates of a table: their code in each row, and their values by column."""

    codes: Codes
    count: int
    values: Mapping[str, Any]

    @staticmethod
    def of(table: PairCounts, columns: Sequence[str]) -> CellCodes:
        """Return the combinations in a table of counts; the columns are those of the log, in the order of its cells."""
        cell, firsts = np.zeros(len(table), dtype=np.int64), np.zeros(1, dtype=np.int64)
        for column in table.cells.values():
            _, code = np.unique(column.values, return_inverse=True)
            joined = cell * (int(code.max(initial=0)) + 1) + code
            _, firsts, cell = np.unique(joined, return_index=True, return_inverse=True)
        values = {
            name: column.values[firsts] if column.labels is None else column.labels[column.values[firsts]]
            for name, column in zip(columns, table.cells.values(), strict=True)
        }
        return CellCodes(cell, len(firsts), values)

    def table(self) -> Any:
        """Return an Arrow table of the values with their codes."""
        import pyarrow as pa  # an optional dependency

        columns = {name: pa.array(values.tolist()) for name, values in self.values.items()}
        return pa.table({**columns, "code": pa.array(np.arange(self.count, dtype=np.int32))})


@dataclass(frozen=True, eq=False)
class Coding:
    """How the rows of a log are coded.

    Attributes
    ----------
    items
        Index in the table of counts of each item label, as written in the log.
    cluster
        Column of the clusters.
    clusters
        Codes of the clusters.
    cells
        Combinations of covariates.
    """

    items: Mapping[str, int]
    cluster: str
    clusters: Vocabulary
    cells: CellCodes

    def expression(self, engine: Engine, standard: Any, size: int) -> Any:
        """Return each row of a log as a key and a cluster.

        Parameters
        ----------
        engine
            Engine of the log.
        standard
            Its standard table.
        size
            Number of items.

        Returns
        -------
        Table
            Ibis expression.
        """
        import pyarrow as pa  # an optional dependency

        codes = pa.array(list(self.items.values()), pa.int32())
        items = pa.table({"label": pa.array(list(self.items), pa.string()), "code": codes})
        covariates = self.cells.values
        cells = (tuple(covariates), engine.put(self.cells.table())) if covariates else None
        clusters = (self.cluster, engine.put(self.clusters.table()))
        return statistics.coded_rows(standard, engine.put(items), clusters, cells, (size, self.cells.count))


def streamed_rows(
    engine: Engine, standard: Any, coding: Coding, table: PairCounts, part: tuple[int, int]
) -> Iterator[LogRows]:
    """Yield the comparisons of a log as entries of a table of counts.

    Parameters
    ----------
    engine
        Engine of the log.
    standard
        Standard table of the log.
    coding
        Codes of items, clusters and covariates.
    table
        Table of counts.
    part
        (k, n) for the clusters whose code is k modulo n.

    Yields
    ------
    LogRows
        Some comparisons.
    """
    expression = coding.expression(engine, standard, len(table.items))
    index, parts = part
    if parts > 1:
        other = (expression.cluster % parts) == index
        expression = expression.filter(other | expression.cluster.isnull() if index == 0 else other)
    entries = _Entries.of(table, coding.cells)
    for batch in engine.batches(expression):
        yield from entries.rows(batch)


@dataclass(frozen=True, eq=False)
class _Entries:
    """The entry of each key, as an array over all keys (`dense`) or as sorted keys with their entries."""

    dense: Any
    keys: Codes
    entries: Codes

    @staticmethod
    def of(table: PairCounts, cells: CellCodes) -> _Entries:
        size, rows, distinct = len(table.items), len(table), cells.count
        left, right = table.left.astype(np.int64), table.right.astype(np.int64)
        at, keys, entries = np.arange(rows), [], []
        for answer in range(3):
            keys.append(((answer * distinct + cells.codes) * size + left) * size + right)
            entries.append(answer * rows + at)
            if not table.ordered:  # the pair was also shown the other way round
                keys.append((((2 - answer) * distinct + cells.codes) * size + right) * size + left)
                entries.append(answer * rows + at)
        every, entry = np.concatenate(keys), np.concatenate(entries)
        possible = 3 * distinct * size * size
        if possible > DENSE_KEYS:
            order = np.argsort(every)
            return _Entries(None, every[order], entry[order])
        dense = np.full(possible, NOWHERE, dtype=np.int32)
        dense[every] = entry
        return _Entries(dense, every[:0], entry[:0])

    def rows(self, batch: Any) -> Iterator[LogRows]:
        """Yield the rows of a batch whose key is in the table."""
        key = batch["key"].to_numpy(zero_copy_only=False)
        cluster = batch["cluster"].fill_null(-1).to_numpy(zero_copy_only=False)
        weight = _weights(batch, len(key))
        if self.dense is not None:
            entry = self.dense[key]
        else:
            at = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
            entry = np.where(self.keys[at] == key, self.entries[at], NOWHERE)
        inside = entry != NOWHERE
        if inside.all():
            yield LogRows(entry, cluster, weight)
        else:
            yield LogRows(entry[inside], cluster[inside], weight[inside])


def _weights(batch: Any, size: int) -> Any:
    if "weight" not in batch.schema.names:
        return np.ones(size)
    return np.asarray(batch["weight"].to_numpy(zero_copy_only=False), dtype=np.float64)
