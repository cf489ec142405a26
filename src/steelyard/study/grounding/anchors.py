"""Anchors: read from a file, spread over the scale, and those that one rater's task shows.

Global grounding after Chen, Weld & Zhang (CSCW 2021), section 3.4: examples at least a minimum distance apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from steelyard.study.log.cells import ends_of
from steelyard.study.log.ground import Anchor
from steelyard.study.log.interface import Task
from steelyard.study.log.ledger import Ledger

LEADING = 0  # anchors stand under the first question


@dataclass(frozen=True, slots=True)
class ShownAnchor:
    """An anchor on a rater's page; their own earlier answer, or one that all raters share."""

    anchor: Anchor
    own: bool = False


def anchors_of(ledger: Ledger, rater: str, task: Task) -> tuple[ShownAnchor, ...]:
    """What stands along the scale of a rater's task, by position: the round's anchor set and their own answers.

    Folding the log up to the answer gives what was shown. No item of the task is there, nor, where items have
    segments, one of another segment; an item of the set stays where it is for all. On a scale of single values a
    range stands at its middle.
    """
    shows = ledger.definition.shows
    shared = ledger.ground.anchors_in(task.round) if "examples" in shows else ()
    known = {anchor.item for anchor in shared}
    own = [each for each in _own(ledger, rater, task) if each.item not in known] if "own" in shows else []
    shown = [ShownAnchor(each) for each in shared if _fits(each.item, ledger, task)]
    shown += [ShownAnchor(each, own=True) for each in own if _fits(each.item, ledger, task)]
    if ledger.definition.asking.way.kind == "rating":
        shown = [ShownAnchor(_point(each.anchor), each.own) for each in shown]
    return tuple(sorted(shown, key=lambda each: (each.anchor.middle, each.anchor.low, each.anchor.item)))


def _own(ledger: Ledger, rater: str, task: Task) -> Iterator[Anchor]:
    """The rater's newest answer to each item, as the task's round reads it."""
    newest: dict[str, Anchor] = {}
    for answer in ledger.rater(rater).answers.values():
        given = ledger.tasks[answer.task]
        for cell in answer.cells:
            ends = ends_of(ledger.ground.moved(cell, given.round, task.round))
            if ends is not None and cell.question == LEADING and given.condition == task.condition:
                newest[given.items[cell.item]] = Anchor(given.items[cell.item], *ends)
    yield from newest.values()


def _fits(item: str, ledger: Ledger, task: Task) -> bool:
    """May this item stand beside the task's, which are all of one segment?"""
    at, segments = ledger.items.index.get(item), ledger.items.segments
    return at is not None and item not in task.items and segments[at] == segments[ledger.indices(task)[0]]


def _point(anchor: Anchor) -> Anchor:
    return Anchor(anchor.item, anchor.middle, anchor.middle)


def spread(anchors: Sequence[Anchor], most: int, distance: float) -> list[Anchor]:
    """At most so many anchors, in order, as far apart as can be and at least `distance`; the narrower of equals.

    Each next one is the farthest from those chosen; within half the distance of the farthest, the narrowest.
    """
    if not anchors:
        return []
    middle = np.array([anchor.middle for anchor in anchors])
    width = np.array([anchor.width for anchor in anchors])
    chosen = [_narrowest(-middle, width, distance / 2.0)]
    while len(chosen) < most:
        gap = np.abs(middle[:, None] - middle[chosen]).min(axis=1)
        if gap.max() < distance:
            break
        chosen.append(_narrowest(gap, width, min(distance / 2.0, gap.max() - distance)))
    return sorted((anchors[at] for at in chosen), key=lambda anchor: (anchor.middle, anchor.item))


def _narrowest(
    score: np.typing.NDArray[np.float64], width: np.typing.NDArray[np.float64], slack: float
) -> int:
    """The narrowest of those whose score is the highest, or less by no more than the slack."""
    near = np.flatnonzero(score >= score.max() - slack)
    return int(near[np.lexsort((-score[near], width[near]))[0]])


