"""Histograms of positions, beside gold values if there are some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.report.plots.look import LIGHT, dressed, quantity_of, titled, whole_ticks
from steelyard.scales.fit import Fit

BINS = 30
WIDTH, HEIGHT = 320, 180


def histogram_plot(
    fit: Fit, *, gold: Mapping[str, float] | None = None, bins: int = BINS, title: str = ""
) -> Any:
    """Return a histogram of the positions and, beside it, one of gold values of the same items.

    Parameters
    ----------
    fit
        The fit.
    gold
        Gold value of each item id. Default: none.
    bins
        Largest number of bins, 30 by default.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.HConcatChart
        The chart. Each histogram has its own horizontal axis.
    """
    positions = [_histogram(fit.posterior.position, bins, quantity_of(fit), fit.provenance.range)]
    if gold is None:
        return dressed(titled(alt.hconcat(*positions), title))
    values = np.array([gold[str(item)] for item in fit.item if str(item) in gold], dtype=np.float64)
    missing = len(fit.item) - len(values)
    unknown = f"{missing:,} of {len(fit.item):,} items have no gold value" if missing else ""
    charts = [*positions, _histogram(values, bins, "gold value", None)]
    return dressed(titled(alt.hconcat(*charts, spacing=32), title, unknown))


def _histogram(values: Vector, bins: int, name: str, span: tuple[float, float] | None) -> Any:
    finite = values[np.isfinite(values)]
    counts, edges = np.histogram(finite, _edges(finite, bins, span))
    rows = [
        {"start": float(low), "end": float(high), "count": int(count)}
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    limits = alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False)
    x = alt.X("start:Q", title=name, scale=limits, axis=alt.Axis(tickCount=6, grid=False))
    ticks = whole_ticks(0, max(int(counts.max()), 1))
    y = alt.Y("count:Q", title="items", axis=alt.Axis(values=ticks, format="d"))
    tooltip = [
        alt.Tooltip("start:Q", format=".3~f"),
        alt.Tooltip("end:Q", format=".3~f"),
        alt.Tooltip("count:Q"),
    ]
    bars = alt.Chart(alt.InlineData(rows), width=WIDTH, height=HEIGHT).mark_rect(
        color=LIGHT.accent, stroke="white", strokeWidth=0.5
    )
    return bars.encode(x=x, x2="end:Q", y=y, y2=alt.datum(0), tooltip=tooltip)


def _edges(values: Vector, bins: int, span: tuple[float, float] | None) -> Vector:
    """Return the limits of the bins: those of the scale, or of the values if the scale has no ends."""
    low, high = (float(values.min(initial=0.0)), float(values.max(initial=1.0))) if span is None else span
    if span is None and len(values):
        low, high = float(values.min()), float(values.max())
    low, high = min([low, *values.tolist()]), max([high, *values.tolist()])
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
    count = int(np.clip(np.ceil(2.0 * len(values) ** (1.0 / 3.0)) if span is None else bins, 5, bins))
    return np.linspace(low, high, count + 1)
