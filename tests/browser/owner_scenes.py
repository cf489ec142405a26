"""Pages of the owner worth a picture: the overview, a rater, an item and the report."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.filling import with_answers
from tests.browser.scenes import Scene, Visit
from tests.serving import FOODS, write_study


@dataclass(frozen=True)
class RatedStudy:
    """A rating study with the answers of five raters."""

    def write(self, folder: Path) -> str:
        """Write the study to a folder and return the key of its owner."""
        extra = 'model = "direct_assessment"\ncomment = true\nopen_link = true\nredundancy = 5'
        key = write_study(folder, "rating", extra)
        with_answers(folder)
        return key


def owners_page(visit: Visit, path: str) -> Page:
    """A page of the owner."""
    page = visit.open_page(visit.served.owner)
    page.goto(f"{visit.served.address}/owner{path}")
    return page


RATED = RatedStudy()
OWNER_SCENES = tuple(
    Scene(name, RATED, partial(owners_page, path=path))
    for name, path in (
        ("owner, overview", ""),
        ("owner, raters", "#raters"),
        ("owner, rater", "/raters/r-05"),
        ("owner, item", f"/items/{FOODS[2][0]}"),
        ("owner, all items", "/items"),
        ("report", "/report"),
    )
)
