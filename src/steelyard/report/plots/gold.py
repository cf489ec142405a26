"""The chart of positions against gold values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.quality.gold import AgainstGold, regression
from steelyard.report.plots.label_layout import Box, Placed, place_labels
from steelyard.report.plots.look import LETTERS, LIGHT, dressed, row_labels

SIDE = 360  # of a plotting area, in pixels
DRAWN = 2_000  # points of one scale
NAMED = 12  # points with a label
POINT = 4.0  # half the width of a point, in pixels
FEW = 60  # points with opaque intervals
LABEL = 11  # size of the font of labels
SHOWN = ("pearson", "spearman", "kendall_tau_b")


@dataclass(frozen=True, eq=False)
class Panel:
    """One scale against gold.

    Parameters
    ----------
    name
        Name of the scale.
    gold_name
        Name of the reference.
    item
        Label of each item.
    score
        Position of each item.
    gold
        Gold value of each item.
    low
        Lower ends of the intervals; None without intervals.
    high
        Upper ends of the intervals; None without intervals.
    same_scale
        Whether positions and gold are on the same scale.
    subtitle
        Lines below the name.
    ends
        Ends of both axes, common to all panels whose scales are that of gold.
    """

    name: str
    gold_name: str
    item: Sequence[str]
    score: Vector
    gold: Vector
    low: Vector | None
    high: Vector | None
    same_scale: bool
    subtitle: Sequence[str]
    ends: tuple[float, float] | None = None

    @property
    def across(self) -> tuple[float, float]:
        """Ends of the horizontal axis."""
        return _ends(self.gold) if self.ends is None else self.ends

    @property
    def up(self) -> tuple[float, float]:
        """Ends of the vertical axis."""
        return _ends(*self.heights) if self.ends is None else self.ends

    @property
    def heights(self) -> list[Vector]:
        """Positions and ends of intervals."""
        return [self.score, *(each for each in (self.low, self.high) if each is not None)]

    @property
    def line(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Two points of the regression line of gold on positions, inside the axes."""
        slope, intercept = regression(self.score, self.gold)
        if not np.isfinite(slope) or slope == 0.0:
            return ((np.nan, np.nan), (np.nan, np.nan))
        crossing = sorted((each - intercept) / slope for each in self.across)
        low, high = max(self.up[0], crossing[0]), min(self.up[1], crossing[1])
        return ((intercept + slope * low, low), (intercept + slope * high, high))


def gold_plot(
    *results: AgainstGold, labels: Mapping[str, str] | None = None, named: int = NAMED, title: str = ""
) -> Any:
    """Return a chart of positions with their 95% intervals against gold values.

    Each scale has a panel. The dashed line is the regression of gold on positions. If both are on the same scale, the
    axes are equal and the solid line is equality.

    Parameters
    ----------
    results
        Scales compared with gold. Several results are drawn in one chart.
    labels
        Label of each item id. Default: the ids.
    named
        Largest number of items with a label, 12 by default. Of more items, those farthest from the regression line
        are labelled.
    title
        Title of the chart. Default: what the chart shows.

    Returns
    -------
    altair.ConcatChart
        The chart.
    """
    panels = _on_common_axes(
        [_panel_of(result, at, labels) for result in results for at in range(len(result.names))]
    )
    drawn = [_drawn(panel, named) for panel in panels]
    heading = alt.TitleParams(
        title or _title(panels),
        subtitle=_explanation(panels),
        anchor="start",
        fontSize=15,
        offset=16,
    )
    return dressed(alt.concat(*drawn, columns=2, spacing=28).properties(title=heading))


def _on_common_axes(panels: Sequence[Panel]) -> list[Panel]:
    """The panels, with the same ends of all axes that have the scale of gold."""
    common = [each for each in panels if each.same_scale]
    if not common:
        return list(panels)
    ends = _ends(*(column for each in common for column in (each.gold, *each.heights)))
    return [replace(each, ends=ends) if each.same_scale else each for each in panels]


