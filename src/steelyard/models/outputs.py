"""System and segment of each item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import ITEM_UNIT, BadSetting, NoSystems
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Labels, Mask

SEGMENTS = {"new": "new segments", "these": "these segments"}
RATERS = {"new": "new raters", "these": "these raters"}


def target_in_words(target: str, raters: str) -> str:
    """Return the segments and raters that a scale of systems describes, as signatures name them.

    >>> target_in_words("new", "these")
    'new segments, these raters'
    """
    return f"{SEGMENTS[target]}, {RATERS[raters]}"


@dataclass(frozen=True, eq=False)
class Outputs:
    """System and segment of every item. MISSING if ratings name none or several.

    `segment` is None if no two items share a segment.
    """

    labels: Labels  # of the systems, sorted
    system: Codes
    segment: Codes | None
    segments: int
    several: int = 0  # number of items that occur under several systems

    @property
    def systems(self) -> int:
        """Number of systems."""
        return len(self.labels)

    @property
    def has_system(self) -> Mask:
        """Whether each item has a system."""
        return np.asarray(self.system != MISSING)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about items that cannot be assigned to a system."""
        notes = []
        nameless = int(np.sum(~self.has_system)) - self.several
        if nameless:
            items = "1 item names" if nameless == 1 else f"{nameless:,} items name"
            notes.append(f"{items} no system and cannot be used to estimate systems.")
        if self.several:
            items = "1 item occurs" if self.several == 1 else f"{self.several:,} items occur"
            notes.append(
                f"{items} under several systems and cannot be used to estimate systems. "
                "Read the file with an item key of system and item to distinguish them."
            )
        return tuple(notes)


def sample_counts(outputs: Outputs, item: Codes, raters: int) -> dict[str, int]:
    """Return the number of raters, and of segments if items share them, by `"rater"` and `"segment"`.

    Parameters
    ----------
    outputs
        System and segment of each item.
    item
        Item of each rating.
    raters
        Number of raters.

    Returns
    -------
    dict of int
        Numbers among these ratings.
    """
    counts = {"rater": raters}
    if outputs.segment is not None:
        counts["segment"] = len(np.unique(outputs.segment[item]))
    return counts


def outputs_of(judgments: Judgments, otherwise: str = ITEM_UNIT) -> Outputs:
    """Return the system and segment of each item, from the columns of the ratings.

    `otherwise` is what to do if there is no system column, for the error message.
    """
    table = judgments.table("rating")
    if "system" not in table.codes:
        raise NoSystems(table.kind.name, table.kind.systems, otherwise)
    size = len(judgments.items)
    system, several = _column_of_items(table.codes["item"], table.codes["system"], size)
    used = np.unique(system[system != MISSING])
    if several and not len(used):
        raise BadSetting(
            "item_key (--item-key)",
            "every item occurs under several systems, so no rating can be assigned to one system. Systems that share "
            "item ids need both columns: --item-key system,item.",
        )
    recoded = np.full(int(system.max(initial=-1)) + 2, MISSING)
    recoded[used] = np.arange(len(used))
    segment, segments = _segments(judgments, size)
    return Outputs(judgments.labels("system")[used], recoded[system], segment, segments, several)


def shared_labels(judgments: Judgments, column: str) -> dict[str, str]:
    """Return the label of each item in a column of the judgments.

    Items with several labels are left out. The result is empty if no two items share a label, or if the judgments are
    of a kind without an item column, such as comparisons.
    """
    tables = [table for table in judgments.tables.values() if {"item", column} <= set(table.codes)]
    if not tables:
        return {}
    table = tables[0]
    codes, _ = _column_of_items(table.codes["item"], table.codes[column], len(judgments.items))
    named = np.flatnonzero(codes != MISSING)
    if len(np.unique(codes[named])) >= len(named):
        return {}
    labels = judgments.labels(column)
    return {str(judgments.items[at]): str(labels[codes[at]]) for at in named}


def _segments(judgments: Judgments, size: int) -> tuple[Codes | None, int]:
    """Return the segment of each item. An item without one gets a segment of its own."""
    table = judgments.table("rating")
    if "segment" not in table.codes:
        return None, 0
    segment, _ = _column_of_items(table.codes["item"], table.codes["segment"], size)
    alone = segment == MISSING
    segment = np.where(alone, int(segment.max(initial=-1)) + np.cumsum(alone), segment)
    levels, codes = np.unique(segment, return_inverse=True)
    return (np.asarray(codes, dtype=np.int64), len(levels)) if len(levels) < size else (None, 0)


def _column_of_items(item: Codes, values: Codes, size: int) -> tuple[Codes, int]:
    """Return the value of each item, MISSING if rows give it none or several, and the number with several."""
    named = values != MISSING
    pairs = np.unique(item[named] * (int(values.max(initial=0)) + 1) + values[named])
    width = int(values.max(initial=0)) + 1
    count = np.bincount(pairs // width, minlength=size)
    one_value = np.full(size, MISSING)
    one_value[pairs // width] = pairs % width
    return np.where(count == 1, one_value, MISSING), int(np.sum(count > 1))
