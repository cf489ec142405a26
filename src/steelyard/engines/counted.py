"""Counts of a log by pair and columns, assembled from the batches of an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.engines import statistics
from steelyard.engines.labels import MISSING, Coder, Vocabulary
from steelyard.engines.rejected import BAD_COUNT, MISSING_ID, SELF_PAIR, UNKNOWN_OUTCOME
from steelyard.errors import BadSetting
from steelyard.judgments.counts import Covariate, PairCounts
from steelyard.maths.arrays import Codes, Matrix, Vector

CLUSTERS = ("rater", "segment")


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts by pair and columns of all sound rows, the codes of item labels, and the rows left out by class."""

    counts: PairCounts
    items: Vocabulary
    bad: Mapping[str, float]
    total: float


def numbers(column: Any) -> Vector:
    """Return an Arrow column of numbers; empty cells are 0."""
    return np.asarray(column.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.float64)


def cell_values(column: Any, coder: Coder) -> Any:
    """Return the values of a covariate in a batch: numbers, or codes of labels."""
    if str(column.type).startswith(("int", "uint", "float", "double", "decimal")):
        return np.asarray(column.cast("float64").to_numpy(zero_copy_only=False), dtype=np.float64)
    return coder.add(column.cast("string"))


def covariate(parts: Sequence[Any], coder: Coder) -> Covariate:
    """Return a covariate from its values in all batches. An empty cell has the label ""."""
    values = np.concatenate(parts) if parts else np.empty(0)
    if values.dtype.kind == "f":
        return Covariate(values)
    vocabulary = coder.sorted()
    codes = vocabulary.place[values]
    labels = np.append(vocabulary.labels, "") if (codes < 0).any() else vocabulary.labels
    return Covariate(np.where(codes < 0, len(labels) - 1, codes), labels)


def assembled(
    items: Vocabulary,
    sides: Sequence[tuple[Codes, Codes]],
    sums: Sequence[Matrix],
    cells: Mapping[str, Covariate],
) -> Counted:
    """Return the counts of sound rows, and the numbers of other rows by class.

    Parameters
    ----------
    items
        Items in the order of their codes.
    sides
        Codes of left and right items of each part.
    sums
        Sums of each part, one column per cell.
    cells
        Covariates of the cells.

    Returns
    -------
    Counted
        The counts.
    """
    kind = np.int32 if len(items) < 2**31 else np.int64
    left, right = (
        items.place[np.concatenate([pair[at] for pair in sides]) if sides else np.empty(0, np.int64)]
        for at in (0, 1)
    )
    every = np.concatenate(sums, axis=1) if sums else np.empty((len(statistics.SUMS), 0))
    missing, itself = (left == MISSING) | (right == MISSING), left == right
    sound, total = ~missing & ~itself, every.sum(axis=0)
    bad = {
        MISSING_ID: float(total[missing].sum()),
        SELF_PAIR: float(total[itself & ~missing].sum()),
        UNKNOWN_OUTCOME: float(every[statistics.UNKNOWN, sound].sum()),
        BAD_COUNT: float(every[statistics.BAD_COUNT, sound].sum()),
    }
    kept = {name: column.at(np.flatnonzero(sound)) for name, column in cells.items()}
    raw = PairCounts(
        items.labels,
        np.arange(len(items)),
        left[sound].astype(kind),
        right[sound].astype(kind),
        every[:3, sound],
        kept,
        ordered=True,
    )
    return Counted(_compact(raw.summed(ordered=True)), items, bad, float(total.sum()))


def _compact(counts: PairCounts) -> PairCounts:
    """Return the counts without items that no row has."""
    used = np.zeros(len(counts.items), dtype=bool)
    used[counts.left] = used[counts.right] = True
    if used.all():
        return counts
    place = (np.cumsum(used) - 1).astype(counts.left.dtype)
    return replace(
        counts,
        items=counts.items[used],
        places=np.arange(int(used.sum())),
        left=place[counts.left],
        right=place[counts.right],
    )


def slice_of(counts: PairCounts, where: Mapping[str, Any]) -> PairCounts:
    """Return the rows with these values, without the columns of the slice."""
    kept = np.ones(len(counts), dtype=bool)
    for name, value in where.items():
        column = counts.cells[name]
        cells = column.values if column.labels is None else column.labels[column.values]
        kept &= np.isnan(cells) if value is None else np.equal(cells, value)
    at = np.flatnonzero(kept)
    cells = {name: column.at(at) for name, column in counts.cells.items() if name not in where}
    part = replace(
        counts, left=counts.left[at], right=counts.right[at], counts=counts.counts[:, at], cells=cells
    )
    return _compact(part.summed(ordered=True))


def texts(column: Covariate) -> list[tuple[str, Any]]:
    """Return each cell as text and as its value; an empty cell as "" and None or ""."""
    if column.labels is not None:
        return [(str(label), str(label)) for label in column.labels[column.values]]
    return [("", None) if np.isnan(value) else (f"{value:g}", float(value)) for value in column.values]


def refuse_empty(name: str, counts: PairCounts) -> None:
    """Raise `BadSetting` if some comparisons have no value in a covariate."""
    column = counts.cells[name]
    rows = np.isnan(column.values) if column.labels is None else column.labels[column.values] == ""
    if name not in CLUSTERS and np.any(rows):
        empty = float(counts.totals[rows].sum())
        raise BadSetting(
            name,
            f"{empty:,.0f} comparisons have no value in this column. Fill the cells, or remove the rows.",
        )
