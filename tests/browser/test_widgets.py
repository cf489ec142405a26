"""What a task page loads, and when."""

import pytest
from playwright.sync_api import expect

from tests.browser.walking import begin, cookies_of_one_who_agreed, send

MOST_REQUESTS = 45


def requests_of(open_page, served):
    """The addresses that a task page of a study asks for until its task is shown."""
    kept = {"cookies": cookies_of_one_who_agreed(served.address), "origins": []}
    page = open_page("about:blank", storage_state=kept)
    asked = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(served.address)))
    page.goto(f"{served.address}/task")
    expect(page.locator("#next")).to_be_visible()
    page.wait_for_load_state("networkidle")
    return asked


@pytest.mark.parametrize("protocol", ["rating", "comparison"])
def test_a_task_page_loads_its_protocol_alone_and_everything_once(study, open_page, protocol):
    asked = requests_of(open_page, study(protocol=protocol))
    assert len(asked) == len(set(asked)) <= MOST_REQUESTS
    shown = [each for each in asked if "/widgets/" in each]
    other = {"rating": "/choices/comparison", "comparison": "/scale/"}[protocol]
    assert shown
    assert not any(other in each for each in shown)
    assert not any("ground.js" in each or "anchors.css" in each for each in asked)


def test_no_module_waits_for_another(study, open_page):
    asked = requests_of(open_page, study(protocol="range"))
    page_itself = asked.index("/task")
    state = asked.index("/api/task")
    modules = [at for at, each in enumerate(asked) if each.endswith(".js")]
    assert all(page_itself < at < state for at in modules)


def test_a_stylesheet_is_in_effect_before_its_task_is_shown(study, open_page):
    page = begin(open_page, study(protocol="best_worst"))
    links = page.evaluate(
        "() => [...document.querySelectorAll('link[rel=stylesheet]')].map(({ href, sheet }) => [href, sheet !== null])"
    )
    assert all(loaded for _, loaded in links)
    assert sum("best-worst.css" in href for href, _ in links) == 1
    page.evaluate("() => document.querySelector('steelyard-best-worst').simulate(Math.random)")
    send(page)
    assert page.locator("link[href*='best-worst.css'][rel=stylesheet]").count() == 1


@pytest.mark.parametrize("lost", ["**/styles/rating.css", "**/widgets/scale/rating.js"])
def test_a_widget_that_could_not_be_loaded_comes_when_the_connection_is_back(study, open_page, lost):
    served = study(protocol="rating")
    kept = {"cookies": cookies_of_one_who_agreed(served.address), "origins": []}
    page = open_page("about:blank", storage_state=kept)
    page.route(lost, lambda route: route.abort())
    page.goto(f"{served.address}/task")
    expect(page.locator("#notes")).to_contain_text("No connection")
    page.unroute(lost)
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("steelyard-rating")).to_be_visible()
    expect(page.locator("#notes .note")).to_have_count(0)
    page.complaints[:] = [each for each in page.complaints if "ERR_FAILED" not in each]
