"""What charts share: labels that are never cut off, titles, fonts and colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from steelyard.errors import UnknownName
from steelyard.maths.arrays import Codes
from steelyard.models.known import find_model
from steelyard.report.charts import COLOURS
from steelyard.scales.fit import Fit
from steelyard.study.definition.labels import printable, shortened

LETTERS = 60  # of a label; longer labels end with an ellipsis, and the tooltip has the whole text
WIDTH = 420  # of the plotting area, in pixels
STEP = 18  # height of a row
MOST_STEPS = 8  # of an axis of whole numbers
FONT, TEXT, HEADING = "system-ui, sans-serif", 12, 14
LIGHT = COLOURS["light"]


def row_labels(items: Sequence[str], labels: Mapping[str, str] | None, letters: int = LETTERS) -> list[str]:
    """Return one distinct line of text per item, to label a row.

    Parameters
    ----------
    items
        Item ids.
    labels
        Label of each item id. Default: the ids.
    letters
        Largest length of a label.

    Returns
    -------
    list of str
        Labels. Equal labels are numbered.

    Examples
    --------
    >>> row_labels(["a", "b", "c"], {"a": "Tea", "b": "Tea"})
    ['Tea (1)', 'Tea (2)', 'c']
    """
    texts = [shortened(printable((labels or {}).get(str(item), str(item))), letters) for item in items]
    repeated, seen = Counter(texts), Counter[str]()
    distinct = []
    for text in texts:
        seen[text] += 1
        distinct.append(f"{text} ({seen[text]})" if repeated[text] > 1 else text)
    return distinct


def highest_of(count: int, most: int | None) -> Codes:
    """Return the indices of at most this many rows, from the first.

    >>> highest_of(5, 3).tolist(), highest_of(3, None).tolist()
    ([0, 1, 2], [0, 1, 2])
    """
    return np.arange(count if most is None else min(count, most))


def shown_of(shown: int, count: int) -> str:
    """Return a line about rows that are left out; empty if there are none.

    >>> shown_of(100, 2000)
    'The 100 of 2,000 items with the highest positions'
    """
    return "" if shown == count else f"The {shown:,} of {count:,} items with the highest positions"


def row_axis(labels: Sequence[str], title: str | None = None) -> Any:
    """Return the vertical encoding of rows in this order, with labels that are never cut off."""
    axis = alt.Axis(labelLimit=0, title=title, grid=False, labelOverlap=False)
    return alt.Y("label:N", sort=list(labels), axis=axis, scale=alt.Scale(domain=list(labels)))


def quantity_of(fit: Fit) -> str:
    """Return the name of the positions of a fit, such as "mean rating"."""
    if fit.quantity is not None:
        return fit.quantity.name
    try:
        model = find_model(fit.provenance.model)()
    except (UnknownName, TypeError):  # a model of another package, which is not registered or needs settings
        return "position"
    return str(model.quantity.name)


def titled(chart: Any, title: str, *lines: str) -> Any:
    """Return a chart with a title and lines below it. Empty texts are left out."""
    below = [line for line in lines if line]
    if title:
        return chart.properties(title=alt.TitleParams(title, subtitle=below, anchor="start"))
    if below:
        small = alt.TitleParams(below, anchor="start", fontSize=TEXT, color=LIGHT.ink2)
        return chart.properties(title=small)
    return chart


def whole_ticks(low: int, high: int) -> list[int]:
    """Return whole numbers for an axis, from the lowest to the highest, with at most 8 steps.

    >>> whole_ticks(0, 3), whole_ticks(1, 300)
    ([0, 1, 2, 3], [1, 50, 100, 150, 200, 250, 300])
    """
    if high - low <= MOST_STEPS:
        return list(range(low, high + 1))
    power = 10 ** int(np.log10((high - low) / MOST_STEPS))
    step = next(
        power * factor for factor in (1, 2, 5, 10, 20) if (high - low) / (power * factor) <= MOST_STEPS
    )
    first = -(-(low + 1) // step) * step
    return [low, *(each for each in range(first, high + 1, step) if each - low >= step / 2)]


def dressed(chart: Any) -> Any:
    """Return a chart with fonts and colours, on white so that files can be printed."""
    return (
        chart.configure(font=FONT, background="white", padding=12)
        .configure_view(stroke=None)
        .configure_title(
            fontSize=HEADING,
            subtitleFontSize=TEXT,
            fontWeight="normal",
            color=LIGHT.ink,
            subtitleColor=LIGHT.ink2,
            offset=12,
            limit=0,
        )
        .configure_axis(
            labelFontSize=TEXT,
            titleFontSize=TEXT,
            titleFontWeight="normal",
            labelColor=LIGHT.ink,
            titleColor=LIGHT.ink2,
            gridColor=LIGHT.line,
            domainColor=LIGHT.line,
            ticks=False,
            titlePadding=10,
            labelPadding=7,
            labelFlush=False,
            labelOverlap="greedy",
            titleLimit=0,
        )
        .configure_legend(labelFontSize=TEXT, titleFontSize=TEXT, titleFontWeight="normal", labelLimit=0)
    )
