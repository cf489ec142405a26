"""Number of requests of a task page, by protocol.

Chromium opens the link of a rater who has agreed to take part, with an empty cache. All requests are counted until half
a second after the last one: the page, styles, scripts and the task, without the redirect.

    python benchmarks/page_requests.py
    python benchmarks/page_requests.py --root /path/to/another/checkout --details
"""

import argparse
import sys
import tempfile
import threading
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from shutil import which

from code_shape import write_study
from playwright.sync_api import sync_playwright

PROTOCOLS = ("rating", "list", "comparison", "comparison_list", "ranking", "best_worst", "range")


def page_requests(folder):
    """Requests of a browser for the first task of each protocol."""
    from tests.browser.conftest import NAMES, QUIET  # late: --root selects the package

    path = next(path for name in NAMES if (path := which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET, "--no-sandbox"])
        requests = {}
        for protocol in PROTOCOLS:
            with served(folder / protocol, protocol) as link:
                requests[protocol] = asked_for(browser, link)
        browser.close()
    return requests


def asked_for(browser, link):
    """Addresses that a new browser requests when it opens a rater's link, without redirects."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, requests = context.new_page(), []

    def note(request):
        requests.append(request)

    page.on("requestfinished", note)
    page.goto(link, wait_until="networkidle")
    page.wait_for_selector("main")
    page.wait_for_timeout(500)
    addresses = [request.url for request in requests if request.redirected_to is None]
    context.close()
    return addresses


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
    parser.add_argument("--details", action="store_true", help="print the addresses")
    options = parser.parse_args()
    sys.path[:0] = [str(options.root.resolve() / "src"), str(here)]
    print("| protocol | requests | of which |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for protocol, addresses in page_requests(Path(folder)).items():
            suffixes = Counter(
                Path(address.partition("?")[0]).suffix or "page or data" for address in addresses
            )
            words = ", ".join(f"{count} {suffix}" for suffix, count in suffixes.most_common())
            print(f"| {protocol} | {len(addresses)} | {words} |")
            if options.details:
                print("".join(f"|   |   | {each.split('/', 3)[3]} |\n" for each in addresses), end="")


if __name__ == "__main__":
    main()
