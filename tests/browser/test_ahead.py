"""The next task is on the page before it is needed."""

from playwright.sync_api import expect

from tests.browser.grounding import rest
from tests.browser.walking import begin, click_at, progress_words, send, sliders, wait_for_task
from tests.serving import FOODS

KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('steelyard-answer:')).length"


ARRIVED = """() => performance.getEntriesByType("resource").some(
    ({ name, responseEnd }) => name.endsWith("ahead=true") && responseEnd > 0)"""


def begin_with_ahead(open_page, served):
    """A page on the first task, which also has the task after it."""
    page = begin(open_page, served)
    page.wait_for_function(ARRIVED)
    rest(page)
    return page


def answer(page, share=0.4):
    before = progress_words(page)
    click_at(page, sliders(page), share)
    page.click("#next")
    wait_for_task(page, before)


def test_the_next_task_is_shown_before_the_answer_has_arrived_and_undo_waits_for_it(study, open_page):
    page = begin_with_ahead(open_page, study(protocol="rating"))
    waiting = []
    page.route("**/api/answers*", lambda route: waiting.append(route))  # noqa: PLW0108 - Playwright needs a function
    first = page.locator("steelyard-item").inner_text()
    answer(page)
    assert progress_words(page).startswith("2 of")
    assert page.locator("steelyard-item").inner_text() != first
    expect(page.locator("#save-state")).to_have_text("Saving")
    page.keyboard.press("u")
    waiting[0].continue_()
    expect(page.locator(".toast")).to_contain_text("Your last answer was undone")
    assert page.locator("steelyard-item").inner_text() == first


def test_a_rater_without_a_connection_goes_on_with_the_task_that_is_there_and_nothing_is_lost(
    study, open_page
):
    served = study(protocol="rating")
    page = begin_with_ahead(open_page, served)
    page.context.set_offline(True)
    answer(page)
    expect(page.locator(".note.warn")).to_contain_text("You can go on")
    expect(page.locator("#save-state")).to_have_text("Offline, stored here")
    click_at(page, sliders(page), 0.6)
    page.click("#next")
    expect(page.locator("#task")).to_have_attribute("inert", "")
    page.wait_for_function(f"() => {KEPT} === 2")
    page.context.set_offline(False)
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.wait_for_function(f"() => {KEPT} === 0")
    assert progress_words(page).startswith("3 of")
    answer(page)
    page.reload()
    expect(page.locator("#progress .progress-words")).to_contain_text("4 of")
    page.complaints.expect("Failed to load resource")  # the browser itself reports the failed requests


def test_a_study_of_a_few_items_ends_as_it_does_without_tasks_in_advance(study, open_page):
    page = begin(open_page, study(protocol="rating", items=FOODS[:3]))
    for _ in range(3):
        click_at(page, sliders(page), 0.3)
        send(page)
    page.wait_for_url("**/thanks")
    expect(page.locator("#answered")).to_contain_text("3 answers")
