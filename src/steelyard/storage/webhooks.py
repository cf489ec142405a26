"""The webhooks of a study, and the messages that they are sent, which are kept until they are delivered or given up."""

from __future__ import annotations

import json
import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import sqlalchemy as sa

from steelyard.errors import BadSetting, UnknownName
from steelyard.storage import schema
from steelyard.storage.database import Database
from steelyard.storage.statements import LOCK

EventName = Literal["judgments.added", "study.stopped"]
EVENTS: tuple[EventName, ...] = get_args(EventName)
TEST = "test"  # the event of a message that the owner asked for
State = Literal["pending", "delivered", "failed"]
MOST_WEBHOOKS = 20
LONGEST_URL = 2_000
DELIVERIES_KEPT = 100  # per webhook, besides those that are pending
CLAIM_SECONDS = 120.0  # a message that a process has taken is sent again after this time if the process ended
# Seconds between the attempts to deliver a message; after the last one it is given up.
WAITS = (5.0, 30.0, 120.0, 600.0, 3600.0, 6 * 3600.0)


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is sent messages about the study.

    Attributes
    ----------
    id
        Random id.
    url
        Address.
    events
        Names of the events that it is sent.
    secret
        Secret with which messages are signed.
    by
        Name of the key that added it.
    at
        Time when it was added, in seconds since 1970.
    """

    id: str
    url: str
    events: tuple[str, ...]
    secret: str
    by: str
    at: float


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to one webhook.

    Attributes
    ----------
    id
        Random id, the same in every attempt.
    webhook
        Id of the webhook.
    event
        Name of the event.
    body
        The message, as JSON.
    state
        `"pending"`, `"delivered"`, or `"failed"` after the last attempt.
    attempts
        Number of attempts so far.
    problem
        Why the last attempt failed; empty if none has.
    at
        Time of the event, in seconds since 1970.
    due
        Time of the next attempt, in seconds since 1970.
    """

    id: str
    webhook: str
    event: str
    body: str
    state: State
    attempts: int
    problem: str
    at: float
    due: float


@dataclass(frozen=True, slots=True)
class Notice:
    """The state of the study that webhooks were last notified about.

    Attributes
    ----------
    position
        Log position.
    judgments
        Number of judgments.
    status
        Status of the study.
    at
        Time, in seconds since 1970.
    """

    position: int
    judgments: int
    status: str
    at: float


