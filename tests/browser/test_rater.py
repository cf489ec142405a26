import csv

from playwright.sync_api import expect

from tests.browser.owning import judgments_of
from tests.browser.walking import (
    PHONE,
    agree,
    begin,
    click_at,
    join,
    progress_words,
    sliders,
    tap_at,
    wait_for_next,
)
from tests.serving import FOODS


def test_a_person_finishes_ten_items_on_lists_by_mouse(study, open_page):
    served = study(protocol="list", extra='redundancy = 3\ncompletion_code = "C1A9"')
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    while "/thanks" not in page.url:
        expect(sliders(page)).to_have_count(5)
        for at in range(5):
            expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
            click_at(page, sliders(page).nth(at), 0.1 + 0.2 * at)
        before = progress_words(page)
        page.click("#next")
        wait_for_next(page, before)
    expect(page.locator("#answered")).to_contain_text("All your 10 answers")
    expect(page.locator("#code")).to_have_value("C1A9")
    judgments = judgments_of(served)
    assert sorted(judgments.cells("rating", "item")) == sorted(name for name, _ in FOODS)
    assert judgments.table("rating").numbers["score"].min() < 15
    owner = open_page(served.owner)
    expect(owner.locator("picture img").first).to_be_visible()


def test_a_person_finishes_ten_items_on_lists_by_keyboard_only(study, open_page):
    served = study(protocol="list", extra="redundancy = 3")
    page = open_page(f"{served.address}/join")
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.id") != "name":
        page.keyboard.press("Tab")
    page.keyboard.type("Amara")
    page.keyboard.press("Enter")
    page.wait_for_url("**/welcome")
    while page.evaluate("document.activeElement.id") != "start":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/task")
    while "/thanks" not in page.url:
        expect(sliders(page)).to_have_count(5)
        for at in range(5):
            while page.evaluate("document.activeElement.tagName") != "STEELYARD-SLIDER" or page.evaluate(
                "document.activeElement.hasAttribute('data-placed')"
            ):
                page.keyboard.press("Tab")
            page.keyboard.press("ArrowLeft" if at % 2 else "ArrowRight")
            for _ in range(at):
                page.keyboard.press("PageUp" if at % 2 == 0 else "PageDown")
        before = progress_words(page)
        page.keyboard.press("Enter")
        wait_for_next(page, before)
    scores = judgments_of(served).table("rating").numbers["score"]
    assert len(scores) == 10
    assert set(scores.tolist()) == {0.0, 90.0, 20.0, 70.0, 40.0}


def test_a_person_finishes_ten_ratings_on_a_phone(study, open_page):
    served = study(protocol="rating", extra="redundancy = 3")
    page = open_page(f"{served.address}/join", **PHONE)
    join(page)
    agree(page)
    done = 0
    while "/thanks" not in page.url:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        tap_at(page, sliders(page), 0.05 + 0.09 * done)
        expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
        before = progress_words(page)
        page.tap("#next")
        wait_for_next(page, before)
        done += 1
    assert done == 10
    scores = judgments_of(served).table("rating").numbers["score"]
    assert len(set(scores.tolist())) == 10


def test_nothing_is_chosen_before_the_rater_chooses(study, open_page):
    served = study(protocol="rating")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    slider = sliders(page)
    assert slider.get_attribute("aria-valuenow") is None
    assert slider.get_attribute("aria-valuetext") == "not rated"
    assert slider.get_attribute("data-placed") is None
    expect(page.locator("#reason")).to_contain_text("Place your answer first.")
    page.keyboard.press("Enter")
    assert progress_words(page).startswith("1 of")


KEYS = [
    (["ArrowRight"], 0),
    (["ArrowLeft"], 100),
    (["ArrowRight", "ArrowRight", "ArrowRight"], 2),
    (["ArrowRight", "PageUp", "PageUp", "Shift+ArrowRight", "ArrowLeft"], 29),
    (["End", "ArrowDown"], 99),
    (["Home", "ArrowUp"], 1),
]


def test_any_position_can_be_reached_by_keyboard(study, open_page):
    page = begin(open_page, study(protocol="rating"))
    page.add_init_script("localStorage.clear()")  # an answer that was not sent survives a reload
    for keys, score in KEYS:
        page.reload()
        sliders(page).focus()
        for key in keys:
            page.keyboard.press(key)
        assert sliders(page).get_attribute("aria-valuenow") == str(score), keys


