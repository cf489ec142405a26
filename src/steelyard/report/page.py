"""The report as one self-contained HTML page, without scripts or network access."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steelyard.messages.words import Words, owner_words
from steelyard.report.charts import COLOURS, Theme
from steelyard.report.contents import PARTS, Report
from steelyard.report.local_words import LocalWords
from steelyard.report.pictures import BY_WIDTH, WIDTHS, picture_of
from steelyard.version import VERSION

FIGURE = Markup('<div role="img" aria-label="{}">{}</div>')
DRAWING = Markup('<div class="drawing {}">{}</div>')


def render_report(report: Report) -> str:
    """Return the report as one HTML page."""
    messages = owner_words(report.language)
    spoken = {"messages": messages, "words": LocalWords(messages)}
    return (
        environment()
        .get_template("report.html")
        .render(
            report=report,
            parts=PARTS,
            picture=partial(inline_picture, messages=messages),
            version=VERSION,
            **spoken,
        )
    )


def inline_picture(part: Any, name: str, alternative: str, messages: Words | None = None) -> Markup:
    """Return a chart of a part as SVG for every theme and width. The stylesheet shows the one that fits the screen.

    Parameters
    ----------
    part
        A part of a report.
    name
        Name of the chart.
    alternative
        Description for readers who do not see the chart.
    messages
        Words of the titles of axes. Default: English.

    Returns
    -------
    Markup
        The drawings.
    """
    widths = WIDTHS if name in BY_WIDTH else ("",)
    # Safe as Markup: vl-convert escapes the labels, and the rest of a chart contains no text of users.
    drawings = [
        DRAWING.format(
            f"{theme} {width}".strip(), Markup(_drawn(part, name, theme, width or "wide", messages))
        )
        for theme, width in product(COLOURS, widths)
    ]
    return FIGURE.format(alternative, Markup("").join(drawings))


def _drawn(part: Any, name: str, theme: Theme, width: str, messages: Words | None) -> str:
    draw, picture = picture_of(part, name, theme, width, messages)
    return draw(picture)


@cache
def environment() -> Environment:
    """Return the templates of the report."""
    loader = PackageLoader("steelyard.report")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
