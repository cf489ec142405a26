"""Steps that a person takes on scales with examples, and studies that have them."""

import re

from playwright.sync_api import expect

from tests.browser.walking import progress_words, wait_for_next

# Least filling first.
MEALS = [
    ("tea", "Green tea with honey"),
    ("cucumber", "Cucumber slices with salt and lemon"),
    ("miso", "Miso soup with tofu cubes"),
    ("salad", "Greek salad with feta and olives"),
    ("soup", "Tomato soup with a bread roll"),
    ("yoghurt", "Yoghurt bowl with fruit and granola"),
    ("eggs", "Two boiled eggs with buttered toast"),
    ("sandwich", "Cheese and ham sandwich with crisps"),
    ("pasta", "Pasta with pesto and parmesan"),
    ("curry", "Chicken curry with half a naan"),
    ("lasagne", "Beef lasagne with a side salad"),
    ("burrito", "Burrito with rice, beans and chicken"),
    ("breakfast", "Full cooked breakfast with beans"),
]
TRUTH = {text: 4 + 92 * at // (len(MEALS) - 1) for at, (_, text) in enumerate(MEALS)}
COMPARATIVES = """lower = "definitely less filling"
not_lower = "not less filling"
higher = "definitely more filling"
not_higher = "not more filling"
"""
FIVE_LABELS = 'labels = ["Not filling at all", "Slightly", "Moderately", "Very", "Extremely filling"]'


def grounded(sections="", anchors=()):
    """An edit of a study's folder: comparatives, further sections, and anchors as (item, low, high)."""

    def change(folder):
        study = folder / "study.toml"
        text = study.read_text(encoding="utf-8")
        if anchors:
            rows = [f"{item},{low},{high}" for item, low, high in anchors]
            (folder / "anchors.csv").write_text("\n".join(["item,low,high", *rows]) + "\n", encoding="utf-8")
            sections_here = f'[anchors]\nfile = "anchors.csv"\n{sections}'
        else:
            sections_here = sections
        study.write_text(f"{text}{COMPARATIVES}{sections_here}\n", encoding="utf-8")

    return change


def ranges(study, **settings):
    """A study of ranges of meals, with the sections and anchors of `grounded`."""
    return study(protocol="range", items=settings.pop("items", MEALS), change=grounded(**settings))


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def item_shown(page):
    return page.locator(".this-one steelyard-item").inner_text()


def flag(page, side):
    return page.locator(f"steelyard-slider[data-side={side}]")


def score_of(slider):
    return float(slider.get_attribute("aria-valuenow"))


def drag_flag(page, side, score, scale=(0, 100)):
    """Drag a handle along the line to a score, with the mouse."""
    settle(page)
    track = page.locator(f"steelyard-slider[data-side={side}] .track").bounding_box()
    low, high = scale
    y = track["y"] + track["height"] / 2
    start = track["x"] + track["width"] * (score_of(flag(page, side)) - low) / (high - low)
    page.mouse.move(start, y)
    page.mouse.down()
    page.mouse.move(start + (5 if side == "low" else -5), y)
    page.mouse.move(track["x"] + track["width"] * (score - low) / (high - low), y)
    page.mouse.up()


def type_flag(page, side, score):
    """Move a handle from its end of the scale to a whole score, with keys only."""
    at = score_of(flag(page, side))
    big, small = divmod(round(abs(score - at)), 10)
    page.keyboard.press("Home" if side == "low" else "End")
    for key, times in (
        ("PageUp" if side == "low" else "PageDown", big),
        ("ArrowRight" if side == "low" else "ArrowLeft", small),
    ):
        for _ in range(times):
            page.keyboard.press(key)


def say_range(page, low, high, by="mouse"):
    """Answer both steps of a range and wait for what follows."""
    before = progress_words(page)
    move = drag_flag if by == "mouse" else type_flag
    for side, score in (("low", low), ("high", high)):
        move(page, side, score)
        expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
        page.keyboard.press("Enter") if by == "keyboard" else page.click("#next")
        if side == "low":
            expect(page.locator("steelyard-range")).to_have_attribute("data-step", "2")
    wait_for_next(page, before)


def cards(page):
    """The text of every card on the scale, with its position, once the cards are laid out."""
    settle(page)
    return page.evaluate(
        """() => [...document.querySelectorAll("steelyard-anchors .anchor")].map((card) =>
        ({words: card.textContent, at: Number(card.dataset.at), own: card.classList.contains("own"),
          near: card.classList.contains("near"), box: card.getBoundingClientRect().toJSON()}))"""
    )


def overlaps(page):
    """Pairs of cards that lie over each other."""
    boxes = [card["box"] for card in cards(page)]
    return [
        (one, other)
        for at, one in enumerate(boxes)
        for other in boxes[at + 1 :]
        if one["left"] < other["right"] - 0.5
        and other["left"] < one["right"] - 0.5
        and one["top"] < other["bottom"] - 0.5
        and other["top"] < one["bottom"] - 0.5
    ]


def words_of(card):
    return re.sub(r"^Yours · ", "", card["words"])


def fingers(page):
    """A function touch(kind, *points) that has real fingers on the page's screen: touchStart, touchMove, touchEnd."""
    screen = page.context.new_cdp_session(page)

    def touch(kind, *points):
        where = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    return touch


def swipe(touch, start, end, steps=6):
    """One finger from start to end, and off."""
    touch("touchStart", start)
    for at in range(1, steps + 1):
        touch("touchMove", along(start, end, at / steps))
    touch("touchEnd")


def carry(page, start, end, steps=6):
    """One finger from start to end that stops before it lifts, so that a tap right after it is a tap."""
    touch = fingers(page)
    touch("touchStart", start)
    for at in range(1, steps + 1):
        touch("touchMove", along(start, end, at / steps))
    rest(page)
    touch("touchEnd")


def rest(page, frames=10):
    """Let so many pictures of the page pass: a finger that is lifted in full motion has thrown what it held."""
    page.evaluate(
        """async (frames) => {
        for (let at = 0; at < frames; at += 1) await new Promise((drawn) => requestAnimationFrame(drawn)); }""",
        frames,
    )


# Three frames in a row in which nothing that a finger can move has moved.
STEADY = """async () => {
    const moved = ".scale-line, .anchor, .place-card, .place-tray-cards, .pair-card, .dock, steelyard-overview, .track";
    const look = () => JSON.stringify([scrollX, scrollY, window.visualViewport.scale,
        ...[...document.querySelectorAll(moved)].map((each) =>
            [each.getBoundingClientRect(), each.scrollLeft, each.getAttribute("style")])]);
    let before = look();
    for (let same = 0; same < 3;) {
        await new Promise((drawn) => requestAnimationFrame(drawn));
        const now = look();
        same = now === before ? same + 1 : 0;
        before = now;
    }
}"""


def settle(page):
    """Wait until scrolling, zooming and layout have come to rest."""
    page.evaluate(STEADY)


def pinch(page, centre, before, after, upright=True):
    """Two fingers around a centre, one over the other or side by side, moved from one distance to another."""
    touch, steps = fingers(page), 8
    settle(page)

    def both(apart):
        aside, over = (0, apart / 2) if upright else (apart / 2, 0)
        return [(centre[0] - way * aside, centre[1] - way * over) for way in (1, -1)]

    touch("touchStart", both(before)[0])
    touch("touchStart", *both(before))
    for at in range(1, steps + 1):
        touch("touchMove", *both(before + (after - before) * at / steps))
    rest(page)
    touch("touchEnd", both(after)[0])
    touch("touchEnd")
    settle(page)


def zoomed(page):
    """The part of the scale that is shown, as shares of it, and how much the page itself is enlarged."""
    return page.evaluate(
        """() => {
        const { style } = document.querySelector("steelyard-overview");
        const shares = ["--from", "--to"].map((name) => Number(style.getPropertyValue(name)));
        return [...shares, window.visualViewport.scale]; }"""
    )


def along(start, end, share):
    return tuple(one + (other - one) * share for one, other in zip(start, end, strict=True))


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
