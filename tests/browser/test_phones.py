"""What must fit on a phone of 360 pixels."""

import re

import pytest
from playwright.sync_api import expect

from steelyard.messages.catalogue import languages
from steelyard.messages.words import words_of
from tests.browser.grounding import FIVE_LABELS, MEALS, flag, grounded, press, ranges, settle
from tests.browser.scenes import LETTER, LETTER_ANCHORS, LETTERS
from tests.browser.walking import PHONE, begin, progress_words, wait_for_next

SMALL_PHONE = {**PHONE, "viewport": {"width": 360, "height": 640}}
LINES_OF_WORDS = """() => [...document.querySelectorAll(".labels .label")].flatMap((label) => {
    const text = label.firstChild;
    return [...text.data.matchAll(/\\S+/g)].map(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return [word, range.getClientRects().length];
    });
    })"""
THREE_LABELS = 'labels = ["Not filling at all", "Moderately filling", "Extremely filling"]'


@pytest.mark.parametrize("protocol", ["rating", "list"])
@pytest.mark.parametrize("labels", [THREE_LABELS, FIVE_LABELS], ids=["three", "five"])
def test_no_label_of_a_phone_breaks_within_a_word(study, open_page, protocol, labels):
    def relabel(folder):
        text = (folder / "study.toml").read_text(encoding="utf-8")
        changed = re.sub(r"^labels = .*$", labels, text, flags=re.MULTILINE)
        (folder / "study.toml").write_text(changed, encoding="utf-8")

    page = begin(open_page, study(protocol=protocol, change=relabel), **PHONE)
    words = page.evaluate(LINES_OF_WORDS)
    assert len(words) > 5
    assert [word for word, lines in words if lines > 1] == []


@pytest.mark.parametrize("language", [each for each in languages() if each not in ("ja", "zh")])
def test_no_end_label_breaks_within_a_word_in_any_language(study, open_page, language):
    """Japanese and Chinese break between any two letters."""
    words = words_of(language)
    labels = f'labels = ["{words["label_low"]}", "{words["label_high"]}"]'

    def relabel(folder):
        text = (folder / "study.toml").read_text(encoding="utf-8")
        changed = re.sub(r"^labels = .*$", labels, text, flags=re.MULTILINE)
        (folder / "study.toml").write_text(changed, encoding="utf-8")

    page = begin(
        open_page, study(protocol="list", change=relabel, extra=f'language = "{language}"'), **SMALL_PHONE
    )
    shown = page.evaluate(LINES_OF_WORDS)
    assert len(shown) >= 2
    assert [word for word, lines in shown if lines > 1] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_on_a_phone_both_ends_of_the_line_and_their_handles_are_above_the_dock(study, open_page):
    page = begin(open_page, ranges(study, anchors=[("tea", 0, 10), ("pasta", 55, 70)]), **PHONE)
    settle(page)
    dock = page.locator(".dock").bounding_box()["y"]
    handle, label = (
        flag(page, "low").locator(".thumb").bounding_box(),
        page.locator(".end-label").last.bounding_box(),
    )
    assert handle["y"] + handle["height"] <= dock
    assert label["y"] + label["height"] <= dock


SCREENS = {
    "small phone": (360, 640),
    "phone": (390, 844),
    "phone held sideways": (740, 360),
    "laptop": (1366, 650),
}
HIDDEN = """() => {
    const dock = document.querySelector(".dock").getBoundingClientRect().top;
    const inside = (selector) => [...document.querySelectorAll(selector)].every((each) => {
        const { top, bottom } = each.getBoundingClientRect();
        return top >= 0 && bottom <= dock + 1;
    });
    const parts = [".this-one", ".scale-line", ".handle-flag:not([data-still]) .thumb", ".anchor.near",
        "steelyard-overview .button.square"];
    return parts.filter((part) => !inside(part)); }"""
COVERED = """() => {
    const flag = document.querySelector(".handle-flag:not([data-still]) .thumb").getBoundingClientRect();
    const labels = [...document.querySelectorAll(".end-label, .anchor-label, steelyard-scale > .labels .label")];
    return labels.filter((label) => {
        const { left, right, top, bottom, width } = label.getBoundingClientRect();
        return width > 0 && label.textContent !== "" && left < flag.right && flag.left < right
            && top < flag.bottom && flag.top < bottom;
    }).map((label) => label.textContent); }"""


