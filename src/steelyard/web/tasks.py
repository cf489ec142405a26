"""Builds the content of pages: tasks, training exercises, and items of the cold start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steelyard.messages.catalogue import SOURCE
from steelyard.messages.words import Words, words_of
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
    TaskStateOut,
    WidgetOut,
)
from steelyard.web.widgets import GROUND, widget_of

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


def state_out(
    rater_state: RaterState, study: Study, media_url: Callable[[int], str], words: Words
) -> StateOut:
    """Return what the page shows next: a task, a pause, or the end.

    Parameters
    ----------
    rater_state
        The current task of the rater, or why there is none.
    study
        The study.
    media_url
        Returns the address of an item's file for this rater.
    words
        The words of the page.

    Returns
    -------
    StateOut
        The state as it is sent to the page.
    """
    if rater_state.assignment is not None:
        asked = asked_of(rater_state.assignment, study, media_url)
        return _task_state_out(rater_state, task_out(asked, study.definition, words), words)
    if rater_state.paused or rater_state.waiting or rater_state.held:
        return {
            "state": "paused",
            "message": words.translated(rater_state.notice) or _waiting_words(rater_state, words),
        }
    return {"state": "finished", "thanks": "/thanks"}


def with_ahead(state: StateOut, ahead: StateOut | None) -> StateOut:
    """Return a state with the one that follows the answer to its task, if there is one."""
    if state["state"] != "task" or ahead is None or ahead["state"] != "task":
        return state
    return {**state, "ahead": ahead}


def _task_state_out(rater_state: RaterState, task: TaskOut, words: Words) -> TaskStateOut:
    return {
        "state": "task",
        "task": task,
        "progress": {"done": rater_state.done, "of": rater_state.of},
        "can_undo": rater_state.can_undo,
        "undos_left": rater_state.undos_left,
        "last": rater_state.last,
        "notice": words.translated(rater_state.notice),
        "ahead": None,
    }


def _waiting_words(rater_state: RaterState, words: Words) -> str:
    if rater_state.paused:
        return words["paused"]
    return words["held"] if rater_state.held else words["waiting"]


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
        study.definition.in_way(assignment.task.protocol).questions,
        [displayed(item) for item in assignment.task.items],
        [
            DisplayedAnchor(displayed(each.anchor.item), each.anchor.low, each.anchor.high, each.own)
            for each in assignment.anchors
        ],
    )


def task_out(asked: AskedPage, definition: StudyDefinition, words: Words) -> TaskOut:
    """Return a task as it is sent to the page.

    Parameters
    ----------
    asked
        Questions, items and anchors of the page.
    definition
        The study definition.
    words
        The words of the page.

    Returns
    -------
    TaskOut
        The task.
    """
    definition = definition.in_way(asked.protocol)
    shared = _shared_context([each.item for each in asked.items])
    anchors = [anchor_out(each) for each in asked.anchors]
    questions = [question_out(each, definition, words, bool(anchors)) for each in asked.questions]
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
        "listen_first": definition.page.listen_first and is_real,
        "labels_shown": "labels" in definition.shows or asked.is_practice,
        "anchors_spread": {"most": spread.most, "distance": spread.distance},
    }


def widgets_of(definition: StudyDefinition) -> list[WidgetOut]:
    """Return all widgets that tasks of this study may need, of all its protocols."""
    widgets = [widget for way in definition.asked_ways for widget in _widgets_of_way(way)]
    return [widget for at, widget in enumerate(widgets) if widget not in widgets[:at]]


def _widgets_of_way(definition: StudyDefinition) -> list[WidgetOut]:
    english = words_of(SOURCE)
    scales = [scale_out(definition.scale_of(each), definition, english) for each in definition.questions]
    shows_examples = bool({"examples", "own"} & set(definition.shows))
    is_grounded = any(scale["grounded"] or (shows_examples and scale["levels"] is None) for scale in scales)
    return [widget_of(definition.asking.way.name), *([GROUND] if is_grounded else [])]


def question_out(
    question: Question, definition: StudyDefinition, words: Words, has_anchors: bool = False
) -> QuestionOut:
    """Return a question with its scale as it is sent to the page.

    Parameters
    ----------
    question
        The question.
    definition
        The study definition, which has the scale of the question.
    words
        The words of the page, which has defaults of study.toml and texts of kinds in its language.
    has_anchors
        Whether examples are shown along the scale.

    Returns
    -------
    QuestionOut
        The question with its comparatives and its scale.
    """
    return {
        "text": words.translated(question.text),
        "hint": question.hint or None,
        "most": question.most or None,
        "more": question.more or None,
        "lower": words.translated(question.lower),
        "not_lower": words.translated(question.not_lower),
        "higher": words.translated(question.higher),
        "not_higher": words.translated(question.not_higher),
        "scale": scale_out(definition.scale_of(question), definition, words, has_anchors),
    }


def scale_out(
    scale: ScaleSettings, definition: StudyDefinition, words: Words, has_anchors: bool = False
) -> ScaleOut:
    """Return a scale as it is sent to the page, with evenly spaced labels or with levels.

    Parameters
    ----------
    scale
        Settings of the scale.
    definition
        The study definition, which determines whether the scale can be zoomed.
    words
        The words of the page.
    has_anchors
        Whether examples are shown along the scale.

    Returns
    -------
    ScaleOut
        The scale with its labels or levels.
    """
    levels, zoom = _levels_out(scale, words), definition.zooms(scale)
    return {
        "low": scale.low,
        "high": scale.high,
        "step": scale.slider_step,
        "labels": [{"at": at, "text": words.translated(text)} for at, text in _placed_labels(scale)],
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
    if item.medium == "html":
        return {"url": shown.url(), "alt": item.alt}
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


def _levels_out(scale: ScaleSettings, words: Words) -> list[LevelOut] | None:
    """Levels with their labels. If only the ends have labels, the levels between show their numbers."""
    values = scale.level_values()
    if not values:
        return None
    if len(scale.labels) == len(values):
        texts = list(scale.labels)
    else:
        texts = [scale.labels[0], *(str(at) for at in range(2, len(values))), scale.labels[-1]]
    return [
        {"value": value, "text": words.translated(text)} for value, text in zip(values, texts, strict=True)
    ]
