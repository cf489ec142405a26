"""A kind of judgment outside Steelyard, installed as a package: its widget on a real page."""

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.walking import begin, cookies_of_one_who_agreed, send
from tests.commands import launch
from tests.extension.installing import install
from tests.serving import serving, write_study


@pytest.fixture
def served(tmp_path):
    """A study that asks yes or no, served by a Python in which the kind is installed."""
    folder = tmp_path / "study"
    key = write_study(folder, protocol="yes_no", extra='model = "direct_assessment"')
    environment = install(tmp_path / "site")
    with serving(folder, key, start=partial(launch, env=environment)) as server:
        yield server


def test_its_widget_answers_skips_and_undoes(open_page, served):
    page = begin(open_page, served)
    yes = page.get_by_role("button", name="Yes", exact=True)
    expect(yes).to_have_attribute("aria-pressed", "false")
    yes.click()
    expect(yes).to_have_attribute("aria-pressed", "true")
    send(page)
    expect(yes).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("n")
    expect(page.get_by_role("button", name="Can’t judge this")).to_have_attribute("aria-pressed", "true")
    send(page)
    page.keyboard.press("u")
    expect(page.get_by_text("was undone", exact=False).first).to_be_visible()
    page.keyboard.press("x")
    send(page)
    owner = open_page(served.owner)
    expect(owner.get_by_text("yes_no · selection balanced")).to_be_visible()


def test_a_widget_that_could_not_be_loaded_comes_when_the_connection_is_back(open_page, served):
    lost = "**/yes_no.js"
    kept = {"cookies": cookies_of_one_who_agreed(served.address), "origins": []}
    page = open_page("about:blank", storage_state=kept)
    page.route(lost, lambda route: route.abort())
    page.goto(f"{served.address}/task")
    expect(page.locator("#notes")).to_contain_text("No connection")
    page.unroute(lost)
    page.get_by_role("button", name="Try now").click()
    expect(page.get_by_role("button", name="Yes", exact=True)).to_be_visible()
    expect(page.locator("#notes .note")).to_have_count(0)
    page.complaints.expect("ERR_FAILED")
