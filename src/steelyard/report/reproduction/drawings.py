"""Charts of a reproduction, one drawing per panel, as SVG for light and dark pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from steelyard.report.charts import COLOURS, Theme, dressed, to_svg
from steelyard.simulation.reproduction.figures import (
    Clouds,
    Figure,
    Heatmaps,
    Histograms,
    Intervals,
    Lines,
    Series,
)

WIDTH, HEIGHT = 300, 210
HEAT_SIZE = 200
ROW = 22
SERIES_COLOURS: Mapping[Theme, tuple[str, ...]] = {
    "light": ("#0b5a78", "#b5531c", "#5b7f2b", "#7a4a9e"),
    "dark": ("#79c3dd", "#ee9b6a", "#a9cf78", "#c4a3e0"),
}
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
Drawing = tuple[str, Callable[[Theme], str]]  # title of a panel, and the function that draws it


def panels_of(figure: Figure) -> tuple[Drawing, ...]:
    """Return the panels of a figure, each with the function that draws it; none for a table."""
    makers: Mapping[type[Figure], Callable[[Any], list[Drawing]]] = {
        Lines: _line_panels,
        Clouds: _cloud_panels,
        Histograms: _histogram_panels,
        Heatmaps: _heat_panels,
        Intervals: _interval_panels,
    }
    make = makers.get(type(figure))
    return () if make is None else tuple(make(figure))


def _svg(make: Callable[[Theme], Any], theme: Theme) -> str:
    return to_svg(dressed(make(theme), theme).configure_legend(**_legend(theme)))


def _drawn(title: str, make: Callable[[Theme], Any]) -> Drawing:
    return title, partial(_svg, make)


def _legend(theme: Theme) -> dict[str, Any]:
    ink = COLOURS[theme].ink2
    return {
        "orient": "bottom",
        "labelColor": ink,
        "labelFontSize": 12,
        "labelLimit": 0,
        "columns": 2,
        "symbolOpacity": 1,
    }


def _line_panels(figure: Lines) -> list[Drawing]:
    return [_drawn(name, partial(_lines, figure, series)) for name, series in figure.panels.items()]


def _lines(figure: Lines, series: tuple[Series, ...], theme: Theme) -> Any:
    import altair as alt  # Altair is slow to import

    x = alt.X("x:Q", axis=alt.Axis(title=figure.x, grid=False, tickCount=6))
    y = alt.Y("y:Q", scale=alt.Scale(zero=False), axis=alt.Axis(title=figure.y, tickCount=5))
    colour, dash = _colour(series, theme), _dash(series)
    base = alt.Chart(alt.InlineData(_rows(series))).encode(x=x, color=colour)
    line = base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash)
    if not any(each.bands for each in series):
        return line.properties(width=WIDTH, height=HEIGHT)
    band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q"), y2="high:Q")
    return alt.layer(band, line).properties(width=WIDTH, height=HEIGHT)


def _rows(series: tuple[Series, ...]) -> list[dict[str, Any]]:
    rows = []
    for each in series:
        bands = each.bands if each.bands else tuple((y, y) for _, y in each.points)
        rows += [
            {"name": each.name, "x": x, "y": y, "low": low, "high": high}
            for (x, y), (low, high) in zip(each.points, bands, strict=True)
        ]
    return rows


def _colour(series: tuple[Series, ...], theme: Theme) -> Any:
    import altair as alt  # Altair is slow to import

    names = [each.name for each in series]
    scale = alt.Scale(domain=names, range=list(SERIES_COLOURS[theme][: len(names)]))
    return alt.Color("name:N", scale=scale, legend=None if len(names) == 1 else alt.Legend(title=None))


def _dash(series: tuple[Series, ...]) -> Any:
    import altair as alt  # Altair is slow to import

    names = [each.name for each in series]
    scale = alt.Scale(domain=names, range=list(DASHES[: len(names)]))
    return alt.StrokeDash("name:N", scale=scale, legend=None if len(names) == 1 else alt.Legend(title=None))


def _cloud_panels(figure: Clouds) -> list[Drawing]:
    return [_drawn(name, partial(_cloud, figure, series)) for name, series in figure.panels.items()]


def _cloud(figure: Clouds, series: tuple[Series, ...], theme: Theme) -> Any:
    import altair as alt  # Altair is slow to import

    x = alt.X("x:Q", scale=alt.Scale(zero=False), axis=alt.Axis(title=figure.x, grid=False, tickCount=5))
    y = alt.Y("y:Q", axis=alt.Axis(title=figure.y, tickCount=5))
    base = alt.Chart(alt.InlineData(_rows(series))).encode(x=x, y=y, color=_colour(series, theme))
    dots = base.mark_circle(size=22, opacity=0.5)
    trend = base.transform_regression("x", "y", groupby=["name"], method="poly", order=2).mark_line(
        strokeWidth=2
    )
    return alt.layer(dots, trend.encode(strokeDash=_dash(series))).properties(width=WIDTH, height=HEIGHT)


def _histogram_panels(figure: Histograms) -> list[Drawing]:
    return [_drawn(name, partial(_bars, figure, shares)) for name, shares in figure.panels.items()]


def _bars(figure: Histograms, shares: tuple[float, ...], theme: Theme) -> Any:
    import altair as alt  # Altair is slow to import

    most = max(max(each) for each in figure.panels.values())
    rows = [{"bin": name, "share": share} for name, share in zip(figure.bins, shares, strict=True)]
    x = alt.X("bin:O", sort=list(figure.bins), axis=alt.Axis(title=figure.x, labelAngle=0, grid=False))
    y = alt.Y("share:Q", scale=alt.Scale(domain=[0.0, most]), axis=alt.Axis(title=figure.y, tickCount=4))
    bars = alt.Chart(alt.InlineData(rows)).mark_bar(color=COLOURS[theme].accent)
    return bars.encode(x=x, y=y).properties(width=WIDTH * 0.75, height=HEIGHT * 0.6)


def _heat_panels(figure: Heatmaps) -> list[Drawing]:
    return [_drawn(name, partial(_heat, figure, cells)) for name, cells in figure.panels.items()]


def _heat(figure: Heatmaps, cells: tuple[tuple[float, ...], ...], theme: Theme) -> Any:
    import altair as alt  # Altair is slow to import

    rows = [{"x": x, "y": y, "value": value} for y, row in enumerate(cells) for x, value in enumerate(row)]
    colours = COLOURS[theme]
    low = "#ffffff" if theme == "light" else "#14171a"
    scale = alt.Scale(domain=[0.0, 1.0], range=[low, colours.accent])
    legend = alt.Legend(title=figure.legend, titleColor=colours.ink2, gradientLength=120)
    encoding = {
        "x": alt.X("x:O", axis=alt.Axis(title="items, by truth", labels=False, grid=False)),
        "y": alt.Y("y:O", axis=alt.Axis(title="", labels=False, grid=False)),
        "color": alt.Color("value:Q", scale=scale, legend=legend),
    }
    heat = alt.Chart(alt.InlineData(rows)).mark_rect()
    return heat.encode(**encoding).properties(width=HEAT_SIZE, height=HEAT_SIZE)


def _interval_panels(figure: Intervals) -> list[Drawing]:
    return [_drawn("", partial(_intervals, figure))]


def _intervals(figure: Intervals, theme: Theme) -> Any:
    import altair as alt  # Altair is slow to import

    colours = COLOURS[theme]
    rows = [{"label": label, "at": at, "low": low, "high": high} for label, at, low, high in figure.rows]
    order = [label for label, *_ in figure.rows]
    y = alt.Y("label:N", sort=order, axis=alt.Axis(title=None, labelLimit=0, grid=False))
    x = alt.X("low:Q", axis=alt.Axis(title=figure.x, tickCount=5))
    base = alt.Chart(alt.InlineData(rows)).encode(y=y)
    rule = base.mark_rule(color=colours.accent, strokeWidth=2.5, opacity=0.55).encode(x=x, x2="high:Q")
    dots = base.mark_circle(color=colours.accent, size=60, opacity=1.0).encode(x="at:Q")
    none = alt.Chart(alt.InlineData([{"low": figure.none}])).mark_rule(color=colours.ink2, strokeDash=[4, 4])
    layers = alt.layer(none.encode(x=x), rule, dots)
    return layers.properties(width=WIDTH, height=ROW * len(rows), padding={"left": 24, "right": 8})
