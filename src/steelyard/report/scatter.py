"""A scatter plot of disagreement against ambiguity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from steelyard.report.charts import COLOURS, DRAWN, Theme, dressed, to_svg

WIDTH, HEIGHT = 420, 300
NARROW = 280  # width on phones
MOST = 2_000  # dots in one chart


@dataclass(frozen=True, slots=True)
class CornersPicture:
    """Ambiguity and disagreement of each item, the two medians, the layout for phones, and the titles of the axes."""

    dots: tuple[tuple[float, float], ...]
    cuts: tuple[float, float]
    theme: Theme
    narrow: bool = False
    titles: tuple[str, str] = ("Ambiguity", "Disagreement")


@lru_cache(maxsize=DRAWN)
def draw_corners(picture: CornersPicture) -> str:
    """Return the scatter plot as SVG, with dashed lines at the medians. Of many items, an even sample is drawn."""
    import altair as alt  # Altair is slow to import

    colours = COLOURS[picture.theme]
    step = -(-len(picture.dots) // MOST)
    values = [{"ambiguity": one, "disagreement": other} for one, other in picture.dots[:: max(step, 1)]]
    x = alt.X("ambiguity:Q", axis=alt.Axis(title=picture.titles[0], tickCount=5, grid=False))
    y = alt.Y("disagreement:Q", axis=alt.Axis(title=picture.titles[1], tickCount=5))
    dots = alt.Chart(alt.InlineData(values)).mark_circle(color=colours.accent, size=46, opacity=0.65)
    cut = alt.Chart(alt.InlineData([{"ambiguity": picture.cuts[0], "disagreement": picture.cuts[1]}]))
    rule = cut.mark_rule(color=colours.ink2, strokeDash=[4, 4])
    layers = [rule.encode(x=x), rule.encode(y=y), dots.encode(x=x, y=y)]
    return to_svg(
        dressed(
            alt.layer(*layers).properties(width=NARROW if picture.narrow else WIDTH, height=HEIGHT),
            picture.theme,
        )
    )
