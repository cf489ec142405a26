"""The owner's page in a browser: the links of its cards, and its buttons from the keyboard."""

import time

from playwright.sync_api import expect

from steelyard.kinds.range import Bounds
from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from steelyard.study.log.entries import Answer
from tests.serving import FOODS


def with_ranges(folder):
    """Let two raters give a range for every item."""
    database = open_database(folder)
    session = Session(open_study(folder), database, database, time.time)
    for number, name in enumerate(("Ann", "Bob")):
        rater = session.join(name, "link").id
        while (assignment := session.next_task(rater).assignment) is not None:
            low = 8.0 * [item for item, _ in FOODS].index(assignment.task.items[0])
            cells = (Bounds(0, 0, low, low + 6.0 + 9.0 * number),)
            session.accept(rater, Answer("", "", assignment.id, cells, milliseconds=900))


def test_a_link_of_a_card_opens_its_part_which_stays_open(study, open_page):
    served = study(with_ranges, protocol="range", extra="redundancy = 2")
    page = open_page(served.owner)
    part = page.locator("#owner-ranges")
    expect(part).not_to_have_attribute("open", "")
    page.get_by_role("link", name="Ambiguity and disagreement").press("Enter")
    expect(part).to_have_attribute("open", "")
    expect(page.get_by_text("Clear and agreed")).to_be_visible()
    with page.expect_response("**/owner/live*"):
        pass
    expect(part).to_have_attribute("open", "")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_next_step_of_a_paused_study_resumes_it_from_the_keyboard(study, open_page):
    served = study(with_ranges, protocol="range", extra="redundancy = 3")
    page = open_page(served.owner, viewport={"width": 390, "height": 844})
    page.get_by_role("button", name="Pause").press("Enter")
    expect(page.locator("#progress-state")).to_have_text("Paused")
    page.locator(".next-steps").get_by_role("button", name="Resume").press("Enter")
    expect(page.locator("#progress-state")).to_contain_text("Collecting since")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
