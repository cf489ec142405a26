"""Charts of a scale: positions and ranks with their 95% intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from steelyard.report.plots.look import (
    LETTERS,
    LIGHT,
    STEP,
    WIDTH,
    dressed,
    highest_of,
    quantity_of,
    row_axis,
    row_labels,
    shown_of,
    titled,
    whole_ticks,
)
from steelyard.scales.fit import Fit

MOST = 100  # items in one chart


def scale_plot(
    fit: Fit,
    *,
    labels: Mapping[str, str] | None = None,
    most: int | None = MOST,
    letters: int = LETTERS,
    title: str = "",
) -> Any:
    """Return a chart of positions with 95% intervals, highest position first.

    Parameters
    ----------
    fit
        The fit.
    labels
        Label of each item id. Default: the ids.
    most
        Largest number of items, 100 by default; None for all. Of more items, those with the highest positions are
        shown.
    letters
        Largest length of a label, 60 by default.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.LayerChart
        The chart.
    """
    rows, names = _rows(fit, labels, most, letters)
    name = f"{quantity_of(fit)} (95% interval)"
    axis = {"title": name, "axis": alt.Axis(title=name, tickCount=6), "scale": alt.Scale(zero=False)}
    chart = _intervals(rows, names, ("position", "low", "high"), axis)
    return dressed(titled(chart, title, shown_of(len(rows), len(fit.item))))


def rank_plot(
    fit: Fit,
    *,
    labels: Mapping[str, str] | None = None,
    most: int | None = MOST,
    letters: int = LETTERS,
    title: str = "",
) -> Any:
    """Return a chart of ranks with 95% intervals, best rank first.

    Parameters
    ----------
    fit
        The fit.
    labels
        Label of each item id. Default: the ids.
    most
        Largest number of items, 100 by default; None for all. Of more items, those with the highest positions are
        shown.
    letters
        Largest length of a label, 60 by default.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.LayerChart
        The chart.
    """
    rows, names = _rows(fit, labels, most, letters)
    name = "rank (95% interval)"
    last = max(len(fit.item), 2)
    ticks = alt.Axis(title=name, format="d", values=whole_ticks(1, last))
    axis = {"title": name, "axis": ticks, "scale": alt.Scale(domain=[1, last], nice=False)}
    chart = _intervals(rows, names, ("rank", "rank_low", "rank_high"), axis)
    return dressed(titled(chart, title, shown_of(len(rows), len(fit.item))))


def _intervals(
    rows: list[dict[str, Any]], names: list[str], columns: tuple[str, str, str], axis: Mapping[str, Any]
) -> Any:
    """Return a dot and a line for each row; `columns` are those of the dot and of the ends of the line."""
    value, low, high = columns
    base = alt.Chart(alt.InlineData(rows), width=WIDTH, height=alt.Step(STEP)).encode(y=row_axis(names))
    line = base.mark_rule(strokeWidth=2.5, strokeCap="round", color=LIGHT.accent, opacity=0.55)
    dot = base.mark_circle(size=60, color=LIGHT.accent, opacity=1.0)
    return alt.layer(
        line.encode(x=alt.X(f"{low}:Q", **axis), x2=f"{high}:Q"),
        dot.encode(x=alt.X(f"{value}:Q", **axis), tooltip=_tooltip()),
    )


def _rows(
    fit: Fit, labels: Mapping[str, str] | None, most: int | None, letters: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of the chart and the labels in their order."""
    ordered = fit.scale.ordered().rows()
    chosen = [ordered[at] for at in highest_of(len(ordered), most)]
    names = row_labels([row["item"] for row in chosen], labels, letters)
    return [{**row, "label": name} for row, name in zip(chosen, names, strict=True)], names


def _tooltip() -> list[Any]:
    numbers = [alt.Tooltip(f"{name}:Q", format=".3~f") for name in ("position", "low", "high")]
    ranks = [alt.Tooltip(f"{name}:Q", format="d") for name in ("rank", "rank_low", "rank_high")]
    return [alt.Tooltip("item:N"), *numbers, *ranks, alt.Tooltip("count:Q")]