def test_a_range_of_long_texts_is_in_view_at_once_on_every_screen(study, open_page):
    assert len(LETTER) > 500
    served = ranges(study, items=LETTERS, anchors=LETTER_ANCHORS)
    for name, (width, height) in SCREENS.items():
        touch = {"has_touch": True, "is_mobile": True} if "phone" in name else {}
        page = begin(open_page, served, viewport={"width": width, "height": height}, **touch)
        settle(page)
        assert page.evaluate(COVERED) == [], name
        press(page, "Home", *["PageUp"] * 5)
        settle(page)
        assert page.evaluate(HIDDEN) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


def test_a_long_pair_and_its_answers_are_in_view_at_once_on_a_small_phone(study, open_page):
    page = begin(open_page, study(protocol="comparison", items=LETTERS), **SMALL_PHONE)
    settle(page)
    cards = [card.bounding_box() for card in page.locator(".pair-card").all()]
    dock = page.locator(".dock").bounding_box()
    assert cards[0]["height"] == pytest.approx(cards[1]["height"], abs=1)
    assert cards[1]["y"] + cards[1]["height"] <= dock["y"] + 1
    assert dock["y"] + dock["height"] <= 640 + 1


def test_an_example_that_is_cut_is_read_without_giving_an_answer(study, open_page):
    page = begin(open_page, ranges(study, items=LETTERS, anchors=LETTER_ANCHORS), **SMALL_PHONE)
    page.locator(".anchor").last.tap()
    expect(page.locator(".reading")).to_contain_text("thanks us for our interest")
    page.locator(".reading .dialog-head button").tap()
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.locator(".anchor").last.tap()
    page.get_by_role("button", name="Move the handle here").tap()
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")


MISTAKE = """(parts) => {
    const dock = document.querySelector(".dock").getBoundingClientRect().top;
    return parts.filter((part) => [...document.querySelectorAll(part)].some((each) => {
        const { top, bottom } = each.getBoundingClientRect();
        return top < 0 || bottom > dock + 1;
    })); }"""
PARTS = [".handle-flag:not([data-still]) .thumb", ".anchor.wrong", ".this-one"]
OVERVIEW = "steelyard-overview .button.square"


@pytest.mark.parametrize(
    ("width", "height", "parts"),
    [(360, 640, PARTS), (740, 360, PARTS), (1366, 650, [*PARTS, OVERVIEW]), (1280, 800, [*PARTS, OVERVIEW])],
)
def test_a_mistake_in_training_is_in_view_above_its_message(study, open_page, width, height, parts):
    served = ranges(study, sections="[training]\ninterface = true\n")
    page = begin(open_page, served, viewport={"width": width, "height": height})
    if page.locator("#instructions").is_visible():
        page.click("#instructions button")
        expect(page.locator("#instructions")).to_be_hidden()
        expect(page.locator("h1")).to_be_focused()
    press(page, "Home", *["PageUp"] * 8)
    expect(flag(page, "low")).to_have_attribute("aria-valuenow", "80")
    press(page, "Enter")
    expect(page.locator(".feedback")).to_be_visible()
    expect(page.locator(".anchor.wrong")).to_have_count(2)
    settle(page)
    assert page.evaluate(MISTAKE, parts) == []


def test_the_neighbours_of_the_handle_are_in_view_on_a_small_phone_among_pictures(study, open_page):
    served = ranges(study, sections="[training]\ninterface = true\n")
    page = begin(open_page, served, **SMALL_PHONE)
    page.click("#instructions button")
    expect(page.locator("#instructions")).to_be_hidden()
    press(page, "Home", *["PageUp"] * 4)
    expect(page.locator(".anchor.near")).to_have_count(2)
    settle(page)
    assert page.evaluate(MISTAKE, [".anchor.near", ".this-one"]) == []


def test_the_top_bar_keeps_its_height_when_an_answer_is_saved(study, open_page):
    page = begin(open_page, study(protocol="comparison"))
    before, words = page.locator(".top-bar").bounding_box(), progress_words(page)
    page.keyboard.press("ArrowLeft")
    wait_for_next(page, words)
    expect(page.locator("#save-state")).to_contain_text("Saved")
    assert page.locator(".top-bar").bounding_box() == before


def test_the_lines_of_examples_above_a_list_do_not_cross_its_labels(study, open_page):
    anchors = [("tea", 2, 6), ("pasta", 50, 55), ("breakfast", 95, 99)]
    served = study(protocol="list", items=MEALS, change=grounded(anchors=anchors))
    for settings in ({}, PHONE):
        page = begin(open_page, served, **settings)
        settle(page)
        label = max(
            box["y"] + box["height"]
            for each in page.locator("steelyard-scale .label:visible").all()
            if (box := each.bounding_box())
        )
        lines = [each.bounding_box()["y"] for each in page.locator("steelyard-anchors .leaders path").all()]
        assert min(lines) >= label
