"""Answers that are not sent yet, undone, or given in another tab."""

from playwright.sync_api import expect

from tests.browser.grounding import ranges
from tests.browser.walking import begin, progress_words, send, sliders, wait_for_next

FOUR = "list_size = 4\nredundancy = 3\ncomment = true"


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def scores(page):
    return [slider.get_attribute("aria-valuetext") for slider in sliders(page).all()]


def reload(page):
    page.reload()
    expect(page.locator(".acts-row")).to_be_visible()


def test_sliders_and_the_comment_survive_a_reload_and_undo(study, open_page):
    page = begin(open_page, study(protocol="list", extra=FOUR))
    for at in (0, 2):
        sliders(page).nth(at).focus()
        press(page, "Home", *["PageUp"] * (at + 2))
    page.get_by_role("checkbox").nth(1).check()
    page.click(".comment-toggle")
    page.fill("#comment", "Depends on the plate")
    before = scores(page)
    assert before[3] == "not rated"
    reload(page)
    assert scores(page) == before
    expect(page.locator("#comment")).to_have_value("Depends on the plate")
    expect(page.get_by_role("checkbox").nth(1)).to_be_checked()
    sliders(page).nth(3).focus()
    press(page, "End")
    sent = scores(page)
    send(page)
    assert set(scores(page)) == {"not rated"}
    page.click(".undo-last")
    expect(page.locator(".toast")).to_contain_text("undone")
    assert scores(page) == sent
    expect(page.locator("#comment")).to_have_value("Depends on the plate")


def test_a_begun_ranking_and_a_begun_range_survive_a_reload(study, open_page):
    page = begin(open_page, study(protocol="ranking", extra="list_size = 4"))
    for _ in range(2):
        page.locator(".rank-tray .rank-place").first.click()
    order = page.locator(".rank-rows .rank-card steelyard-item").all_inner_texts()
    reload(page)
    expect(page.locator(".rank-rows .rank-card")).to_have_count(2)
    assert page.locator(".rank-rows .rank-card steelyard-item").all_inner_texts() == order
    page = begin(open_page, ranges(study))
    press(page, "Home", "PageUp", "Enter")
    expect(page.locator("steelyard-range")).to_have_attribute("data-step", "2")
    reload(page)
    expect(page.locator("steelyard-range")).to_have_attribute("data-step", "2")
    expect(page.locator("steelyard-slider[data-side=low]")).to_have_attribute("aria-valuenow", "10")
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")


def test_another_tab_says_that_the_task_was_answered(study, open_page):
    page = begin(open_page, study(protocol="comparison"))
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".choice").first).to_be_visible()
    before = progress_words(page)
    press(page, "1")
    wait_for_next(page, before)
    expect(other.locator("#notes")).to_contain_text("another tab")
    assert other.evaluate("document.querySelector('#task').inert")
    other.get_by_role("button", name="Continue here").click()
    expect(other.locator("#notes .note")).to_have_count(0)
    expect(other.locator("#progress .progress-words")).to_have_text(progress_words(page))


def test_a_rater_can_stop_and_continue_with_the_link(study, open_page):
    served = study(protocol="comparison", extra="least_width = 700")
    page = begin(open_page, served, viewport={"width": 390, "height": 844})
    expect(page.locator("#notes")).to_contain_text("at least 700 pixels wide")
    page.click("#open-stop")
    link = page.locator("#stop #link").input_value()
    page.locator("#stop .dialog-head button").click()
    before = progress_words(page)
    press(page, "1")
    wait_for_next(page, before)
    elsewhere = open_page(link)
    expect(elsewhere.locator(".choice").first).to_be_visible()
    expect(elsewhere.locator("#progress .progress-words")).to_have_text(progress_words(page))
    expect(elsewhere.locator("#notes .note")).to_have_count(0)
