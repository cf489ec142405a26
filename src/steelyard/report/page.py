"""The report as one self-contained HTML page, without scripts or network access."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steelyard.report import words
from steelyard.report.charts import COLOURS, NARROW, WIDE, ScalePicture, ScaleRow, draw_scale, scale_rows
from steelyard.report.contents import ReportInput, ReportPart
from steelyard.report.disputes import Dispute, disputes, typical_rank_width
from steelyard.scales.fit import Fit
from steelyard.version import VERSION

TABLED = 5_000  # largest number of items in the full table


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart for one theme and one width. The stylesheet shows the one that fits the screen."""

    look: str
    svg: Markup


@dataclass(frozen=True, eq=False)
class Section:
    """One question of the report."""

    part: ReportPart
    width: float
    shown: tuple[ScaleRow, ...]
    every: tuple[ScaleRow, ...]
    drawings: tuple[Drawing, ...]
    precision: tuple[str, ...]
    disputes: tuple[Dispute, ...]
    signature: str


def render_report(report: ReportInput) -> str:
    """Return the report as one HTML page."""
    sections = [_section(report, part, part.fit) for part in report.parts if part.fit is not None]
    template = _environment().get_template("report.html")
    return template.render(report=report, sections=sections, words=words, version=VERSION, tabled=TABLED)


def _section(report: ReportInput, part: ReportPart, fit: Fit) -> Section:
    scale = fit.scale
    shown = scale_rows(scale, report.labels)
    return Section(
        part,
        part.span[1] - part.span[0],
        shown,
        scale_rows(scale, report.labels, most=None)[:TABLED],
        _drawings(shown, part.span),
        _precision(report.unit, part, fit),
        disputes(part.judgments, report.labels, report.unit),
        fit.signature,
    )


def _precision(unit: str, part: ReportPart, fit: Fit) -> tuple[str, ...]:
    """Sentences on the precision of the scale: intervals, ranks, and a caveat of the model."""
    scale, width = fit.scale, part.span[1] - part.span[0]
    if len(scale) == 1:
        return (part.quantity.caveat,) if part.quantity.caveat else ()
    wide = (
        f"{words.position(float(np.median(scale.high - scale.low)), width)} {part.quantity.measure}".strip()
    )
    if part.ends is None:
        ends = [words.position(float(end), width) for end in (scale.position.min(), scale.position.max())]
        where = f"wide, and positions range from {ends[0]} to {ends[1]}"
    else:
        where = f"wide, on a scale from {words.score(part.ends[0])} to {words.score(part.ends[1])}"
    every = words.counted(len(scale), "rank")
    sentences = (
        f"The 95% interval of a typical {unit} is {wide} {where}.",
        f"The 95% interval of its rank covers {typical_rank_width(scale)} of {every}.",
        part.quantity.caveat,
    )
    return tuple(sentence for sentence in sentences if sentence)


def _drawings(rows: tuple[ScaleRow, ...], span: tuple[float, float]) -> tuple[Drawing, ...]:
    # Safe as Markup: vl-convert escapes the labels, and the rest of a chart contains no text of users.
    return tuple(
        Drawing(f"{theme} {width}", Markup(draw_scale(ScalePicture(rows, span, theme, layout))))
        for theme in COLOURS
        for width, layout in (("wide", WIDE), ("narrow", NARROW))
    )


@cache
def _environment() -> Environment:
    loader = PackageLoader("steelyard.report")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
