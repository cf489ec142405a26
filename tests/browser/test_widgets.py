"""What a task page loads, and when."""

import pytest
from playwright.sync_api import expect

from tests.browser.walking import begin, cookies_of_one_who_agreed, send

SHEETS = """() => [...document.querySelectorAll("link[rel=stylesheet]")].map(
    ({ dataset, sheet }) => [dataset.holds ?? "", sheet !== null])"""


def requests_of(open_page, served):
    """The addresses that a task page of a study asks for until its task is shown."""
    kept = {"cookies": cookies_of_one_who_agreed(served.address), "origins": []}
    page = open_page("about:blank", storage_state=kept)
    asked = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(served.address)))
    page.goto(f"{served.address}/task")
    expect(page.locator(".acts-row")).to_be_visible()
    page.wait_for_load_state("networkidle")
    return asked


@pytest.mark.parametrize("protocol", ["rating", "comparison", "range"])
def test_a_task_page_loads_one_script_and_one_stylesheet_and_everything_once(study, open_page, protocol):
    asked = requests_of(open_page, study(protocol=protocol))
    assert len(asked) == len(set(asked))
    assert sum(each.endswith(".js") for each in asked) == 1
    assert sum(each.endswith(".css") for each in asked) == 1
    assert not any("/widgets/" in each for each in asked)


@pytest.mark.parametrize(
    ("protocol", "absent"), [("rating", "steelyard-comparison"), ("comparison", "steelyard-slider")]
)
def test_the_script_of_a_task_page_has_the_widget_of_its_protocol_alone(study, open_page, protocol, absent):
    page = begin(open_page, study(protocol=protocol))
    assert page.evaluate(f"() => customElements.get('steelyard-{protocol}') !== undefined")
    assert page.evaluate(f"() => customElements.get('{absent}') === undefined")


def test_the_first_task_needs_no_request_of_its_own(study, open_page):
    asked = requests_of(open_page, study(protocol="range"))
    script = next(at for at, each in enumerate(asked) if each.endswith(".js"))
    before = asked[: script + 1]
    assert before[0] == "/task"
    assert not any("/api/" in each for each in before)
    assert "/api/task" not in asked  # only the task after it is requested


def test_a_stylesheet_is_in_effect_before_its_task_is_shown(study, open_page):
    page = begin(open_page, study(protocol="best_worst"))
    links = page.evaluate(SHEETS)
    assert all(loaded for _, loaded in links)
    assert sum("best-worst.css" in holds for holds, _ in links) == 1
    page.evaluate("() => document.querySelector('steelyard-best-worst').simulate(Math.random)")
    send(page)
    assert page.evaluate(SHEETS) == links
