"""The parts of the report that the owner's page also shows: systems, comparisons and ranges."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlencode

from markupsafe import Markup

from steelyard.report.contents import study_source
from steelyard.report.parts.comparisons import ComparisonsPart, comparisons_part
from steelyard.report.parts.ranges import RangesPart, ranges_part
from steelyard.report.parts.systems import SystemsPart, systems_part
from steelyard.report.pictures import BY_WIDTH
from steelyard.report.source import ReportSource
from steelyard.study.collecting.learning import MODEL_FAILURES
from steelyard.study.results.overview import Overview

PartName = Literal["systems", "comparisons", "ranges"]
PART_NAMES: tuple[PartName, ...] = ("systems", "comparisons", "ranges")
MAKERS: Mapping[PartName, Callable[[ReportSource], Any]] = {
    "systems": systems_part,
    "comparisons": comparisons_part,
    "ranges": ranges_part,
}
# Keys of the messages with their titles.
TITLES: Mapping[PartName, str] = {
    "systems": "systems",
    "comparisons": "comparisons",
    "ranges": "ambiguity_and_disagreement",
}
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
    systems, comparisons, ranges
        The parts, as in the report.
    failures
        Parts that could not be computed, with the reason.
    """

    key: str
    judgments: int
    systems: SystemsPart | None = None
    comparisons: ComparisonsPart | None = None
    ranges: RangesPart | None = None
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
    source, made = study_source(overview, overview.views.index(view)), {}
    failures: list[tuple[PartName, str]] = []
    for name in PART_NAMES:
        try:
            made[name] = MAKERS[name](source)
        except MODEL_FAILURES as reason:  # the rest of the page is still of use
            LOG.error("The part %r could not be computed.", name, exc_info=reason)
            failures.append((name, f"{type(reason).__name__}: {reason}"))
    return OwnerParts(secrets.token_hex(8), overview.judgments, **made, failures=tuple(failures))


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
