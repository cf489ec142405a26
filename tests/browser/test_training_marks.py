"""What a wrong attempt at an exercise marks, on a desktop and on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.grounding import press, ranges
from tests.browser.walking import PHONE, cookies_of_one_who_agreed


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desktop", "phone"])
def test_a_mistake_is_marked_where_it_is_and_explained(study, open_page, settings):
    served = ranges(study, sections="[training]\ninterface = true\n")
    kept = {"cookies": cookies_of_one_who_agreed(served.address), "origins": []}
    page = open_page(f"{served.address}/training", storage_state=kept, **settings)
    expect(page.locator(".acts-row")).to_be_visible()
    if settings:
        page.locator("#instructions button").click()
    expect(page.locator(".step-words")).to_contain_text("every example with definitely fewer dots")
    press(page, "Home", *["PageUp"] * 8, "Enter")
    expect(page.locator(".feedback.bad")).to_contain_text("wrong side of the examples marked “!”")
    marked = page.locator(".anchor.wrong")
    expect(marked.first).to_be_visible()
    at = {float(card.get_attribute("data-at")) for card in marked.all()}
    assert at <= {55, 75} if settings else at == {55, 75}
    note, dock = page.locator(".feedback.bad").bounding_box(), page.locator(".dock").bounding_box()
    in_dock = note["y"] >= dock["y"]
    assert in_dock == bool(settings)
    press(page, "ArrowLeft")
    expect(marked).to_have_count(0)
