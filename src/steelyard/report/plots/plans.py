"""The chart of a plan."""

from __future__ import annotations

from typing import Any

import altair as alt

from steelyard.planning.plan import Plan
from steelyard.report.plots.look import LIGHT, WIDTH, dressed, titled

HEIGHT = 280


def plan_plot(plan: Plan, *, title: str = "") -> Any:
    """Return a chart of a plan: the target against hours of work, with a band for each protocol.

    Parameters
    ----------
    plan
        Result of `steelyard.planning.plan.make_plan`.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.LayerChart
        The chart. Bands have the middle 80% of simulated studies.
    """
    several = len({each.design.items for each in plan.plans}) > 1
    rows = [row for each in plan.plans for row in each.curve_rows()]
    for row in rows:
        row["name"] = f"{row['protocol']}, {row['items']:,} items" if several else row["protocol"]
    target = plan.plans[0].target
    hours = alt.Scale(type="log", nice=False, padding=12)
    x = alt.X("hours:Q", title="hours of raters' work", scale=hours, axis=alt.Axis(tickCount=6, grid=False))
    colour = alt.Color("name:N", title=None, sort=None, legend=alt.Legend(symbolOpacity=1.0))

    def y(column: str) -> Any:
        return alt.Y(
            f"{column}:Q", title=target.words, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)
        )

    base = alt.Chart(alt.InlineData(rows), width=WIDTH, height=HEIGHT).encode(x=x, color=colour)
    tooltip = [
        alt.Tooltip("name:N", title="protocol"),
        alt.Tooltip("answers_per_item:Q", title="answers per item"),
        alt.Tooltip("hours:Q", format=".1f"),
        alt.Tooltip("value:Q", title=target.name, format=".3f"),
    ]
    wanted = alt.Chart(alt.InlineData([{"wanted": target.wanted}])).mark_rule(
        color=LIGHT.ink2, strokeDash=[4, 4]
    )
    chart = alt.layer(
        base.mark_area(opacity=0.12).encode(y=y("low"), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=y("value")),
        base.mark_circle(size=50, opacity=1.0).encode(y=y("value"), tooltip=tooltip),
        wanted.encode(y=alt.Y("wanted:Q", title=target.words)),
    )
    return dressed(titled(chart, title, f"From {plan.world.name}. Bands: middle 80% of simulated studies."))
