"""The first examples: drawn, placed by mouse, by keyboard and by finger, and chosen again."""

import pytest
from playwright.sync_api import expect

from tests.browser.grounding import (
    TRUTH,
    cards,
    fingers,
    item_shown,
    middle,
    press,
    ranges,
    rest,
    settle,
    swipe,
)
from tests.browser.walking import PHONE, begin, join


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_the_owner_draws_and_places_the_first_examples(study, open_page, by):
    served = ranges(study, sections='[cold_start]\nsize = 5\nby = "owner"\n')
    page = open_page(served.owner)
    page.click("#cold-start-link")
    expect(page.locator(".drawn-card")).to_have_count(5)  # the page opens with a draw
    drop_and_redraw(page, by)
    page.keyboard.press("Enter") if by == "keyboard" else page.click("#next")
    expect(page.locator(".place-tray .place-card")).to_have_count(5)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#reason")).to_contain_text("Place 5 more examples")
    placed = place_all(page, by)
    page.locator("h1").focus()
    page.keyboard.press("Enter") if by == "keyboard" else page.click("#next")
    page.wait_for_url("**/owner")
    rater = begin(open_page, served)
    item = item_shown(rater)
    for card in cards(rater):
        assert card["at"] == pytest.approx(placed[card["words"]], abs=1.01)
    assert {card["words"] for card in cards(rater)} == set(placed) - {item}


def drop_and_redraw(page, by):
    drop = page.locator(".drop").nth(2)
    if by == "mouse":
        drop.click()
    else:
        drop.focus()
        press(page, "Delete")
    expect(page.locator(".drawn-card")).to_have_count(4)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.click(".chip")
    expect(page.locator(".drawn-card")).to_have_count(5)
    page.locator(".drop").nth(2).click()
    page.locator("h1").focus()
    press(page, "d") if by == "keyboard" else page.click("#draw")
    expect(page.locator(".drawn-card")).to_have_count(5)


