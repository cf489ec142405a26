"""The script and the stylesheet of each page: one file each, compressed, with the hash of its content in its name.

They are made when the server starts, with the widgets of the study's protocols. Widgets of other packages stay
separate modules and import the plain files under /static/. A page has only the messages that its scripts use.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.web.schema import PAGE, WidgetOut
from steelyard.web.script_bundles import join_modules
from steelyard.web.widgets import ADDRESS, STATIC, Ahead, fetched_ahead, read_script

FOR_GOOD = "public, max-age=31536000, immutable"  # the name changes with the content
SMALLEST = 1_000  # bytes; below this, compression saves nothing that matters
WORD = re.compile(r"\bWORDS\.(\w+)|\b(?:say|sayNodes)\(\s*\"(\w+)\"")
STYLE_COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
VARIES = {"Vary": "Accept-Encoding"}
COMPRESSED = {**VARIES, "Content-Encoding": "gzip"}
FORMS = ("tokens", "base", "forms")
TASK = (*FORMS, "controls", "items", "task")
SCALE = ("dock", "scale", "anchors", "scale-upright")
OWNER = (*FORMS, "owner", "owner-tables")


@dataclass(frozen=True, slots=True)
class PageParts:
    """What a page consists of.

    Attributes
    ----------
    scripts
        Modules in static/pages that the page runs.
    styles
        Stylesheets in static/styles, in the order of the cascade.
    shows_tasks
        Whether the page shows tasks, and therefore needs the widget of the study's protocol.
    last_styles
        Stylesheets after those of the widget.
    """

    scripts: tuple[str, ...] = ()
    styles: tuple[str, ...] = FORMS
    shows_tasks: bool = False
    last_styles: tuple[str, ...] = ()


PAGES = {
    "plain": PageParts(),
    "welcome": PageParts(("copy", "welcome"), (*FORMS, "controls")),
    "thanks": PageParts(("copy",)),
    "preview": PageParts(("preview-page",), TASK, shows_tasks=True),
    "task": PageParts(("copy", "task-page"), TASK, shows_tasks=True),
    "training": PageParts(("training-page",), TASK, shows_tasks=True, last_styles=("training",)),
    "cold_start": PageParts(("cold-start-page",), (*TASK, *SCALE, "steps", "cold-start")),
    "owner": PageParts(("copy", "owner"), (*OWNER, "owner-parts")),
    "owner_more": PageParts(("copy",), OWNER),
}


@dataclass(frozen=True, slots=True)
class PageFiles:
    """Addresses of the files of a page.

    Attributes
    ----------
    stylesheet
        Address of the stylesheet.
    holds
        Addresses of the stylesheets that it consists of.
    last_stylesheet
        Address of the stylesheet that follows those of widgets, or "".
    script
        Address of the script, or "" if the page has none.
    ahead
        Files of a widget from another package, which are not part of the script.
    words
        Keys of the messages that the scripts of the page use.
    """

    stylesheet: str
    holds: tuple[str, ...]
    last_stylesheet: str
    script: str
    ahead: Ahead
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class File:
    """The content of a file, plain and compressed."""

    media_type: str
    plain: bytes
    compressed: bytes


class Bundles:
    """The files of all pages of a study, made when the server starts.

    Parameters
    ----------
    widgets
        Widgets that tasks of the study need.
    """

    def __init__(self, widgets: Sequence[WidgetOut]) -> None:
        self._files: dict[str, File] = {}
        self.icon = self._add("icon", ".svg", (STATIC / "icon.svg").read_text(encoding="utf-8"))
        self._pages = {name: self._made(name, parts, widgets) for name, parts in PAGES.items()}

    def page(self, name: str) -> PageFiles:
        """Return the files of a page."""
        return self._pages[name]

    def serve(self, request: Request, name: str) -> Response:
        """Anyone: a file of a page, which browsers keep for good."""
        file = self._files.get(name)
        if file is None:
            raise HTTPException(404, "This file does not exist.")
        headers = {"Cache-Control": FOR_GOOD}
        if not accepts_gzip(request):
            return Response(file.plain, media_type=file.media_type, headers={**headers, **VARIES})
        return Response(file.compressed, media_type=file.media_type, headers={**headers, **COMPRESSED})

    def _made(self, name: str, parts: PageParts, widgets: Sequence[WidgetOut]) -> PageFiles:
        shown = list(widgets) if parts.shows_tasks else []
        # A widget of another package imports modules of Steelyard by their own addresses, so it must find its own
        # copy of every widget there: an element can be defined only once.
        joined = shown if all(_is_ours(each) for each in shown) else []
        styles = tuple(dict.fromkeys([*_addresses("styles", ".css", parts.styles), *_styles_of(joined)]))
        last = _addresses("styles", ".css", parts.last_styles)
        entries = [
            *dict.fromkeys(widget["module"] for widget in joined),
            *_addresses("pages", ".js", parts.scripts),
        ]
        script = join_modules(entries, _read) if parts.scripts else ""
        ahead = fetched_ahead([] if joined else shown)
        return PageFiles(
            self._add(name, ".css", _joined_styles(styles)),
            styles,
            self._add(f"{name}-last", ".css", _joined_styles(last)) if last else "",
            self._add(name, ".js", script) if script else "",
            ahead,
            frozenset().union(words_in(script), *(words_in(read_script(each)) for each in ahead.modules)),
        )

    def _add(self, name: str, suffix: str, text: str) -> str:
        """Add a file and return its address."""
        plain = text.encode()
        full_name = f"{name.replace('_', '-')}-{hashlib.sha256(plain).hexdigest()[:12]}{suffix}"
        self._files[full_name] = File(TYPES[suffix], plain, compress(plain))
        return f"/bundles/{full_name}"


def words_in(script: str) -> frozenset[str]:
    """Return the keys of the messages that a script uses.

    >>> sorted(words_in('[WORDS.next, say("draw_more", { count })]'))
    ['draw_more', 'next']
    """
    return frozenset(match[1] or match[2] for match in WORD.finditer(script))


def compress(content: bytes) -> bytes:
    """Return the content compressed by gzip. Equal contents give equal results."""
    return gzip.compress(content, 9, mtime=0)


def accepts_gzip(request: Request) -> bool:
    """Whether the browser accepts gzip."""
    return "gzip" in request.headers.get("accept-encoding", "")


def compress_page(request: Request, page: Response) -> Response:
    """Return a page compressed, if the browser accepts it.

    For pages without text from the address of the request: the size of other pages could reveal their form tokens.
    """
    body = bytes(page.body)
    if not accepts_gzip(request) or len(body) < SMALLEST:
        return page
    page.body = compress(body)
    page.headers.update({**COMPRESSED, "Content-Length": str(len(page.body))})
    return page


def serve_bundles(app: FastAPI, bundles: Bundles) -> None:
    """Serve the files of the pages under /bundles/."""
    app.add_api_route("/bundles/{name}", bundles.serve, **PAGE)


def _addresses(folder: str, suffix: str, names: Iterable[str]) -> list[str]:
    return [f"{ADDRESS}{folder}/{name}{suffix}" for name in names]


def _styles_of(widgets: Iterable[WidgetOut]) -> list[str]:
    return [address for widget in widgets for address in widget["styles"]]


def _joined_styles(addresses: Iterable[str]) -> str:
    return "".join(STYLE_COMMENT.sub("", _read(each)) for each in addresses)


def _is_ours(widget: WidgetOut) -> bool:
    return all(address.startswith(ADDRESS) for address in (widget["module"], *widget["styles"]))


def _read(address: str) -> str:
    path: Path = STATIC / address.removeprefix(ADDRESS)
    return path.read_text(encoding="utf-8")
