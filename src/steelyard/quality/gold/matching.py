"""Items that all compared scales and the reference have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, NothingToTest
from steelyard.judgments.findings import counted, listed
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector, object_cells, sum_by
from steelyard.quality.gold.item_values import ItemValues

LEAST_ITEMS = 3
DIGITS = 10  # significant digits of the largest value, to which values are rounded before they are compared


@dataclass(frozen=True, eq=False)
class MatchedItems:
    """Values of the common items, in the order of their ids.

    Parameters
    ----------
    item
        Item ids, or system and segment joined by `/`.
    scores
        Value of each item on each scale, scales x items. Values are rounded, so that equal means are ties.
    gold
        Value of each item in the reference.
    low
        For each scale, lower ends of the intervals of its positions. None for a scale without intervals.
    high
        For each scale, upper ends of the intervals.
    system
        System of each item; None if no two items share a system.
    segment
        Segment of each item; None if no two items share a segment.
    notes
        Sentences about items that are not in all files.
    """

    item: Labels
    scores: Matrix
    gold: Vector
    low: tuple[Vector | None, ...]
    high: tuple[Vector | None, ...]
    system: Labels | None
    segment: Labels | None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.item)

    @property
    def inside(self) -> tuple[Mask | None, ...]:
        """For each scale, whether its intervals contain the reference values. None for a scale without intervals."""
        return tuple(
            None if low is None or high is None else (low <= self.gold) & (self.gold <= high)
            for low, high in zip(self.low, self.high, strict=True)
        )


def match_items(scales: Sequence[ItemValues], gold: ItemValues) -> MatchedItems:
    """Return the items that every scale and the reference have.

    Items are matched by id, or by system and segment if one of the files has no ids.

    Parameters
    ----------
    scales
        Scales to compare.
    gold
        The reference.

    Returns
    -------
    MatchedItems
        Values of the common items.

    Raises
    ------
    NothingToTest
        If fewer than three items are common.
    """
    sides = (*scales, gold)
    places = [{key: at for at, key in enumerate(keys)} for keys in _keys(sides)]
    common = sorted(set(places[0]).intersection(*places[1:]))
    notes = _notes(sides, places)
    if len(common) < LEAST_ITEMS:
        raise NothingToTest(
            f"Comparison with {gold.name}",
            f"{counted(len(common), 'id')} with a value in all files, but at least {LEAST_ITEMS} are needed.",
            " ".join(
                [*notes, "Check that the files use the same ids." if notes else "Add values to the files."]
            ),
        )
    rows = [np.array([place[key] for key in common]) for place in places]
    values = [rounded(each.value)[row] for each, row in zip(sides, rows, strict=True)]
    low, high = (
        tuple(_column(each, row, end) for each, row in zip(scales, rows, strict=False))
        for end in ("low", "high")
    )
    named = object_cells("/".join(key) for key in common)
    system, segment = (
        _shared([_column(each, row, name) for each, row in _gold_first(sides, rows)])
        for name in ("system", "segment")
    )
    return MatchedItems(named, np.stack(values[:-1]), values[-1], low, high, system, segment, notes)


def rounded(values: Vector) -> Vector:
    """Return values rounded to ten significant digits of the largest one, so that equal means are equal.

    >>> rounded(np.array([0.1 + 0.2, 0.3])).tolist()
    [0.3, 0.3]
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    decimals = DIGITS - int(np.ceil(np.log10(largest))) if largest > 0.0 else DIGITS
    return np.round(values, decimals) + 0.0  # -0 becomes 0


def codes_of(labels: Labels) -> Codes:
    """Return a code for each label, from 0. An item without a label has a code of its own."""
    named = np.array([label is not None for label in labels], dtype=bool)
    codes = np.empty(len(labels), dtype=np.int64)
    distinct, codes[named] = np.unique(labels[named].astype(str), return_inverse=True)
    codes[~named] = len(distinct) + np.arange(int(np.sum(~named)))
    return codes


def means_by(system: Codes, values: Vector) -> Vector:
    """Return the mean value of each system, rounded."""
    return rounded(sum_by(system, values) / np.bincount(system))


def _keys(sides: Sequence[ItemValues]) -> list[list[tuple[str, ...]]]:
    """What identifies each item: its id, or its system and segment if one of the files has no ids."""
    if all(each.item is not None for each in sides):
        return [[(str(item),) for item in _ids(each)] for each in sides]
    output_of = {
        str(item): output
        for each in sides
        if each.item is not None and each.outputs is not None
        for item, output in zip(each.item, each.outputs, strict=True)
    }
    return [_output_keys(each, output_of) for each in sides]


def _ids(values: ItemValues) -> Labels:
    return object_cells([]) if values.item is None else values.item


def _output_keys(values: ItemValues, output_of: Mapping[str, tuple[str, str]]) -> list[tuple[str, ...]]:
    """System and segment of each item, from its own file or from another file with the same ids."""
    if values.outputs is not None:
        return [*values.outputs]
    if values.item is None or not output_of:
        raise BadSetting(
            values.name,
            "the items cannot be matched. Both files need an item column, or both a system and a segment column.",
        )
    return [output_of.get(str(item), (str(item),)) for item in values.item]


def _gold_first(sides: Sequence[ItemValues], rows: Sequence[Codes]) -> list[tuple[ItemValues, Codes]]:
    pairs = list(zip(sides, rows, strict=True))
    return [pairs[-1], *pairs[:-1]]


def _column(values: ItemValues, row: Codes, name: str) -> Any:
    """Some rows of a column; None if the column does not exist."""
    column = getattr(values, name)
    return None if column is None else column[row]


def _shared(columns: Sequence[Labels | None]) -> Labels | None:
    """The first column that exists, unless no two items share a label."""
    for column in columns:
        if column is not None:
            named = [label for label in column if label is not None]
            return column if len(set(named)) < len(named) else None
    return None


def _notes(sides: Sequence[ItemValues], places: Sequence[dict[tuple[str, ...], int]]) -> tuple[str, ...]:
    """Which files have items that are not in all files."""
    notes = [note for each in sides for note in each.notes]
    everywhere = set(places[0]).intersection(*places[1:])
    for each, place in zip(sides, places, strict=True):
        lost = sorted("/".join(key) for key in place if key not in everywhere)
        if lost:
            verb = "is" if len(lost) == 1 else "are"
            notes.append(
                f"{len(lost):,} of {counted(len(place), 'item')} of the scale {each.name!r} {verb} left out, because "
                f"not all other files have {'it' if len(lost) == 1 else 'them'}: {listed(lost)}."
            )
    return tuple(notes)
