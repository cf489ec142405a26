"""Connections with limits, so that clients who send or read slowly cannot exhaust the server."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_SECONDS = 30.0  # for a whole request to arrive; at most 250 kB, and usually a few kB
STALLED_SECONDS = 60.0  # how long a client may read nothing of a response that is waiting
LARGEST_HEAD = 65_536  # bytes of the first line and the headers of a request
HEAD_TOO_LARGE = "The headers of the request are too large."
HEADER_MARKS = len(": \r\n")  # bytes of a header beside its name and value
MOST_WAITING = 512  # connections of one process whose request has not arrived


class _HeadTooLarge(Exception):
    """Stops the parser, which the base class answers with status 400."""


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
        self._head = 0  # bytes of the present request that arrived before its headers were complete
        self._parsed = 0  # bytes of its address and of its complete headers
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
            self.send_400_response(HEAD_TOO_LARGE)

    def send_400_response(self, msg: str) -> None:
        """Refuse a request, with the cause if its headers are too large."""
        super().send_400_response(HEAD_TOO_LARGE if self._parsed > LARGEST_HEAD else msg)

    def on_message_begin(self) -> None:
        """Start the time in which a further request on this connection has to arrive."""
        super().on_message_begin()
        self._parsed = 0
        self._expect()

    def on_url(self, url: bytes) -> None:
        """Count the address, which may arrive in the same piece as everything else."""
        self._count_parsed(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count_parsed(len(name) + len(value) + HEADER_MARKS)
        super().on_header(name, value)

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

    def _count_parsed(self, size: int) -> None:
        self._parsed += size
        if self._parsed > LARGEST_HEAD:
            raise _HeadTooLarge

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
