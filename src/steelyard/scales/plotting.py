"""Charts of fits by name.

Charts are drawn by `steelyard.report.plots`, which imports a chart library. Packages import downwards only, so this
module has the names of the functions and imports them when a chart is made.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from steelyard.errors import MissingLibrary, UnknownName

PLOTS_MODULE = "steelyard.report.plots"
CHART_LIBRARIES = ("altair", "vl_convert")
PLOTS = {
    "scale": "scale_plot",
    "ranks": "rank_plot",
    "matrix": "matrix_plot",
    "raters": "rater_plot",
    "histogram": "histogram_plot",
    "ambiguity": "ambiguity_plot",
}


def plot_named(what: str) -> Callable[..., Any]:
    """Return the function that draws this chart of a fit.

    Raises
    ------
    UnknownName
        If there is no such chart.
    MissingLibrary
        If the chart library is not installed.
    """
    if what not in PLOTS:
        raise UnknownName("chart", what, tuple(PLOTS))
    for library in CHART_LIBRARIES:
        try:
            import_module(library)
        except ModuleNotFoundError:
            raise MissingLibrary(library, "plots") from None
    plot: Callable[..., Any] = getattr(import_module(PLOTS_MODULE), PLOTS[what])
    return plot
