"""The parts of the report that the owner's page also shows."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlencode

from markupsafe import Markup

from steelyard.report.contents import study_source
from steelyard.report.methods_text import MethodsText
from steelyard.report.parts.collection import collection_part
from steelyard.report.parts.comparisons import ComparisonsPart, comparisons_part
from steelyard.report.parts.method import MethodPart, method_part
from steelyard.report.parts.ranges import RangesPart, ranges_part
from steelyard.report.parts.scale import ScalePart, scale_part
from steelyard.report.parts.systems import SystemsPart, systems_part
from steelyard.report.pictures import BY_WIDTH
from steelyard.report.source import ReportSource
from steelyard.study.collecting.learning import MODEL_FAILURES
from steelyard.study.results.overview import Overview

PartName = Literal["systems", "comparisons", "ranges", "scale", "methods", "method"]
PART_NAMES: tuple[PartName, ...] = ("systems", "comparisons", "ranges", "scale", "methods", "method")
# Keys of the messages with the titles of parts that are cards of their own; the others are details of other cards.
TITLES: Mapping[PartName, str] = {
    "systems": "systems",
    "comparisons": "comparisons",
    "ranges": "ambiguity_and_disagreement",
}
TITLES_OF_ALL: Mapping[PartName, str] = {
    **TITLES,
    "scale": "more_about_items",
    "methods": "methods_paragraph",
    "method": "how_made",
}
COMMAND = "steelyard report DIR"  # makes the same numbers again
LOG = logging.getLogger(__name__)
LISTED = 50  # items in a table of the page; a report lists more
PICTURE = Markup('<picture>{}<img src="{}" alt="{}"></picture>')
SOURCE = Markup('<source media="{}" srcset="{}">')
PHONE, DARK = "(max-width: 699px)", "(prefers-color-scheme: dark)"


@dataclass(frozen=True, slots=True)
class OwnerParts:
    """Parts about one question. A part is None if it does not apply.

    Attributes
    ----------
    key
        Name of this version, for the addresses of its charts.
    judgments
        Number of judgments from which the parts were made.
    systems, comparisons, ranges, scale, methods, method
        The parts, as in the report; the scale without its table, which the page has.
    failures
        Parts that could not be computed, with the reason.
    """

    key: str
    judgments: int
    systems: SystemsPart | None = None
    comparisons: ComparisonsPart | None = None
    ranges: RangesPart | None = None
    scale: ScalePart | None = None
    methods: MethodsText | None = None
    method: MethodPart | None = None
    failures: tuple[tuple[PartName, str], ...] = ()

    def listed(self, name: PartName) -> Any:
        """Return a part with short tables, for the page."""
        part = getattr(self, name)
        return replace(part, rows=part.rows[:LISTED]) if isinstance(part, RangesPart) else part


def parts_of(overview: Overview, question: str) -> OwnerParts:
    """Return the parts about a question, made from an overview with its judgments."""
    view = overview.view(question)
    if view.fit is None:
        return OwnerParts("", overview.judgments)
    sources = [study_source(overview, at) for at in range(len(overview.views))]
    source, made = sources[overview.views.index(view)], {}
    failures: list[tuple[PartName, str]] = []
    for name in PART_NAMES:
        try:
            made[name] = MAKERS[name](source, sources)
        except MODEL_FAILURES as reason:  # the rest of the page is still of use
            LOG.error("The part %r could not be computed.", name, exc_info=reason)
            failures.append((name, f"{type(reason).__name__}: {reason}"))
    return OwnerParts(secrets.token_hex(8), overview.judgments, **made, failures=tuple(failures))


def _short_scale(source: ReportSource) -> ScalePart | None:
    """The scale without the rows of its table and chart."""
    part = scale_part(source)
    return part if part is None else replace(part, rows=(), shown=(), clusters=())


# Functions of the source of the question, and of the sources of all questions.
MAKERS: Mapping[PartName, Callable[[ReportSource, Sequence[ReportSource]], Any]] = {
    "systems": lambda source, _: systems_part(source),
    "comparisons": lambda source, _: comparisons_part(source),
    "ranges": lambda source, _: ranges_part(source),
    "scale": lambda source, _: _short_scale(source),
    "methods": lambda _, sources: collection_part(sources).methods,
    "method": lambda _, sources: method_part(sources, COMMAND),
}


@dataclass(frozen=True, slots=True)
class LinkedPictures:
    """Charts of parts as pictures that the browser loads, in the theme and layout of the screen."""

    question: str
    key: str
    names: Mapping[int, PartName]
    condition: str = ""

    def __call__(self, part: Any, name: str, alternative: str) -> Markup:
        """Return the element of a chart, as `report.page.inline_picture` does for reports."""
        of = self.names[id(part)]
        address = {"question": self.question, "of": of, "chart": name, "at": self.key}
        address |= {"condition": self.condition} if self.condition else {}

        def link(**more: str) -> str:
            return f"/owner/part.svg?{urlencode({**address, **more})}"

        sources = [(DARK, link(theme="dark"))]
        if name in BY_WIDTH:
            narrow = [
                (f"{PHONE} and {DARK}", link(theme="dark", width="narrow")),
                (PHONE, link(width="narrow")),
            ]
            sources = [*narrow, *sources]
        return PICTURE.format(Markup("").join(SOURCE.format(*each) for each in sources), link(), alternative)
