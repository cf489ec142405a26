"""What the server sends to the pages, field by field; static/types.d.ts says the same to the scripts."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict  # Pydantic reads those of `typing` only from Python 3.12 on

from steelyard.study.definition.items import Medium


class WidgetOut(TypedDict):
    """A script module and the stylesheets that it needs, in the order of the cascade; all are addresses."""

    module: str
    styles: list[str]


class LabelOut(TypedDict):
    """A label of a scale and where it belongs."""

    at: float
    text: str


class LevelOut(TypedDict):
    """One step of a scale with levels."""

    value: float
    text: str


class ScaleOut(TypedDict):
    """A scale with its labels, or its levels; `grounded` where examples or a closer look belong to it."""

    low: float
    high: float
    step: float
    labels: list[LabelOut]
    levels: list[LevelOut] | None
    show_value: bool
    zoom: bool
    beyond: bool
    grounded: bool


class QuestionOut(TypedDict):
    """A question with its scale, and its comparatives for ranges."""

    text: str
    hint: str | None
    most: str | None
    more: str | None
    lower: str
    not_lower: str
    higher: str
    not_higher: str
    scale: ScaleOut


class ContextOut(TypedDict):
    """Something shown beside an item, with its name."""

    name: str
    text: str


class ContentOut(TypedDict, total=False):
    """What is shown of an item: `text`, `html`, or `url` with `alt`, as its kind has it."""

    text: str
    html: str
    url: str
    alt: str


class ItemOut(ContentOut):
    """One item as shown. Its id is not sent, because an id may reveal who made the item."""

    kind: Medium
    context: list[ContextOut]


class AnchorOut(ContentOut):
    """An example on the scale, from `low` to `high`; `own` where it is an earlier answer of the rater."""

    kind: Medium
    low: float
    high: float
    own: bool


class SpreadOut(TypedDict):
    """How many anchors are shown at once, and how far apart they are as a share of the scale in view."""

    most: int
    distance: float


class TaskOut(TypedDict):
    """What one page asks: a task of the study, or an exercise of its training."""

    assignment: str
    protocol: str
    widget: WidgetOut
    ground: WidgetOut | None
    questions: list[QuestionOut]
    items: list[ItemOut]
    shared: list[ContextOut]
    cannot_judge: bool
    comment: bool
    ties: bool
    both_bad: bool
    strength: bool
    anchors: list[AnchorOut]
    labels_shown: bool
    anchors_spread: SpreadOut


class ProgressOut(TypedDict):
    """Tasks that the rater has done, of how many."""

    done: int
    of: int


class TaskStateOut(TypedDict):
    """The rater has a task; `last` is the assignment of the newest answer, "" before the first."""

    state: Literal["task"]
    task: TaskOut
    progress: ProgressOut
    can_undo: bool
    undos_left: int
    last: str


class PausedStateOut(TypedDict):
    """The rater has to wait."""

    state: Literal["paused"]
    message: str


class FinishedStateOut(TypedDict):
    """The rater has answered everything; `thanks` is the address of the last page."""

    state: Literal["finished"]
    thanks: str


StateOut = TaskStateOut | PausedStateOut | FinishedStateOut


class ExerciseStateOut(TypedDict):
    """The exercise that comes next, counted from 0."""

    state: Literal["training"]
    task: TaskOut
    instructions_html: str
    of: int
    at: int


class TrainedStateOut(TypedDict):
    """The training is over; `next` is the address of the page that follows."""

    state: Literal["done"]
    next: str


TrainingOut = ExerciseStateOut | TrainedStateOut


class FeedbackOut(TypedDict):
    """Whether an attempt at an exercise was right, what to say about it, and whether the exercise is over."""

    right: bool
    feedback: str
    done: bool


class SeedItemOut(ItemOut):
    """An item of the cold start with its number."""

    index: int


class ColdStartOut(TypedDict):
    """The cold start: what is drawn and dropped, or what is to be placed."""

    state: Literal["draw", "place", "done"]
    items: list[SeedItemOut]
    dropped: list[SeedItemOut]
    reopens: bool
    question: QuestionOut
    labelled: bool
    size: int
    of: int
    next: str


# Settings of a route that people open in a browser; OpenAPI describes what scripts call.
PAGE: dict[str, Any] = {"methods": ["GET", "HEAD"], "response_model": None, "include_in_schema": False}


def sends(kind: Any) -> dict[str, Any]:
    """Settings of a route that sends this: documented by OpenAPI, not checked again at every request."""
    return {"response_model": None, "responses": {200: {"model": kind}}}
