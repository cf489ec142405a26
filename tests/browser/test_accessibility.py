"""Every page and state by axe-core, and the words that screen readers read, through the accessibility tree."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.filling import with_answers
from tests.browser.spoken import SPOKEN
from tests.browser.walking import PHONE, begin, join
from tests.serving import FOODS


@pytest.mark.parametrize("protocol", SPOKEN)
def test_a_task_has_no_violations_and_screen_readers_find_its_words(study, open_page, protocol):
    served = study(protocol=protocol, extra="comment = true\nlist_size = 3", items=FOODS[:6])
    page = begin(open_page, served)
    assert violations(page) == []
    expect(page.locator("#task")).to_match_aria_snapshot(SPOKEN[protocol])
    page.keyboard.press("?")
    assert violations(page) == []
    phone = begin(open_page, served, **PHONE)
    assert violations(phone) == []
    if protocol == "range":
        phone.keyboard.press("Home")
        phone.keyboard.press("Enter")
        assert violations(phone) == []
    phone.click("#open-instructions")
    assert violations(phone) == []


def test_the_first_pages_and_the_owners_pages_have_no_violations(study, open_page):
    served = study(with_answers, protocol="rating", extra="comment = true\nredundancy = 5")
    page = open_page(f"{served.address}/join")
    assert violations(page) == []
    for settings in ({}, PHONE):
        owner = open_page(served.owner, **settings)
        for path in ("", "/raters/r-05", f"/items/{FOODS[2][0]}", "/items", "/report"):
            owner.goto(f"{served.address}/owner{path}")
            assert violations(owner) == [], path
            assert owner.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_consent_and_practice_have_no_violations(study, open_page):
    def trained(folder):
        settings = folder / "study.toml"
        settings.write_text(
            settings.read_text(encoding="utf-8") + "\n[training]\ninterface = true\n", "utf-8"
        )

    served = study(trained, protocol="rating", extra='consent = "We store your answers."')
    page = open_page(f"{served.address}/join")
    join(page)
    assert violations(page) == []
    page.check("input[name=agree]")
    page.click("#start")
    page.wait_for_selector("#next")
    assert violations(page) == []
