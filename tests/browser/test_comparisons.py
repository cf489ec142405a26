"""Comparisons, rankings and best-worst choices, by mouse, by keyboard and by touch."""

import pytest
from playwright.sync_api import expect

from tests.browser.owning import judgments_of, scale_of
from tests.browser.walking import PHONE, begin, progress_words, send, wait_for_next, walk_in

# Least filling first; the words are what the page shows.
MEALS = [
    ("tea", "Green tea with honey"),
    ("salad", "Greek salad with feta"),
    ("soup", "A bowl of lentil soup with rye bread"),
    ("burger", "Double burger with fries"),
]
PLACE = {text: at for at, (_, text) in enumerate(MEALS)}
NAMES = [name for name, _ in MEALS]
MOST_FIRST = NAMES[::-1]
FOUR = "list_size = 4\nredundancy = 1"
LONG = "A bowl of lentil soup and bread. " * 60
PRESSED = "button.choice[aria-pressed=true]"


def places(page):
    """How filling each shown item is, in the order of the page."""
    return [PLACE[text] for text in page.locator("steelyard-item").all_inner_texts()]


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def enter(page):
    """Send by keyboard and wait for what follows."""
    before = progress_words(page)
    page.keyboard.press("Enter")
    wait_for_next(page, before)


def choose(page, words, within="#task"):
    page.locator(within).locator(".choice", has_text=words).first.click()


def answer(page, act):
    """Give an answer that is sent by the same act, and wait for what follows."""
    before = progress_words(page)
    act()
    wait_for_next(page, before)


def waits(page, *words):
    """Nothing can be sent yet, and the page says why."""
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    for each in words:
        expect(page.locator("#reason")).to_contain_text(each)


def outcomes_of(served):
    """Each comparison as {(left, right): outcome}."""
    judgments = judgments_of(served, "comparison")
    sides = zip(judgments.cells("comparison", "left"), judgments.cells("comparison", "right"), strict=True)
    return dict(zip(sides, judgments.cells("comparison", "outcome"), strict=True))


def are_right(outcomes):
    truth = {name: at for at, name in enumerate(NAMES)}
    return all(
        outcome == ("left" if truth[left] > truth[right] else "right")
        for (left, right), outcome in outcomes.items()
    )


# comparison


def test_pairs_are_compared_by_mouse(study, open_page):
    served = study(protocol="comparison", items=MEALS, extra="redundancy = 3")
    page = begin(open_page, served)
    while "/thanks" not in page.url:
        waits(page, "Choose one")
        expect(page.locator(PRESSED)).to_have_count(0)
        left, right = places(page)
        letter = page.locator(".letter", has_text="A" if left > right else "B")
        answer(page, page.locator(".choice", has=letter).click)
    outcomes = outcomes_of(served)
    assert len(outcomes) == 6
    assert are_right(outcomes)
    assert scale_of(served) == MOST_FIRST


def test_pairs_are_compared_by_keyboard_with_strength(study, open_page):
    served = study(
        protocol="comparison", items=MEALS, extra="redundancy = 3\nstrength = true\nboth_bad = true"
    )
    page = begin(open_page, served)
    for *before, last in (
        ["ArrowLeft", "s"],
        ["2", "c"],
        ["ArrowRight", "1", "m"],
        ["0"],
        ["ArrowDown"],
        ["x"],
    ):
        press(page, *before)
        answer(page, lambda key=last: press(page, key))
    judgments = judgments_of(served, "comparison")
    outcomes = judgments.cells("comparison", "outcome").tolist()
    assert outcomes == ["left", "right", "left", "tie", "tie", "tie"]
    rows = (served.folder / "downloaded.csv").read_text(encoding="utf-8").splitlines()
    strengths = rows[0].split(",").index("strength")
    assert [row.split(",")[strengths] for row in rows[1:4]] == ["1", "2", "3"]


def test_another_side_asks_for_its_strength_anew(study, open_page):
    page = begin(open_page, study(protocol="comparison", items=MEALS, extra="strength = true"))
    press(page, "s")
    waits(page, "Choose one")
    press(page, "1")
    waits(page, "by how much")
    press(page, "2")
    waits(page, "by how much")
    expect(page.locator(PRESSED)).to_have_count(1)
    answer(page, lambda: press(page, "0"))
    expect(page.locator(".strength")).to_be_hidden()


def test_undo_shows_the_pair_again_with_its_answer(study, open_page):
    served = study(protocol="comparison", items=MEALS)
    page = begin(open_page, served)
    first = places(page)
    answer(page, lambda: press(page, "1"))
    press(page, "u")
    expect(page.locator(".toast")).to_contain_text("Your last answer was undone")
    assert places(page) == first
    expect(page.locator(PRESSED)).to_have_text(["A←"])
    answer(page, lambda: press(page, "2"))
    press(page, "u")
    expect(page.locator(PRESSED)).to_have_text(["B→"])
    enter(page)
    assert list(outcomes_of(served).values()) == ["right"]


