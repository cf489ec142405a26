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


def fetched_ahead(widgets: Iterable[WidgetOut]) -> Ahead:
    """Return all modules that widgets import, and the stylesheets of the widgets.

    >>> fetched_ahead([{"module": "/widgets/yes_no/yes-no.js", "styles": []}])
    Ahead(modules=('/widgets/yes_no/yes-no.js',), styles=())
    """
    shown = list(widgets)
    modules = dict.fromkeys(address for widget in shown for address in imports_of(widget["module"]))
    styles = dict.fromkeys(address for widget in shown for address in widget["styles"])
    return Ahead(tuple(modules), tuple(styles))


@lru_cache(maxsize=64)
def imports_of(entry: str) -> tuple[str, ...]:
    """Return the address of a module, followed by those of all modules that it imports."""
    reached = [entry]
    for address in reached:  # the list grows during the loop
        reached += [each for each in _direct_imports(address) if each not in reached]
    return tuple(reached)


def read_script(address: str) -> str:
    """Return the text of a module of Steelyard, or of the widget of another package; "" if there is none."""
    if address.startswith(ADDRESS):
        return (STATIC / address.removeprefix(ADDRESS)).read_text(encoding="utf-8")
    way = next((each for each in PROTOCOLS.values() if each.address(each.widget.module) == address), None)
    if way is None or way.widget.folder is None:
        return ""
    return (way.widget.folder / way.widget.module).read_text(encoding="utf-8")


def _direct_imports(address: str) -> Iterator[str]:
    if not address.startswith(ADDRESS):  # a widget of another package
        return
    text = (STATIC / address.removeprefix(ADDRESS)).read_text(encoding="utf-8")
    for name in IMPORT.findall(text):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(address), name))
