"""Clients that send or read slowly lose their connection, and others are served meanwhile."""

import asyncio
import socket
from collections import OrderedDict
from contextlib import asynccontextmanager

import pytest
import uvicorn

from steelyard.web.sockets import LARGEST_HEAD, LimitedProtocol
from steelyard.web.workers import Service
from tests.event_loops import run_apart

LONG = 1_000.0
LARGE = 64_000_000
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
PARTS = [
    b"",
    b"\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
]


async def app(scope, receive, send):
    """Answer with as many bytes as the path says, once the body has arrived."""
    while (await receive()).get("more_body"):
        pass
    size = int(scope["path"].strip("/") or 2)
    headers = [(b"content-length", str(size).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"x" * size})


@asynccontextmanager
async def serving(**limits):
    """A server with these limits; yields a function that connects, which has the limits as attributes of `limits`."""
    own = {"_waiting": OrderedDict(), **limits}
    protocol = type("Protocol", (LimitedProtocol,), own)
    writers = []

    async def connect():
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writers.append(writer)
        return reader, writer

    connect.limits = protocol
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    config = uvicorn.Config(app, http=protocol, ws="none", lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve([listener]))
    try:
        yield connect
    finally:
        for writer in writers:
            writer.transport.abort()
        server.should_exit = server.force_exit = True
        await task


async def answered(connect):
    reader, writer = await connect()
    writer.write(REQUEST)
    status = await reader.readline()
    writer.transport.abort()
    return status.split()[1] == b"200"


async def is_closed(reader):
    """Wait until the server closes the connection."""
    try:
        return b"200" not in await reader.read()
    except ConnectionError:
        return True


@pytest.mark.parametrize("part", PARTS)
def test_a_request_that_does_not_arrive_is_given_up(part):
    async def check():
        async with serving(request_seconds=0.2) as connect:
            reader, writer = await connect()
            writer.write(part)
            assert await is_closed(reader)
            connect.limits.request_seconds = LONG
            assert await answered(connect)

    run_apart(check())


def test_a_second_request_on_a_connection_has_the_same_limit():
    async def check():
        async with serving(request_seconds=LONG) as connect:
            reader, writer = await connect()
            writer.write(REQUEST)
            assert b"200" in await reader.readline()
            await reader.readuntil(b"xx")
            connect.limits.request_seconds = 0.2
            writer.write(PARTS[2])
            assert await is_closed(reader)

    run_apart(check())


def test_many_slow_connections_do_not_keep_others_out():
    async def check():
        async with serving(request_seconds=LONG, most_waiting=5) as connect:
            slow = []
            for _ in range(20):
                slow.append(await connect())
                slow[-1][1].write(PARTS[2])
                assert await answered(connect)
            for reader, _ in slow[:15]:
                assert await is_closed(reader)

    run_apart(check())


def test_a_client_that_does_not_read_is_given_up():
    async def check():
        lost = asyncio.Event()

        def connection_lost(self, exc):
            lost.set()
            LimitedProtocol.connection_lost(self, exc)

        async with serving(stalled_seconds=0.2, connection_lost=connection_lost) as connect:
            _, writer = await connect()
            writer.transport.pause_reading()
            writer.write(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % LARGE)
            await lost.wait()

    run_apart(check())


def test_headers_have_a_largest_size():
    async def check():
        async with serving() as connect:
            reader, writer = await connect()
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + b"a" * (LARGEST_HEAD + 1))
            assert b"400" in await reader.readline()

    run_apart(check())


@pytest.mark.parametrize("size", [LARGEST_HEAD + 1, 80_000, 200_000])
@pytest.mark.parametrize(
    "request_of",
    [
        lambda size: REQUEST[:-2] + b"X-Long: " + b"a" * size + b"\r\n\r\n",
        lambda size: REQUEST[:-2] + b"X-Short: a\r\n" * (size // 10) + b"\r\n",
        lambda size: b"GET /?" + b"a" * size + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
    ids=["one header", "many headers", "address"],
)
def test_headers_that_arrive_together_have_the_same_largest_size(request_of, size):
    async def check():
        async with serving() as connect:
            reader, writer = await connect()
            writer.write(request_of(size))
            assert await is_closed(reader)
            assert await answered(connect)

    run_apart(check())


def test_headers_below_the_largest_size_are_read():
    async def check():
        async with serving() as connect:
            reader, writer = await connect()
            for _ in range(2):  # each request of a connection has its own limit
                writer.write(REQUEST[:-2] + b"X-Long: " + b"a" * (LARGEST_HEAD - 100) + b"\r\n\r\n")
                assert b"200" in await reader.readline()
                await reader.readuntil(b"xx")

    run_apart(check())


def test_a_large_body_after_small_headers_is_read():
    async def check():
        async with serving() as connect:
            reader, writer = await connect()
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n")
            for _ in range(20):
                writer.write(b"a" * 10_000)
                await writer.drain()
            assert b"200" in await reader.readline()

    run_apart(check())


def test_the_server_of_studies_uses_these_limits():
    assert Service(lambda: app).server().config.http is LimitedProtocol
