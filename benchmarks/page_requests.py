"""Requests, bytes and time of a rater's first task, by protocol, on a slow line.

Chromium opens the link of a rater who has agreed to take part, with an empty cache and the network emulation of its
developer tools: by default 50 kB/s and 800 ms per request. Requests and bytes are counted until half a second after the
last one: the page, styles, scripts and tasks. The time runs from opening the link until the question is on the page.

    python benchmarks/page_requests.py
    python benchmarks/page_requests.py --root /path/to/another/checkout --details
"""

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from code_shape import write_study
from playwright.sync_api import sync_playwright

PROTOCOLS = ("rating", "list", "comparison", "comparison_list", "ranking", "best_worst", "range")


@dataclass(frozen=True)
class FirstTask:
    """What a browser needed for the first task."""

    addresses: list[str]
    bytes: int
    seconds: float


def first_tasks(folder, line):
    """Requests, bytes and seconds for the first task of each protocol."""
    from tests.browser.conftest import NAMES, QUIET  # late: --root selects the package

    path = next(path for name in NAMES if (path := which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET, "--no-sandbox"])
        measured = {}
        for protocol in PROTOCOLS:
            with served(folder / protocol, protocol) as link:
                measured[protocol] = first_task(browser, link, line)
        browser.close()
    return measured


def first_task(browser, link, line):
    """What a new browser needs when it opens a rater's link on a slow line."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, requests, received = context.new_page(), [], []
    tools = context.new_cdp_session(page)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", line)
    tools.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    page.on("requestfinished", lambda request: requests.append(request))  # noqa: PLW0108 - playwright needs a function
    start = time.perf_counter()
    page.goto(link, wait_until="commit", timeout=120_000)
    page.wait_for_selector("#task h1", timeout=120_000)
    seconds = time.perf_counter() - start
    page.wait_for_load_state("networkidle", timeout=120_000)
    page.wait_for_timeout(500)
    addresses = [request.url for request in requests if request.redirected_to is None]
    context.close()
    return FirstTask(addresses, int(sum(received)), seconds)


@contextmanager
def served(folder, protocol):
    """Serve a study on a free port of this machine; the link of a rater who has agreed to take part."""
    import uvicorn  # late, as above
    from tests.compatibility.outputs import rows_of
    from tests.compatibility.people import Clock, Person

    from steelyard.web.app import create_app

    write_study(folder, protocol)
    app = create_app(folder)
    Person(app, Clock()).join("Ann")
    [(token,)] = rows_of(folder, "SELECT token FROM rater")
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/r/{token}"
    finally:
        server.should_exit = True
        thread.join()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("--root", type=Path, default=here, help="checkout to measure (default: this one)")
    parser.add_argument("--latency", type=float, default=800.0, help="milliseconds per request (default 800)")
    parser.add_argument("--speed", type=float, default=50.0, help="kB per second (default 50)")
    parser.add_argument("--details", action="store_true", help="print the addresses")
    options = parser.parse_args()
    sys.path[:0] = [str(options.root.resolve() / "src"), str(here)]
    speed = options.speed * 1000
    line = {
        "offline": False,
        "latency": options.latency,
        "downloadThroughput": speed,
        "uploadThroughput": speed,
    }
    print("| protocol | requests | kB | seconds | of which |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for protocol, first in first_tasks(Path(folder), line).items():
            suffixes = Counter(
                Path(address.partition("?")[0]).suffix or "page or data" for address in first.addresses
            )
            words = ", ".join(f"{count} {suffix}" for suffix, count in suffixes.most_common())
            size = f"{first.bytes / 1000:.0f} | {first.seconds:.1f}"
            print(f"| {protocol} | {len(first.addresses)} | {size} | {words} |")
            if options.details:
                print(
                    "".join(f"|   |   |   |   | {each.split('/', 3)[3]} |\n" for each in first.addresses),
                    end="",
                )


if __name__ == "__main__":
    main()
