"""A histogram of positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from steelyard.report.charts import COLOURS, DRAWN, Theme, dressed, to_svg

WIDTH, HEIGHT = 320, 150
CORNER = 9  # distance of labels from the axis, so that the first of them is below the 0 of the other axis


@dataclass(frozen=True, slots=True)
class HistogramPicture:
    """Bins as low, high and count, and the ends of the scale, which the axis includes; None without fixed ends.

    `title` is that of the axis of positions.
    """

    bins: tuple[tuple[float, float, int], ...]
    ends: tuple[float, float] | None
    theme: Theme
    title: str = "Position"


@lru_cache(maxsize=DRAWN)
def draw_histogram(picture: HistogramPicture) -> str:
    """Return a histogram as SVG."""
    import altair as alt  # Altair is slow to import

    values = [{"low": low, "high": high, "count": count, "zero": 0} for low, high, count in picture.bins]
    ends = [*(picture.ends or ()), *(value["low"] for value in values), *(value["high"] for value in values)]
    x = alt.X(
        "low:Q",
        scale=alt.Scale(domain=[min(ends), max(ends)], nice=False, zero=False),
        axis=alt.Axis(title=picture.title, tickCount=5, grid=False, labelPadding=CORNER),
    )
    y = alt.Y("count:Q", axis=alt.Axis(title=None, tickCount=4, format="d"))
    bars = alt.Chart(alt.InlineData(values)).mark_rect(
        color=COLOURS[picture.theme].accent, stroke=COLOURS[picture.theme].line, strokeWidth=1
    )
    chart = bars.encode(x=x, x2="high:Q", y=y, y2="zero:Q").properties(width=WIDTH, height=HEIGHT)
    return to_svg(dressed(chart, picture.theme))
