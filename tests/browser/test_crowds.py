"""Workers of MTurk in a frame on a stand-in for its host, and people from Prolific with each result."""

from contextlib import suppress
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Error, expect

from tests.browser.conftest import PATIENCE

HOST = "https://workersandbox.mturk.com"
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
CODES = 'prolific = true\ncompletion_code = "DONE1"\nfull_code = "FULL2"\nfailed_checks_code = "FAILED4"\n'
ONE = [("tea", "Green tea with honey")]


@pytest.fixture
def mturk(chromium):
    """A browser in which the worker's site of MTurk is a stand-in: it frames a study and receives its form."""
    contexts = []

    def build(study, **worker):
        received, context = [], chromium.new_context(viewport={"width": 1280, "height": 900})
        contexts.append(context)
        with suppress(Error):  # an older Chromium lets any site show a page of this machine
            context.grant_permissions(["local-network-access"])
        query = "&".join(f"{name}={value}" for name, value in {**worker, "turkSubmitTo": HOST}.items())
        framed = f'<!doctype html><iframe src="{study}/mturk?{query}" width="1200" height="850"></iframe>'

        def answer(route):
            if route.request.method == "POST":
                received.append((route.request.url, parse_qs(route.request.post_data)))
            body = "<p>Received</p>" if route.request.method == "POST" else framed
            route.fulfill(body=body, content_type="text/html")

        context.route(f"{HOST}/**", answer)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{HOST}/projects/1/tasks")
        return page.frame_locator("iframe"), received

    yield build
    for context in contexts:
        context.close()


def test_a_worker_previews_accepts_answers_and_submits_in_the_frame(study, mturk):
    served = study(protocol="rating", items=ONE, extra="mturk = true")
    preview, _ = mturk(served.address, assignmentId=NOT_ACCEPTED)
    expect(preview.locator("#preview-words")).to_contain_text("Accept the HIT")
    expect(preview.locator("#task[inert]")).to_contain_text("Green tea with honey")
    expect(preview.locator("#continue")).to_have_count(0)
    frame, received = mturk(served.address, assignmentId="3ASSIGN", workerId="A1WORKER", hitId="3HIT")
    frame.locator("#continue").click()
    frame.locator("#start").click()
    slider = frame.get_by_role("slider")
    expect(slider).to_be_visible()
    slider.focus()
    slider.press("ArrowRight")
    expect(frame.locator("#next")).to_have_attribute("aria-disabled", "false")
    frame.locator("#next").click()
    frame.locator("#submit-hit").click()
    expect(frame.get_by_text("Received")).to_be_visible()
    sent = {"assignmentId": ["3ASSIGN"], "rater": ["r-01"], "outcome": ["completed"]}
    assert received == [(f"{HOST}/mturk/externalSubmit", sent)]


CHECKS = """
[checks]
rate = 0.5
[[checks.tasks]]
item = "c"
answer = 90
[[checks.rules]]
act = "end"
message = "The check was not passed."
"""


def come_from_prolific(open_page, served, person):
    page = open_page(f"{served.address}/p?PROLIFIC_PID={person}&STUDY_ID=st1&SESSION_ID=s-{person}")
    return page


def answer_once(page):
    slider = page.get_by_role("slider")
    expect(slider).to_be_visible()
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
    page.locator("#next").click()


def returns_with(page, code):
    address = f"https://app.prolific.com/submissions/complete?cc={code}"
    expect(page.locator("#return")).to_have_attribute("href", address)


def test_people_from_prolific_return_with_the_code_of_their_result(study, open_page):
    served = study(protocol="rating", items=ONE, extra=CODES + "redundancy = 1")
    first = come_from_prolific(open_page, served, "p1")
    first.locator("#continue").click()
    first.locator("#start").click()
    answer_once(first)
    returns_with(first, "DONE1")
    returns_with(come_from_prolific(open_page, served, "p2"), "FULL2")
    strict = study(protocol="rating", items=[*ONE, ("c", "A check")], extra=CODES + CHECKS)
    failing = come_from_prolific(open_page, strict, "p3")
    failing.locator("#continue").click()
    failing.locator("#start").click()
    answer_once(failing)  # with this seed, the first task is the check
    expect(failing.get_by_text("The check was not passed.")).to_be_visible()
    returns_with(failing, "FAILED4")
