"""A whole study of each protocol, by keyboard alone and by touch at 360 pixels; in each the connection drops once."""

from collections import Counter

import pytest
from playwright.sync_api import expect

from steelyard.kinds.known import PROTOCOLS
from tests.browser.by_keys import BY_KEYS, press
from tests.browser.grounding import COMPARATIVES, carry
from tests.browser.owning import owners_page
from tests.browser.walking import begin, progress_words, tap_at, wait_for_next

ITEMS = [
    ("tea", "Green tea with honey"),
    ("salad", "Greek salad with feta"),
    ("soup", "A bowl of lentil soup with rye bread"),
    ("burger", "Double burger with fries"),
]
MORE_ITEMS = [*ITEMS, ("curry", "Chicken curry with half a naan"), ("eggs", "Two boiled eggs with toast")]
SMALL_PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}


# by touch; the last tap sends the answer


def rate_by_touch(page):
    for slider in page.locator("steelyard-slider").all():
        tap_at(page, slider, 0.6)


def compare_with_reference_by_touch(page):
    for line in page.locator(".line").all():
        line.locator(".choice").first.tap()


def choose_extremes_by_touch(page):
    page.locator(".extreme").nth(0).locator(".choice").last.tap()
    page.locator(".extreme").nth(1).locator(".choice").first.tap()


def rank_by_touch(page):
    waiting = page.locator(".rank-tray .rank-card")
    left = waiting.count() - 1
    page.locator(".rank-tray .rank-place").first.tap()
    expect(waiting).to_have_count(left)
    for after in range(left - 1, -1, -1):
        waiting.locator(".board-item").first.tap()
        page.locator(".rank-gap .button").first.tap()
        expect(waiting).to_have_count(after)


def give_range_by_touch(page):
    carry_handle(page, 0.98, 0.6)
    page.locator("#next").tap()
    expect(page.locator("steelyard-range")).to_have_attribute("data-step", "2")
    carry_handle(page, 0.02, 0.3)


def carry_handle(page, start, end):
    """Move the handle of this step along the upright line, from one share of its height to another."""
    box = page.locator(".handle-flag:not([data-still])").bounding_box()
    aside = box["x"] + box["width"] / 4
    carry(page, *((aside, box["y"] + share * box["height"]) for share in (start, end)))
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")


BY_TOUCH = {
    "rating": (rate_by_touch, "#next"),
    "list": (rate_by_touch, "#next"),
    "comparison": (lambda page: None, "steelyard-outcome .choice >> nth=0"),
    "comparison_list": (compare_with_reference_by_touch, "#next"),
    "ranking": (rank_by_touch, "#next"),
    "best_worst": (choose_extremes_by_touch, "#next"),
    "range": (give_range_by_touch, "#next"),
}


def walk(page, give, send):
    """Every task; the connection drops while the second answer is sent. Returns the number of tasks."""
    done = 0
    while "/thanks" not in page.url:
        before = progress_words(page)
        give(page)
        if done == 1:
            page.context.set_offline(True)
            send()
            expect(page.locator("#notes")).to_contain_text("No connection")
            page.context.set_offline(False)
        else:
            send()
        wait_for_next(page, before)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        done += 1
    return done


def walk_by_keys(page, protocol):
    give, last = BY_KEYS[protocol]
    return walk(page, give, lambda: press(page, last))


def walk_by_touch(page, protocol):
    give, last = BY_TOUCH[protocol]
    return walk(page, give, lambda: page.locator(last).tap())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_whole_study_by_keyboard_alone_and_by_touch(study, open_page, protocol):
    def comparatives(folder):
        with (folder / "study.toml").open("a", encoding="utf-8") as text:
            text.write(COMPARATIVES)

    size, items = (3, MORE_ITEMS) if protocol == "best_worst" else (2, ITEMS)
    extra = f"redundancy = 6\nlist_size = {size}\ngroup_size = 4"
    served = study(protocol=protocol, items=items, extra=extra, change=comparatives)
    by_keys = begin(open_page, served)
    tasks = walk_by_keys(by_keys, protocol)
    by_touch = begin(open_page, served, **SMALL_PHONE)
    assert walk_by_touch(by_touch, protocol) == tasks > 1
    by_touch.complaints.expect("ERR_INTERNET_DISCONNECTED")
    rows = owners_page(served, "/owner/download/judgments.csv").decode("utf-8").splitlines()[1:]
    per_rater = Counter(row.split(",")[0] for row in rows)
    assert len(per_rater) == 2
    assert len(set(per_rater.values())) == 1


def protocol_of(page):
    """The protocol of the task on the page, of a study with lists and comparisons."""
    return "comparison" if page.locator("steelyard-outcome").count() else "list"


def test_a_study_with_two_protocols_by_keyboard_alone_and_by_touch(study, open_page):
    extra = """redundancy = 8
list_size = 2
[[protocol_settings.comparison.questions]]
text = "Which is more filling?"
"""
    served = study(protocol=("list", "comparison"), items=ITEMS, extra=extra)
    for settings, ways in (({}, BY_KEYS), (SMALL_PHONE, BY_TOUCH)):
        page = begin(open_page, served, **settings)
        seen = []

        def give(page, seen=seen, ways=ways):
            seen.append(protocol_of(page))
            asked = {"list": "How filling would each be for you?", "comparison": "Which is more filling?"}
            expect(page.get_by_text(asked[seen[-1]], exact=True)).to_be_visible()
            ways[seen[-1]][0](page)

        def send(page=page, seen=seen, ways=ways):
            last = ways[seen[-1]][1]
            press(page, last) if ways is BY_KEYS else page.locator(last).tap()

        walk(page, give, send)
        assert Counter(seen)["comparison"] >= 2
        assert seen[0] != seen[1]  # the protocols alternate
    page.complaints.expect("ERR_INTERNET_DISCONNECTED")
