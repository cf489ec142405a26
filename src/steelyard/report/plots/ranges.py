"""The chart of ranges: position against width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from steelyard.errors import BadSetting
from steelyard.report.plots.look import LIGHT, dressed, row_labels, titled
from steelyard.scales.fit import Fit

NAMED = 8  # items with a label
LETTERS = 32
SIDE, HEIGHT = 420, 300
LETTER, LINE = 6.4, 15.0  # width of a letter and height of a line, in pixels


def ambiguity_plot(
    fit: Fit,
    *,
    labels: Mapping[str, str] | None = None,
    named: int = NAMED,
    letters: int = LETTERS,
    title: str = "",
) -> Any:
    """Return a chart of the position of each item against the mean width of its ranges.

    Parameters
    ----------
    fit
        A fit of a model of ranges.
    labels
        Label of each item id. Default: the ids.
    named
        Largest number of items with a label, 8 by default. These have the widest and the narrowest ranges.
    letters
        Largest length of a label, 32 by default.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.LayerChart
        The chart. The colour is the disagreement, which is grey for items of a single rater.

    Raises
    ------
    BadSetting
        If the model does not estimate the width of ranges.
    """
    rows = [row for row in fit.items if row.get("ambiguity") is not None]
    if not rows:
        raise BadSetting(
            "ambiguity", f"the model {fit.provenance.model} has no widths of ranges. Use a model of ranges."
        )
    names = row_labels([str(row["item"]) for row in rows], labels, letters)
    marked = _labelled(rows, names, fit.span, named)
    cells = [
        {**row, "label": name, "shown": name if at in marked else ""}
        for at, (row, name) in enumerate(zip(rows, names, strict=True))
    ]
    left_out = len(fit.item) - len(rows)
    return dressed(titled(_layers(fit, cells), title, f"{left_out} items have no ranges" if left_out else ""))


def _layers(fit: Fit, cells: list[dict[str, Any]]) -> Any:
    low, high = fit.span
    x = alt.X(
        "position:Q",
        title="position (mean midpoint)",
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(tickCount=6),
    )
    up = alt.Scale(domain=[0.0, _widest(cells)], nice=False)
    y = alt.Y("ambiguity:Q", title="ambiguity (mean width of ranges)", scale=up, axis=alt.Axis(tickCount=6))
    base = alt.Chart(alt.InlineData(cells), width=SIDE, height=HEIGHT).encode(x=x, y=y)
    known = "isValid(datum.disagreement)"
    legend = alt.Legend(title="disagreement (sd of midpoints)")
    colour = alt.Color("disagreement:Q", scale=alt.Scale(scheme="viridis", reverse=True), legend=legend)
    numbers = [alt.Tooltip(f"{name}:Q", format=".3~f") for name in ("position", "ambiguity", "disagreement")]
    dots = base.mark_circle(size=70, opacity=0.9).encode(
        color=alt.condition(known, colour, alt.value(LIGHT.ink2)),
        tooltip=[alt.Tooltip("item:N"), *numbers],
    )
    return alt.layer(dots, *_names(base, low, high))


def _names(base: Any, low: float, high: float) -> list[Any]:
    """Return the labels, on a white outline. They point to the middle of the chart."""
    middle = (low + high) / 2.0
    layers = []
    for outline in ({"stroke": "white", "strokeWidth": 3.0}, {}):
        text: dict[str, Any] = {"fontSize": 11, "color": LIGHT.ink, **outline}
        left = base.transform_filter(f"datum.shown !== '' && datum.position <= {middle}")
        right = base.transform_filter(f"datum.shown !== '' && datum.position > {middle}")
        layers.append(left.mark_text(align="left", dx=9, **text).encode(text="shown:N"))
        layers.append(right.mark_text(align="right", dx=-9, **text).encode(text="shown:N"))
    return layers


def _widest(rows: Sequence[Mapping[str, Any]]) -> float:
    return 1.08 * max([1e-9, *(float(row["ambiguity"]) for row in rows)])


def _labelled(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], span: tuple[float, float], named: int
) -> set[int]:
    """Return the items to label: in turn the widest and the narrowest, without labels that would overlap."""
    order = np.argsort([float(row["ambiguity"]) for row in rows], kind="stable").tolist()
    in_turn = [at for pair in zip(reversed(order), order, strict=True) for at in pair]
    chosen: dict[int, tuple[float, float, float]] = {}
    for at in dict.fromkeys(in_turn[: 2 * named]):
        box = _box(rows[at], names[at], span, _widest(rows))
        if len(chosen) < named and not any(_overlap(box, other) for other in chosen.values()):
            chosen[at] = box
    return set(chosen)


def _box(
    row: Mapping[str, Any], name: str, span: tuple[float, float], widest: float
) -> tuple[float, float, float]:
    """Return the left and right end and the height of a label, in pixels."""
    share = (float(row["position"]) - span[0]) / max(span[1] - span[0], 1e-12)
    at, width = SIDE * share, 9.0 + LETTER * len(name)
    left = at if share <= 0.5 else at - width
    return left, left + width, HEIGHT * float(row["ambiguity"]) / widest


def _overlap(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < LINE
