"""Connections with limits, so that clients who send or read slowly cannot exhaust the server."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_SECONDS = 30.0  # for a whole request to arrive; at most 250 kB, and usually a few kB
STALLED_SECONDS = 60.0  # how long a client may read nothing of a response that is waiting
LARGEST_HEAD = 65_536  # bytes of the first line and the headers of a request
MOST_WAITING = 512  # connections of one process whose request has not arrived


class LimitedProtocol(HttpToolsProtocol):
    """HTTP on one connection, which is closed if a request takes too long to arrive or a response to be read.

    Of the connections whose request has not arrived, the oldest is closed when there are too many. Clients that send
    their requests at once are served even while others keep connections open.
    """

    request_seconds = REQUEST_SECONDS
    stalled_seconds = STALLED_SECONDS
    most_waiting = MOST_WAITING
    _waiting: ClassVar[OrderedDict[LimitedProtocol, None]] = OrderedDict()  # of this process, oldest first

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._head = 0  # bytes of the present request before its headers are complete
        self._in_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time in which the first request has to arrive."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._arrived()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, or close the connection if its headers are too large."""
        if self.cycle is None or self.cycle.response_complete:
            self._expect()
        super().data_received(data)
        self._head += len(data) if self._in_head else 0
        if self._head > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The headers of the request are too large.")

    def on_message_begin(self) -> None:
        """Start the time in which a further request on this connection has to arrive."""
        super().on_message_begin()
        self._expect()

    def on_headers_complete(self) -> None:
        """Stop counting; the size of the body is limited elsewhere."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the time, because the request has arrived."""
        self._arrived()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Start the time in which a client has to read what is waiting for it."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.stalled_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the time, because the client reads."""
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        super().resume_writing()

    def _expect(self) -> None:
        if self._deadline is not None:
            return
        self._head, self._in_head = 0, True
        self._deadline = self.loop.call_later(self.request_seconds, self._give_up)
        self._waiting[self] = None
        if len(self._waiting) > self.most_waiting:
            next(iter(self._waiting))._give_up()

    def _arrived(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._waiting.pop(self, None)

    def _give_up(self) -> None:
        self._arrived()
        self.transport.abort()
