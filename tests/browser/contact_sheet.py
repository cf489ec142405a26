"""Contact sheets of the pages, for docs/images/pages: every scene, on a desktop and a phone, light and dark.

    python -m tests.browser.contact_sheet [--only WORDS] [--single FOLDER] [FOLDER]

`--only` keeps the scenes whose name contains the words; `--single` saves each picture in a folder instead of sheets.
"""

import argparse
import base64
import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import chromium_of
from tests.browser.owner_scenes import OWNER_SCENES
from tests.browser.scenes import RATER_SCENES, Scene, Visit
from tests.commands import launch
from tests.serving import serving

SHEETS = {"rater": RATER_SCENES, "owner": OWNER_SCENES}
DEVICES = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "laptop": {"viewport": {"width": 1366, "height": 650}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "small-phone": {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True},
    "landscape": {"viewport": {"width": 740, "height": 360}, "has_touch": True, "is_mobile": True},
}
ON_SHEET = ("desktop", "phone")
SCHEMES = ("light", "dark")
THUMBNAIL = {"desktop": 420, "phone": 190}  # pixels
QUALITY = 60  # of WebP, from 0 to 100
SHEET_WIDTH = 1728
FOLDER = Path(__file__).parents[2] / "docs" / "images" / "pages"
PATIENCE = 600_000  # milliseconds; owner pages take long on a busy machine


@dataclass(frozen=True)
class Picture:
    """One page on one device, as PNG."""

    scene: str
    device: str
    scheme: str
    png: bytes


def pictures_of(
    browser: Browser, scenes: Sequence[Scene], looks: Sequence[tuple[str, str]], start=launch
) -> Iterator[Picture]:
    """Each scene in each look: on a device, light or dark. Neighbouring scenes of one study share a server."""
    for study, group in groupby(scenes, key=lambda scene: scene.study):
        with TemporaryDirectory() as folder:
            key = study.write(Path(folder) / "study")
            with serving(Path(folder) / "study", key, start=start) as served:
                for scene in group:
                    for look in looks:
                        yield take(browser, served, scene, *look)


def take(browser: Browser, served, scene: Scene, device: str, scheme: str) -> Picture:
    """One picture, in a new browser window."""
    contexts = []

    def open_page(address: str, **settings) -> Page:
        context = browser.new_context(**DEVICES[device], color_scheme=scheme, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        return page

    page = scene.show(Visit(served, open_page, DEVICES[device].get("has_touch", False)))
    page.evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => null)))")
    page.mouse.move(1, 1)
    picture = Picture(scene.name, device, scheme, page.screenshot(animations="disabled", caret="hide"))
    for context in contexts:
        context.close()
    return picture


def sheet_html(pictures: Sequence[Picture], device: str) -> str:
    """A page with the pictures of one device: each scene light and dark beside each other, with its name."""
    figures = []
    for scene, group in groupby(
        (each for each in pictures if each.device == device), key=lambda each: each.scene
    ):
        images = "".join(
            f'<img src="data:image/png;base64,{base64.b64encode(each.png).decode()}">' for each in group
        )
        figures.append(f"<figure><figcaption>{html.escape(scene)}</figcaption>{images}</figure>")
    style = (
        "body{margin:0;padding:16px;background:#888;font:15px system-ui,sans-serif}"
        "body{display:flex;flex-wrap:wrap;gap:16px}"
        "figure{margin:0}figcaption{color:#fff;margin-bottom:4px}"
        f"img{{width:{THUMBNAIL[device]}px;display:inline-block;vertical-align:top;margin-right:4px}}"
    )
    return f"<!doctype html><meta charset=utf-8><style>{style}</style>{''.join(figures)}"


def save_sheet(browser: Browser, pictures: Sequence[Picture], device: str, path: Path) -> None:
    """Save the pictures of one device as one WebP file."""
    context = browser.new_context(viewport={"width": SHEET_WIDTH, "height": 800})
    page = context.new_page()
    page.set_content(sheet_html(pictures, device))
    expect(page.locator("img").last).to_be_visible()
    page.evaluate("Promise.all([...document.images].map((image) => image.decode()))")
    height = page.evaluate("document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": SHEET_WIDTH, "height": height, "scale": 1}
    how = {"format": "webp", "quality": QUALITY, "captureBeyondViewport": True, "clip": clip}
    shot = context.new_cdp_session(page).send("Page.captureScreenshot", how)
    path.write_bytes(base64.b64decode(shot["data"]))
    context.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the contact sheets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--only", default="")
    parser.add_argument("--single", type=Path)
    parser.add_argument("--devices", nargs="+", choices=DEVICES, default=ON_SHEET)
    parser.add_argument("--schemes", nargs="+", choices=SCHEMES, default=SCHEMES)
    options = parser.parse_args(arguments)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright, chromium_of(playwright) as browser:
        for name, scenes in SHEETS.items():
            chosen = [scene for scene in scenes if options.only in scene.name]
            pictures = pictures_of(browser, chosen, [*product(options.devices, options.schemes)])
            if options.single is not None:
                save_each(pictures, options.single)
            elif chosen:
                save_sheets(browser, name, list(pictures), options)


def save_each(pictures: Iterable[Picture], folder: Path) -> None:
    """Save each picture as a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in pictures:
        name = each.scene.replace(", ", "-").replace(" ", "_")
        (folder / f"{name}-{each.device}-{each.scheme}.png").write_bytes(each.png)


def save_sheets(
    browser: Browser, name: str, pictures: Sequence[Picture], options: argparse.Namespace
) -> None:
    """Save one sheet for each device."""
    options.folder.mkdir(parents=True, exist_ok=True)
    for device in options.devices:
        save_sheet(browser, pictures, device, options.folder / f"{name}-{device}.webp")


if __name__ == "__main__":
    main()
