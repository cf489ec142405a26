"""Requests that change a study, one after another in one thread; those that wait share a transaction and its commit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from starlette.responses import Response

MOST = 16  # acts in one transaction, so that other processes do not wait long for the lock of the study


@dataclass(frozen=True, eq=False, slots=True)
class Act:
    """One request: what to do, and the future that waits for its response on an event loop."""

    do: Callable[[], Response]
    future: asyncio.Future[Response]
    loop: asyncio.AbstractEventLoop


class Together:
    """Runs acts in the order in which they come, in a thread of its own.

    Threads that wait for the lock of a study cost more time than an answer. Acts that come while another one is stored
    share the next transaction, and with it one write to the disk. Their responses are sent after it was committed. If
    one of them fails, nothing of the transaction is stored, and each act runs again in a transaction of its own.

    Parameters
    ----------
    transaction
        Returns a transaction of the study. Inside it, the transactions of an act are parts of it.
    """

    def __init__(self, transaction: Callable[[], AbstractContextManager[Any]]) -> None:
        self._transaction = transaction
        self._waiting: SimpleQueue[Act] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    async def run(self, do: Callable[[], Response]) -> Response:
        """Return the response of an act, when its changes are stored."""
        self._start()
        loop = asyncio.get_running_loop()
        act = Act(do, loop.create_future(), loop)
        self._waiting.put(act)
        return await act.future

    def _start(self) -> None:
        """Start the thread with the first act, in the process that serves it."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True, name="answers")
                self._thread.start()

    def _work(self) -> None:
        while True:
            acts = [self._waiting.get(), *self._more()]
            outcomes = self._at_once([act.do for act in acts])
            if outcomes is None:
                outcomes = [_alone(act.do) for act in acts]
            _deliver(acts, outcomes)

    def _more(self) -> Iterable[Act]:
        """Yield the acts that are waiting now."""
        for _ in range(MOST - 1):
            try:
                yield self._waiting.get_nowait()
            except Empty:
                return

    def _at_once(self, acts: list[Callable[[], Response]]) -> list[Response | BaseException] | None:
        """Run acts in one transaction; None if one of them fails, and then nothing is stored."""
        try:
            with self._transaction():
                return [act() for act in acts]
        except Exception:  # noqa: BLE001 - the acts run again one by one, and each raises its own errors
            return None


def _alone(act: Callable[[], Response]) -> Response | BaseException:
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - raised again where the request is handled
        return error


def _deliver(acts: list[Act], outcomes: list[Response | BaseException]) -> None:
    """Give each future its outcome, with one call per event loop."""
    for loop in {act.loop for act in acts}:
        mine = [pair for pair in zip(acts, outcomes, strict=True) if pair[0].loop is loop]
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, mine)


def _settle(pairs: list[tuple[Act, Response | BaseException]]) -> None:
    for act, outcome in pairs:
        if act.future.done():  # the client has gone
            continue
        if isinstance(outcome, BaseException):
            act.future.set_exception(outcome)
        else:
            act.future.set_result(outcome)
