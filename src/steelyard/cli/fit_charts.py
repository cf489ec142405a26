"""`steelyard fit --plot`: charts of fits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.cli.fit_groups import GroupFit
from steelyard.cli.output import check_place, remark_on_file
from steelyard.errors import BadSetting
from steelyard.scales.plotting import plot_named

MOST_GROUPS = 20  # charts in one file


def check_chart(what: str, path: Path) -> None:
    """Raise an error, before any long computation, if this chart cannot be written to this file."""
    check_place(path)
    plot_named(what)
    from steelyard.report.plots.saving import chart_format  # optional dependencies

    chart_format(path)


def draw(what: str, fits: Sequence[GroupFit], path: Path) -> None:
    """Write a chart of every fit, below each other if there are several.

    Parameters
    ----------
    what
        Name of the chart.
    fits
        The fit of each group.
    path
        File to write.
    """
    from steelyard.report.plots.saving import save_chart  # optional dependencies
    from steelyard.report.plots.stacking import stacked  # optional dependencies

    if len(fits) > MOST_GROUPS:
        raise BadSetting(
            "--plot",
            f"there are {len(fits):,} groups, and one file can show at most {MOST_GROUPS}. Choose some with --where.",
        )
    save_chart(stacked([each.fit.plot(what, title=each.group.label) for each in fits]), path)
    remark_on_file(path)
