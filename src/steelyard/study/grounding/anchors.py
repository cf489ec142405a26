"""Choose anchors that are spread over the scale, and find the anchors that a task shows.

Global grounding follows Chen, Weld and Zhang (CSCW 2021), section 3.4: examples are at least a minimum distance apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.study.definition.anchors_file import LEADING, Anchor
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.log.entries import Task
from steelyard.study.log.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ShownAnchor:
    """An anchor on the page of a rater: an earlier answer of the rater (`own`), or an anchor shown to everyone."""

    anchor: Anchor
    own: bool = False


def anchors_of(ledger: Ledger, rater: str, task: Task) -> tuple[ShownAnchor, ...]:
    """Return the anchors along the scale of a task: those of the round, and earlier answers of the rater.

    The result depends only on the log before the answer. Items of the task and items of other segments are left out.
    An item that is an anchor of the round keeps that position for all raters. On a scale of single values, a range
    is shown at its midpoint.

    Parameters
    ----------
    ledger
        State of the study before the answer.
    rater
        Id of the rater.
    task
        The task.

    Returns
    -------
    tuple of ShownAnchor
        Anchors in the order of their positions.
    """
    shows = ledger.definition.shows
    if "examples" not in shows and "own" not in shows:
        return ()
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
    """Yield the newest answer of the rater to each item, on the scale of the task's round."""
    newest: dict[str, Anchor] = {}
    for answer in ledger.rater(rater).answers.values():
        answered = ledger.tasks[answer.task]
        if answered.check:
            continue
        for cell in ledger.without_hidden(answer).cells:
            ends = ledger.ground.moved(cell, answered.round, task.round).ends
            if ends is not None and cell.question == LEADING and answered.condition == task.condition:
                newest[answered.items[cell.item]] = Anchor(answered.items[cell.item], *ends)
    yield from newest.values()


def _fits(item: str, ledger: Ledger, task: Task) -> bool:
    """Whether this item may be shown with the task: it is not in the task, and it has the same segment."""
    at, segments = ledger.items.index.get(item), ledger.items.segments
    return at is not None and item not in task.items and segments[at] == segments[ledger.indices(task)[0]]


def _point(anchor: Anchor) -> Anchor:
    return Anchor(anchor.item, anchor.middle, anchor.middle)


def spread(anchors: Sequence[Anchor], most: int, distance: float) -> list[Anchor]:
    """Choose anchors that are far apart, with a preference for narrow ranges.

    The first anchor is near the low end of the scale. Each next anchor is the one farthest from all chosen anchors.
    Among anchors within half of `distance` of the farthest, the one with the narrowest range is chosen.

    Parameters
    ----------
    anchors
        Candidates.
    most
        Largest number of anchors to choose.
    distance
        Minimum distance between chosen anchors, in units of the scale.

    Returns
    -------
    list of Anchor
        The chosen anchors in the order of their positions.
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
    """Return the index with the smallest width among scores that are within `slack` of the highest."""
    near = np.flatnonzero(score >= score.max() - slack)
    return int(near[np.lexsort((-score[near], width[near]))[0]])


def spread_by_segment(anchors: Sequence[Anchor], items: Items, definition: StudyDefinition) -> list[Anchor]:
    """Choose anchors for each segment separately, because a task shows only anchors of its own segment.

    Parameters
    ----------
    anchors
        Candidates.
    items
        Items of the study, with their segments.
    definition
        Settings of the study, with the number of anchors and their minimum distance.

    Returns
    -------
    list of Anchor
        The chosen anchors, segment by segment.
    """
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
