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
    axis = alt.Axis(title=name, tickCount=6)
    limits = alt.Scale(zero=False)
    x = alt.X("low:Q", title=name, scale=limits, axis=axis)
    base = alt.Chart(alt.InlineData(rows), width=WIDTH, height=alt.Step(STEP)).encode(y=row_axis(names))
    line = base.mark_rule(strokeWidth=2.5, strokeCap="round", color=LIGHT.accent, opacity=0.55)
    dot = base.mark_circle(size=60, color=LIGHT.accent, opacity=1.0)
    chart = alt.layer(
        line.encode(x=x, x2="high:Q"),
        dot.encode(x=alt.X("position:Q", title=name, axis=axis, scale=limits), tooltip=_tooltip()),
    )
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
    axis = alt.Axis(title=name, format="d", values=whole_ticks(1, max(len(fit.item), 2)))
    limits = alt.Scale(domain=[1, max(len(fit.item), 2)], nice=False)
    base = alt.Chart(alt.InlineData(rows), width=WIDTH, height=alt.Step(STEP)).encode(y=row_axis(names))
    line = base.mark_rule(strokeWidth=2.5, strokeCap="round", color=LIGHT.accent, opacity=0.55)
    dot = base.mark_circle(size=60, color=LIGHT.accent, opacity=1.0)
    chart = alt.layer(
        line.encode(x=alt.X("rank_low:Q", title=name, axis=axis, scale=limits), x2="rank_high:Q"),
        dot.encode(x=alt.X("rank:Q", title=name, axis=axis, scale=limits), tooltip=_tooltip()),
    )
    return dressed(titled(chart, title, shown_of(len(rows), len(fit.item))))


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
