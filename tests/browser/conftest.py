import os
import shutil

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.commands import fork
from tests.serving import serving, write_study

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The default model of ratings takes seconds to start; those of other protocols do not.
QUICK = {protocol: 'model = "direct_assessment"' for protocol in ("rating", "list")}
# The address bar of Chromium consists of pages that take more time than ours. Chromium uses only the last list of
# disabled features, so this list repeats the features that Playwright disables.
ADDRESS_BAR = "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
BY_PLAYWRIGHT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,MediaRouter,"
    "PaintHolding,ThirdPartyStoragePartitioning,OptimizationHints,PreconnectToSearch"
)
QUIET = [
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    f"--disable-features={ADDRESS_BAR},{BY_PLAYWRIGHT}",
]
# Milliseconds; only ends a test whose page never reaches its state, however busy the machine.
PATIENCE = int(os.environ.get("STEELYARD_BROWSER_PATIENCE", "900_000"))
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)


def chromium_of(playwright):
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    assert path, "No Chromium. Install the package 'chromium', or run: make test"
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=path, args=[*QUIET, *as_root])


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright, chromium_of(playwright) as browser:
        yield browser


class Complaints(list):
    """Errors on the consoles of pages. Some are expected, and the browser may report them late."""

    def __init__(self):
        super().__init__()
        self.expected = ()

    def expect(self, *words):
        """Expect errors with any of these words, reported before or after this call."""
        self.expected += words

    def unexpected(self):
        return [each for each in self if not any(word in each for word in self.expected)]


class Pages:
    """Opens pages in a fresh browser each and collects the errors on their consoles."""

    def __init__(self, chromium):
        self.chromium, self.contexts, self.complaints = chromium, [], Complaints()

    def __call__(self, address, **settings):
        context = self.chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **settings})
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda note: self.complaints.append(note.text) if note.type == "error" else None)
        page.complaints = self.complaints
        page.goto(address)
        return page

    def close(self):
        while self.contexts:
            self.contexts.pop().close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    """Close the pages while their server still runs, whichever fixture was set up first.

    A page that is still loading reports an error when its server ends before it.
    """
    pages = getattr(item, "funcargs", {}).get("open_page")
    if isinstance(pages, Pages):
        pages.close()


@pytest.fixture
def open_page(chromium):
    """Return a function that opens a page. Any error on its console fails the test."""
    pages = Pages(chromium)
    yield pages
    pages.close()
    assert pages.complaints.unexpected() == []


@pytest.fixture
def study(tmp_path):
    """Start a study server; `study(protocol="rating")` and so on; `change(folder)` edits the study first."""
    running = []

    def build(change=None, **settings):
        folder = tmp_path / f"study{len(running)}"
        quick = QUICK.get(settings.get("protocol", "list"), "")
        key = write_study(folder, **{**settings, "extra": f"{quick}\n{settings.get('extra', '')}"})
        if change is not None:
            change(folder)
        server = serving(folder, key, start=fork)
        running.append(server)
        return server.__enter__()

    yield build
    for server in running:
        server.__exit__(None, None, None)
