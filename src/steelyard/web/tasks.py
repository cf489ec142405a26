"""Builds the content of pages: tasks, training exercises, and items of the cold start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steelyard.study.collecting.rater_state import Assignment, RaterState
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import FILES, Item, is_remote
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.study import Study
from steelyard.web.markup import markdown_html
from steelyard.web.schema import (
    AnchorOut,
    ContentOut,
    ContextOut,
    ItemOut,
    LevelOut,
    QuestionOut,
    ScaleOut,
    StateOut,
    TaskOut,
    WidgetOut,
)
from steelyard.web.widgets import GROUND, widget_of

WAITING = "There are no tasks for you now. New tasks come when other raters have finished this round."
HELD = (
    "Other raters are working on the last tasks. Please come back later, because a task may become available. "
    "This page checks again every 30 seconds."
)
PAUSED = "This study is paused. Your answers are saved. Please come back later."
Context = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Displayed:
    """An item and a function that returns the address of its file, called only if the item has a file."""

    item: Item
    url: Callable[[], str]


@dataclass(frozen=True, slots=True)
class DisplayedAnchor:
    """An example on the scale, from `low` to `high`."""

    shown: Displayed
    low: float
    high: float
    own: bool = False


@dataclass(frozen=True, slots=True)
class AskedPage:
    """The content of one task page.

    Practice pages have no "can't judge", no comment, no "both bad" and no strength, and always show the labels.
    """

    assignment: str
    protocol: str
    questions: Sequence[Question]
    items: Sequence[Displayed]
    anchors: Sequence[DisplayedAnchor]
    is_practice: bool = False


def state_out(rater_state: RaterState, study: Study, media_url: Callable[[int], str]) -> StateOut:
    """Return what the page shows next: a task, a pause, or the end.

    Parameters
    ----------
    rater_state
        The current task of the rater, or why there is none.
    study
        The study.
    media_url
        Returns the address of an item's file for this rater.

    Returns
    -------
    StateOut
        The state as it is sent to the page.
    """
    if rater_state.assignment is not None:
        return {
            "state": "task",
            "task": task_out(asked_of(rater_state.assignment, study, media_url), study.definition),
            "progress": {"done": rater_state.done, "of": rater_state.of},
            "can_undo": rater_state.can_undo,
            "undos_left": rater_state.undos_left,
            "last": rater_state.last,
        }
    if rater_state.paused or rater_state.waiting or rater_state.held:
        return {
            "state": "paused",
            "message": PAUSED if rater_state.paused else HELD if rater_state.held else WAITING,
        }
    return {"state": "finished", "thanks": "/thanks"}


def asked_of(assignment: Assignment, study: Study, media_url: Callable[[int], str]) -> AskedPage:
    """Return the page content for an assignment.

    Parameters
    ----------
    assignment
        The task of a rater, with its anchors.
    study
        The study.
    media_url
        Returns the address of an item's file for this rater.

    Returns
    -------
    AskedPage
        Questions, items and anchors of the page.
    """

    def displayed(item: str) -> Displayed:
        index = study.items.index[item]
        return Displayed(study.items[index], lambda: media_url(index))

    return AskedPage(
        assignment.id,
        assignment.task.protocol,
        study.definition.questions,
        [displayed(item) for item in assignment.task.items],
        [
            DisplayedAnchor(displayed(each.anchor.item), each.anchor.low, each.anchor.high, each.own)
            for each in assignment.anchors
        ],
    )


def task_out(asked: AskedPage, definition: StudyDefinition) -> TaskOut:
    """Return a task as it is sent to the page."""
    shared = _shared_context([each.item for each in asked.items])
    anchors = [anchor_out(each) for each in asked.anchors]
    questions = [question_out(each, definition, bool(anchors)) for each in asked.questions]
    is_grounded = any(each["scale"]["grounded"] for each in questions)
    is_real = not asked.is_practice
    spread = definition.grounding.anchor_settings
    return {
        "assignment": asked.assignment,
        "protocol": asked.protocol,
        "widget": widget_of(asked.protocol),
        "ground": GROUND if is_grounded else None,
        "questions": questions,
        "items": [item_out(each, shared) for each in asked.items],
        "shared": _context_out(shared),
        "cannot_judge": definition.page.cannot_judge and is_real,
        "comment": definition.page.comment and is_real,
        "ties": definition.asking.ties,
        "both_bad": definition.asking.both_bad and is_real,
        "strength": definition.asking.strength and is_real,
        "anchors": anchors,
        "labels_shown": "labels" in definition.shows or asked.is_practice,
        "anchors_spread": {"most": spread.most, "distance": spread.distance},
    }


def widgets_of(definition: StudyDefinition) -> list[WidgetOut]:
    """Return all widgets that tasks of this study may need."""
    scales = [scale_out(definition.scale_of(each), definition) for each in definition.questions]
    shows_examples = bool({"examples", "own"} & set(definition.shows))
    is_grounded = any(scale["grounded"] or (shows_examples and scale["levels"] is None) for scale in scales)
    return [widget_of(definition.asking.protocol), *([GROUND] if is_grounded else [])]


def question_out(question: Question, definition: StudyDefinition, has_anchors: bool = False) -> QuestionOut:
    """Return a question with its scale as it is sent to the page.

    Parameters
    ----------
    question
        The question.
    definition
        The study definition, which has the scale of the question.
    has_anchors
        Whether examples are shown along the scale.

    Returns
    -------
    QuestionOut
        The question with its comparatives and its scale.
    """
    return {
        "text": question.text,
        "hint": question.hint or None,
        "most": question.most or None,
        "more": question.more or None,
        "lower": question.lower,
        "not_lower": question.not_lower,
        "higher": question.higher,
        "not_higher": question.not_higher,
        "scale": scale_out(definition.scale_of(question), definition, has_anchors),
    }


def scale_out(scale: ScaleSettings, definition: StudyDefinition, has_anchors: bool = False) -> ScaleOut:
    """Return a scale as it is sent to the page, with evenly spaced labels or with levels.

    Parameters
    ----------
    scale
        Settings of the scale.
    definition
        The study definition, which determines whether the scale can be zoomed.
    has_anchors
        Whether examples are shown along the scale.

    Returns
    -------
    ScaleOut
        The scale with its labels or levels.
    """
    levels, zoom = _levels_out(scale), definition.zooms(scale)
    return {
        "low": scale.low,
        "high": scale.high,
        "step": scale.slider_step,
        "labels": [{"at": at, "text": text} for at, text in _placed_labels(scale)],
        "levels": levels,
        "show_value": scale.show_value,
        "zoom": zoom,
        "beyond": scale.beyond,
        "grounded": levels is None and (zoom or has_anchors),
    }


def item_out(shown: Displayed, shared: Context = ()) -> ItemOut:
    """Return an item as it is sent to the page, with the context that other items do not share."""
    own = tuple(pair for pair in shown.item.context if pair not in shared)
    return {"kind": shown.item.medium, "context": _context_out(own), **_content(shown)}


def anchor_out(anchor: DisplayedAnchor) -> AnchorOut:
    """Return an example as it is sent to the page."""
    return {
        "kind": anchor.shown.item.medium,
        "low": anchor.low,
        "high": anchor.high,
        "own": anchor.own,
        **_content(anchor.shown),
    }


def _content(shown: Displayed) -> ContentOut:
    item = shown.item
    if item.medium == "text":
        return {"text": item.content}
    if item.medium == "markdown":
        return {"html": str(markdown_html(item.content))}
    if item.medium in FILES:
        return {"url": item.content if is_remote(item.content) else shown.url(), "alt": item.alt}
    return {}


def _context_out(context: Context) -> list[ContextOut]:
    return [{"name": name, "text": text} for name, text in context]


def _shared_context(items: Sequence[Item]) -> Context:
    """Context that all items of a page share, which the page shows once."""
    if len(items) == 1:
        return ()
    return tuple(pair for pair in items[0].context if all(pair in item.context for item in items))


def _placed_labels(scale: ScaleSettings) -> list[tuple[float, str]]:
    if len(scale.labels) == 1:
        return [(scale.low, scale.labels[0])]
    gap = (scale.high - scale.low) / max(len(scale.labels) - 1, 1)
    return [(scale.low + gap * at, text) for at, text in enumerate(scale.labels)]


def _levels_out(scale: ScaleSettings) -> list[LevelOut] | None:
    """Levels with their labels. If only the ends have labels, the levels between show their numbers."""
    values = scale.level_values()
    if not values:
        return None
    if len(scale.labels) == len(values):
        texts = list(scale.labels)
    else:
        texts = [scale.labels[0], *(str(at) for at in range(2, len(values))), scale.labels[-1]]
    return [{"value": value, "text": text} for value, text in zip(values, texts, strict=True)]
