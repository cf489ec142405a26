"""Anchors: spread over the scale, and those that one rater's task shows.

Global grounding after Chen, Weld & Zhang (CSCW 2021), section 3.4: examples at least a minimum distance apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.study.definition.anchors_file import LEADING, Anchor
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.log.interface import Task
from steelyard.study.log.ledger import Ledger


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
    shared_items = {anchor.item for anchor in shared}
    own = (
        [each for each in _own(ledger, rater, task) if each.item not in shared_items]
        if "own" in shows
        else []
    )
    shown = [ShownAnchor(each) for each in shared if _fits(each.item, ledger, task)]
    shown += [ShownAnchor(each, own=True) for each in own if _fits(each.item, ledger, task)]
    if ledger.definition.kind.pointed:
        shown = [ShownAnchor(_point(each.anchor), each.own) for each in shown]
    return tuple(sorted(shown, key=lambda each: (each.anchor.middle, each.anchor.low, each.anchor.item)))


def _own(ledger: Ledger, rater: str, task: Task) -> Iterator[Anchor]:
    """The rater's newest answer to each item, as the task's round reads it."""
    newest: dict[str, Anchor] = {}
    for answer in ledger.rater(rater).answers.values():
        given = ledger.tasks[answer.task]
        for cell in answer.cells:
            ends = ledger.ground.moved(cell, given.round, task.round).ends
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
