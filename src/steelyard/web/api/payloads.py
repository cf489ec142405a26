"""What the API for owners takes and sends."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict  # Pydantic supports `typing.TypedDict` only from Python 3.12

from steelyard.kinds.known import DEFAULT_PROTOCOL
from steelyard.storage.webhooks import LONGEST_URL, EventName, State
from steelyard.study.results.status import Status

MOST_ITEMS = 20_000  # in one request
MOST_ROWS = 10_000
LONGEST_CELL = 100_000
MOST_COLUMNS = 100
LONGEST_NAME = 80
LONGEST_TOML = 200_000
LARGEST_SEED = 2**31 - 1
Finite = Annotated[float, Field(allow_inf_nan=False)]
CellIn = Annotated[str, Field(max_length=LONGEST_CELL)] | int | Finite | None
Column = Annotated[str, Field(min_length=1, max_length=200)]
RowIn = Annotated[dict[Column, CellIn], Field(min_length=1, max_length=MOST_COLUMNS)]
RowOut = dict[str, Any]
STUDY_NAME = r"^[a-z0-9][a-z0-9_-]{0,39}$"


class ErrorOut(TypedDict):
    """Why a request was refused: a short code, and a sentence."""

    error: str
    message: str


class AskedQuestionOut(TypedDict):
    """A question that raters answer."""

    id: str
    text: str


class StudyOut(TypedDict):
    """A study: what it asks, and how. `columns` are those of the items file, and `conditions` the arms, if any."""

    title: str
    protocol: str
    kind: str
    model: str
    selection: str
    questions: list[AskedQuestionOut]
    conditions: list[str]
    columns: list[str]
    items: int
    version: str


class ArmProgressOut(TypedDict):
    """The progress of one arm; a study without arms has one, named after its condition."""

    condition: str
    status: Status
    sentence: str
    judgments: int
    wanted: int
    cannot_judge: int
    items: int
    items_short: int
    tasks_open: int
    round: int
    reliability: float | None
    newest_at: float | None


class StudyProgressOut(TypedDict):
    """The progress of a study; `ended` if no arm needs further answers, and `raters` have answered at least once.

    `notices` are sentences that the owner should read.
    """

    ended: bool
    paused: bool
    judgments: int
    wanted: int
    raters: int
    log_position: int
    arms: list[ArmProgressOut]
    notices: list[str]


class RowsOut(TypedDict):
    """Rows of a table, `start` to `start + len(rows)` of `total`. Their columns depend on the study."""

    log_position: int
    total: int
    start: int
    rows: list[RowOut]


class StudyItemOut(TypedDict):
    """An item: its id, medium and content, and the system and segment that it belongs to, if any."""

    id: str
    medium: str
    content: str
    system: str
    segment: str


class ItemsOut(TypedDict):
    """Items of a study, `start` to `start + len(items)` of `total`."""

    total: int
    start: int
    items: list[StudyItemOut]


class ItemsIn(BaseModel):
    """Items to add: one object per item, from columns of the items file to cells."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"items": [{"id": "tea", "text": "Green tea with honey"}]}]},
    )
    items: list[RowIn] = Field(min_length=1, max_length=MOST_ITEMS)


class AddedOut(TypedDict):
    """Ids of the items that were added, and of those that the study already had with the same content."""

    added: list[str]
    unchanged: list[str]
    items: int


class InviteIn(BaseModel):
    """The name of a rater to invite."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Ines"}]})
    name: str = Field(default="", max_length=LONGEST_NAME)


class InvitedOut(TypedDict):
    """A new rater: the id, and the personal link, with which anyone can answer as this rater."""

    rater: str
    link: str


class WebhookIn(BaseModel):
    """An address to notify, and the events that it is notified of."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"url": "https://example.org/steelyard", "events": ["study.stopped"]}]
        },
    )
    url: str = Field(min_length=1, max_length=LONGEST_URL)
    events: list[EventName] = Field(min_length=1, max_length=10)


class WebhookOut(TypedDict):
    """A webhook of the study, without its secret. `problem` says why its newest message was not delivered."""

    id: str
    url: str
    events: list[str]
    by: str
    at: float
    problem: str


class NewWebhookOut(TypedDict):
    """A new webhook with the secret that signs its messages, which is shown only once."""

    id: str
    url: str
    events: list[str]
    secret: str


class WebhooksOut(TypedDict):
    """The webhooks of a study."""

    webhooks: list[WebhookOut]


class DeliveryOut(TypedDict):
    """A message to a webhook; `problem` says why its last attempt failed, and `due` is the time of the next one."""

    id: str
    event: str
    state: State
    attempts: int
    problem: str
    at: float
    due: float | None


class DeliveriesOut(TypedDict):
    """The newest messages to a webhook, newest first."""

    deliveries: list[DeliveryOut]


class MessageOut(TypedDict):
    """A message to a webhook. It contains counts and no answers; `new_judgments` only with `judgments.added`."""

    id: str
    event: EventName
    at: float
    title: str
    status: Status
    judgments: int
    log_position: int
    new_judgments: NotRequired[int]


class TestedOut(TypedDict):
    """The id of the test message that will be sent."""

    id: str


class StudyIn(BaseModel):
    """A study to create: its items and either the options of `steelyard new`, or the whole of study.toml.

    In study.toml, the items file must be "items.jsonl". No other file can be named, and images, audio and video must
    be web addresses.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "name": "meals",
                    "items": [{"id": "tea", "text": "Green tea"}, {"id": "soup", "text": "Lentil soup"}],
                    "protocol": "rating",
                    "question": "How filling would this be for you?",
                    "redundancy": 5,
                }
            ]
        },
    )
    name: str = Field(pattern=STUDY_NAME)
    items: list[RowIn] = Field(min_length=1, max_length=MOST_ITEMS)
    toml: str = Field(default="", max_length=LONGEST_TOML)
    protocol: str = Field(default=DEFAULT_PROTOCOL, max_length=100)
    title: str = Field(default="", max_length=1_000)
    question: str = Field(default="", max_length=2_000)
    model: str = Field(default="", max_length=100)
    selection: str = Field(default="", max_length=100)
    redundancy: int = Field(default=0, ge=0, le=100_000)
    list_size: int = Field(default=0, ge=0, le=1_000)
    seed: int | None = Field(default=None, ge=0, le=LARGEST_SEED)


class CreatedOut(TypedDict):
    """A new study: its address, and its owner key, which is shown only once and is also a token."""

    name: str
    url: str
    owner_key: str
    items: int


class ListedStudyOut(TypedDict):
    """A study in the folder of the server."""

    name: str
    url: str


class StudiesOut(TypedDict):
    """The studies that were created on this server, and how many more it can serve."""

    studies: list[ListedStudyOut]
    free: int


What = Literal["judgments", "scale", "distributions", "raters"]
Form = Literal["csv", "jsonl", "parquet"]