def test_a_double_click_answers_one_task(study, open_page):
    served = study(protocol="comparison", items=MEALS, extra="redundancy = 3")
    page = begin(open_page, served)
    answer(page, page.locator(".choice").first.dblclick)
    expect(page.locator("#progress")).to_contain_text("2 of")
    answer(page, lambda: press(page, "n"))
    assert len(outcomes_of(served)) == 1


def test_arrow_keys_choose_what_lies_on_their_side_in_either_direction(study, open_page):
    served = study(protocol="comparison", items=MEALS, extra='direction = "rtl"\nlanguage = "ar"')
    page = begin(open_page, served)
    cards = page.locator(".pair-card")
    assert cards.nth(0).bounding_box()["x"] > cards.nth(1).bounding_box()["x"]
    answer(page, lambda: press(page, "ArrowRight"))
    assert list(outcomes_of(served).values()) == ["left"]


def test_long_texts_are_cut_alike_or_not_at_all(study, open_page):
    items = [("a", LONG), ("b", LONG + LONG), ("c", "Short")]
    page = begin(open_page, study(protocol="comparison", items=items, extra="redundancy = 2"), **PHONE)
    seen = set()
    while "/thanks" not in page.url:
        texts = page.locator("steelyard-item .item-text")
        both = texts.filter(has_text="lentil").count() == 2
        seen.add(both)
        page.locator(".fold").first.wait_for(state="visible" if both else "hidden")
        heights = [texts.nth(at).bounding_box()["height"] for at in range(2)]
        if both:
            assert heights[0] == heights[1] < 300
            page.locator(".fold").nth(1).click()
            assert min(texts.nth(at).bounding_box()["height"] for at in range(2)) > 300
        else:
            assert max(heights) > 300
        answer(page, lambda: choose(page, "About equal"))
    assert seen == {True, False}


def test_choosing_in_the_dock_does_not_scroll_a_long_pair(study, open_page):
    items = [("a", LONG * 3), ("b", LONG * 4)]
    page = begin(open_page, study(protocol="comparison", items=items, extra="strength = true"))
    page.evaluate("scrollTo(0, 120)")
    box = page.locator(".choice").first.bounding_box()
    page.mouse.click(box["x"] + 9, box["y"] + 9)
    press(page, "2")
    assert page.evaluate("scrollY") == 120


MORE_FILLING = 'more = "is more filling"\n'
BOXES = """(choices) => [...choices.children].map((each) => {
    const { x, y, width, height } = each.getBoundingClientRect();
    const spills = each.scrollWidth > each.clientWidth;
    return { name: each.ariaLabel, x, y, width, height, spills };
})"""


def ask_with_words(folder):
    """The study names what the better item has more of, on each button."""
    with (folder / "study.toml").open("a", encoding="utf-8") as study:
        study.write(MORE_FILLING)


WIDTHS = (320, 360, 390, 768, 1280)


@pytest.mark.parametrize(
    ("extra", "names", "direction"),
    [
        ("ties = false", ["A", "B"], "ltr"),
        ("", ["A", "About equal", "B"], "ltr"),
        ("", ["A", "About equal", "B"], "rtl"),
        ("strength = true", ["A", "About equal", "B"], "ltr"),
        ("both_bad = true", ["A", "About equal", "Both bad", "B"], "ltr"),
        ("strength = true\nboth_bad = true", ["A", "About equal", "Both bad", "B"], "rtl"),
    ],
    ids=["two", "three", "three_rtl", "strength", "both_bad", "strength_and_both_bad_rtl"],
)
def test_choices_have_one_size_and_the_order_of_the_cards(study, open_page, extra, names, direction):
    written = f'{extra}\ndirection = "{direction}"'
    page = begin(open_page, study(protocol="comparison", items=MEALS, extra=written, change=ask_with_words))
    if "strength" in extra:
        press(page, "1")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        check_row(page.locator("steelyard-outcome > steelyard-choices"), names, direction)
        if "strength" in extra:
            check_row(page.locator(".strength steelyard-choices"), ["Slightly", "Clearly", "Much"], direction)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def check_row(choices, names, direction):
    """The choices are in one row, in reading order, of equal size, with their text inside."""
    expect(choices).to_be_visible()
    boxes = choices.evaluate(BOXES)
    assert [box["name"].removesuffix(" is more filling") for box in boxes] == names
    assert {box["y"] for box in boxes} == {boxes[0]["y"]}
    along = [box["x"] for box in boxes]
    assert along == sorted(along, reverse=direction == "rtl")
    for side in ("width", "height"):
        sizes = [box[side] for box in boxes]
        assert max(sizes) - min(sizes) < 0.5
    assert not any(box["spills"] for box in boxes)


