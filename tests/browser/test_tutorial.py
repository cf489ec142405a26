"""The steps of the tutorial, and a picture of every protocol, in a real browser.

The pictures are committed. To make them again after a change of the pages:

    STEELYARD_PICTURES=docs/images python -m pytest tests/browser/test_tutorial.py
"""

import os
import re
import shlex
import shutil
import struct
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import expect

from steelyard.kinds.known import PROTOCOLS
from tests.browser.grounding import MEALS, drag_flag
from tests.browser.walking import agree, begin, click_at, join, send, sliders
from tests.commands import finish
from tests.serving import serving

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = (DOCS / "tutorial" / "first_study.md").read_text(encoding="utf-8")
WINDOW = {"viewport": {"width": 1200, "height": 760}}
LARGEST = 150_000  # bytes of one picture
HOW_FILLING = {text: (at + 0.5) / len(MEALS) for at, (_, text) in enumerate(MEALS)}
TEXTS = {share: text for text, share in HOW_FILLING.items()}


@pytest.fixture
def take_picture(tmp_path):
    """Save what a page shows as a picture: beside the documentation if asked to, else only for the checks."""
    folder = Path(
        os.environ.get("STEELYARD_PICTURES", tmp_path / "images")
    ).resolve()  # the tests change the folder

    def save(page, name, height=None):
        path = folder / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = page.viewport_size
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"]}
        page.mouse.move(1, 1)
        page.screenshot(path=path, clip=clip, animations="disabled", caret="hide")
        assert struct.unpack(">II", path.read_bytes()[16:24]) == (clip["width"], clip["height"])
        assert path.stat().st_size < LARGEST
        assert (DOCS / "images" / f"{name}.png").exists(), f"docs/images/{name}.png is not committed"

    return save


def command(name):
    """The arguments of a command as the tutorial writes it."""
    joined = TUTORIAL.replace("\\\n", "")
    return shlex.split(re.search(rf"^\$ steelyard ({name} .*)$", joined, re.MULTILINE).group(1))


def block(start):
    """The block of the tutorial that begins with these lines."""
    return TUTORIAL.partition(start)[2].partition("\n```\n")[0]


def run(*arguments):
    done = finish(*arguments)
    assert done.returncode == 0, done.stderr
    return done


def test_the_tutorial_leads_from_a_file_of_items_to_a_report(tmp_path, monkeypatch, open_page, take_picture):
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text(block(":caption: items.csv\n\n") + "\n", encoding="utf-8")
    made = run(*command("new"))
    key = re.search(r"[\w-]{32}", made.stdout + made.stderr).group()
    written = tomllib.loads(Path("filling", "study.toml").read_text(encoding="utf-8"))
    assert written == tomllib.loads(block("```toml\n"))
    shutil.copytree("filling", "trial")
    with serving(tmp_path / "trial", key) as served:
        rate_two_pages(open_page(f"{served.address}/join", **WINDOW), take_picture)
    run(*command("simulate"))
    run(*command("export"))
    assert run(*command("check")).stdout.startswith("60 ")
    # The first fit compiles the model. After it, the owner page does not have to wait for that.
    summary = run(*command("fit")).stdout
    assert {"position", "spread", "rank", "count"} <= set(summary.split())
    with serving(tmp_path / "trial", key) as served:
        look_as_owner(open_page(served.owner, viewport={"width": 1280, "height": 660}), take_picture)
    run(*command("report"))
    page = open_page(Path("report.html").absolute().as_uri(), **WINDOW)
    expect(page.locator("h1")).to_contain_text("How filling")
    assert "http" not in "".join(page.locator("script[src], link[href]").all_inner_texts())
    take_picture(page, "tutorial/report", height=640)


