"""The chart of a learning curve."""

from __future__ import annotations

from typing import Any

import altair as alt

from steelyard.quality.learning_curve import LearningCurve
from steelyard.report.plots.look import LIGHT, WIDTH, dressed, titled

HEIGHT = 240


def learning_plot(curve: LearningCurve, *, title: str = "") -> Any:
    """Return a chart of a learning curve: correlation against the number of answers.

    Parameters
    ----------
    curve
        Result of `steelyard.quality.learning_curve.learning_curve`.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.LayerChart
        The chart. The band has the middle 95% of the repeats.
    """
    rows = [row for row in curve.rows() if row["fitted"]]
    x = alt.X(
        "answers:Q", title="answers", scale=alt.Scale(zero=False), axis=alt.Axis(format=",d", tickCount=6)
    )
    name = f"correlation with {curve.against}"
    axis = alt.Axis(tickCount=6)

    def y(column: str) -> Any:
        return alt.Y(f"{column}:Q", title=name, scale=alt.Scale(zero=False), axis=axis)

    base = alt.Chart(alt.InlineData(rows), width=WIDTH, height=HEIGHT).encode(x=x)
    tooltip = [alt.Tooltip("answers:Q"), alt.Tooltip("correlation:Q", format=".3f")]
    chart = alt.layer(
        base.mark_area(color=LIGHT.accent, opacity=0.15).encode(y=y("low"), y2="high:Q"),
        base.mark_line(color=LIGHT.accent, strokeWidth=2).encode(y=y("correlation")),
        base.mark_circle(color=LIGHT.accent, size=60, opacity=1.0).encode(
            y=y("correlation"), tooltip=tooltip
        ),
    )
    return dressed(titled(chart, title, *curve.notes))