# comparison_list


def test_a_reference_is_compared_with_the_others_by_mouse(study, open_page):
    served = study(protocol="comparison_list", items=MEALS, extra="redundancy = 1")
    page = begin(open_page, served)
    while "/thanks" not in page.url:
        waits(page, "Compare")
        reference, *others = places(page)
        for at, other in enumerate(others):
            choose(page, "More" if other > reference else "Less", within=f".line >> nth={at}")
        expect(page.locator(".beside-head")).to_contain_text(f"{len(others)} of {len(others)} compared")
        send(page)
    outcomes = outcomes_of(served)
    assert len({frozenset(pair) for pair in outcomes}) == 6
    assert are_right(outcomes)
    assert scale_of(served) == MOST_FIRST


def test_a_reference_is_compared_with_the_others_by_keyboard(study, open_page):
    served = study(protocol="comparison_list", items=MEALS, extra="redundancy = 1")
    page = begin(open_page, served)
    reference, *others = places(page)
    assert len(others) == 2
    press(page, "ArrowDown")
    expect(page.locator("steelyard-choices").first).to_be_focused()
    for other in others:
        press(page, "ArrowRight" if other > reference else "ArrowLeft", "ArrowDown")
    press(page, "2", "ArrowUp", "n")
    expect(page.locator(".line").first.get_by_role("checkbox")).to_be_checked()
    enter(page)
    assert list(outcomes_of(served).values()) == ["tie"]


# ranking


def card(page, place):
    return page.locator(".rank-card", has_text=MEALS[place][1])


