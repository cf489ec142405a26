"""Pages worth a picture: which study each belongs to, and the steps that lead to it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, expect

from steelyard.study.training.drawing import dots
from tests.browser.grounding import COMPARATIVES, MEALS
from tests.browser.walking import cookies_of_one_who_agreed
from tests.serving import Served, write_study

LETTER = (
    "I have lived on this street for thirty-one years, and in that time I have seen four plans for the crossing, "
    "each announced with a ceremony and none of them built. The first was drawn by an engineer who had never walked "
    "here in winter; the second forgot the school. The third was good, and was dropped after an election. The fourth "
    "asks us to be patient. We have been patient. Children cross between parked cars every morning at ten to eight, "
    "and every evening in the dark, while the council measures, consults and thanks us for our interest. "
)
LETTERS = [(f"letter{at}", f"Letter {at + 1}. {LETTER}{'Please build it. ' * at}") for at in range(6)]
DISHES_RTL = [
    ("tea", "شاي أخضر بالعسل."),
    ("salad", "سلطة خضار مع الجبن (صغيرة)!"),
    ("soup", "شوربة عدس مع خبز؟"),
    ("rice", "أرز بالدجاج والخضار."),
    ("lamb", "خروف مشوي مع الأرز."),
    ("hummus", "حمص مع الجزر."),
]
ANCHORS = (("tea", 2, 6), ("salad", 25, 35), ("eggs", 45, 52), ("curry", 70, 78), ("breakfast", 92, 97))
LETTER_ANCHORS = (("letter0", 5, 15), ("letter2", 40, 50), ("letter4", 80, 90))


@dataclass(frozen=True)
class Visit:
    """A study that is served, and a function that opens an address in a new browser window."""

    served: Served
    open_page: Callable[..., Page]
    touch: bool

    def task(self) -> Page:
        """The first task of a new rater."""
        return self.enter("/task")

    def enter(self, path: str) -> Page:
        """A page of a new rater who has agreed to take part."""
        kept = {"cookies": cookies_of_one_who_agreed(self.served.address), "origins": []}
        page = self.open_page(f"{self.served.address}{path}", storage_state=kept)
        expect(page.locator(".acts-row")).to_be_visible()
        return page


@dataclass(frozen=True)
class StudyOf:
    """How to write the study of a scene: its protocol, items and settings."""

    protocol: str
    items: tuple = tuple(MEALS)
    extra: str = ""
    sections: str = ""
    anchors: tuple = ()
    question: str = "How filling would this be for you?"
    labels: tuple = ("Not filling at all", "Moderately filling", "Extremely filling")
    medium: str = "text"
    scale: str = ""
    more: str = "is more filling"
    comparatives: str = COMPARATIVES

    def write(self, folder: Path) -> str:
        """Write the study to a folder and return the key of its owner."""
        extra = f"redundancy = 20\nopen_link = true\nlist_size = 5\ngroup_size = 5\n{self.extra}"
        key = write_study(folder, self.protocol, extra, self.scale, list(self.items))
        self._write_pictures(folder)
        study, quoted = folder / "study.toml", ", ".join(f'"{label}"' for label in self.labels)
        text = study.read_text(encoding="utf-8").replace("How filling would each be for you?", self.question)
        old = 'labels = ["Not filling at all", "Moderately filling", "Extremely filling"]'
        text = text.replace(old, f"labels = [{quoted}]")
        anchored = '[anchors]\nfile = "anchors.csv"\n' if self.anchors else ""
        words = f'more = "{self.more}"\n{self.comparatives}'
        study.write_text(f"{text}{words}{anchored}{self.sections}\n", encoding="utf-8")
        rows = [",".join(map(str, row)) for row in self.anchors]
        (folder / "anchors.csv").write_text("\n".join(["item,low,high", *rows]) + "\n", encoding="utf-8")
        return key

    def _write_pictures(self, folder: Path) -> None:
        if self.medium != "image":
            return
        lines = ["id,image,alt"]
        for at, (name, _) in enumerate(self.items):
            (folder / f"{name}.svg").write_text(dots(6 + 7 * at, at), encoding="utf-8")
            lines.append(f"{name},{name}.svg,A picture of dots")
        (folder / "items.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Scene:
    """One page in one state; `show` takes the steps that lead to it."""

    name: str
    study: StudyOf
    show: Callable[[Visit], Page] = field(default=Visit.task)


def rated(visit: Visit) -> Page:
    """A slider that has been placed."""
    page = visit.task()
    for at, slider in enumerate(page.locator("steelyard-slider").all()[:3]):
        slider.focus()
        for key in ("Home", *["PageUp"] * (3 + 2 * at)):
            page.keyboard.press(key)
    page.evaluate("scrollTo(0, 0)")
    return page


def chosen_level(visit: Visit) -> Page:
    """A scale with levels, one of them chosen."""
    page = visit.task()
    page.keyboard.press("4")
    return page


def strength_asked(visit: Visit) -> Page:
    """A comparison with a side, and the question by how much."""
    page = visit.task()
    page.keyboard.press("1")
    return page


def answered_before(visit: Visit) -> Page:
    """The second comparison of a rater, who can undo the first."""
    page = visit.task()
    page.locator(".choice").first.click()
    expect(page.locator("#progress")).to_contain_text("2 of")
    return page


def some_lines(visit: Visit) -> Page:
    """A comparison list with two answers."""
    page = visit.task()
    for line, words in ((0, "Less"), (1, "More")):
        page.locator(".line").nth(line).locator(".choice", has_text=words).click()
    page.evaluate("scrollTo(0, 0)")
    return page


def both_ends(visit: Visit) -> Page:
    """A most and a least."""
    page = visit.task()
    page.keyboard.press("1")
    page.keyboard.press("Shift+3")
    page.evaluate("scrollTo(0, 0)")
    return page


def three_ranks(visit: Visit) -> Page:
    """A ranking with three items placed."""
    page = visit.task()
    for _ in range(3):
        page.locator(".rank-tray .rank-place").first.click()
    page.evaluate("scrollTo(0, 0)")
    return page


def lower_bound(visit: Visit) -> Page:
    """A range whose lower bound has been placed."""
    page = visit.task()
    for key in ("Home", *["PageUp"] * 4):
        page.keyboard.press(key)
    return page


def upper_bound(visit: Visit) -> Page:
    """The second step of a range."""
    page = lower_bound(visit)
    page.keyboard.press("Enter")
    for key in ("End", *["PageDown"] * 2):
        page.keyboard.press(key)
    return page


def welcome(visit: Visit) -> Page:
    """The first page of a rater."""
    page = visit.open_page(f"{visit.served.address}/join")
    page.fill("#name", "Ines")
    page.click("#join")
    page.wait_for_url("**/welcome")
    return page


def exercise(visit: Visit) -> Page:
    """The first exercise of the training."""
    page = visit.enter("/training")
    if page.locator("#instructions").is_visible():
        page.click("#instructions button")
        expect(page.locator("#instructions")).to_be_hidden()
    return page


def wrong_attempt(visit: Visit) -> Page:
    """An exercise with a mistake."""
    page = exercise(visit)
    for key in ("Home", *["PageUp"] * 8, "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".feedback")).to_be_visible()
    return page


def drawing(visit: Visit) -> Page:
    """The choice of the first examples."""
    page = visit.open_page(visit.served.owner)
    page.goto(f"{visit.served.address}/cold-start")
    expect(page.locator(".acts-row")).to_be_visible()
    if page.locator("#back").count() > 0:
        page.click("#back")
    expect(page.locator(".drawn-card").first).to_be_visible()
    return page


def placing(visit: Visit) -> Page:
    """Three of the first examples on the scale."""
    page = drawing(visit)
    page.keyboard.press("Enter")
    expect(page.locator("steelyard-placing")).to_be_visible()
    for at in range(3):
        page.locator(".place-tray .place-card").first.focus()
        for key in ("Home", *["PageUp"] * (2 + 3 * at)):
            page.keyboard.press(key)
    page.evaluate("scrollTo(0, 0)")
    return page


RATING = StudyOf("rating")
LIST = StudyOf("list")
COMPARISON = StudyOf("comparison", question="Which is more filling?")
CONVINCING = {"question": "Which letter is more convincing?", "more": "is more convincing"}
LONG_PAIRS = StudyOf("comparison", tuple(LETTERS), **CONVINCING)
RANGE = StudyOf("range", anchors=ANCHORS)
LONG_RANGE = StudyOf("range", tuple(LETTERS), anchors=LETTER_ANCHORS)
DOTS = StudyOf("range", anchors=ANCHORS, medium="image")
TRAINING = StudyOf("range", sections="[training]\ninterface = true\n")
COLD_START = StudyOf("range", sections='[cold_start]\nsize = 7\nby = "owner"\n')
LEVELS = StudyOf("rating", scale="levels = 5", labels=("Not filling at all", "Extremely filling"))
STRENGTH = StudyOf("comparison", extra="strength = true\nboth_bad = true")
RTL = 'direction = "rtl"\nlanguage = "ar"\n'
ARABIC = {
    "items": tuple(DISHES_RTL),
    "extra": RTL,
    "question": "ما مدى شعورك بالشبع بعد تناول هذا الطبق؟",
    "labels": ("غير مشبع إطلاقًا", "مشبع إلى حد ما", "مشبع للغاية"),
}
RTL_ANCHORS = (("tea", 2, 6), ("soup", 40, 50), ("lamb", 88, 95))

RATER_SCENES = (
    Scene("welcome", RATING, welcome),
    Scene("rating", RATING),
    Scene("rating, answered", RATING, rated),
    Scene("levels", LEVELS, chosen_level),
    Scene("list", LIST, rated),
    Scene("list, long texts", StudyOf("list", tuple(LETTERS)), rated),
    Scene("comparison", COMPARISON, answered_before),
    Scene("comparison, long texts", LONG_PAIRS),
    Scene("comparison, strength", STRENGTH, strength_asked),
    Scene("comparison list", StudyOf("comparison_list"), some_lines),
    Scene("best-worst", StudyOf("best_worst"), both_ends),
    Scene("ranking", StudyOf("ranking"), three_ranks),
    Scene("range", RANGE),
    Scene("range, lower bound", RANGE, lower_bound),
    Scene("range, upper bound", RANGE, upper_bound),
    Scene("range, long texts", LONG_RANGE, lower_bound),
    Scene("range, pictures", DOTS, lower_bound),
    Scene("rating with examples", StudyOf("rating", anchors=ANCHORS), rated),
    Scene("list with examples", StudyOf("list", anchors=ANCHORS), rated),
    Scene("training", TRAINING, exercise),
    Scene("training, mistake", TRAINING, wrong_attempt),
    Scene("first examples", COLD_START, drawing),
    Scene("first examples, placing", COLD_START, placing),
    Scene("right to left, rating", StudyOf("rating", **ARABIC), rated),
    Scene("right to left, range", StudyOf("range", **ARABIC, anchors=RTL_ANCHORS), upper_bound),
    Scene("right to left, comparison", StudyOf("comparison", **ARABIC)),
)
