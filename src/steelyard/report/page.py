"""The report: one self-contained page that needs no network and no script, and prints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steelyard.report import words
from steelyard.report.charts import COLOURS, NARROW, WIDE, ScalePicture, ScaleRow, draw_scale, scale_rows
from steelyard.report.contents import CAVEATS, ReportInput, ReportPart
from steelyard.report.disputes import Dispute, disputes, typical_rank_width
from steelyard.scales.fit import Fit
from steelyard.version import VERSION

TABLED = 5_000  # items in the full table; more belong into a file


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure a scale is, in numbers that a sentence can hold."""

    interval_width: float
    rank_width: int
    converged: bool
    caveat: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The chart for one theme and one width; the page's style shows the one that fits."""

    look: str
    svg: Markup


@dataclass(frozen=True, eq=False)
class Section:
    """One question as the page shows it."""

    part: ReportPart
    width: float
    shown: tuple[ScaleRow, ...]
    every: tuple[ScaleRow, ...]
    drawings: tuple[Drawing, ...]
    sureness: Sureness
    disputes: tuple[Dispute, ...]
    signature: str


def render_report(report: ReportInput) -> str:
    """The report as one HTML file."""
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
        Sureness(
            float(np.median(scale.high - scale.low)),
            typical_rank_width(scale),
            fit.converged,
            CAVEATS.get(fit.provenance.model, ""),
        ),
        disputes(part.judgments, report.labels),
        fit.signature,
    )


def _drawings(rows: tuple[ScaleRow, ...], span: tuple[float, float]) -> tuple[Drawing, ...]:
    # vl-convert escapes the labels; the rest of a drawing is ours.
    return tuple(
        Drawing(f"{theme} {width}", Markup(draw_scale(ScalePicture(rows, span, theme, layout))))
        for theme in COLOURS
        for width, layout in (("wide", WIDE), ("narrow", NARROW))
    )


@cache
def _environment() -> Environment:
    loader = PackageLoader("steelyard.report")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
