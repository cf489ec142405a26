"""Raters in other languages: right to left on a phone, by keyboard, and as their browser asks."""

from playwright.sync_api import expect

from tests.browser.grounding import MEALS, flag, grounded
from tests.browser.scenes import DISHES_RTL
from tests.browser.walking import PHONE, begin, sliders

ANCHORS = [("tea", 2, 6), ("pasta", 55, 70)]


def centre(box):
    return box["x"] + box["width"] / 2


def expect_no_sideways_scrolling(page):
    widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] <= widths[1]


def test_an_arabic_list_on_a_phone_is_right_to_left_whole(study, open_page):
    page = begin(open_page, study(protocol="list", items=DISHES_RTL, extra='language = "ar"'), **PHONE)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    expect(page.locator("#next")).to_contain_text("التالي")
    expect(page.locator("#reason")).to_contain_text("كل عنصر")
    first, last = page.locator(".labels .label").first, page.locator(".labels .label").last
    assert centre(first.bounding_box()) > centre(last.bounding_box())
    slider = sliders(page).first
    slider.focus()
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuenow", "1")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    expect_no_sideways_scrolling(page)


def test_a_japanese_range_is_answered_by_keyboard(study, open_page):
    def change(folder):
        grounded(anchors=ANCHORS)(folder)

    items = [(name, "شاي أخضر" if name == "tea" else text) for name, text in MEALS]
    page = begin(open_page, study(protocol="range", items=items, change=change, extra='language = "ja"'))
    expect(page.locator(".anchor-words", has_text="شاي")).to_have_css("direction", "rtl")
    expect(page.locator(".range-step").first).to_contain_text("ありうる最も低い位置")
    expect(page.locator("#next")).to_contain_text("次へ：最も高い位置")
    expect(page.locator("#progress .progress-words")).to_contain_text("1／")
    low = flag(page, "low")
    low.focus()
    low.press("Home")
    low.press("PageUp")
    expect(low).to_have_attribute("aria-valuenow", "10")
    page.keyboard.press("Enter")
    expect(page.locator("#next")).to_contain_text("保存して次へ")
    high = flag(page, "high")
    high.focus()
    high.press("End")
    high.press("PageDown")
    expect(high).to_have_attribute("aria-valuenow", "90")
    page.keyboard.press("Enter")
    expect(page.locator("#progress .progress-words")).to_contain_text("2／")
    expect(page.locator("#save-state")).to_contain_text("保存しました")


def test_a_german_rating_has_german_words_and_the_word_of_the_study(study, open_page):
    def change(folder):
        text = (folder / "study.toml").read_text(encoding="utf-8")
        (folder / "study.toml").write_text(f'{text}\n[words]\nundo_last = "Zurück"\n', encoding="utf-8")

    page = begin(open_page, study(protocol="rating", change=change, extra='language = "de"'))
    expect(page.locator("#next")).to_contain_text("Weiter")
    expect(page.locator("#reason")).to_have_text("Markieren Sie zuerst Ihre Antwort.")
    slider = sliders(page).first
    slider.focus()
    slider.press("Home")
    expect(slider).to_have_attribute(
        "aria-valuetext", "0 (Skala von 0 bis 100), nächste Beschriftung: Not filling at all"
    )
    page.keyboard.press("Enter")
    expect(page.locator(".undo-last")).to_contain_text("Zurück")
    expect(page.locator("#save-state")).to_contain_text("Gespeichert")


def test_auto_follows_the_browser_of_each_rater(study, open_page):
    served = study(protocol="rating", extra='language = "auto"')
    for locale, lang, word in (("fr-CA", "fr", "Suivant"), ("hi-IN", "hi", "आगे"), ("nl-NL", "en", "Next")):
        page = begin(open_page, served, locale=locale)
        expect(page.locator("html")).to_have_attribute("lang", lang)
        expect(page.locator("#next")).to_contain_text(word)
