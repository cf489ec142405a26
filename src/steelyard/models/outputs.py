"""Items as outputs: which system made each, and which segment it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Labels, Mask

SEGMENTS = {"new": "new segments", "these": "these segments"}
RATERS = {"new": "new raters", "these": "these raters"}


def target_in_words(target: str, raters: str) -> str:
    """What a scale of systems is about, as signatures name it.

    >>> target_in_words("new", "these")
    'new segments, these raters'
    """
    return f"{SEGMENTS[target]}, {RATERS[raters]}"


@dataclass(frozen=True, eq=False)
class Outputs:
    """System and segment of every item; MISSING where ratings name none or several.

    `segment` is None where no two items share a segment.
    """

    labels: Labels  # of the systems, sorted
    system: Codes
    segment: Codes | None
    segments: int
    several: int = 0  # items that ratings give to several systems

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return len(self.labels)

    @property
    def has_system(self) -> Mask:
        """Which items have a system."""
        return np.asarray(self.system != MISSING)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of a scale of systems needs to know about the items behind it."""
        notes = []
        nameless = int(np.sum(~self.has_system)) - self.several
        if nameless:
            items = "1 item names" if nameless == 1 else f"{nameless:,} items name"
            notes.append(f"{items} no system and cannot count towards one.")
        if self.several:
            items = "1 item occurs" if self.several == 1 else f"{self.several:,} items occur"
            notes.append(
                f"{items} under several systems and cannot count towards one of them; "
                "read the file with an item key of system and item to distinguish them."
            )
        return tuple(notes)


def outputs_of(judgments: Judgments) -> Outputs:
    """System and segment of each item, from the ratings' own columns."""
    table = judgments.table("rating")
    if "system" not in table.codes:
        raise BadSetting("unit", "the ratings have no system column, so no systems can be scaled.")
    size = len(judgments.items)
    system, several = _column_of_items(table.codes["item"], table.codes["system"], size)
    used = np.unique(system[system != MISSING])
    recoded = np.full(int(system.max(initial=-1)) + 2, MISSING)
    recoded[used] = np.arange(len(used))
    segment, segments = _segments(judgments, size)
    return Outputs(judgments.labels("system")[used], recoded[system], segment, segments, several)


def shared_labels(judgments: Judgments, column: str) -> dict[str, str]:
    """The label that ratings give each item in a column, where items share labels; an item with several has none."""
    table = judgments.table("rating")
    if column not in table.codes:
        return {}
    codes, _ = _column_of_items(table.codes["item"], table.codes[column], len(judgments.items))
    named = np.flatnonzero(codes != MISSING)
    if len(np.unique(codes[named])) >= len(named):
        return {}
    labels = judgments.labels(column)
    return {str(judgments.items[at]): str(labels[codes[at]]) for at in named}


def _segments(judgments: Judgments, size: int) -> tuple[Codes | None, int]:
    """Segment of each item; an item without one has a segment of its own, which no other shares."""
    table = judgments.table("rating")
    if "segment" not in table.codes:
        return None, 0
    segment, _ = _column_of_items(table.codes["item"], table.codes["segment"], size)
    alone = segment == MISSING
    segment = np.where(alone, int(segment.max(initial=-1)) + np.cumsum(alone), segment)
    levels, codes = np.unique(segment, return_inverse=True)
    return (np.asarray(codes, dtype=np.int64), len(levels)) if len(levels) < size else (None, 0)


def _column_of_items(item: Codes, values: Codes, size: int) -> tuple[Codes, int]:
    """The one value that rows give each item, MISSING where they give none or several; how many have several."""
    named = values != MISSING
    pairs = np.unique(item[named] * (int(values.max(initial=0)) + 1) + values[named])
    width = int(values.max(initial=0)) + 1
    count = np.bincount(pairs // width, minlength=size)
    one_value = np.full(size, MISSING)
    one_value[pairs // width] = pairs % width
    return np.where(count == 1, one_value, MISSING), int(np.sum(count > 1))
