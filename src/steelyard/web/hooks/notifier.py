"""Follows one study for its webhooks: decides what they are notified about, and sends it."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from steelyard.storage.database import Database
from steelyard.storage.webhooks import Notice, Webhooks
from steelyard.study.collecting.follower import Arm, Follower
from steelyard.study.definition.study import Study
from steelyard.study.log.counting import judged
from steelyard.study.results.status import ENDED, Status, is_asked_out, status_of
from steelyard.web.hooks.sending import Sender

LEAST_SECONDS = 10.0  # between two messages about new judgments
AT_ONCE = 8  # messages that are sent at the same time


class Notifier:
    """Notifies the webhooks of one study.

    Parameters
    ----------
    study
        The study.
    database
        Its database.
    sender
        Sends messages.
    least_seconds
        Time between two messages about new judgments.
    """

    def __init__(
        self, study: Study, database: Database, sender: Sender, least_seconds: float = LEAST_SECONDS
    ) -> None:
        self._study = study
        self._database = database
        self._webhooks = Webhooks(database)
        self._sender = sender
        self._least_seconds = least_seconds
        self._looked_at = -math.inf
        self._follower: Follower | None = None  # only studies with webhooks are followed

    def turn(self) -> int:
        """Store messages about what has happened, and send those that are due; return how many were sent."""
        if not self._webhooks.all():
            self._follower = None
            return 0
        self._announce()
        due = self._webhooks.take_due(self._sender.clock(), AT_ONCE)
        if due:
            with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook") as senders:
                problems = list(senders.map(lambda pair: self._sender.send(*pair), due))
            for (_, delivery), problem in zip(due, problems, strict=True):
                self._webhooks.settle(delivery, problem, self._sender.clock())
        return len(due)

    def _announce(self) -> None:
        before, now = self._webhooks.notice(), self._sender.clock()
        if 0 <= now - self._looked_at < self._least_seconds:  # a clock that was set back does not delay
            return
        if before is not None and before.status in ENDED and self._database.head() == before.position:
            return
        self._looked_at = now
        follower = self._follow()
        # The status can change without a new entry, because another process refits the model.
        notice = _notice(follower, now)
        if before is None or (notice.position, notice.status) != (before.position, before.status):
            messages = {} if before is None else _messages(follower, before, notice)
            self._webhooks.announce(before, notice, messages)

    def _follow(self) -> Follower:
        if self._follower is None:
            self._follower = Follower(self._study, cache=self._database)
        self._follower.catch_up(self._database.since)
        return self._follower


def _notice(follower: Follower, now: float) -> Notice:
    judgments = sum(
        judged(answer.cells) for arm in follower.arms.values() for answer in arm.ledger.counted_answers()
    )
    return Notice(follower.ledger.log_position, judgments, _status(follower), now)


def _status(follower: Follower) -> Status:
    """The status of the study: that of the first arm in which it has not ended, or else of the first arm."""
    statuses = [_arm_status(arm) for arm in follower.arms.values()]
    return next((each for each in statuses if each not in ENDED), statuses[0])


def _arm_status(arm: Arm) -> Status:
    return status_of(arm.ledger, arm.planner.enough(), is_asked_out(arm.planner))


def _messages(follower: Follower, before: Notice, now: Notice) -> dict[str, dict[str, Any]]:
    """What has happened since the last notice, by event."""
    ledgers = [arm.ledger for arm in follower.arms.values()]
    answers = [answer for ledger in ledgers for answer in ledger.counted_answers(after=before.position)]
    new = sum(judged(answer.cells) for answer in answers)
    state = facts_of(follower.study, now)
    messages: dict[str, dict[str, Any]] = {}
    if new:
        messages["judgments.added"] = {**state, "new_judgments": new}
    if now.status in ENDED and before.status not in ENDED:
        messages["study.stopped"] = state
    return messages


def facts_of(study: Study, notice: Notice) -> dict[str, Any]:
    """Return what every message contains: counts and no answers, which need a token to read."""
    return {
        "title": study.definition.title,
        "status": notice.status,
        "judgments": notice.judgments,
        "log_position": notice.position,
    }