def spread_by_segment(anchors: Sequence[Anchor], items: Items, definition: StudyDefinition) -> list[Anchor]:
    """Anchors spread over the scale of each segment: only those of an item's own segment are shown beside it."""
    settings, scale = definition.grounding.anchor_settings, definition.scale_of(definition.questions[LEADING])
    distance = settings.distance * (scale.high - scale.low)
    by_segment: dict[int, list[Anchor]] = {}
    for anchor in anchors:
        by_segment.setdefault(int(items.segments[items.index[anchor.item]]), []).append(anchor)
    return [
        each
        for segment in sorted(by_segment)
        for each in spread(by_segment[segment], settings.most, distance)
    ]


def read_anchors(folder: Path, definition: StudyDefinition, items: Items) -> tuple[Anchor, ...]:
    """The anchors of the file that study.toml names: item with position, or with low and high; () without one."""
    file = definition.grounding.anchor_settings.file
    if not file:
        return ()
    sheet = read_file(folder / file, file)
    if sheet.ragged is not None:
        raise BadRows(file, [sheet.ragged])
    if not len(sheet):
        raise EmptyFile(file)
    names = list(sheet.columns)
    bounds = ("low", "high") if {"low", "high"} <= set(names) else ("position", "position")
    missing = [name for name in dict.fromkeys(("item", *bounds)) if name not in names]
    if missing:
        raise MissingColumn(file, missing, names, "a file of anchors (item and position, or low and high)")
    return _checked(sheet, bounds, items, definition.scale_of(definition.questions[LEADING]))


def _checked(sheet: Sheet, bounds: tuple[str, str], items: Items, scale: ScaleSettings) -> tuple[Anchor, ...]:
    """The rows as anchors; all that is wrong with them is told at once."""
    ids = ["" if cell is None else str(cell).strip() for cell in text_cells(sheet.columns["item"]).tolist()]
    told = {name: number_cells(sheet.columns[name]) for name in dict.fromkeys(bounds)}
    found: dict[type[RowMistake], list[tuple[int | None, RowMistake]]] = {}
    anchors: dict[str, Anchor] = {}
    places: dict[str, int] = {}
    for row, item in enumerate(ids):
        place = sheet.place(row)
        for name, (values, wrong) in told.items():
            if wrong[row] or np.isnan(values[row]):
                cell = sheet.columns[name][row]
                unread: RowMistake = NotANumber(name, cell) if wrong[row] else MissingValue(name)
                found.setdefault(type(unread), []).append((place, unread))
        anchor = Anchor(item, *(float(told[name][0][row]) for name in bounds))
        for mistake in _mistakes(anchor, places, items, scale):
            found.setdefault(type(mistake), []).append((place, mistake))
        anchors[item] = anchor
        places.setdefault(item, place)
    if found:
        raise BadRows(sheet.source, [RowMistakes(rows, len(rows)) for rows in found.values()])
    return tuple(sorted(anchors.values(), key=lambda anchor: (anchor.middle, anchor.item)))


def _mistakes(
    anchor: Anchor, places: dict[str, int], items: Items, scale: ScaleSettings
) -> Iterator[RowMistake]:
    if not anchor.item:
        yield MissingValue("item")
    elif anchor.item not in items.index:
        yield UnknownItem(anchor.item)
    elif anchor.item in places:
        yield DuplicateItem(anchor.item, places[anchor.item])
    outside = [bound for bound in (anchor.low, anchor.high) if not scale.low <= bound <= scale.high]
    for bound in [each for each in outside if not np.isnan(each)][:1]:
        yield ScoreOutOfRange(bound, scale.low, scale.high)
    if anchor.low > anchor.high:
        yield CrossedRange(anchor.low, anchor.high)


def check_anchors(definition: StudyDefinition, anchors: Sequence[Anchor]) -> None:
    """A study that shows examples only must have some."""
    if definition.shows == ("examples",) and not anchors and definition.grounding.cold_start is None:
        raise BadSetting(
            "anchors, show", "there are no examples; name an [anchors] file, or add a [cold_start]."
        )
