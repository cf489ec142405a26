"""Measure the browser time of one input event with many anchors on one scale.

A range study with many anchors is served and opened in Chromium. Real input events (a mouse drag, keys, the wheel)
are sent one at a time. After each event the script waits for two frames and reads the browser's counters of
script, style and layout time (Chrome DevTools protocol, Performance.getMetrics). It prints the median, 95th
percentile and largest sum per event, in milliseconds, minus the cost of the same reading without an event.

    python benchmarks/anchors.py --anchors 200 2000 --events 150
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.serving import serving, write_study

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
COUNTERS = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
MUST_MS = 16.0


def write_anchored(folder, anchors, rng):
    """Write a range study with anchors at random positions."""
    names = [
        (f"item{at}", f"Portion {at} of something with words enough for a card") for at in range(anchors + 2)
    ]
    key = write_study(folder, protocol="range", items=names)
    lows = rng.uniform(0.0, 96.0, anchors)
    rows = [
        f"item{at},{low:.4f},{low + width:.4f}"
        for at, (low, width) in enumerate(zip(lows, rng.uniform(0.0, 4.0, anchors), strict=True))
    ]
    (folder / "anchors.csv").write_text("\n".join(["item,low,high", *rows]) + "\n", encoding="utf-8")
    with (folder / "study.toml").open("a", encoding="utf-8") as study:
        study.write('\n[anchors]\nfile = "anchors.csv"\n')
    return key


class Measured:
    """One page under measurement."""

    def __init__(self, page):
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable")

    def counters(self):
        metrics = {
            each["name"]: each["value"] for each in self.session.send("Performance.getMetrics")["metrics"]
        }
        return 1e3 * sum(metrics[name] for name in COUNTERS)

    def cost(self, act):
        """Milliseconds of script, style and layout that an act causes until the frame after the next."""
        before = self.counters()
        act()
        self.page.evaluate(FRAME)
        return self.counters() - before


def events(page, count):
    """Actions by kind of event; each sends one input event."""
    line = page.locator("steelyard-slider[data-side=low] .track").bounding_box()
    y = line["y"] + line["height"] / 2
    across = [line["x"] + line["width"] * (at + 1) / (count + 1) for at in range(count)]
    page.mouse.move(across[0], y)
    page.mouse.down()
    yield "drag", [lambda x=x: page.mouse.move(x, y) for x in across]
    page.mouse.up()
    yield (
        "keys",
        [lambda key=("ArrowLeft" if at % 7 else "PageDown"): page.keyboard.press(key) for at in range(count)],
    )
    yield (
        "wheel",
        [lambda way=(-1 if at % 10 < 5 else 1): page.mouse.wheel(0, 100 * way) for at in range(count)],
    )


def measure(page, count):
    measured = Measured(page)
    idle = float(np.median([measured.cost(lambda: None) for _ in range(20)]))
    for kind, acts in events(page, count):
        yield kind, np.maximum(0.0, [measured.cost(act) - idle for act in acts])


def serve_and_measure(browser, folder, anchors, count):
    """Serve a study, take part in it, and print the cost of each kind of event."""
    key = write_anchored(folder, anchors, np.random.default_rng(anchors))
    with serving(folder, key) as served:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{served.address}/join")
        page.fill("#name", "Ines")
        page.click("#join")
        page.click("#start")
        page.wait_for_selector(".anchor")
        for kind, costs in measure(page, count):
            quantiles = " ".join(
                f"{each:>8.2f}" for each in (np.median(costs), np.percentile(costs, 95), costs.max())
            )
            verdict = "yes" if np.percentile(costs, 95) < MUST_MS else "NO"
            print(f"{anchors:>8} {kind:>6} {len(costs):>7} {quantiles}  {verdict}")
        page.close()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--anchors", type=int, nargs="+", default=[200, 2000])
    parser.add_argument("--events", type=int, default=150)
    settings = parser.parse_args()
    path = next(found for name in BROWSERS if (found := shutil.which(name)))
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-gpu", *as_root])
        print(f"Chromium {browser.version}; milliseconds of script, style and layout per event")
        print(f" anchors  event  events   median      p95  largest  p95 under {MUST_MS:g} ms")
        for anchors in settings.anchors:
            serve_and_measure(browser, Path(folder) / f"study{anchors}", anchors, settings.events)
        browser.close()


if __name__ == "__main__":
    main()
