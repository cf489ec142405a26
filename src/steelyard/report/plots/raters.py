"""Charts of raters: one panel per statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from steelyard.errors import BadSetting, UnknownName
from steelyard.report.plots.look import (
    LETTERS,
    LIGHT,
    STEP,
    dressed,
    row_axis,
    row_labels,
    titled,
)
from steelyard.scales.fit import Fit

MOST = 60  # raters in one chart
PANEL = 150  # width of a panel
NEUTRAL = {"bias": 0.0, "slope": 1.0, "width_habit": 1.0, "position": 0.0}  # value of a rater like the others
ENDS = ("_low", "_high", "_error")


def rater_plot(
    fit: Fit,
    *,
    statistics: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    most: int | None = MOST,
    letters: int = LETTERS,
    title: str = "",
) -> Any:
    """Return a chart of the statistics of raters, with 95% intervals where the model has them.

    Parameters
    ----------
    fit
        A fit of a model with statistics of raters.
    statistics
        Columns of `fit.raters` to show, one panel each. Default: all numbers.
    labels
        Label of each rater id. Default: the ids.
    most
        Largest number of raters, 60 by default; None for all. The first raters are shown, in the order of
        `fit.raters`.
    letters
        Largest length of a label, 60 by default.
    title
        Title of the chart. Default: none.

    Returns
    -------
    altair.HConcatChart
        The chart. A dashed line is the value of a rater who answers like the others.

    Raises
    ------
    BadSetting
        If the model has no statistics of raters.
    """
    if not len(fit.raters):
        raise BadSetting(
            "raters", f"the model {fit.provenance.model} has no statistics of raters. Use another model."
        )
    wanted = statistics_of(fit) if statistics is None else list(statistics)
    present = list(fit.raters.columns())
    for name in wanted:
        if name not in present:
            raise UnknownName("statistic", name, present)
    rows = list(fit.raters[: len(fit.raters) if most is None else most])
    names = row_labels([str(row["rater"]) for row in rows], labels, letters)
    cells = [{**row, "label": name} for row, name in zip(rows, names, strict=True)]
    panels = [_panel(cells, names, name, at == 0) for at, name in enumerate(wanted)]
    left_out = f"{len(rows):,} of {len(fit.raters):,} raters" if len(rows) < len(fit.raters) else ""
    return dressed(titled(alt.hconcat(*panels, spacing=24), title, left_out))


def statistics_of(fit: Fit) -> list[str]:
    """Return the columns of `fit.raters` that are statistics, without the ends of their intervals."""
    columns = fit.raters.columns()
    return [
        name
        for name, values in columns.items()
        if name != "rater"
        and not name.endswith(ENDS)
        and any(isinstance(each, int | float) and not isinstance(each, bool) for each in values)
    ]


def _panel(cells: list[dict[str, Any]], names: list[str], statistic: str, first: bool) -> Any:
    y = row_axis(names) if first else row_axis(names).axis(None)
    base = alt.Chart(alt.InlineData(cells), width=PANEL, height=alt.Step(STEP)).encode(y=y)
    words = statistic.replace("_", " ")
    whole = all(isinstance(cell[statistic], int | None) for cell in cells)
    ticks = alt.Axis(tickCount=4, tickMinStep=1, format="d") if whole else alt.Axis(tickCount=4)
    scale = alt.Scale(zero=False)
    x = alt.X(f"{statistic}:Q", title=words, axis=ticks, scale=scale)
    tooltip = [alt.Tooltip("rater:N"), alt.Tooltip(f"{statistic}:Q", format=".3~f")]
    layers = [base.mark_circle(size=50, color=LIGHT.accent, opacity=1.0).encode(x=x, tooltip=tooltip)]
    if f"{statistic}_low" in cells[0]:
        low = alt.X(f"{statistic}_low:Q", title=words, axis=ticks, scale=scale)
        line = base.mark_rule(strokeWidth=2.5, strokeCap="round", color=LIGHT.accent, opacity=0.55)
        layers.insert(0, line.encode(x=low, x2=f"{statistic}_high:Q"))
    if statistic in NEUTRAL:
        data = alt.InlineData([{"neutral": NEUTRAL[statistic]}])
        dashed = alt.Chart(data).mark_rule(strokeDash=[4, 3], color=LIGHT.ink2)
        layers.insert(0, dashed.encode(x=alt.X("neutral:Q", title=words, axis=ticks, scale=scale)))
    return alt.layer(*layers)
