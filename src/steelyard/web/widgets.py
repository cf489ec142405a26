"""Which script module and stylesheets show a protocol, and what a page fetches before its first task."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from steelyard.web.schema import WidgetOut

STATIC = Path(__file__).parent / "static"
ADDRESS = "/static/"
IMPORT = re.compile(r'^(?:import|export)\b[^"\';]*"([^"]+\.js)";', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Widget:
    """A module below static/ and the stylesheets that it needs, in the order of the cascade."""

    module: str
    styles: tuple[str, ...] = ()


WIDGETS = {
    "rating": Widget("widgets/scale/rating.js", ("styles/rating.css",)),
    "list": Widget(
        "widgets/scale/list.js",
        ("styles/lines.css", "styles/dock.css", "styles/list.css", "styles/order.css"),
    ),
    "range": Widget(
        "widgets/scale/range.js",
        (
            "styles/dock.css",
            "styles/scale.css",
            "styles/anchors.css",
            "styles/scale-upright.css",
            "styles/steps.css",
            "styles/range.css",
        ),
    ),
    "comparison": Widget(
        "widgets/choices/comparison.js", ("styles/dock.css", "styles/choices.css", "styles/comparison.css")
    ),
    "comparison_list": Widget(
        "widgets/choices/comparison-list.js",
        ("styles/lines.css", "styles/dock.css", "styles/choices.css", "styles/comparison-list.css"),
    ),
    "ranking": Widget(
        "widgets/cards/ranking.js", ("styles/dock.css", "styles/ranking.css", "styles/boards.css")
    ),
    "best_worst": Widget(
        "widgets/choices/best-worst.js",
        ("styles/dock.css", "styles/choices.css", "styles/boards.css", "styles/best-worst.css"),
    ),
}
# Examples along a scale, and looking closer at it; only some studies have them.
GROUND = Widget(
    "widgets/scale/ground.js",
    ("styles/dock.css", "styles/scale.css", "styles/anchors.css", "styles/scale-upright.css"),
)


def widget_of(protocol: str) -> Widget:
    """The widget that shows tasks of this protocol."""
    return WIDGETS[protocol]


def widget_out(widget: Widget) -> WidgetOut:
    """A widget by its addresses, as a page loads it."""
    return {"module": ADDRESS + widget.module, "styles": [ADDRESS + each for each in widget.styles]}


@dataclass(frozen=True, slots=True)
class Ahead:
    """Addresses that a page fetches while it is read, so that no request waits for another."""

    modules: tuple[str, ...]
    styles: tuple[str, ...]


def fetched_ahead(page: str, widgets: Iterable[Widget]) -> Ahead:
    """What a page needs with these widgets: all modules that it imports, and the widgets' stylesheets.

    >>> fetched_ahead("pages/copy.js", [])
    Ahead(modules=('/static/pages/copy.js',), styles=())
    """
    shown = [widget_out(widget) for widget in widgets]
    entries = [ADDRESS + page, *(widget["module"] for widget in shown)]
    modules = dict.fromkeys(address for entry in entries for address in imports_of(entry))
    styles = dict.fromkeys(address for widget in shown for address in widget["styles"])
    return Ahead(tuple(modules), tuple(styles))


@lru_cache(maxsize=64)
def imports_of(entry: str) -> tuple[str, ...]:
    """The address of a module, then those of all modules that it imports, directly or through others."""
    reached = [entry]
    for address in reached:  # grows while it is read
        reached += [each for each in _direct_imports(address) if each not in reached]
    return tuple(reached)


def _direct_imports(address: str) -> Iterator[str]:
    if not address.startswith(ADDRESS):  # a widget that another package serves
        return
    text = (STATIC / address.removeprefix(ADDRESS)).read_text(encoding="utf-8")
    for name in IMPORT.findall(text):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(address), name))
