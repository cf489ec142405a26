"""The chart of coverage: observed against nominal."""

from __future__ import annotations

from typing import Any

import altair as alt

from steelyard.errors import BadSetting
from steelyard.quality.calibration import Calibration
from steelyard.report.plots.look import LIGHT, dressed, titled

SIDE = 300


def coverage_plot(calibration: Calibration, *, title: str = "") -> Any:
    """Return a chart of observed against nominal coverage, with 95% intervals of the observed coverage.

    Parameters
    ----------
    calibration
        Coverage of prediction intervals, such as `calibration` of the audit of a study.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.LayerChart
        The chart. Points on the diagonal have the nominal coverage.

    Raises
    ------
    BadSetting
        If there are no answers.
    """
    if not calibration.answers:
        raise BadSetting("coverage", "there are no answers to tasks chosen at random. Collect some first.")
    rows = [
        {"nominal": level, "observed": share.share, "low": share.interval()[0], "high": share.interval()[1]}
        for level, share in calibration.by_level
    ]
    unit = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("nominal:Q", title="nominal coverage", scale=unit, axis=alt.Axis(format=".0%", tickCount=5))
    y_axis = alt.Axis(format=".0%", tickCount=5)

    def y(name: str) -> Any:
        return alt.Y(f"{name}:Q", title="observed coverage (95% interval)", scale=unit, axis=y_axis)

    base = alt.Chart(alt.InlineData(rows), width=SIDE, height=SIDE).encode(x=x)
    ends = alt.InlineData([{"nominal": 0, "observed": 0}, {"nominal": 1, "observed": 1}])
    diagonal = alt.Chart(ends).mark_line(strokeDash=[4, 3], color=LIGHT.ink2, strokeWidth=1)
    tooltip = [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("nominal", "observed", "low", "high")]
    chart = alt.layer(
        diagonal.encode(x=x, y=y("observed")),
        base.mark_rule(strokeWidth=2, color=LIGHT.accent, opacity=0.6).encode(y=y("low"), y2="high:Q"),
        base.mark_circle(size=70, color=LIGHT.accent, opacity=1.0).encode(y=y("observed"), tooltip=tooltip),
    )
    return dressed(titled(chart, title, f"{calibration.answers:,} answers"))