def rate_two_pages(page, take_picture):
    """Step 5: join, start, and place the meals of two pages on their sliders."""
    join(page, "Ines")
    expect(page.locator("#try steelyard-slider")).to_be_visible()
    take_picture(page, "tutorial/welcome")
    agree(page)
    texts = [line.partition(",")[2].strip('"') for line in block(":caption: items.csv\n\n").splitlines()]
    expect(sliders(page)).to_have_count(5)
    expect(page.locator("[data-placed]")).to_have_count(0)
    names = page.locator("steelyard-item").all_inner_texts()
    filling = [texts.index(name) / len(texts) for name in names]
    for at in range(3):
        click_at(page, sliders(page).nth(at), filling[at])
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.evaluate("scrollTo(0, 0)")
    take_picture(page, "tutorial/list")
    for at in (3, 4):
        click_at(page, sliders(page).nth(at), filling[at])
    send(page)
    for at in range(5):
        click_at(page, sliders(page).nth(at), 0.1 + 0.2 * at)
    send(page)
    expect(page).to_have_url(re.compile("/thanks$"))


def look_as_owner(page, take_picture):
    """Step 7: the counts, the scale, the raters and the links."""
    expect(page.locator("picture img").first).to_be_visible()
    expect(page.locator("#owner-cards")).to_contain_text("60 of 60")
    expect(page.locator(".owner")).to_contain_text("Ines")
    expect(page.locator("#links")).to_contain_text("Open link")
    expect(page.locator("#pause")).to_be_visible()
    take_picture(page, "tutorial/owner")
    page.close()  # it asks the server for news, which is about to end


# protocols


def ask(protocol):
    """An edit of a study: the question of the demo, with the words that each protocol needs."""
    asked = PROTOCOLS[protocol].demo.question

    def change(folder):
        study = folder / "study.toml"
        text = study.read_text(encoding="utf-8").replace("How filling would each be for you?", asked)
        words = (
            'more = "is more filling"\nlower = "definitely less filling"\nnot_lower = "not less filling"\n'
        )
        anchors = '[anchors]\nfile = "anchors.csv"\n' if protocol == "range" else ""
        study.write_text(f"{text}{words}{anchors}", encoding="utf-8")
        rows = [f"{name},{low},{low + 6}" for name, low in ANCHORS.items()]
        (folder / "anchors.csv").write_text("\n".join(["item,low,high", *rows]) + "\n", encoding="utf-8")

    return change


ANCHORS = {"tea": 2, "salad": 26, "eggs": 46, "curry": 71, "breakfast": 91}


def shares(page):
    """How filling each shown meal is, from 0 to 1, in the order of the page."""
    return [HOW_FILLING[text] for text in page.locator("steelyard-item").all_inner_texts()]


def choose(page, words, within="#task"):
    page.locator(within).locator(".choice", has_text=words).first.click()


def rate(page):
    click_at(page, sliders(page), shares(page)[0])


def rate_list(page):
    for at, share in enumerate(shares(page)[:4]):
        click_at(page, sliders(page).nth(at), share)


def compare(page):
    left, right = shares(page)
    page.locator(".choice").nth(0 if left > right else -1).focus()


def compare_with_reference(page):
    reference, *others = shares(page)
    for at, other in enumerate(others[:3]):
        choose(page, "More" if other > reference else "Less", within=f".line >> nth={at}")


def rank(page):
    for share in sorted(shares(page), reverse=True)[:3]:
        card = page.locator(".rank-card", has_text=TEXTS[share])
        card.locator(".rank-place").click()


def choose_extremes(page):
    order = shares(page)
    choose(page, "Most", within=f".extreme >> nth={order.index(max(order))}")
    choose(page, "Least", within=f".extreme >> nth={order.index(min(order))}")


def give_lower_bound(page):
    drag_flag(page, "low", 38)


ANSWERS = {
    "rating": rate,
    "list": rate_list,
    "comparison": compare,
    "comparison_list": compare_with_reference,
    "ranking": rank,
    "best_worst": choose_extremes,
    "range": give_lower_bound,
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_has_a_page_with_a_picture_of_it(study, open_page, take_picture, protocol):
    served = study(
        protocol=protocol, items=MEALS, extra="list_size = 5\ngroup_size = 5", change=ask(protocol)
    )
    page = begin(open_page, served, **WINDOW)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".choice input:checked, steelyard-slider[data-placed]")).to_have_count(0)
    ANSWERS[protocol](page)
    page.evaluate("scrollTo(0, 0)")
    take_picture(page, f"protocols/{protocol}")
    described = (DOCS / "explanation" / "protocols" / f"{protocol}.md").read_text(encoding="utf-8")
    assert f"images/protocols/{protocol}.png" in described
