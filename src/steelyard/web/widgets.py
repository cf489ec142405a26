"""Script modules and stylesheets of protocols, and the files that a page loads before its first task."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from steelyard.kinds.known import PROTOCOLS
from steelyard.web.schema import WidgetOut

STATIC = Path(__file__).parent / "static"
ADDRESS = "/static/"
IMPORT = re.compile(r'^(?:import|export)\b[^"\';]*"([^"]+\.js)";', re.MULTILINE)


# Examples along a scale and zoom; only some studies use them.
GROUND: WidgetOut = {
    "module": ADDRESS + "widgets/scale/ground.js",
    "styles": [ADDRESS + f"styles/{name}.css" for name in ("dock", "scale", "anchors", "scale-upright")],
}


def widget_of(protocol: str) -> WidgetOut:
    """Return the addresses of the widget for tasks of this protocol."""
    way = PROTOCOLS[protocol]
    return {
        "module": way.address(way.widget.module),
        "styles": [way.address(style) for style in way.widget.styles],
    }


@dataclass(frozen=True, slots=True)
class Ahead:
    """Addresses that a page preloads, so that no request waits for another."""

    modules: tuple[str, ...]
    styles: tuple[str, ...]


def fetched_ahead(page: str, widgets: Iterable[WidgetOut]) -> Ahead:
    """Return all modules that a page imports, directly or through widgets, and the stylesheets of the widgets.

    >>> fetched_ahead("pages/copy.js", [])
    Ahead(modules=('/static/pages/copy.js', '/static/elements.js'), styles=())
    """
    shown = list(widgets)
    entries = [ADDRESS + page, *(widget["module"] for widget in shown)]
    modules = dict.fromkeys(address for entry in entries for address in imports_of(entry))
    styles = dict.fromkeys(address for widget in shown for address in widget["styles"])
    return Ahead(tuple(modules), tuple(styles))


@lru_cache(maxsize=64)
def imports_of(entry: str) -> tuple[str, ...]:
    """Return the address of a module, followed by those of all modules that it imports."""
    reached = [entry]
    for address in reached:  # the list grows during the loop
        reached += [each for each in _direct_imports(address) if each not in reached]
    return tuple(reached)


def _direct_imports(address: str) -> Iterator[str]:
    if not address.startswith(ADDRESS):  # a widget of another package
        return
    text = (STATIC / address.removeprefix(ADDRESS)).read_text(encoding="utf-8")
    for name in IMPORT.findall(text):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(address), name))
