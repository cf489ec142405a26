"""What goes over the wire: tasks out, answers in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steelyard.study.collecting.standing import Assignment, Standing
from steelyard.study.definition.anchors_file import Anchor
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import FILES, Item, Items, is_remote
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.study import Study
from steelyard.web.markup import markdown_html

WAITING = "Nothing to judge just now. More comes when others have finished this round."
HELD = (
    "Other raters are working on the last tasks. Please come back later: a task may become free. "
    "This page checks again every 30 seconds."
)
PAUSED = "This study is paused. Your answers are safe."


def standing_payload(standing: Standing, study: Study, media_url: Callable[[int], str]) -> dict[str, Any]:
    """What the page does next: a task, a pause, or the end."""
    if standing.assignment is not None:
        return {
            "state": "task",
            "task": task_payload(standing.assignment, study, media_url),
            "progress": {"done": standing.done, "of": standing.of},
            "can_undo": standing.can_undo,
            "undos_left": standing.undos_left,
            "last": standing.last,
        }
    if standing.paused or standing.waiting or standing.held:
        return {
            "state": "paused",
            "message": PAUSED if standing.paused else HELD if standing.held else WAITING,
        }
    return {"state": "finished", "thanks": "/thanks"}


def task_payload(assignment: Assignment, study: Study, media_url: Callable[[int], str]) -> dict[str, Any]:
    """A task as its page shows it. Item ids stay here: they might tell who made what."""
    definition = study.definition
    indices = [study.items.index[item] for item in assignment.task.items]
    items = [study.items[at] for at in indices]
    shared = [
        pair for pair in items[0].context if len(items) > 1 and all(pair in item.context for item in items)
    ]
    return {
        "assignment": assignment.id,
        "protocol": assignment.task.protocol,
        "questions": [question_payload(each, definition) for each in definition.questions],
        "items": [item_payload(study.items, at, shared, media_url) for at in indices],
        "shared": [{"name": name, "text": text} for name, text in shared],
        "cannot_judge": definition.page.cannot_judge,
        "comment": definition.page.comment,
        "ties": definition.asking.ties,
        "both_bad": definition.asking.both_bad,
        "strength": definition.asking.strength,
        "anchors": [
            {**_anchor(study.items, each.anchor.item, media_url), **_ends(each.anchor), "own": each.own}
            for each in assignment.anchors
        ],
        **grounding_payload(definition),
    }


def grounding_payload(definition: StudyDefinition) -> dict[str, Any]:
    """What stands along the scale beside anchors, and how those are spread."""
    settings = definition.grounding.anchor_settings
    spread = {"most": settings.most, "distance": settings.distance}
    return {"labels_shown": "labels" in definition.shows, "anchors_spread": spread}


def _anchor(items: Items, item: str, media_url: Callable[[int], str]) -> dict[str, Any]:
    return shown_payload(items[at := items.index[item]], lambda: media_url(at))


def _ends(anchor: Anchor) -> dict[str, float]:
    return {"low": anchor.low, "high": anchor.high}


def question_payload(question: Question, definition: StudyDefinition) -> dict[str, Any]:
    """A question with its scale."""
    return {
        "text": question.text,
        "hint": question.hint or None,
        "most": question.most or None,
        "more": question.more or None,
        "lower": question.lower,
        "not_lower": question.not_lower,
        "higher": question.higher,
        "not_higher": question.not_higher,
        "scale": scale_payload(definition.scale_of(question), definition),
    }


def scale_payload(scale: ScaleSettings, definition: StudyDefinition) -> dict[str, Any]:
    """A scale with its labels evenly along it, or its levels."""
    return {
        "low": scale.low,
        "high": scale.high,
        "step": scale.slider_step,
        "labels": [{"at": at, "text": text} for at, text in _placed_labels(scale)],
        "levels": _levels(scale),
        "show_value": scale.show_value,
        "zoom": definition.zooms(scale),
        "beyond": scale.beyond,
    }


def item_payload(
    items: Items, at: int, shared: list[tuple[str, str]], media_url: Callable[[int], str]
) -> dict[str, Any]:
    """One item as shown."""
    own = [pair for pair in items[at].context if pair not in shared]
    shown = shown_payload(items[at], lambda: media_url(at))
    return {**shown, "context": [{"name": name, "text": text} for name, text in own]}


def shown_payload(item: Item, media_url: Callable[[], str]) -> dict[str, Any]:
    """What is shown of an item, without what stands beside it."""
    shown: dict[str, Any] = {"kind": item.medium}
    if item.medium == "text":
        shown["text"] = item.content
    elif item.medium == "markdown":
        shown["html"] = str(markdown_html(item.content))
    elif item.medium in FILES:
        shown["url"] = item.content if is_remote(item.content) else media_url()
        shown["alt"] = item.alt
    return shown


def _placed_labels(scale: ScaleSettings) -> list[tuple[float, str]]:
    if len(scale.labels) == 1:
        return [(scale.low, scale.labels[0])]
    gap = (scale.high - scale.low) / max(len(scale.labels) - 1, 1)
    return [(scale.low + gap * at, text) for at, text in enumerate(scale.labels)]


def _levels(scale: ScaleSettings) -> list[dict[str, Any]] | None:
    """Levels with their labels; with labels for the ends only, the ones between show their number."""
    values = scale.level_values()
    if not values:
        return None
    if len(scale.labels) == len(values):
        texts = list(scale.labels)
    else:
        texts = [scale.labels[0], *(str(at) for at in range(2, len(values))), scale.labels[-1]]
    return [{"value": value, "text": text} for value, text in zip(values, texts, strict=True)]
