"""Simulated raters over HTTP on one asyncio loop, for `service.py` and `faults.py`."""

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

LOST = (OSError, asyncio.IncompleteReadError, EOFError, ValueError)  # a connection that ended too early


class Browser:
    """Cookies and one connection that is kept open, as in a browser."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.host, self.port = parts.hostname, parts.port
        self.cookies, self.stream = {}, None

    async def ask(self, method, path, body=b"", headers=()):
        """Status and text of a response. A kept connection that the server has closed is opened again."""
        for again in (True, False):
            fresh = self.stream is None
            try:
                if fresh:
                    self.stream = await asyncio.open_connection(self.host, self.port)
                return await self._ask(method, path, body, headers)
            except LOST:
                self.close()
                if fresh or not again:
                    raise
            except (
                asyncio.CancelledError
            ):  # the response may still come, and must not be taken for the next one
                self.close()
                raise
        return None

    async def _ask(self, method, path, body, headers):
        reader, writer = self.stream
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Content-Length: {len(body)}",
        ]
        lines += [f"Cookie: {cookie}", *(f"{name}: {value}" for name, value in headers), "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        length, close = 0, False
        for line in head[1:]:
            name, _, value = line.partition(": ")
            match name.lower():
                case "content-length":
                    length = int(value)
                case "set-cookie":
                    key, _, rest = value.partition("=")
                    self.cookies[key] = rest.partition(";")[0]
                case "connection":
                    close = value.lower() == "close"
        text = await reader.readexactly(length)
        if close:
            self.close()
        return int(head[0].split()[1]), text.decode()

    async def post_form(self, path, **fields):
        headers = [("Content-Type", "application/x-www-form-urlencoded")]
        return await self.ask("POST", path, urlencode(fields).encode(), headers)

    def close(self):
        if self.stream is not None:
            self.stream[1].close()
            self.stream = None


@dataclass
class Seen:
    """What happened to the requests of a crowd."""

    waits: list = field(default_factory=list)  # seconds from sending an answer to having the next task
    acknowledged: list = field(default_factory=list)
    errors: list = field(default_factory=list)


class SteelyardRater:
    """A rater on Steelyard's pages: one POST stores an answer and returns the next task."""

    def __init__(self, address, name):
        self.browser, self.name, self.state = Browser(address), name, None

    async def begin(self):
        self.browser.cookies.clear()  # someone who joined before the connection was lost joins again
        self.csrf = await self._token("/join")
        await self.browser.post_form("/join", csrf=self.csrf, name=self.name)
        await self.browser.post_form("/welcome", csrf=await self._token("/welcome"), agree="1")
        self.csrf = await self._token("/task")
        await self.look()

    async def look(self):
        _, text = await self.browser.ask("GET", "/api/task")
        self.state = json.loads(text)

    async def _token(self, path):
        _, text = await self.browser.ask("GET", path)
        return re.search(r'name="csrf" content="([^"]+)"', text).group(1)

    async def annotate(self):
        """Answer the task and take the next one; return the assignment, or None if there is no task."""
        if self.state.get("state") != "task":
            return None
        task = self.state["task"]
        cells = [{"item": at, "question": 0, "score": 30} for at in range(len(task["items"]))]
        moves = [[120 * at, 0, 0, "step", at] for at in range(20)]
        body = {
            "assignment": task["assignment"],
            "answers": cells,
            "milliseconds": 4000,
            "interactions": moves,
        }
        headers = [("Content-Type", "application/json"), ("X-CSRF-Token", self.csrf)]
        status, text = await self.browser.ask("POST", "/api/answers", json.dumps(body).encode(), headers)
        if status != 200:
            raise AssertionError(f"{status}: {text[:200]}")
        self.state = json.loads(text)
        return task["assignment"]


class PotatoRater:
    """A rater on Potato's pages: one POST stores an answer, and another returns the page of the next item."""

    def __init__(self, address, name):
        self.browser, self.name, self.item = Browser(address), name, None

    async def begin(self):
        user = {"email": self.name, "pass": "a long password 1"}
        await self.browser.post_form("/register", action="signup", **user)
        await self.browser.post_form("/auth", action="login", **user)
        self._read(await self.browser.ask("GET", "/annotate"))

    def _read(self, response):
        found = re.search(r'id="instance_id"[^>]*value="([^"]+)"', response[1]) or re.search(
            r'name="instance_id"[^>]*value="([^"]+)"', response[1]
        )
        if response[0] != 200 or found is None:
            raise AssertionError(f"{response[0]}: {response[1][:300]}")
        self.item = found.group(1)

    async def annotate(self):
        body = {"instance_id": self.item, "annotations": {"filling:slider": "30"}, "span_annotations": []}
        headers = [("Content-Type", "application/json")]
        status, text = await self.browser.ask("POST", "/updateinstance", json.dumps(body).encode(), headers)
        if status != 200:
            raise AssertionError(f"{status}: {text[:200]}")
        answered = self.item
        self._read(await self.browser.post_form("/annotate", action="next_instance", instance_id=self.item))
        return f"{self.name} {answered}"


async def crowd_at_work(raters, seconds, think=0.0):
    """Let raters who have begun work for some time, and return what they saw."""
    seen, loop = Seen(), asyncio.get_running_loop()
    end = loop.time() + seconds

    async def work(at, rater):
        await asyncio.sleep(think * at / len(raters))
        while loop.time() < end:
            began = time.perf_counter()
            try:
                done = await rater.annotate()
            except (AssertionError, *LOST) as error:
                seen.errors.append(f"{type(error).__name__}: {error}")
                return
            if done is None:
                return
            seen.waits.append(time.perf_counter() - began)
            seen.acknowledged.append(done)
            await asyncio.sleep(think)

    await asyncio.gather(*(work(at, rater) for at, rater in enumerate(raters)))
    return seen


async def begun(kind, address, number, prefix="rater", at_once=10):
    """Raters of a kind who have joined and have their first task."""
    raters, gate = [kind(address, f"{prefix} {at}") for at in range(number)], asyncio.Semaphore(at_once)

    async def begin(rater):
        async with gate:
            await rater.begin()

    await asyncio.gather(*(begin(rater) for rater in raters))
    return raters