def _title(panels: Sequence[Panel]) -> str:
    intervals = " with 95% intervals" if any(each.low is not None for each in panels) else ""
    return f"Positions{intervals} against {_gold_of(panels)}"


def _gold_of(panels: Sequence[Panel]) -> str:
    """The reference of all panels in words."""
    names = {each.gold_name for each in panels}
    return names.pop() if len(names) == 1 else "those of another scale"


def _explanation(panels: Sequence[Panel]) -> str:
    names = {each.gold_name for each in panels}
    gold = f"{names.pop()} on positions" if len(names) == 1 else "the horizontal on the vertical values"
    equality = " Solid line: equality." if any(each.same_scale for each in panels) else ""
    return f"Dashed line: regression of {gold}.{equality}"


def _panel_of(result: AgainstGold, at: int, labels: Mapping[str, str] | None) -> Panel:
    matched = result.matched
    chosen = _spaced(matched.gold, DRAWN)
    low, high = (None if each is None else each[chosen] for each in (matched.low[at], matched.high[at]))
    items = [str(item) for item in matched.item[chosen]]
    lines = [_in_words(result, result.names[at])]
    if len(chosen) < len(matched):
        lines.append(
            f"{len(chosen):,} of {len(matched):,} {result.level}s, evenly spaced by {result.against}"
        )
    return Panel(
        result.names[at],
        result.against,
        row_labels(items, labels, LETTERS),
        matched.scores[at][chosen],
        matched.gold[chosen],
        low,
        high,
        result.same_scale[at],
        lines,
    )


def _in_words(result: AgainstGold, name: str) -> str:
    """The correlations of a scale, as one line."""
    words = {"pearson": "Pearson", "spearman": "Spearman", "kendall_tau_b": "tau-b"}
    found = {
        row["statistic"]: row["value"]
        for row in result.statistics
        if row["scale"] == name and row["level"] == result.level and row["statistic"] in SHOWN
    }
    return ", ".join(
        f"{words[each]} {correlation_text(found[each])}" for each in SHOWN if np.isfinite(found[each])
    )


def correlation_text(value: float) -> str:
    """Return a correlation with two decimals, or with more where it would seem to be perfect.

    >>> correlation_text(0.913), correlation_text(0.9962), correlation_text(1.0)
    ('0.91', '0.996', '1.00')
    """
    exact = abs(value) > 1.0 - 1e-9
    digits = next((each for each in range(2, 9) if exact or abs(round(value, each)) < 1.0), 9)
    return f"{value:.{digits}f}"