def place_all(page, by, leave=0):
    """Place the items of the tray, except this many, at their true positions; return all positions."""
    placed = {}
    while page.locator(".place-tray .place-card").count() > leave:
        card = page.locator(".place-tray .place-card").first
        words = card.inner_text()
        placed[words] = TRUTH[words]
        if by == "mouse":
            line = page.locator(".scale-line .solid").bounding_box()
            box = card.bounding_box()
            page.mouse.move(box["x"] + 12, box["y"] + 12)
            page.mouse.down()
            page.mouse.move(box["x"] + 30, box["y"] + 60)
            page.mouse.move(line["x"] + line["width"] * placed[words] / 100, line["y"])
            page.mouse.up()
        else:
            card.focus()
            press(page, "Home", *["PageUp"] * (placed[words] // 10), *["ArrowRight"] * (placed[words] % 10))
    return placed


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_one_goes_back_to_choosing_and_what_was_placed_keeps_its_place(study, open_page, by):
    served = ranges(study, sections='[cold_start]\nsize = 5\nby = "owner"\n')
    page = open_page(served.owner)
    page.click("#cold-start-link")
    go_placing(page, 5)
    kept = place_all(page, by, leave=2)
    spare = page.locator(".place-tray .place-card").first.inner_text()
    press(page, "b") if by == "keyboard" else page.click("#back")
    expect(page.locator(".toast")).to_contain_text("keep their positions")
    expect(page.locator(".drawn-card")).to_have_count(5)
    page.locator(".drawn-card", has_text=spare).locator(".drop").click()
    page.click("#draw")
    expect(page.locator(".drawn-card")).to_have_count(5)
    expect(page.locator(".drawn-card", has_text=spare)).to_have_count(0)
    page.click("#next")
    expect(page.locator(".place-tray .place-card")).to_have_count(2)
    assert places_of(page) == pytest.approx(kept, abs=1.01)
    kept |= place_all(page, by)
    with page.expect_request("**/api/cold-start/place") as sent:
        page.click("#next")
    page.wait_for_url("**/owner")
    posted = {each["position"] for each in sent.value.post_data_json["positions"]}
    assert sorted(posted) == pytest.approx(sorted(kept.values()), abs=1.01)


def test_what_was_placed_outlives_a_reload_and_is_nobody_elses(study, open_page):
    served = ranges(study, sections='[cold_start]\nsize = 4\nby = "raters"\nleast = 2\n')
    ann, bob = (placer(open_page, served, 4) for _ in "ab")
    kept = place_all(ann, "keyboard", leave=1)
    ann.reload()
    expect(ann.locator(".place-tray .place-card")).to_have_count(1)
    assert places_of(ann) == kept
    bob.reload()
    expect(bob.locator(".place-tray .place-card")).to_have_count(4)
    place_all(ann, "keyboard")
    ann.click("#next")
    ann.wait_for_url("**/task")
    assert ann.evaluate("sessionStorage.length") == 0


def test_a_dropped_example_comes_back_after_a_draw_and_the_page_says_what_is_kept(study, open_page):
    served = ranges(study, sections='[cold_start]\nsize = 4\nby = "owner"\n')
    page = open_page(served.owner)
    page.click("#cold-start-link")
    expect(page.locator(".drawn-card")).to_have_count(4)
    dropped = page.locator(".drawn-card").nth(1).locator("steelyard-item").inner_text()
    page.locator(".drop").nth(1).click()
    page.click("#draw")
    expect(page.locator(".drawn-card")).to_have_count(4)
    page.click(".chip")
    expect(page.locator(".drawn-card")).to_have_count(5)
    shown = page.locator(".drawn-card").evaluate_all(
        "cards => cards.map((card) => Number(card.dataset.index))"
    )
    with page.expect_request("**/api/cold-start/agree") as sent:
        page.click("#next")
    assert sent.value.post_data_json == {"keep": shown}
    expect(page.locator(".place-tray .place-card")).to_have_count(5)
    expect(page.locator(".place-tray .place-card", has_text=dropped)).to_have_count(1)


def test_one_who_places_a_set_that_another_chooses_again_sees_a_message_and_loses_nothing(study, open_page):
    served = ranges(study, sections='[cold_start]\nsize = 4\nby = "raters"\nleast = 2\n')
    ann, bob = (placer(open_page, served, 4) for _ in "ab")
    kept = place_all(bob, "keyboard")
    ann.click("#back")
    expect(ann.locator("#draw")).to_be_visible()
    bob.click("#next")
    expect(bob.locator("#notes")).to_contain_text("Someone else has changed the examples")
    expect(bob.locator(".drawn-card")).to_have_count(4)
    bob.complaints.expect("Failed to load resource")  # the browser reports the answer that was refused
    bob.click("#next")
    expect(bob.locator(".place-area .place-card")).to_have_count(4)
    assert places_of(bob) == kept
    bob.click("#next")
    bob.wait_for_url("**/task")


def placer(open_page, served, size, **settings):
    """A page of somebody who has joined and is about to place the first examples."""
    page = open_page(f"{served.address}/join", **settings)
    join(page)
    page.click("#start")
    page.wait_for_url("**/cold-start")
    go_placing(page, size)
    return page


def go_placing(page, size):
    """Draw what is missing and agree, where nobody else has; then all is in the tray."""
    page.wait_for_selector("#next")
    if page.locator("#draw").count():
        expect(page.locator(".drawn-card")).to_have_count(size)
        page.click("#next")
    expect(page.locator(".place-tray .place-card")).to_have_count(size)


def places_of(page):
    """The position of each example on the scale, by its text."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".place-area .place-card")].map((card) =>
        [card.innerText, Number(card.getAttribute("aria-valuenow"))]))"""
    )


def wait_for_places(page, expected, within):
    """Wait until exactly these examples are on the scale, each within this many points of its position."""
    page.wait_for_function(
        """([expected, within]) => {
        const cards = [...document.querySelectorAll(".place-area .place-card")];
        return cards.length === Object.keys(expected).length && cards.every((card) =>
            Math.abs(Number(card.getAttribute("aria-valuenow")) - expected[card.innerText]) <= within);
        }""",
        arg=[expected, within],
    )


@pytest.mark.parametrize("width", [360, 390])
def test_the_first_examples_are_placed_and_moved_by_finger(study, open_page, width):
    served = ranges(study, sections='[cold_start]\nsize = 12\nby = "raters"\nleast = 1\n')
    page = placer(open_page, served, 12, **{**PHONE, "viewport": {"width": width, "height": 740}})
    touch = fingers(page)
    placed = {}
    while page.locator(".place-tray .place-card").count():
        card = page.locator(".place-tray .place-card").first
        words = card.inner_text()
        placed[words] = drag_card(page, touch, card, TRUTH[words])
        wait_for_places(page, placed, 0.51)
    card = page.locator(".place-card", has_text=next(iter(placed)))
    card.scroll_into_view_if_needed()
    placed[card.inner_text()] = drag_card(page, touch, card, 61)
    wait_for_places(page, placed, 0.51)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    with page.expect_request("**/api/cold-start/place") as sent:
        page.tap("#next")
    posted = [each["position"] for each in sent.value.post_data_json["positions"]]
    assert sorted(posted) == pytest.approx(sorted(placed.values()), abs=0.51)
    page.wait_for_url("**/task")


def drag_card(page, touch, card, score):
    """Drag a card with a finger to a score, holding it near the end of the screen until its place is in view."""
    settle(page)
    start = middle(card.bounding_box())
    touch("touchStart", start)
    touch("touchMove", (start[0] + 2, start[1] + 20))
    touch("touchMove", (start[0] + 2, 400))
    settle(page)  # the page scrolls only for a finger that it has seen away from the end
    # A slow page scrolls on before it sees that the finger has left the end, and may pass the place.
    while ways := [way for way in ("down", "up") if not page.evaluate(IN_VIEW, [score, way])]:
        touch("touchMove", (start[0] + 2, NEAR_END[ways[0]]))
        page.wait_for_function(IN_VIEW, arg=[score, ways[0]])
        touch("touchMove", (start[0] + 2, 400))
        settle(page)
    line = page.locator(".scale-line").bounding_box()
    y = line["y"] + line["height"] - 16 - score / 100 * (line["height"] - 32)
    touch("touchMove", (start[0] + 2, y))
    rest(page)
    settle(page)
    touch("touchEnd")
    return score


NEAR_END = {"down": 640, "up": 110}
# Is the place of this score clear of that end of the screen, or as clear as it can be?
IN_VIEW = """([score, way]) => {
    const { bottom, height } = document.querySelector(".scale-line").getBoundingClientRect();
    const y = bottom - 16 - (score / 100) * (height - 32);
    const root = document.documentElement;
    return way === "down" ? y < 580 || scrollY + innerHeight >= root.scrollHeight - 1 : y > 200 || scrollY === 0;
}"""


def test_a_finger_along_the_tray_scrolls_it_and_places_nothing(study, open_page):
    served = ranges(study, sections='[cold_start]\nsize = 6\nby = "raters"\nleast = 1\n')
    page = placer(open_page, served, 6, **PHONE)
    settle(page)
    x, y = middle(page.locator(".place-tray .place-card").first.bounding_box())
    swipe(fingers(page), (x + 60, y), (x - 60, y + 4))
    page.wait_for_function("() => document.querySelector('.place-tray-cards').scrollLeft > 40")
    expect(page.locator(".place-tray .place-card")).to_have_count(6)


def test_an_example_is_placed_by_two_taps_without_dragging(study, open_page):
    served = ranges(study, sections='[cold_start]\nsize = 4\nby = "raters"\nleast = 1\n')
    page = placer(open_page, served, 4, **PHONE)
    card = page.locator(".place-tray .place-card").nth(1)
    words = card.inner_text()
    card.tap()
    expect(card).to_be_focused()
    page.locator(".place-scale .scale-line").tap(position={"x": 20, "y": 106})
    wait_for_places(page, {words: 100 * (360 - 16 - 106) / (360 - 32)}, 1.01)
    page.locator(".place-scale .scale-line").tap(position={"x": 20, "y": 20})
    settle(page)
    assert places_of(page)[words] < 80


def test_raters_place_the_first_examples_on_a_phone(study, open_page):
    served = ranges(study, sections='[cold_start]\nsize = 4\nby = "raters"\nleast = 1\n')
    page = placer(open_page, served, 4, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    place_all(page, "keyboard")
    page.tap("#next")
    page.wait_for_url("**/task")
