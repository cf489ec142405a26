"""Steps that a person takes on the pages."""

import re
import urllib.request
from http.cookiejar import CookieJar
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import expect

IS_NEXT = """(document.querySelector("#progress .progress-words")?.textContent !== before
    && document.querySelector("#next") !== null)"""
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def join(page, name="Ines"):
    page.fill("#name", name)
    page.click("#join")
    page.wait_for_url("**/welcome")


def agree(page):
    page.click("#start")
    page.wait_for_url("**/task")
    expect(page.locator(".acts-row")).to_be_visible()


def walk_in(open_page, served, **settings):
    """A page on the first task of somebody who came by the open link, page by page."""
    page = open_page(f"{served.address}/join", **settings)
    join(page)
    agree(page)
    return page


def begin(open_page, served, **settings):
    """A page on the first task of somebody who has joined and agreed without a browser, which is quicker."""
    kept = {"cookies": cookies_of_one_who_agreed(served.address), "origins": []}
    page = open_page(f"{served.address}/task", storage_state=kept, **settings)
    expect(page.locator(".acts-row")).to_be_visible()
    return page


def cookies_of_one_who_agreed(address, name="Ines"):
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    for path, fields in (("/join", {"name": name}), ("/welcome", {"agree": "1"})):
        with opener.open(f"{address}{path}") as answer:
            token = re.search(r'name="csrf" value="([^"]+)"', answer.read().decode("utf-8")).group(1)
        opener.open(f"{address}{path}", urlencode({"csrf": token, **fields}).encode()).close()
    host = urlsplit(address).hostname
    return [{"name": each.name, "value": each.value, "domain": host, "path": "/"} for each in jar]


def send(page):
    """Send what is answered and wait for what follows."""
    before = progress_words(page)
    page.click("#next")
    wait_for_next(page, before)


def sliders(page):
    return page.locator("steelyard-slider")


def click_at(page, slider, share):
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)


def tap_at(page, slider, share):
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)


def tasks_done(page):
    """The number of tasks done, as the top bar says it; None on another page."""
    words = page.locator("#progress .progress-words")
    found = re.match(r"(\d+) of", words.inner_text()) if words.count() else None
    return int(found.group(1)) - 1 if found else None


def wait_for_next(page, before):
    """Until the next task is shown and the server has the answer, or the end."""
    page.wait_for_function(
        f"""before => location.pathname === "/thanks"
        || ({IS_NEXT} && document.querySelector("#save-state").dataset.state === "saved")""",
        arg=before,
    )


def wait_for_task(page, before):
    """Until the next task is shown, or the end; the answer may still be on its way."""
    page.wait_for_function(f"""before => location.pathname === "/thanks" || {IS_NEXT}""", arg=before)


def progress_words(page):
    return page.locator("#progress .progress-words").inner_text()