def _drawn(panel: Panel, named: int) -> Any:
    """The chart of one scale."""
    x = alt.X(
        "gold:Q",
        title=panel.gold_name,
        scale=alt.Scale(domain=list(panel.across), nice=False, zero=False),
        axis=alt.Axis(tickCount=6, labelFlush=False),
    )
    scale = alt.Scale(domain=list(panel.up), nice=False, zero=False)
    y = alt.Y("position:Q", title="position", scale=scale, axis=alt.Axis(tickCount=6))
    few = len(panel.score) <= FEW
    base = alt.Chart(alt.InlineData(_cells(panel))).encode(x=x)
    tooltip = [
        alt.Tooltip("item:N"),
        *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("gold", "position")),
    ]
    dots = base.mark_circle(size=46 if few else 20, color=LIGHT.accent, opacity=1.0 if few else 0.5)
    layers = [*_lines(panel, x, y)]
    if panel.low is not None:
        rule = base.mark_rule(color=LIGHT.accent, strokeWidth=1.5, opacity=0.45 if few else 0.12)
        layers.append(rule.encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"))
    outlines, texts = _names(_placed(panel, named))
    layers += [*outlines, dots.encode(y=y, tooltip=tooltip), *texts]
    heading = alt.TitleParams(panel.name, subtitle=list(panel.subtitle), anchor="start")
    return alt.layer(*layers).properties(width=SIDE, height=SIDE, title=heading)


def _cells(panel: Panel) -> list[dict[str, Any]]:
    columns: dict[str, Any] = {
        "item": panel.item,
        "gold": panel.gold.tolist(),
        "position": panel.score.tolist(),
    }
    if panel.low is not None and panel.high is not None:
        columns |= {"low": panel.low.tolist(), "high": panel.high.tolist()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _lines(panel: Panel, x: Any, y: Any) -> list[Any]:
    """The regression line, and equality if both axes have the same scale."""

    def line(ends: Sequence[tuple[float, float]], **style: Any) -> Any:
        values = [{"gold": across, "position": up} for across, up in ends]
        return alt.Chart(alt.InlineData(values)).mark_line(clip=True, **style).encode(x=x, y=y)

    made = []
    if panel.same_scale:
        corners = [(end, end) for end in panel.up]
        made.append(line(corners, color=LIGHT.ink2, strokeWidth=1, opacity=0.45))
    if np.isfinite(panel.line).all():
        made.append(line(panel.line, color=LIGHT.ink2, strokeWidth=1, strokeDash=[5, 4]))
    return made


def _names(placed: Sequence[Placed]) -> tuple[list[Any], list[Any]]:
    """White outlines, which keep labels readable where they cross a line, and the labels."""
    styles: tuple[dict[str, Any], ...] = (
        {"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"},
        {"color": LIGHT.ink},
    )
    outlines, texts = ([_name(each, style) for each in placed] for style in styles)
    return outlines, texts


def _name(placed: Placed, style: Mapping[str, Any]) -> Any:
    label = alt.Chart(alt.InlineData([{"text": placed.text}])).mark_text(
        align=placed.align,
        baseline="middle",
        fontSize=LABEL,
        dx=placed.across,
        dy=placed.down,
        **style,
    )
    return label.encode(x=alt.value(placed.x), y=alt.value(placed.y), text="text:N")


def _placed(panel: Panel, named: int) -> list[Placed]:
    """The labelled points in pixels, with places of their labels."""
    x, y = _pixels(panel.gold, panel.across), SIDE - _pixels(panel.score, panel.up)
    labels = [(float(x[at]), float(y[at]), panel.item[at]) for at in _farthest(panel, named)]
    few = len(x) <= FEW
    obstacles = [Box(a - POINT, b - POINT, a + POINT, b + POINT) for a, b in zip(x, y, strict=True)]
    if few and panel.low is not None and panel.high is not None:
        top, bottom = (SIDE - _pixels(each, panel.up) for each in (panel.high, panel.low))
        obstacles += [Box(a - 1, b, a + 1, c) for a, b, c in zip(x, top, bottom, strict=True)]
    return place_labels(labels, obstacles, SIDE, LABEL)


def _pixels(values: Vector, ends: tuple[float, float]) -> Vector:
    return np.asarray(SIDE * (values - ends[0]) / (ends[1] - ends[0]))


def _farthest(panel: Panel, named: int) -> list[int]:
    """All points if there are few, otherwise those farthest from the regression line."""
    if len(panel.score) <= named:
        return list(range(len(panel.score)))
    slope, intercept = regression(panel.score, panel.gold)
    gap = np.abs(panel.gold - intercept - slope * panel.score)
    return sorted(np.argsort(-np.nan_to_num(gap), kind="stable")[: max(named // 2, 1)].tolist())


def _spaced(gold: Vector, most: int) -> Codes:
    """Indices of at most this many items, evenly spaced by gold."""
    if len(gold) <= most:
        return np.arange(len(gold))
    order = np.argsort(gold, kind="stable")
    return np.sort(order[np.round(np.linspace(0, len(gold) - 1, most)).astype(np.int64)])


def _ends(*values: Vector) -> tuple[float, float]:
    """The smallest and the largest value, with a margin."""
    finite = np.concatenate([each[np.isfinite(each)] for each in values])
    low, high = float(finite.min()), float(finite.max())
    margin = 0.06 * (high - low) if high > low else max(abs(high), 1.0) * 0.1
    return low - margin, high + margin
