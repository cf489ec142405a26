"""Anchors of a study: items with positions on the scale, read from the file that study.toml names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import (
    BadRows,
    BadSetting,
    CrossedRange,
    DuplicateItem,
    EmptyFile,
    MissingColumn,
    MissingValue,
    NotANumber,
    RowMistake,
    RowMistakes,
    ScoreOutOfRange,
    UnknownItem,
)
from steelyard.judgments.files import read_file
from steelyard.judgments.sheet import Sheet, number_cells, text_cells
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.definition.sections.scale import ScaleSettings

LEADING = 0  # anchors are placed under the first question


@dataclass(frozen=True, slots=True)
class Anchor:
    """An item with its range on the scale, from `low` to `high`."""

    item: str
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Midpoint of the range: the position of the anchor on a scale of single values."""
        return (self.low + self.high) / 2.0

    @property
    def width(self) -> float:
        """Width of the range in units of the scale, which measures the ambiguity of the item."""
        return self.high - self.low

    @property
    def fact(self) -> dict[str, Any]:
        """The anchor as it is stored in the log."""
        return {"item": self.item, "low": self.low, "high": self.high}


def read_anchors(folder: Path, definition: StudyDefinition, items: Items) -> tuple[Anchor, ...]:
    """Read the anchors file of a study.

    The file has the columns item and position, or item, low and high.

    Parameters
    ----------
    folder
        Folder of the study.
    definition
        Settings of the study, with the name of the file and the scale.
    items
        Items of the study. Every anchor must be one of them.

    Returns
    -------
    tuple of Anchor
        Anchors in the order of their positions; empty if the study names no file.
    """
    file = definition.grounding.anchor_settings.file
    if not file:
        return ()
    sheet = read_file(folder / file, file)
    if sheet.ragged is not None:
        raise BadRows(file, [sheet.ragged])
    if not len(sheet):
        raise EmptyFile(file, sheet.header_line)
    names = list(sheet.columns)
    bounds = ("low", "high") if {"low", "high"} <= set(names) else ("position", "position")
    missing = [name for name in dict.fromkeys(("item", *bounds)) if name not in names]
    if missing:
        raise MissingColumn(file, missing, names, "a file of anchors (item and position, or low and high)")
    return _checked(sheet, bounds, items, definition.scale_of(definition.questions[LEADING]))


def _checked(sheet: Sheet, bounds: tuple[str, str], items: Items, scale: ScaleSettings) -> tuple[Anchor, ...]:
    """Return the rows as anchors, or raise one error that lists all mistakes."""
    ids = ["" if cell is None else str(cell).strip() for cell in text_cells(sheet.columns["item"]).tolist()]
    numbers = {name: number_cells(sheet.columns[name]) for name in dict.fromkeys(bounds)}
    mistakes: dict[type[RowMistake], list[tuple[int | None, RowMistake]]] = {}
    anchors: dict[str, Anchor] = {}
    places: dict[str, int] = {}
    for row, item in enumerate(ids):
        place = sheet.place(row)
        for name, (values, wrong) in numbers.items():
            if wrong[row] or np.isnan(values[row]):
                cell = sheet.columns[name][row]
                unread: RowMistake = NotANumber(name, cell) if wrong[row] else MissingValue(name)
                mistakes.setdefault(type(unread), []).append((place, unread))
        anchor = Anchor(item, *(float(numbers[name][0][row]) for name in bounds))
        for mistake in _mistakes(anchor, places, items, scale):
            mistakes.setdefault(type(mistake), []).append((place, mistake))
        anchors[item] = anchor
        places.setdefault(item, place)
    if mistakes:
        raise BadRows(sheet.source, [RowMistakes(rows, len(rows)) for rows in mistakes.values()])
    return tuple(sorted(anchors.values(), key=lambda anchor: (anchor.middle, anchor.item)))


def _mistakes(
    anchor: Anchor, places: dict[str, int], items: Items, scale: ScaleSettings
) -> Iterator[RowMistake]:
    if not anchor.item:
        yield MissingValue("item")
    elif anchor.item not in items.index:
        yield UnknownItem.in_file(anchor.item)
    elif anchor.item in places:
        yield DuplicateItem(anchor.item, places[anchor.item], "item")
    outside = [bound for bound in (anchor.low, anchor.high) if not scale.low <= bound <= scale.high]
    for bound in [each for each in outside if not np.isnan(each)][:1]:
        yield ScoreOutOfRange(bound, scale.low, scale.high)
    if anchor.low > anchor.high:
        yield CrossedRange(anchor.low, anchor.high)


def check_anchors(definition: StudyDefinition, anchors: Sequence[Anchor]) -> None:
    """Raise BadSetting if a study shows only examples and has none."""
    if definition.shows == ("examples",) and not anchors and definition.grounding.cold_start is None:
        raise BadSetting(
            "anchors, show",
            'the study has no examples to show. Set file in [anchors], add [cold_start], or add "labels".',
        )
