"""What the client returns: frozen records of the answers of a server."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

from steelyard.errors import ServerUnreachable

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that raters answer.

    Attributes
    ----------
    id
        Name of the question in tables.
    text
        The question.
    """

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """What a study asks, and how.

    Attributes
    ----------
    title
        Title.
    protocol, kind
        Protocol of the tasks, and kind of judgment.
    model, selection
        Names of the model and of the selection.
    questions
        The questions.
    conditions
        Names of the arms; empty if there are none.
    columns
        Columns of the items file.
    items
        Number of items.
    version
        Version of Steelyard on the server.
    """

    title: str
    protocol: str
    kind: str
    model: str
    selection: str
    questions: tuple[AskedQuestion, ...]
    conditions: tuple[str, ...]
    columns: tuple[str, ...]
    items: int
    version: str


@dataclass(frozen=True, slots=True)
class ArmProgress:
    """The progress of one arm, or of a study without arms.

    Attributes
    ----------
    condition
        Name of the condition.
    status
        Status, such as `"collecting"` or `"complete"`.
    sentence
        The status in words.
    judgments, wanted
        Number of judgments so far, and the number planned.
    cannot_judge
        How many times raters answered "can't judge".
    items, items_short
        Number of items, and of items with fewer judgments than wanted.
    tasks_open
        Tasks with places that are not answered.
    round
        Current round.
    reliability
        Predicted correlation of the positions with the true ones, or None.
    newest_at
        Time of the newest answer, in seconds since 1970, or None.
    """

    condition: str
    status: str
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


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a study.

    Attributes
    ----------
    ended
        Whether no arm needs further answers.
    paused
        Whether the study is paused.
    judgments, wanted
        Number of judgments so far, and the number planned.
    raters
        Number of raters who have answered.
    log_position
        Log position.
    arms
        Progress of each arm; a study without arms has one.
    notices
        Sentences that the owner should read.
    """

    ended: bool
    paused: bool
    judgments: int
    wanted: int
    raters: int
    log_position: int
    arms: tuple[ArmProgress, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """What was added to the items of a study.

    Attributes
    ----------
    added
        Ids of the new items.
    unchanged
        Ids of items that the study already had, with the same content.
    items
        Number of items of the study.
    """

    added: tuple[str, ...]
    unchanged: tuple[str, ...]
    items: int


@dataclass(frozen=True, slots=True)
class Invitation:
    """A new rater.

    Attributes
    ----------
    rater
        Id of the rater.
    link
        Personal link, with which anyone can answer as this rater.
    """

    rater: str
    link: str


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """A new webhook with its secret, which cannot be shown again.

    Attributes
    ----------
    id
        Id of the webhook.
    url
        Address.
    events
        Events that it is notified of.
    secret
        Secret for `steelyard.client.signatures.verify`.
    """

    id: str
    url: str
    events: tuple[str, ...]
    secret: str


@dataclass(frozen=True, slots=True)
class WebhookFacts:
    """A webhook of a study.

    Attributes
    ----------
    id
        Id of the webhook.
    url
        Address.
    events
        Events that it is notified of.
    by
        Name of the key that added it.
    at
        Time when it was added, in seconds since 1970.
    problem
        Why its newest message was not delivered; empty if it was.
    """

    id: str
    url: str
    events: tuple[str, ...]
    by: str
    at: float
    problem: str


@dataclass(frozen=True, slots=True)
class DeliveryFacts:
    """A message to a webhook.

    Attributes
    ----------
    id
        Id of the message.
    event
        Event.
    state
        `"pending"`, `"delivered"` or `"failed"`.
    attempts
        Number of attempts.
    problem
        Why the last attempt failed; empty if it did not.
    at
        Time of the event, in seconds since 1970.
    due
        Time of the next attempt, or None.
    """

    id: str
    event: str
    state: str
    attempts: int
    problem: str
    at: float
    due: float | None


@dataclass(frozen=True, slots=True)
class Created:
    """A study that was created.

    Attributes
    ----------
    name
        Name of the study.
    url
        Address of its pages and of its API.
    owner_key
        Key of the owner, which is also a token. It cannot be shown again.
    items
        Number of items.
    """

    name: str
    url: str
    owner_key: str
    items: int


def record_of(kind: type[Record], table: Any, address: str) -> Record:
    """Return a record of what a server sent; fields that only a newer server sends are left out.

    Parameters
    ----------
    kind
        Class of the record.
    table
        What the server sent.
    address
        Address of the server, for messages.

    Returns
    -------
    Record
        An instance of `kind`.
    """
    hints = typing.get_type_hints(kind)
    try:
        values = {each.name: _value(hints[each.name], table[each.name]) for each in fields(kind)}  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError) as reason:
        raise ServerUnreachable(
            address, f"the answer is not that of a Steelyard server of this version ({reason})."
        ) from None
    return kind(**values)


def _value(hint: Any, value: Any) -> Any:
    """The value with the type of a field, or ValueError."""
    if typing.get_origin(hint) is tuple:
        return tuple(_value(typing.get_args(hint)[0], each) for each in value)
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return None if value is None else _value(typing.get_args(hint)[0], value)
    if is_dataclass(hint) and isinstance(value, Mapping):
        inner = typing.get_type_hints(hint)
        return hint(**{each.name: _value(inner[each.name], value[each.name]) for each in fields(hint)})  # type: ignore[operator]
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"{value!r} is not {hint.__name__}")
    return value
