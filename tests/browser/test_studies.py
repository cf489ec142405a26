"""What studies can ask and show, besides one question about a text on a slider."""

import wave

import pytest
from playwright.sync_api import expect

from tests.browser.owning import judgments_of, owners_page
from tests.browser.walking import PHONE, agree, begin, click_at, join, send, sliders, wait_for_next
from tests.commands import finish
from tests.web.pictures import only_pictures

SURVEY = """survey = [
    {id = "hungry", text = "Are you hungry?", kind = "choice", choices = ["Yes", "No"]},
    {id = "age", text = "How old are you?", kind = "number"},
    {id = "diet", text = "What do you not eat?", required = false},
]"""


def ask_more(folder):
    with (folder / "study.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[questions]]\ntext = "How healthy is it?"\nhint = "Vitamins count."\n')


def in_markdown(folder):
    path = folder / "items.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("id,text", "id,markdown"), encoding="utf-8")


def test_the_survey_is_filled_in_before_the_first_task(study, open_page):
    served = study(extra=SURVEY)
    page = open_page(f"{served.address}/join")
    join(page)
    page.click("#start")
    page.wait_for_url("**/survey")
    page.click("#send-survey")
    assert page.url.endswith("/survey")
    page.get_by_label("Yes").check()
    page.get_by_label("How old are you?").fill("44")
    page.click("#send-survey")
    page.wait_for_url("**/task")
    expect(page.locator("#next")).to_be_visible()
    assert b'How old are you?</dt><dd dir="auto">44' in owners_page(served, "/owner/raters/r-01")


def test_a_comment_is_typed_without_answering_and_reaches_the_owner(study, open_page):
    served = study(protocol="rating", extra="comment = true")
    page = begin(open_page, served)
    field = page.get_by_label("Comment (optional)")
    expect(field).to_be_hidden()
    page.click(".comment-toggle")
    expect(field).to_be_focused()
    page.keyboard.type("No nuts, unusual <b>portion</b>?")
    page.keyboard.press("Enter")
    assert sliders(page).get_attribute("data-placed") is None
    assert sliders(page).get_attribute("data-inactive") is None
    click_at(page, sliders(page), 0.7)
    send(page)
    expect(field).to_have_value("")
    assert b"No nuts, unusual &lt;b&gt;portion&lt;/b&gt;?" in owners_page(served, "/owner/raters/r-01")


def test_several_questions_on_one_page_are_all_answered(study, open_page):
    served = study(protocol="rating", change=ask_more)
    page = begin(open_page, served)
    expect(sliders(page)).to_have_count(2)
    expect(page.locator(".answer").nth(1)).to_contain_text("Vitamins count.")
    expect(page.locator("#reason")).to_contain_text("question 1")
    click_at(page, sliders(page).nth(0), 0.9)
    expect(page.locator("#reason")).to_contain_text("question 2")
    sliders(page).nth(1).focus()
    page.keyboard.press("ArrowRight")
    send(page)
    judgments = judgments_of(served)
    assert judgments.cells("rating", "question").tolist() == ["question1", "question2"]
    scores = judgments.table("rating").numbers["score"]
    assert scores[0] > 80
    assert scores[1] == 0


def test_several_questions_about_a_list_are_all_answered(study, open_page):
    served = study(protocol="list", extra="list_size = 2", change=ask_more)
    page = begin(open_page, served, **PHONE)
    expect(sliders(page)).to_have_count(4)
    for at in range(4):
        expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
        sliders(page).nth(at).focus()
        page.keyboard.press("End" if at % 2 else "Home")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    send(page)
    assert judgments_of(served).table("rating").numbers["score"].tolist() == [0, 0, 100, 100]


def test_digits_go_to_the_first_open_question_and_to_the_one_with_the_focus(study, open_page):
    served = study(protocol="rating", scale="levels = 3", change=ask_more)
    page = begin(open_page, served)
    page.keyboard.press("3")
    page.keyboard.press("2")
    page.locator("steelyard-levels").nth(0).locator("input").nth(2).focus()
    page.keyboard.press("1")
    send(page)
    assert judgments_of(served).table("rating").numbers["score"].tolist() == [0, 50]


def audited(folder):
    """A study by information, with answers: its owner's page has all its charts and notes."""
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8").replace("direct_assessment", "steelyard")
    path.write_text(text, encoding="utf-8")
    assert finish("simulate", str(folder), "--raters", "8").returncode == 0


def test_an_audited_study_never_pushes_the_owner_sideways(study, open_page):
    served = study(change=audited, extra='selection = "information"\nredundancy = 6\nexplore = 0.6')
    page = open_page(served.owner)
    expect(page.locator(".sureness img").nth(1)).to_be_visible()
    page.wait_for_function("() => [...document.images].every(each => each.complete)")
    for width in (320, 390, 1024, 1100):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


LONG = "x" * 300
LONG_TEXT = "A bowl of lentil soup and bread. " * 150


def with_a_long_title(folder):
    path = folder / "study.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("How filling is it?", LONG), encoding="utf-8")


def test_long_words_never_push_a_phone_sideways(study, open_page):
    items = [("a", LONG), ("b", LONG_TEXT)]
    served = study(items=items, extra="list_size = 2\nredundancy = 1", change=with_a_long_title)

    def look(shown):
        assert shown.evaluate("document.documentElement.scrollWidth") <= 360, shown.url

    page = open_page(f"{served.address}/join", **PHONE)
    look(page)
    join(page)
    look(page)
    agree(page)
    look(page)
    for at in range(2):
        sliders(page).nth(at).focus()
        page.keyboard.press("End" if at else "Home")
    look(page)
    page.click("#next")
    page.wait_for_url("**/thanks")
    look(page)
    owner = open_page(served.owner, **PHONE)
    expect(owner.locator("#owner-newest .item")).to_have_count(2)
    look(owner)


def test_a_long_item_in_a_list_can_be_shown_whole(study, open_page):
    page = begin(open_page, study(items=[("a", "short"), ("b", LONG_TEXT)], extra="list_size = 2"))
    button = page.locator(".fold:visible")
    expect(button).to_have_count(1)
    text = page.locator(".item-text.long")
    assert text.bounding_box()["height"] <= 260
    button.click()
    expect(button).to_have_text("Show less")
    assert text.bounding_box()["height"] > 260
    button.click()
    assert text.bounding_box()["height"] <= 260


def only_sounds(folder):
    path = folder / "items.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("id,text", "id,audio"), encoding="utf-8")
    for name in ("a.wav", "b.wav"):
        with wave.open(str(folder / name), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(bytes(800))


def test_sounds_and_their_sliders_have_names(study, open_page):
    items = [("a", "a.wav"), ("b", "b.wav")]
    page = begin(open_page, study(items=items, extra="list_size = 2", change=only_sounds))
    for at, letter in enumerate("AB"):
        expect(page.locator("audio").nth(at)).to_have_attribute("aria-label", f"Item {letter}, audio")
        expect(sliders(page).nth(at)).to_have_attribute("aria-label", f"Item {letter}, audio")


ARABIC = "حمص مع الجزر والخبز والزيتون والطماطم والخيار والفلفل"


def test_the_order_cuts_the_end_of_texts_in_either_direction(study, open_page):
    items = [("a", ARABIC), ("b", "Grilled salmon with rice and steamed broccoli")]
    served = study(items=items, extra='list_size = 2\ndirection = "rtl"\nlanguage = "ar"')
    page = begin(open_page, served)
    for at in range(2):
        sliders(page).nth(at).focus()
        page.keyboard.press("End" if at else "Home")
    shown = page.locator(".order-words")
    ways = {
        each.inner_text(): each.evaluate("each => getComputedStyle(each).direction") for each in shown.all()
    }
    assert ways == {ARABIC: "rtl", items[1][1]: "ltr"}


def test_the_help_names_every_key_of_a_slider(study, open_page):
    page = begin(open_page, study(protocol="list"))
    page.keyboard.press("?")
    for words in ("Shift", "Page Up", "Home", "start at the low end", "start at the high end"):
        expect(page.locator("#help")).to_contain_text(words)


@pytest.mark.parametrize("protocol", ["list", "rating"])
def test_a_thumb_at_either_end_touches_nothing(study, open_page, protocol):
    page = begin(open_page, study(protocol=protocol), **PHONE)
    slider = sliders(page).first
    slider.focus()
    for key in ("Home", "End"):
        page.keyboard.press(key)
        thumb, box = slider.locator(".thumb").bounding_box(), slider.bounding_box()
        assert thumb["x"] >= box["x"] >= 8
        assert thumb["x"] + thumb["width"] <= box["x"] + box["width"] + 0.5


def test_a_picture_is_enlarged_by_mouse_and_by_keyboard(study, open_page):
    served = study(protocol="rating", items=[("a", "a.png"), ("b", "b.png")], change=only_pictures)
    page = begin(open_page, served)
    picture = page.locator(".zoomable")
    page.wait_for_function("() => document.querySelector('.zoomable img').naturalWidth === 60")
    share = page.locator("dialog.zoom .zoom-share")
    picture.click()
    expect(share).to_have_text("100%")
    page.click("dialog.zoom img")
    expect(share).to_have_text("150%")
    page.get_by_label("Zoom in").click()
    expect(share).to_have_text("200%")
    page.get_by_label("Zoom out").click()
    expect(share).to_have_text("150%")
    page.click("dialog.zoom .zoom-close")
    expect(page.locator("dialog.zoom")).to_have_count(0)
    picture.focus()
    page.keyboard.press("Enter")
    for key, shown in (("+", "150%"), ("+", "200%"), ("-", "150%"), ("0", "100%")):
        page.keyboard.press(key)
        expect(share).to_have_text(shown)
    page.keyboard.press("Escape")
    expect(page.locator("dialog.zoom")).to_have_count(0)
    expect(picture).to_be_focused()
    assert sliders(page).get_attribute("data-placed") is None


def test_markdown_is_shown_as_it_is_meant_and_runs_nothing(study, open_page):
    text = "A **big** bowl, see [here](https://example.org) <script>window.broken=1</script>"
    served = study(protocol="rating", items=[("a", text)], change=in_markdown)
    page = begin(open_page, served)
    item = page.locator("steelyard-item")
    expect(item.locator("strong")).to_have_text("big")
    expect(item.locator("a")).to_have_attribute("target", "_blank")
    expect(item).to_contain_text("<script>")
    assert page.evaluate("window.broken") is None


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desktop", "phone"])
def test_levels_in_a_list_are_chosen_by_pointer_and_by_number(study, open_page, settings):
    served = study(protocol="list", scale="levels = 3", extra="list_size = 3")
    page = begin(open_page, served, **settings)
    lines = page.locator(".line")
    expect(lines).to_have_count(3)
    expect(page.locator("input[type=radio]:checked")).to_have_count(0)
    lines.nth(0).locator(".level").nth(2).click()
    lines.nth(1).locator("input[type=radio]").first.focus()
    page.keyboard.press("2")
    expect(lines.nth(1).locator("input[type=radio]").nth(1)).to_be_checked()
    lines.nth(2).locator("input[type=checkbox]").check()
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
    send(page)
    assert judgments_of(served).table("rating").numbers["score"].tolist() == [100, 50]


def test_in_the_dark_every_page_is_dark(study, open_page):
    served = study(protocol="list", items=[("a", "one"), ("b", "two")], extra="list_size = 2\nredundancy = 1")
    page = open_page(f"{served.address}/join", color_scheme="dark")
    owner = open_page(served.owner, color_scheme="dark")

    def look(shown):
        red, green, blue = shown.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
        )
        assert max(red, green, blue) < 80
        assert shown.screenshot(full_page=True).startswith(b"\x89PNG")

    look(page)
    join(page)
    look(page)
    agree(page)
    for at in range(2):
        click_at(page, sliders(page).nth(at), 0.3 + at / 2)
    look(page)
    before = page.locator("#progress .progress-words").inner_text()
    page.click("#next")
    wait_for_next(page, before)
    expect(page.locator("#answered")).to_be_visible()
    look(page)
    owner.reload()
    look(owner)


LABEL_BOXES = """() => [...document.querySelectorAll(".labels")].map((row) =>
    [...row.querySelectorAll(".label")].map((label) => {
        const range = document.createRange();
        range.selectNodeContents(label);
        const { left, right, height } = range.getBoundingClientRect();
        return { left, right, lines: Math.round(height / parseFloat(getComputedStyle(label).lineHeight)) };
    }))"""


@pytest.mark.parametrize("protocol", ["list", "rating"])
def test_the_labels_at_the_ends_wrap_alike_and_touch_nothing(study, open_page, protocol):
    page = begin(open_page, study(protocol=protocol))
    for width in (360, 375, 390, 412, 430, 600, 768, 820, 900, 1024, 1280, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        for low, between, high in page.evaluate(LABEL_BOXES):
            assert low["lines"] == high["lines"], width
            assert low["right"] + 4 <= between["left"], width
            assert between["right"] + 4 <= high["left"], width
