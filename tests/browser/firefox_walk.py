"""Walk through one study of each protocol in Firefox, by keyboard alone, over WebDriver BiDi.

    python -m tests.browser.firefox_walk [PROTOCOL ...]

Needs Firefox (Debian: firefox-esr). Not part of `make test`.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from steelyard.kinds.known import PROTOCOLS
from tests.browser.by_keys import BY_KEYS, press
from tests.browser.grounding import COMPARATIVES
from tests.browser.test_whole_studies import ITEMS, MORE_ITEMS
from tests.browser.walking import cookies_of_one_who_agreed, progress_words, wait_for_next
from tests.commands import launch
from tests.serving import serving, write_study

NAMES = ("firefox-esr", "firefox")
PATIENCE = 60.0  # seconds
# Code points of keys: https://www.w3.org/TR/webdriver2/#keyboard-actions
CODES = {
    "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "PageUp": "\ue00e", "End": "\ue010", "Home": "\ue011",
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
}  # fmt: skip


class Firefox:
    """A session of WebDriver BiDi with one tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.complaints: list[str] = []
        self.send("session.new", {"capabilities": {}})
        self.send("session.subscribe", {"events": ["log.entryAdded"]})
        self.tab = self.send("browsingContext.create", {"type": "tab"})["context"]

    def send(self, method: str, params: dict) -> dict:
        """Send a command and return its result; errors on the console are kept."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.complaints.append(message["params"]["text"])
            if message.get("id") == self._number:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                return message["result"]


@dataclass(frozen=True)
class Found:
    """Elements for a selector."""

    page: "FirefoxPage"
    selector: str

    def count(self) -> int:
        """Their number."""
        return self.page.evaluate("(selector) => document.querySelectorAll(selector).length", self.selector)

    def inner_text(self) -> str:
        """The text of the first one."""
        return self.page.evaluate("(selector) => document.querySelector(selector).innerText", self.selector)


class FirefoxPage:
    """The part of Playwright's page that `by_keys` and `walking` need."""

    def __init__(self, firefox: Firefox) -> None:
        self._firefox = firefox
        self.keyboard = self

    @property
    def url(self) -> str:
        """The address of the page."""
        return self.evaluate("() => location.href")

    def goto(self, address: str) -> None:
        """Open an address and wait until it has loaded."""
        where = {"context": self._firefox.tab, "url": address, "wait": "complete"}
        self._firefox.send("browsingContext.navigate", where)

    def press(self, keys: str) -> None:
        """Press a key, or several that are joined by "+"."""
        codes = [CODES.get(key, key) for key in keys.split("+")]
        downs = [{"type": "keyDown", "value": code} for code in codes]
        ups = [{"type": "keyUp", "value": code} for code in reversed(codes)]
        source = {"type": "key", "id": "keyboard", "actions": [*downs, *ups]}
        self._firefox.send("input.performActions", {"context": self._firefox.tab, "actions": [source]})

    def evaluate(self, function: str, argument=None):
        """The result of a function of JavaScript, as JSON."""
        body = f"(argument) => JSON.stringify(({function})(JSON.parse(argument)))"
        call = {
            "functionDeclaration": body,
            "arguments": [{"type": "string", "value": json.dumps(argument)}],
            "target": {"context": self._firefox.tab},
            "awaitPromise": True,
        }
        answer = self._firefox.send("script.callFunction", call)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"]) if answer["result"]["type"] == "string" else None

    def wait_for_function(self, expression: str, arg=None) -> None:
        """Wait until an expression, or a function of an argument, is true."""
        function = expression if "=>" in expression.partition("\n")[0] else f"() => {expression}"
        end = time.monotonic() + PATIENCE
        while not self.evaluate(f"(argument) => Boolean(({function})(argument))", arg):
            if time.monotonic() > end:
                raise TimeoutError(f"Not within {PATIENCE} s: {expression}")
            time.sleep(0.05)

    def locator(self, selector: str) -> Found:
        """Elements for a selector."""
        return Found(self, selector)


@contextmanager
def firefox():
    """Start Firefox without a window, and open a session."""
    path = next((path for name in NAMES if (path := shutil.which(name))), None)
    if path is None:
        raise SystemExit("No Firefox. Install the package 'firefox-esr'.")
    with TemporaryDirectory() as profile:
        command = [path, "--headless", "--remote-debugging-port", "0", "--profile", profile]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            address = next(
                match[1] for line in process.stderr if (match := re.search(r"BiDi listening on (\S+)", line))
            )
            with connect(f"{address}/session", max_size=None) as socket:
                yield Firefox(socket)
        finally:
            process.kill()
            process.wait()


def sign_in(browser: Firefox, address: str) -> None:
    """Give the browser the cookies of a new rater who has agreed to take part."""
    for cookie in cookies_of_one_who_agreed(address):
        value = {"type": "string", "value": cookie["value"]}
        described = {
            "name": cookie["name"],
            "value": value,
            "domain": urlsplit(address).hostname,
            "path": "/",
        }
        browser.send("storage.setCookie", {"cookie": described})


def walk(browser: Firefox, protocol: str, folder: Path) -> int:
    """Answer every task of a small study and return their number."""
    size, items = (3, MORE_ITEMS) if protocol == "best_worst" else (2, ITEMS)
    extra = f"redundancy = 3\nlist_size = {size}\ngroup_size = 4\nopen_link = true"
    key = write_study(folder, protocol, extra, items=items)
    with (folder / "study.toml").open("a", encoding="utf-8") as text:
        text.write(COMPARATIVES)
    give, last = BY_KEYS[protocol]
    with serving(folder, key, start=launch) as served:
        sign_in(browser, served.address)
        page, done = FirefoxPage(browser), 0
        page.goto(f"{served.address}/task")
        page.wait_for_function("() => document.querySelector('.acts-row') !== null")
        while "/thanks" not in page.url:
            before = progress_words(page)
            give(page)
            press(page, last)
            wait_for_next(page, before)
            done += 1
    return done


def main() -> None:
    """Walk through the studies and print the number of tasks of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocols", nargs="*", metavar="PROTOCOL", default=[*PROTOCOLS])
    options = parser.parse_args()
    with TemporaryDirectory() as folder, firefox() as browser:
        for protocol in options.protocols:
            done = walk(browser, protocol, Path(folder) / protocol)
            sys.stdout.write(f"{protocol}: {done} tasks, {len(browser.complaints)} errors on the console\n")
        if browser.complaints:
            raise SystemExit("\n".join(browser.complaints))


if __name__ == "__main__":
    main()