def drag(page, place, x, y):
    box = card(page, place).bounding_box()
    page.mouse.move(box["x"] + 120, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.up()


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def ranks_of(served):
    judgments = judgments_of(served, "ranking")
    ranks = judgments.table("ranking").numbers["rank"].tolist()
    return dict(zip(judgments.cells("ranking", "item").tolist(), ranks, strict=True))


def test_items_are_ranked_by_dragging_and_tied_on_one_row(study, open_page):
    served = study(protocol="ranking", items=MEALS, extra=FOUR)
    page = begin(open_page, served)
    waits(page, "Place each one")
    drag(page, 2, *middle(page.locator(".rank-rows").bounding_box()))
    row = page.locator(".rank-row")
    drag(page, 1, *middle(row.first.bounding_box()))
    expect(row).to_have_count(1)
    box = row.first.bounding_box()
    drag(page, 3, box["x"] + 90, box["y"] + 2)
    waits(page, "Place")
    card(page, 0).locator(".rank-place").click()
    send(page)
    assert ranks_of(served) == {"burger": 1, "soup": 2, "salad": 2, "tea": 3}


def test_items_are_ranked_by_buttons_alone(study, open_page):
    served = study(protocol="ranking", items=MEALS, extra=FOUR)
    page = begin(open_page, served)
    for place in range(4):
        card(page, place).locator(".rank-place").click()
    for place in (3, 3, 3, 2, 2):
        card(page, place).locator(".rank-up").click()
    card(page, 0).locator(".rank-down").click()
    card(page, 0).locator(".rank-tie").click()
    send(page)
    assert ranks_of(served) == {"burger": 1, "soup": 2, "salad": 3, "tea": 3}


def test_items_are_ranked_by_keyboard(study, open_page):
    served = study(protocol="ranking", items=MEALS, extra=FOUR)
    page = begin(open_page, served)
    order = places(page)
    press(page, "ArrowDown")
    for at, place in enumerate(order):
        expect(card(page, place).locator(".handle")).to_be_focused()
        ups = sum(place > other for other in order[:at])
        press(page, "Space", *["ArrowUp"] * ups)
        if at == 3:
            waits(page, "Place D.")
        press(page, "Enter" if at % 2 else "Space")
    live = page.locator("steelyard-ranks [aria-live]")
    expect(live).to_contain_text("placed, rank")
    press(page, "Space", "ArrowDown", "ArrowDown", "Escape")
    expect(live).to_contain_text("Returned to its place")
    rows = page.locator(".rank-row")
    press(page, *["ArrowDown"] * 4, "t")
    expect(rows).to_have_count(3)
    expect(page.locator(".rank-row.tied .rank-card")).to_have_count(2)
    press(page, "t")
    expect(rows).to_have_count(4)
    enter(page)
    assert ranks_of(served) == {"burger": 1, "soup": 2, "salad": 3, "tea": 4}
    assert scale_of(served) == MOST_FIRST


def place_by_touch(page, count):
    """Place so many cards, each after the one before is in its row."""
    for placed in range(count):
        page.locator(".rank-place:visible").first.tap()
        expect(page.locator(".rank-row")).to_have_count(placed + 1)


def test_a_card_is_dragged_with_a_finger(study, open_page):
    served = study(protocol="ranking", items=MEALS, extra=FOUR)
    page = begin(open_page, served, **PHONE)
    place_by_touch(page, 3)
    start = middle(page.locator(".rank-tray .handle").bounding_box())
    end = page.locator(".rank-row").nth(0).bounding_box()
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        where = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    touch("touchStart", start)
    touch("touchMove", (start[0] + 10, start[1] + 30))
    touch("touchMove", (end["x"] + 60, end["y"] + 4))
    touch("touchEnd")
    expect(page.locator(".rank-row")).to_have_count(4)
    first = page.locator(".rank-row").nth(0).locator("steelyard-item").inner_text()
    send(page)
    assert ranks_of(served)[NAMES[PLACE[first]]] == 1


# best_worst


def picks_of(served):
    judgments = judgments_of(served, "best_worst")
    choices = judgments.cells("best_worst", "choice").tolist()
    return dict(zip(judgments.cells("best_worst", "item").tolist(), choices, strict=True))


PICKED = {"tea": "worst", "salad": "none", "soup": "none", "burger": "best"}


def test_the_most_and_the_least_are_chosen_by_mouse(study, open_page):
    served = study(protocol="best_worst", items=MEALS, extra=FOUR)
    page = begin(open_page, served)
    waits(page, "the most and the least")
    order = places(page)
    least, most = (f".extreme >> nth={order.index(place)}" for place in (0, 3))
    choose(page, "Most", within=least)
    waits(page, "the least")
    choose(page, "Least", within=least)
    waits(page, "the most")
    choose(page, "Most", within=most)
    send(page)
    assert picks_of(served) == PICKED
    assert scale_of(served)[0] == "burger"
    assert scale_of(served)[-1] == "tea"


def test_the_most_and_the_least_are_chosen_by_keyboard(study, open_page):
    served = study(protocol="best_worst", items=MEALS, extra=FOUR)
    page = begin(open_page, served)
    order = places(page)
    press(page, str(order.index(3) + 1), f"Shift+{order.index(3) + 1}")
    expect(page.locator(".choice input:checked")).to_have_count(1)
    press(page, f"Shift+{order.index(0) + 1}")
    waits(page, "the most")
    press(page, "ArrowRight", *["ArrowUp"] * 3, *["ArrowDown"] * order.index(3))
    expect(page.locator(".choice input:checked")).to_have_count(1)
    press(page, "Space")
    enter(page)
    assert picks_of(served) == PICKED


# all four


def answer_by_touch(page, protocol):
    if protocol == "ranking":
        place_by_touch(page, 4)
    elif protocol == "best_worst":
        page.locator(".extreme").nth(1).get_by_text("Most").tap()
        page.locator(".extreme").nth(3).get_by_text("Least").tap()
    else:
        for group in page.locator("steelyard-choices").all():
            group.get_by_text("About equal").tap()


FOUR_PROTOCOLS = ["comparison", "comparison_list", "ranking", "best_worst"]
SMALL = """() => [...document.querySelectorAll("#task button, #task .choice, #task .line-cannot")]
    .filter((each) => each.checkVisibility())
    .map((each) => [each.className, each.offsetWidth, each.offsetHeight])
    .filter(([, width, height]) => width < 44 || height < 44)"""


@pytest.mark.parametrize("protocol", FOUR_PROTOCOLS)
def test_on_a_phone_everything_fits_and_can_be_tapped(study, open_page, protocol):
    served = study(protocol=protocol, items=MEALS, extra=FOUR)
    page = walk_in(open_page, served, **PHONE)

    def look():
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate(SMALL) == []

    look()
    before = progress_words(page)
    answer_by_touch(page, protocol)
    if protocol != "comparison":  # whose first tap is the answer
        look()
        page.tap("#next")
    wait_for_next(page, before)


@pytest.mark.parametrize("protocol", FOUR_PROTOCOLS)
def test_a_simulated_person_gives_a_complete_answer(study, open_page, protocol):
    page = begin(open_page, study(protocol=protocol, items=MEALS, extra=FOUR))
    before = progress_words(page)
    page.evaluate("document.querySelector('#task > *').simulate(Math.random)")
    if protocol != "comparison":  # a choice between two items is sent at once
        expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
        page.keyboard.press("Enter")
    wait_for_next(page, before)


@pytest.mark.parametrize("protocol", FOUR_PROTOCOLS)
def test_cannot_judge_is_an_answer(study, open_page, protocol):
    page = begin(open_page, study(protocol=protocol, items=MEALS, extra=FOUR))
    waits(page)
    before = progress_words(page)
    if protocol == "comparison_list":
        for _ in range(page.locator(".lines > li").count()):
            press(page, "ArrowDown", "n")
    else:
        press(page, "n")
    if protocol != "comparison":
        expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
        page.keyboard.press("Enter")
    wait_for_next(page, before)