class Webhooks:
    """The webhooks of one study in its database. Every change is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # The owner

    def add(self, url: str, events: Sequence[str], by: str, at: float) -> Webhook:
        """Add a webhook with a new secret.

        Parameters
        ----------
        url
            Address, which `steelyard.web.hooks.addresses` has checked.
        events
            Names of events, at least one.
        by
            Name of the key that adds it.
        at
            Time, in seconds since 1970.

        Returns
        -------
        Webhook
            The webhook with its secret.
        """
        unknown = [event for event in events if event not in EVENTS]
        if unknown:
            raise UnknownName("event", unknown[0], EVENTS)
        secret = f"whsec_{b64encode(secrets.token_bytes(32)).decode()}"
        made = Webhook(secrets.token_hex(8), url, tuple(dict.fromkeys(events)), secret, by, at)
        with self._database.locking() as connection:
            connection.execute(LOCK)
            if len(connection.execute(sa.select(schema.webhook.c.id)).all()) >= MOST_WEBHOOKS:
                raise BadSetting(
                    "webhooks", f"a study has at most {MOST_WEBHOOKS} webhooks. Remove one first."
                )
            row = {**asdict(made), "events": " ".join(made.events)}
            connection.execute(schema.webhook.insert().values(**row))
        return made

    def all(self) -> list[Webhook]:
        """Return the webhooks, oldest first."""
        table = schema.webhook
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(table).order_by(table.c.at, table.c.id)).mappings().all()
        return [_webhook(row) for row in rows]

    def find(self, id: str) -> Webhook | None:
        """Return the webhook with this id."""
        return next((each for each in self.all() if each.id == id), None)

    def remove(self, id: str) -> bool:
        """Remove a webhook and its messages; return whether there was one."""
        with self._database.locking() as connection:
            connection.execute(LOCK)
            removed = connection.execute(schema.webhook.delete().where(schema.webhook.c.id == id)).rowcount
            connection.execute(schema.delivery.delete().where(schema.delivery.c.webhook == id))
            if not connection.execute(sa.select(schema.webhook.c.id)).first():
                connection.execute(schema.notice.delete())  # a later webhook starts with later events
        return bool(removed)

    def deliveries(self, webhook: str) -> list[Delivery]:
        """Return the messages of a webhook, newest first."""
        table = schema.delivery
        wanted = sa.select(table).where(table.c.webhook == webhook).order_by(table.c.at.desc(), table.c.id)
        with self._database.reading() as connection:
            return [Delivery(**row) for row in connection.execute(wanted).mappings()]

    def problems(self) -> list[str]:
        """Return a sentence about each webhook whose newest message with an attempt was not delivered."""
        sentences = []
        for webhook in self.all():
            tried = [each for each in self.deliveries(webhook.id) if each.attempts]
            if tried and tried[0].state != "delivered":
                is_given_up = tried[0].state == "failed"
                follows = "It was given up." if is_given_up else "It will be tried again."
                sentences.append(
                    f"The webhook {webhook.url} could not be notified: {tried[0].problem} {follows}"
                )
        return sentences

    # The process that sends messages

    def notice(self) -> Notice | None:
        """Return the state that webhooks were last notified about; None if nothing is stored."""
        table = schema.notice.c
        wanted = sa.select(table.position, table.judgments, table.status, table.at)
        with self._database.reading() as connection:
            row = connection.execute(wanted).mappings().first()
        return None if row is None else Notice(**row)

    def announce(self, before: Notice | None, now: Notice, messages: Mapping[str, Mapping[str, Any]]) -> bool:
        """Store messages for all webhooks with these events, and the state that they are about.

        Parameters
        ----------
        before
            The state that the messages follow.
        now
            The state that they are about.
        messages
            What to send, by name of the event.

        Returns
        -------
        bool
            False, with nothing stored, if another process has announced something meanwhile.
        """
        with self._database.locking() as connection:
            connection.execute(LOCK)
            row = connection.execute(sa.select(schema.notice.c.position, schema.notice.c.status)).first()
            if (None if row is None else tuple(row)) != (
                None if before is None else (before.position, before.status)
            ):
                return False
            connection.execute(schema.notice.delete())
            connection.execute(schema.notice.insert().values(id=1, **asdict(now)))
            for hook in map(_webhook, connection.execute(sa.select(schema.webhook)).mappings().all()):
                for event, facts in messages.items():
                    if event in hook.events:
                        _enqueue(connection, hook.id, event, facts, now.at)
        return True

    def test(self, webhook: str, facts: Mapping[str, Any], at: float) -> str:
        """Store a test message for one webhook, and return its id.

        Parameters
        ----------
        webhook
            Id of the webhook.
        facts
            What to send.
        at
            Time, in seconds since 1970.

        Returns
        -------
        str
            Id of the message.
        """
        with self._database.locking() as connection:
            connection.execute(LOCK)
            return _enqueue(connection, webhook, TEST, facts, at)

    def take_due(self, now: float, most: int) -> list[tuple[Webhook, Delivery]]:
        """Return messages whose time has come, oldest first; no other process takes them for a while."""
        table = schema.delivery
        hooks = {each.id: each for each in self.all()}
        chosen = sa.select(table).where(table.c.state == "pending", table.c.due <= now)
        if not hooks or not self._is_due(chosen):
            return []
        with self._database.locking() as connection:
            connection.execute(LOCK)
            rows = connection.execute(chosen.order_by(table.c.due, table.c.id).limit(most)).mappings().all()
            taken = [Delivery(**row) for row in rows]
            ids = [each.id for each in taken]
            connection.execute(table.update().where(table.c.id.in_(ids)).values(due=now + CLAIM_SECONDS))
        return [(hooks[each.webhook], each) for each in taken if each.webhook in hooks]

    def _is_due(self, chosen: sa.Select[Any]) -> bool:
        with self._database.reading() as connection:
            return connection.execute(chosen.limit(1)).first() is not None

    def settle(self, delivery: Delivery, problem: str, now: float) -> None:
        """Store the result of an attempt.

        Parameters
        ----------
        delivery
            The message.
        problem
            What went wrong; empty if the message was delivered.
        now
            Time, in seconds since 1970.
        """
        attempts = delivery.attempts + 1
        state: State = "pending"
        if not problem:
            state = "delivered"
        elif attempts > len(WAITS):
            state = "failed"
        due = now + WAITS[min(attempts, len(WAITS)) - 1]
        table = schema.delivery
        with self._database.locking() as connection:
            changed = {"state": state, "attempts": attempts, "problem": problem, "due": due}
            connection.execute(table.update().where(table.c.id == delivery.id).values(**changed))
            _prune(connection, delivery.webhook)


def _enqueue(connection: sa.Connection, webhook: str, event: str, facts: Mapping[str, Any], at: float) -> str:
    id = f"msg_{secrets.token_hex(12)}"
    body = json.dumps({"id": id, "event": event, "at": at, **facts}, ensure_ascii=False, sort_keys=True)
    made = Delivery(id, webhook, event, body, "pending", 0, "", at, at)
    connection.execute(schema.delivery.insert().values(**asdict(made)))
    return id


def _prune(connection: sa.Connection, webhook: str) -> None:
    """Delete the oldest messages that are no longer pending."""
    table = schema.delivery
    done = (table.c.webhook == webhook) & (table.c.state != "pending")
    ordered = sa.select(table.c.id).where(done).order_by(table.c.at.desc(), table.c.id)
    old = [row.id for row in connection.execute(ordered.offset(DELIVERIES_KEPT))]
    if old:
        connection.execute(table.delete().where(table.c.id.in_(old)))


def _webhook(row: Mapping[Any, Any]) -> Webhook:
    return Webhook(**{**row, "events": tuple(row["events"].split())})
