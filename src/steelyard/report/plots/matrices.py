"""The chart of win probabilities of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import altair as alt
import numpy as np

from steelyard.report.plots.look import LETTERS, LIGHT, dressed, highest_of, row_labels, shown_of, titled
from steelyard.scales.fit import Fit
from steelyard.scales.win_matrix import WinMatrix

MOST = 40  # items in one chart
WITH_NUMBERS = 25  # items up to which the cells have numbers
CELL, SMALL_CELL = 34, 14  # sides of a cell with and without a number, in pixels
LINE = 64  # letters in a line of the subtitle
SHORT = 16  # letters of labels that columns have too; longer labels are replaced by numbers
COLOURS = ("#b5531c", "#f4f1ea", "#0b5a78")  # below, at and above one half


def matrix_plot(
    source: Fit | WinMatrix,
    *,
    labels: Mapping[str, str] | None = None,
    most: int | None = MOST,
    letters: int = LETTERS,
    title: str = "",
) -> Any:
    """Return a chart of the probability that the item of a row wins against the item of a column.

    Parameters
    ----------
    source
        A fit, or its win matrix.
    labels
        Label of each item id. Default: the ids.
    most
        Largest number of items, 40 by default; None for all. Of more items, those with the highest positions are
        shown.
    letters
        Largest length of a label, 60 by default.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.Chart
        The chart. Cells have numbers, in percent, if there are at most 25 items. Columns have the numbers of the rows
        if labels are long.
    """
    matrix = source if isinstance(source, WinMatrix) else source.win_matrix()
    chosen = highest_of(len(matrix), most)
    names = row_labels([str(item) for item in matrix.item[chosen]], labels, letters)
    short = max(map(len, names)) <= SHORT
    if not short:
        names = [f"{number}. {name}" for number, name in enumerate(names, start=1)]
    rows = _cells(matrix.probability[np.ix_(chosen, chosen)], names)
    numbered = len(names) <= WITH_NUMBERS
    side = alt.Step(CELL if numbered else SMALL_CELL)
    base = alt.Chart(alt.InlineData(rows), width=side, height=side).encode(
        x=_side(alt.X, "column", names, orient="top", **_heading(short, numbered)),
        y=_side(alt.Y, "row", names),
    )
    colour = alt.Color(
        "probability:Q",
        scale=alt.Scale(domain=[0, 0.5, 1], range=list(COLOURS)),
        legend=alt.Legend(title="probability", format=".0%", gradientLength=120),
    )
    tooltip = [alt.Tooltip("row:N"), alt.Tooltip("column:N"), alt.Tooltip("probability:Q", format=".1%")]
    layers = [base.mark_rect().encode(color=colour, tooltip=tooltip), *([_numbers(base)] if numbered else [])]
    shown = shown_of(len(names), len(matrix))
    columns = "" if short else "Columns have the numbers of the rows."
    return dressed(titled(alt.layer(*layers), title, *wrap(matrix.meaning, LINE), columns, shown))


def _side(channel: Any, field: str, names: list[str], **more: Any) -> Any:
    """One side of the matrix, with every label."""
    axis = alt.Axis(labelLimit=0, grid=False, domain=False, labelOverlap=False, **more)
    scale = alt.Scale(domain=names, paddingInner=0.06)
    return channel(f"{field}:N", sort=names, scale=scale, title=None, axis=axis)


def _heading(short: bool, wide_cells: bool) -> dict[str, Any]:
    """Labels of the columns: the labels of the rows, upright, or their numbers."""
    if short:
        return {"labelAngle": -90, "offset": 0, "maxExtent": 400, "minExtent": SHORT * 8}
    return {"labelExpr": "split(datum.label, '.')[0]", "labelAngle": 0 if wide_cells else -90}


def _cells(probability: Any, names: list[str]) -> list[dict[str, Any]]:
    rows, columns = np.nonzero(np.isfinite(probability))
    return [
        {"row": names[row], "column": names[column], "probability": float(probability[row, column])}
        for row, column in zip(rows, columns, strict=True)
    ]


def _numbers(base: Any) -> Any:
    """Return the percentages, white on dark cells."""
    dark = "datum.probability > 0.82 || datum.probability < 0.18"
    return (
        base.mark_text(fontSize=11)
        .encode(
            text=alt.Text("percent:Q", format=".0f"),
            color=alt.condition(dark, alt.value("white"), alt.value(LIGHT.ink)),
        )
        .transform_calculate(percent="100 * datum.probability")
    )
