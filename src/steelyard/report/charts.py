"""Charts of scales, made with Altair and converted to SVG by vl-convert, offline and without scripts.

Altair takes half a second to import, so functions import it when they make a chart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from steelyard.report.label_lines import LINE, RowPlace, in_lines, row_places
from steelyard.report.svg_labels import with_all_labels
from steelyard.scales.scale import Scale
from steelyard.study.definition.labels import printable

Theme = Literal["light", "dark"]
Align = Literal["left", "center", "right"]
MOST = 30  # items in one chart
ROW_COLUMNS = ("position", "low", "high", "rank", "rank_low", "rank_high")
DRAWN = 64  # size of each cache of charts


@dataclass(frozen=True, slots=True)
class Colours:
    """Colours of a chart, from the design tokens of the pages."""

    ink: str
    ink2: str
    line: str
    accent: str


COLOURS: Mapping[Theme, Colours] = {
    "light": Colours("#1a1d21", "#454b52", "#d9d6ce", "#0b5a78"),
    "dark": Colours("#e9e7e2", "#bdc2c7", "#363c42", "#79c3dd"),
}


@dataclass(frozen=True, slots=True)
class PlotLayout:
    """Layout of a dot plot in pixels, with labels beside the intervals or, on phones, above them.

    Labels have at most this number of lines and of letters in each line.
    """

    before: int
    width: int
    after: int
    step: int
    letters: int
    lines: int
    above: bool

    @property
    def whole_width(self) -> int:
        """Width of the whole chart."""
        return self.before + self.width + self.after


WIDE = PlotLayout(before=212, width=384, after=126, step=21, letters=25, lines=3, above=False)
NARROW = PlotLayout(before=10, width=292, after=12, step=40, letters=26, lines=4, above=True)
TOP, BOTTOM, TEXT = 24, 28, 13
LETTER, LEAST_BEFORE, MOST_BEFORE = 7.0, 60, 352  # width of a letter, and of the space for labels, in pixels
LETTER_BY_RANKS = 7.6  # width of a letter of a label on the line of its ranks
BRACKET, BRACKET_GAP = (
    8,
    3,
)  # distance of the lines of clusters from the intervals, and between them, in pixels
MOST_CLUSTERED = 60  # items for whose clusters lines are drawn
APART = 12  # least space between a label and the ranks on the same line, in pixels


def wide_for(labels: Sequence[str], room: int = WIDE.whole_width) -> PlotLayout:
    """Return the wide layout with enough space for these labels. Labels beyond half of the chart take several lines.

    >>> wide_for(["A", "B"]).before, wide_for(["Avocado toast, poached egg"]).letters
    (60, 26)
    """
    longest = max([len(label) for label in labels], default=0)
    before = int(min(max(LETTER * longest + 20, LEAST_BEFORE), MOST_BEFORE))
    letters = min(longest, int((MOST_BEFORE - 20) / LETTER))
    return replace(WIDE, before=before, width=room - before - WIDE.after, letters=max(letters, 1))


def narrow_for(ranks: Sequence[str]) -> PlotLayout:
    """Return the layout for phones, with labels that leave space for these ranks on the same line.

    >>> narrow_for(["1 (1–2)"]).letters, narrow_for(["38 (24–40)"]).letters
    (29, 26)
    """
    longest = max([len(each) for each in ranks], default=0)
    return replace(NARROW, letters=int((NARROW.width - (APART if ranks else 0)) / LETTER_BY_RANKS) - longest)


def without_ranks(layout: PlotLayout) -> PlotLayout:
    """Return a layout that uses the space for ranks for the intervals or, on phones, for the labels."""
    if layout.above:
        return narrow_for(())
    spare = layout.after - NARROW.after
    return replace(layout, width=layout.width + spare, after=layout.after - spare)


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """One item of a scale.

    Attributes
    ----------
    label
        Label of the item.
    position, low, high
        Position, and ends of its 95% interval.
    rank, rank_low, rank_high
        Rank of the position, and ends of its 95% interval. Rank 1 is the highest position.
    item
        Id of the item.
    """

    label: str
    position: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    item: str = ""

    @property
    def ranks(self) -> str:
        """Rank with its 95% interval, as text."""
        return f"{self.rank} ({self.rank_low}–{self.rank_high})"


@dataclass(frozen=True, slots=True)
class ScalePicture:
    """Everything that a chart of a scale depends on."""

    rows: tuple[ScaleRow, ...]
    span: tuple[float, float]
    theme: Theme = "light"
    layout: PlotLayout = WIDE
    ranked: bool = True  # whether ranks are shown beside the intervals
    clusters: tuple[int, ...] = ()  # cluster of each row; without clusters, none is drawn
    heading: str = "Rank (95%)"  # of the ranks


def scale_rows(scale: Scale, labels: Mapping[str, str], most: int | None = MOST) -> tuple[ScaleRow, ...]:
    """Return items of a scale, highest position first.

    Parameters
    ----------
    scale
        The scale.
    labels
        Label of each item id; ids without a label are shown themselves.
    most
        Largest number of rows; None for all. Of more items, those with the highest positions are returned.

    Returns
    -------
    tuple of ScaleRow
        One row per item.
    """
    ordered = scale.ordered()
    return rows_at(ordered, labels, range(len(ordered) if most is None else min(len(ordered), most)))


def rows_at(scale: Scale, labels: Mapping[str, str], indices: Sequence[int]) -> tuple[ScaleRow, ...]:
    """Return the items at these indices of a scale.

    Parameters
    ----------
    scale
        The scale.
    labels
        Label of each item id; ids without a label are shown themselves.
    indices
        Indices of the items, in the order of the result.

    Returns
    -------
    tuple of ScaleRow
        One row per index.
    """
    chosen = list(indices)
    columns = [getattr(scale, name)[chosen].tolist() for name in ROW_COLUMNS]
    items = [str(item) for item in scale.item[chosen]]
    named = [labels.get(item, item) for item in items]
    return tuple(ScaleRow(*cells) for cells in zip(named, *columns, items, strict=True))


# Shown instead of every chart. The grey is legible on light and dark pages.
NO_CHARTS = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="372" height="48" viewBox="0 0 372 48">'
    '<text x="0" y="20" font-family="system-ui, sans-serif" font-size="13" fill="#7a7f85">'
    "This chart is not drawn, because vl-convert is not installed.</text>"
    '<text x="0" y="40" font-family="system-ui, sans-serif" font-size="13" fill="#7a7f85">'
    "Install it with: pip install 'steelyard[plots]'</text></svg>"
)


@lru_cache(maxsize=DRAWN)
def draw_scale(picture: ScalePicture) -> str:
    """Return a dot plot of a scale with 95% intervals, as SVG."""
    return to_svg(scale_chart(picture))


def to_svg(chart: Any) -> str:
    """Return a chart as SVG text, with space for all labels."""
    if find_spec("vl_convert") is None:
        return NO_CHARTS
    import vl_convert  # vl-convert is slow to import

    # Validation by Altair takes longer than drawing.
    svg: str = vl_convert.vegalite_to_svg(drawable(chart.to_dict(validate=False)))
    return with_all_labels(svg)


def drawable(part: Any) -> Any:
    """Return a chart specification, or a part of it, with only printable text. Other text aborts the process.

    >>> drawable({"label": ["Tea\\x00", 1]})
    {'label': ['Tea�', 1]}
    """
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, dict):
        return {drawable(name): drawable(each) for name, each in part.items()}
    return [drawable(each) for each in part] if isinstance(part, list) else part


def scale_chart(picture: ScalePicture) -> Any:
    """Return the dot plot as an Altair chart: labels, positions, 95% intervals, and ranks with 95% intervals."""
    import altair as alt  # Altair is slow to import

    colours, layout = COLOURS[picture.theme], picture.layout
    values, places = _values(picture), _places(picture)
    height = places[-1].bottom if places else 0.0
    down = alt.Scale(domain=[0.0, height], range=[0.0, height], nice=False, zero=False)
    chart = alt.layer(
        *_marks(picture, down),
        *_brackets(picture, places),
        *_texts(picture, down),
        data=alt.InlineData(values),
    )
    return (
        chart.properties(
            width=layout.width,
            height=height,
            padding={"left": layout.before, "right": layout.after, "top": TOP, "bottom": BOTTOM},
            autosize="none",
        )
        .configure(font="system-ui, sans-serif", background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=TEXT, labelColor=colours.ink2, gridColor=colours.line, domain=False, ticks=False
        )
    )


def dressed(chart: Any, theme: Theme) -> Any:
    """Return a chart with the font and colours of the pages."""
    colours = COLOURS[theme]
    return (
        chart.configure(font="system-ui, sans-serif", background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=TEXT,
            titleFontSize=TEXT,
            titleFontWeight="normal",
            labelColor=colours.ink2,
            titleColor=colours.ink2,
            gridColor=colours.line,
            domainColor=colours.line,
            ticks=False,
        )
    )


def _values(picture: ScalePicture) -> list[dict[str, Any]]:
    places = zip(picture.rows, _labels(picture), _places(picture), strict=True)
    return [
        {
            **asdict(row),
            "label": label[0] if len(label) == 1 else list(label),
            "ranks": row.ranks,
            "label_at": place.label,
            "dot_at": place.dot,
        }
        for row, label, place in places
    ]


def _labels(picture: ScalePicture) -> list[tuple[str, ...]]:
    layout = picture.layout
    return [in_lines(printable(row.label), layout.letters, layout.lines) for row in picture.rows]


def _places(picture: ScalePicture) -> list[RowPlace]:
    layout = picture.layout
    return row_places([len(label) for label in _labels(picture)], layout.step, layout.above)


def _marks(picture: ScalePicture, down: Any) -> list[Any]:
    """Intervals and positions."""
    import altair as alt  # Altair is slow to import

    accent = COLOURS[picture.theme].accent
    scale = alt.Scale(domain=_domain(picture), nice=False, zero=False)
    axis = alt.Axis(title=None, labelPadding=10, labelFlush=False, **_ticks(_domain(picture)))
    base = alt.Chart().encode(y=alt.Y("dot_at:Q", axis=None, scale=down))
    line = base.mark_rule(strokeWidth=2.5, strokeCap="round", color=accent, opacity=0.55)
    dot = base.mark_circle(size=68, color=accent, opacity=1.0)
    low = alt.X("low:Q", scale=scale, axis=axis)
    return [line.encode(x=low, x2="high:Q"), dot.encode(x=alt.X("position:Q", scale=scale, axis=axis))]


def _texts(picture: ScalePicture, down: Any) -> list[Any]:
    """Labels, ranks, and the heading of the ranks."""
    import altair as alt  # Altair is slow to import

    colours, layout = COLOURS[picture.theme], picture.layout
    beside_label, beside_dot = (
        alt.Chart().encode(y=alt.Y(f"{name}:Q", axis=None, scale=down)) for name in ("label_at", "dot_at")
    )
    head = alt.Chart(alt.InlineData([{}])).encode(y=alt.value(-12))
    start: Align = "left" if layout.above else "right"
    end: Align = "right" if layout.above else "center"
    text: dict[str, Any] = {"fontSize": TEXT, "baseline": "middle"}
    beside: dict[str, Any] = {**text, "yOffset": 0.0 if layout.above else 0.5}
    x = alt.value(layout.width if layout.above else layout.width + 64)
    label = beside_label.mark_text(color=colours.ink, **beside, align=start, lineHeight=LINE)
    ranked = beside_label if layout.above else beside_dot
    ranks = ranked.mark_text(color=colours.ink2, **beside, align=end)
    heading = head.mark_text(text=picture.heading, color=colours.ink2, **text, align=end)
    labels = label.encode(x=alt.value(0 if layout.above else -12), text="label:N")
    return [labels, ranks.encode(x=x, text="ranks:N"), heading.encode(x=x)] if picture.ranked else [labels]


def _brackets(picture: ScalePicture, places: Sequence[RowPlace]) -> list[Any]:
    """A thin vertical line beside the rows of each cluster, if there are several."""
    import altair as alt  # Altair is slow to import

    layout, made = picture.layout, []
    for first, last in runs(picture.clusters):
        ends = (places[first].top + BRACKET_GAP, places[last].bottom - BRACKET_GAP)
        rule = alt.Chart(alt.InlineData([{}])).mark_rule(strokeWidth=1.5, color=COLOURS[picture.theme].ink2)
        made.append(
            rule.encode(x=alt.value(layout.width + BRACKET), y=alt.value(ends[0]), y2=alt.value(ends[1]))
        )
    return made


def runs(clusters: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last index of each run of equal numbers.

    >>> runs([1, 1, 2, 3, 3])
    [(0, 1), (2, 2), (3, 4)]
    """
    starts = [at for at, each in enumerate(clusters) if not at or clusters[at - 1] != each]
    return [(first, after - 1) for first, after in pairwise([*starts, len(clusters)])]


def _ticks(domain: tuple[float, float]) -> dict[str, Any]:
    """Ticks at every step of a short whole-number scale, at quarters of a longer one, or at five round numbers."""
    low, high = domain
    width = high - low
    if low.is_integer() and high.is_integer() and (width <= 10 or width % 4 == 0):
        gap = 1.0 if width <= 10 else width / 4.0
        return {"values": np.arange(low, high + gap / 2.0, gap).tolist()}
    return {"tickCount": 5}


def _domain(picture: ScalePicture) -> tuple[float, float]:
    """The range of the study, widened to include all intervals (a standardised scale has no range)."""
    low = min([picture.span[0], *(row.low for row in picture.rows)])
    return (float(low), float(max([picture.span[1], *(row.high for row in picture.rows)])))
