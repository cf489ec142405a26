"""The charts of the parts of a report: which chart shows which part, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from steelyard.messages.catalogue import SOURCE
from steelyard.messages.words import Words, owner_words
from steelyard.report.charts import (
    PlotLayout,
    ScalePicture,
    ScaleRow,
    Theme,
    draw_scale,
    narrow_for,
    wide_for,
    without_ranks,
)
from steelyard.report.drift import DriftLine, DriftPicture, draw_drift, most_used
from steelyard.report.histogram import HistogramPicture, draw_histogram
from steelyard.report.parts.agreement import AgreementPart
from steelyard.report.parts.ranges import RangesPart
from steelyard.report.parts.scale import ScalePart
from steelyard.report.parts.systems import SystemsPart
from steelyard.report.scatter import CornersPicture, draw_corners
from steelyard.report.sureness import CalibrationPicture, coverage_titles, draw_calibration

Draw = Callable[[Any], str]
WIDTHS = ("wide", "narrow")
BY_WIDTH = ("dots", "ranges", "corners", "drift")  # charts that have a layout for phones


def picture_of(
    part: Any, name: str, theme: Theme, width: str = "wide", messages: Words | None = None
) -> tuple[Draw, Any]:
    """Return the function that draws a chart of a part, and its argument.

    Parameters
    ----------
    part
        A part of a report.
    name
        Name of the chart in the template of the part.
    theme
        Colours for a light or a dark page.
    width
        "wide", or "narrow" for phones.
    messages
        Words of the titles of axes. Default: English.

    Returns
    -------
    tuple
        Function that returns SVG, and the picture to pass to it.
    """
    spoken = owner_words(SOURCE) if messages is None else messages
    makers: Mapping[tuple[type, str], Callable[[], tuple[Draw, Any]]] = {
        (ScalePart, "dots"): partial(_dots, part, theme, width, spoken),
        (ScalePart, "histogram"): partial(_histogram, part, theme, spoken),
        (SystemsPart, "dots"): partial(_system_dots, part, theme, width, spoken),
        (RangesPart, "ranges"): partial(_ranges, part, theme, width),
        (RangesPart, "corners"): partial(_corners, part, theme, width, spoken),
        (RangesPart, "drift"): partial(_drift, part, theme, width, spoken),
        (AgreementPart, "coverage"): partial(_coverage, part, theme, spoken),
    }
    return makers[type(part), name]()


def _dots(part: ScalePart, theme: Theme, width: str, messages: Words) -> tuple[Draw, Any]:
    return draw_scale, ScalePicture(
        part.shown,
        part.span,
        theme,
        _layout(part.shown, width),
        clusters=part.charted_clusters,
        heading=messages["rank_95"],
    )


def _layout(rows: Sequence[ScaleRow], width: str) -> PlotLayout:
    return (
        narrow_for([row.ranks for row in rows])
        if width == "narrow"
        else wide_for([row.label for row in rows])
    )


def _histogram(part: ScalePart, theme: Theme, messages: Words) -> tuple[Draw, Any]:
    bins = tuple((each.low, each.high, each.count) for each in part.histogram)
    return draw_histogram, HistogramPicture(bins, part.ends, theme, messages["position"])


def _system_dots(part: SystemsPart, theme: Theme, width: str, messages: Words) -> tuple[Draw, Any]:
    rows = tuple(each.row for each in part.rows)
    layout, heading = _layout(rows, width), messages["rank_95"]
    return draw_scale, ScalePicture(
        rows, part.span, theme, layout, clusters=part.charted_clusters, heading=heading
    )


def _ranges(part: RangesPart, theme: Theme, width: str) -> tuple[Draw, Any]:
    rows = tuple(
        ScaleRow(each.label, each.position, each.low, each.high, 0, 0, 0, each.item) for each in part.shown
    )
    return draw_scale, ScalePicture(rows, part.span, theme, without_ranks(_layout(rows, width)), ranked=False)


def _corners(part: RangesPart, theme: Theme, width: str, messages: Words) -> tuple[Draw, Any]:
    dots = tuple((row.ambiguity, row.disagreement) for row in part.rows if row.disagreement is not None)
    titles = (messages["ambiguity"], messages["disagreement"])
    return draw_corners, CornersPicture(
        dots, (part.ambiguity_cut, part.disagreement_cut), theme, width == "narrow", titles
    )


def _drift(part: RangesPart, theme: Theme, width: str, messages: Words) -> tuple[Draw, Any]:
    lines = most_used([DriftLine(each.label, each.places) for each in part.drift])
    return draw_drift, DriftPicture(lines, part.span, theme, width == "narrow", messages["round"])


def _coverage(part: AgreementPart, theme: Theme, messages: Words) -> tuple[Draw, Any]:
    whole = tuple((row.nominal, row.observed, row.low, row.high) for row in part.coverage if not row.region)
    return draw_calibration, CalibrationPicture(whole, theme, coverage_titles(messages))
