"""Types of what the server sends to the pages. static/types.d.ts has the same types for the scripts."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict  # Pydantic supports `typing.TypedDict` only from Python 3.12

from steelyard.study.definition.items import Medium


class WidgetOut(TypedDict):
    """Addresses of a script module and of its stylesheets, in the order of the cascade."""

    module: str
    styles: list[str]


class LabelOut(TypedDict):
    """A label of a scale and its position."""

    at: float
    text: str


class LevelOut(TypedDict):
    """One step of a scale with levels."""

    value: float
    text: str


class ScaleOut(TypedDict):
    """A scale with its labels or levels; `grounded` if it has examples or zoom."""

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
    """A question with its scale, and with its comparatives for ranges."""

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
    """Context of an item, with its name."""

    name: str
    text: str


class ContentOut(TypedDict, total=False):
    """The content of an item: `text`, `html` made from Markdown, or `url` with `alt`."""

    text: str
    html: str
    url: str
    alt: str


class ItemOut(ContentOut):
    """One item. Its id is not sent, because an id may reveal who made the item."""

    kind: Medium
    context: list[ContextOut]


class AnchorOut(ContentOut):
    """An example on the scale, from `low` to `high`; `own` if it is an earlier answer of the rater."""

    kind: Medium
    low: float
    high: float
    own: bool


class SpreadOut(TypedDict):
    """The largest number of anchors shown, and their least distance as a share of the visible scale."""

    most: int
    distance: float


class TaskOut(TypedDict):
    """The content of one page: a task of the study, or an exercise of its training."""

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
    listen_first: bool
    anchors_spread: SpreadOut


class ProgressOut(TypedDict):
    """The number of tasks that the rater has done, and of all their tasks."""

    done: int
    of: int


class TaskStateOut(TypedDict):
    """The rater has a task; `last` is the assignment of the latest answer, and `notice` a text to read first, or "".

    `ahead` is the state after the answer to this task, if the page asked for it and a task was assigned in advance.
    """

    state: Literal["task"]
    task: TaskOut
    progress: ProgressOut
    can_undo: bool
    undos_left: int
    last: str
    notice: str
    ahead: TaskStateOut | None


class PausedStateOut(TypedDict):
    """The rater has to wait."""

    state: Literal["paused"]
    message: str


class FinishedStateOut(TypedDict):
    """The rater has answered everything; `thanks` is the address of the last page."""

    state: Literal["finished"]
    thanks: str


StateOut = TaskStateOut | PausedStateOut | FinishedStateOut


class AnswerRefusedOut(TypedDict):
    """Why an answer was not stored, and the next state of the rater."""

    error: Literal["closed", "kept", "taken_back"]
    message: str
    next: StateOut


class ExerciseStateOut(TypedDict):
    """The next exercise; `at` is its number, from 0."""

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
    """Whether an attempt at an exercise was right, the feedback, and whether the exercise is finished.

    `items` and `examples` are the indexes of what is wrong: items with a wrong answer, and examples along the scale
    that are on the wrong side of the answer.
    """

    right: bool
    feedback: str
    done: bool
    items: list[int]
    examples: list[int]


class SeedItemOut(ItemOut):
    """An item of the cold start with its index."""

    index: int


class ColdStartOut(TypedDict):
    """The state of the cold start: drawn and dropped items, or items to place."""

    state: Literal["draw", "place", "done"]
    items: list[SeedItemOut]
    dropped: list[SeedItemOut]
    reopens: bool
    question: QuestionOut
    labelled: bool
    search: bool
    size: int
    of: int
    next: str


# Settings of routes that people open in a browser; OpenAPI describes only those that scripts call.
PAGE: dict[str, Any] = {"methods": ["GET", "HEAD"], "response_model": None, "include_in_schema": False}


def sends(kind: Any) -> dict[str, Any]:
    """Return the settings of a route with this response: documented by OpenAPI, but not validated at each request."""
    return {"response_model": None, "responses": {200: {"model": kind}}}