def test_levels_are_chosen_by_number_and_none_is_chosen_at_first(study, open_page):
    served = study(protocol="rating", scale="levels = 3")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    steps = page.locator("steelyard-levels input[type=radio]")
    expect(steps).to_have_count(3)
    assert not any(steps.nth(at).is_checked() for at in range(3))
    page.keyboard.press("2")
    expect(steps.nth(1)).to_be_checked()
    before = progress_words(page)
    page.keyboard.press("Enter")
    wait_for_next(page, before)
    assert judgments_of(served).table("rating").numbers["score"].tolist() == [50.0]


def test_cannot_judge_is_an_answer(study, open_page):
    served = study(protocol="rating", extra="redundancy = 1")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    page.keyboard.press("n")
    before = progress_words(page)
    page.keyboard.press("Enter")
    wait_for_next(page, before)
    assert progress_words(page).startswith("2 of")


def test_undo_shows_the_last_task_again_with_the_answer_as_it_was(study, open_page):
    served = study(protocol="rating")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    first = page.locator("steelyard-item").inner_text()
    click_at(page, sliders(page), 0.8)
    placed = sliders(page).get_attribute("aria-valuenow")
    before = progress_words(page)
    page.keyboard.press("Enter")
    wait_for_next(page, before)
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("Your last answer was undone")
    assert page.locator("steelyard-item").inner_text() == first
    assert sliders(page).get_attribute("aria-valuenow") == placed


def test_a_double_click_on_next_answers_one_task(study, open_page):
    served = study(protocol="rating")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    click_at(page, sliders(page), 0.4)
    before = progress_words(page)
    page.dblclick("#next")
    wait_for_next(page, before)
    assert progress_words(page).startswith("2 of")


def test_an_answer_given_offline_is_kept_and_sent_later(study, open_page):
    served = study(protocol="rating")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    before = progress_words(page)
    page.context.set_offline(True)
    click_at(page, sliders(page), 0.6)
    page.click("#next")
    expect(page.locator(".note.warn")).to_be_visible()
    page.context.set_offline(False)
    wait_for_next(page, before)
    page.complaints.expect("Failed to load resource")  # the browser itself reports the failed requests
    assert progress_words(page).startswith("2 of")


def test_the_same_link_goes_on_where_the_rater_was_on_another_device(study, open_page):
    served = study(protocol="rating")
    page = open_page(f"{served.address}/join")
    join(page)
    link = page.locator("#link").input_value()
    agree(page)
    click_at(page, sliders(page), 0.6)
    before = progress_words(page)
    page.keyboard.press("Enter")
    wait_for_next(page, before)
    shown = page.locator("steelyard-item").inner_text()
    phone = open_page(link, **PHONE)
    expect(phone.locator("#next")).to_be_visible()
    assert progress_words(phone).startswith("2 of")
    assert phone.locator("steelyard-item").inner_text() == shown


def test_items_cannot_run_scripts(study, open_page):
    evil = [("a", "<img src=x onerror=window.broken=1><script>window.broken=1</script>"), ("b", "plain")]
    served = study(protocol="rating", items=evil, extra="redundancy = 1")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    for _ in range(2):
        assert page.evaluate("window.broken") is None
        click_at(page, sliders(page), 0.5)
        before = progress_words(page)
        page.keyboard.press("Enter")
        wait_for_next(page, before)


def test_a_right_to_left_study_mirrors_the_slider_and_its_arrows(study, open_page):
    served = study(protocol="rating", extra='direction = "rtl"\nlanguage = "ar"')
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    sliders(page).focus()
    page.keyboard.press("ArrowLeft")
    assert sliders(page).get_attribute("aria-valuenow") == "0"
    click_at(page, sliders(page), 0.1)
    assert float(sliders(page).get_attribute("aria-valuenow")) > 80


def test_the_live_order_names_ties_and_gaps(study, open_page):
    served = study(protocol="list")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    for at, key in ((0, "Home"), (1, "End"), (2, "End")):
        sliders(page).nth(at).focus()
        page.keyboard.press(key)
    expect(page.locator(".order-group.tied")).to_have_count(1)
    expect(page.locator("#reason")).to_contain_text("D")


def test_csv_download_is_what_was_answered(study, open_page):
    served = study(protocol="rating", extra="redundancy = 1")
    page = open_page(f"{served.address}/join")
    join(page)
    agree(page)
    sliders(page).focus()
    page.keyboard.press("End")
    before = progress_words(page)
    page.keyboard.press("Enter")
    wait_for_next(page, before)
    owner = open_page(served.owner)
    owner.click("#download summary")
    with owner.expect_download() as waiting:
        owner.get_by_label("Judgments as CSV").click()
    rows = list(csv.DictReader(waiting.value.path().read_text(encoding="utf-8").splitlines()))
    assert [float(row["score"]) for row in rows] == [100.0]
