"""Several charts in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from steelyard.report.plots.look import dressed


def stacked(charts: Sequence[Any]) -> Any:
    """Return charts below each other; a single chart is returned unchanged."""
    if len(charts) == 1:
        return charts[0]
    plain = [chart.copy(deep=False) for chart in charts]
    for chart in plain:
        chart.config = alt.Undefined  # only the outermost chart may have a configuration
    return dressed(alt.vconcat(*plain, spacing=36).resolve_scale(color="independent"))
