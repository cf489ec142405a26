"""Charts of predicted reliability by number of judgments, and of observed against nominal coverage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from steelyard.messages.words import Words
from steelyard.quality.calibration import Calibration
from steelyard.report.charts import COLOURS, DRAWN, Theme, dressed, to_svg
from steelyard.study.results.audit import Mark

WIDTH, HEIGHT = 372, 190
STOP_COLOUR = {"light": "#d95500", "dark": "#ee7430"}


@dataclass(frozen=True, slots=True)
class GrowthPicture:
    """Predicted reliability by number of judgments, and the reliability at which the study stops (0 for none).

    `title` is that of the axis of judgments.
    """

    marks: tuple[Mark, ...]
    stop: float
    theme: Theme
    title: str = "Judgments"


@dataclass(frozen=True, slots=True)
class CalibrationPicture:
    """Nominal coverage, observed coverage and its 95% interval, for each level, and the titles of the axes."""

    levels: tuple[tuple[float, float, float, float], ...]
    theme: Theme
    titles: tuple[str, str] = ("Nominal coverage, %", "Observed coverage, %")


def coverage_titles(messages: Words) -> tuple[str, str]:
    """Return the titles of the axes of a chart of coverage in a language."""
    return messages["nominal_axis"], messages["observed_axis"]


def coverage_levels(calibration: Calibration) -> tuple[tuple[float, float, float, float], ...]:
    """Return nominal coverage, observed coverage and its 95% interval, for each level."""
    return tuple((level, share.share, *share.interval()) for level, share in calibration.by_level)


@lru_cache(maxsize=DRAWN)
def draw_growth(picture: GrowthPicture) -> str:
    """Return a chart of predicted reliability by number of judgments, as SVG."""
    import altair as alt  # Altair is slow to import

    accent = COLOURS[picture.theme].accent
    values = [{"judgments": mark.judgments, "reliability": mark.reliability} for mark in picture.marks]
    floor = min([0.4, *(mark.reliability for mark in picture.marks)])
    x = alt.X("judgments:Q", axis=alt.Axis(title=picture.title, tickCount=4, grid=False))
    y = alt.Y(
        "reliability:Q",
        scale=alt.Scale(domain=[floor, 1.0], nice=False),
        axis=alt.Axis(title=None, tickCount=4, format=".1f"),
    )
    base = alt.Chart(alt.InlineData(values)).encode(x=x, y=y)
    layers = [
        base.mark_line(color=accent, strokeWidth=2.5),
        base.mark_circle(color=accent, size=40, opacity=1),
    ]
    if picture.stop:
        rule = alt.Chart(alt.InlineData([{"stop": picture.stop}]))
        layers.append(
            rule.mark_rule(color=STOP_COLOUR[picture.theme], strokeDash=[8, 4], strokeWidth=2).encode(
                y=alt.Y("stop:Q", scale=alt.Scale(domain=[floor, 1.0], nice=False))
            )
        )
    return to_svg(_dressed(alt.layer(*layers), picture.theme))


@lru_cache(maxsize=DRAWN)
def draw_calibration(picture: CalibrationPicture) -> str:
    """Return a chart of observed coverage, with 95% intervals, against nominal coverage, as SVG."""
    import altair as alt  # Altair is slow to import

    colours = COLOURS[picture.theme]
    names = ("nominal", "observed", "low", "high")
    values = [{name: 100 * each for name, each in zip(names, row, strict=True)} for row in picture.levels]
    domain = [min([40.0, *(value["low"] for value in values)]), 100.0]
    levels = [100 * row[0] for row in picture.levels]
    x = alt.X(
        "nominal:Q",
        scale=alt.Scale(domain=[40, 100]),
        axis=alt.Axis(title=picture.titles[0], values=levels, grid=False),
    )
    scale = alt.Scale(domain=domain, nice=False)
    y = alt.Y("observed:Q", scale=scale, axis=alt.Axis(title=picture.titles[1], tickCount=4))
    base = alt.Chart(alt.InlineData(values)).encode(x=x)
    corners: list[dict[str, Any]] = [{"nominal": end, "observed": end} for end in (domain[0], 100.0)]
    ends = alt.InlineData(corners)
    as_nominal = alt.Chart(ends).mark_line(color=colours.ink2, strokeDash=[4, 4], strokeWidth=1, clip=True)
    bar = base.mark_rule(color=colours.accent, strokeWidth=2.5).encode(
        y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    dot = base.mark_circle(color=colours.accent, size=80, opacity=1).encode(y=y)
    return to_svg(_dressed(alt.layer(as_nominal.encode(x=x, y=y), bar, dot), picture.theme))


def _dressed(chart: Any, theme: Theme) -> Any:
    return dressed(chart.properties(width=WIDTH, height=HEIGHT), theme)
