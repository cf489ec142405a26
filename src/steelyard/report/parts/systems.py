"""Systems: positions for new and for these segments, differences with adjusted p values, and clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import SteelyardError
from steelyard.messages.words import Term, said
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.outputs import target_in_words
from steelyard.models.units import fit_unit
from steelyard.report import words
from steelyard.report.charts import MOST_CLUSTERED, ScaleRow, rows_at
from steelyard.report.source import ReportSource
from steelyard.scales.differences import Adjust, Differences
from steelyard.scales.fit import INTERVAL_LEVEL, Fit

MOST_DIFFERENCES = 60  # systems up to which all pairs are compared
ADJUST: Adjust = "holm"
NO_LIMITS: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system.

    Attributes
    ----------
    row
        Position, interval and ranks for new segments and raters.
    these_low, these_high
        Ends of the 95% interval for these segments and new raters; None if it could not be computed.
    z
        Mean of the standardised scores (z-scores within raters); None if there are no scores.
    cluster
        Number of the cluster, from 1 for the highest.
    judgments
        Number of judgments.
    """

    row: ScaleRow
    these_low: float | None
    these_high: float | None
    z: float | None
    cluster: int
    judgments: float


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """Difference between two systems, for new segments and raters.

    Attributes
    ----------
    first, second
        The systems; the first has the higher position.
    estimate
        Position of the first minus position of the second.
    low, high
        Ends of the 95% interval, not adjusted for the number of pairs.
    p
        Two-sided p value, adjusted by `SystemsPart.adjust`; None if no judgment links the two systems.
    """

    first: str
    second: str
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class SystemsPart:
    """Systems of one question or group.

    Attributes
    ----------
    target, these_target
        The segments and raters to which the two kinds of intervals apply.
    quantity, measure
        Name of the positions, and unit of measurement of a difference.
    span
        Ends of the axis.
    charted
        Whether the systems have a chart of their own. They have none if the chart of the scale shows them.
    rows
        Systems, highest position first.
    differences
        Every pair of systems; empty if there are more than 60 systems.
    adjust
        Adjustment of the p values for the number of pairs.
    sentences
        The results in sentences.
    notes
        Sentences about judgments that were left out, and about the tests.
    """

    target: str
    these_target: str
    quantity: str
    measure: str
    span: tuple[float, float]
    charted: bool
    rows: tuple[SystemRow, ...]
    differences: tuple[SystemDifference, ...]
    adjust: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def charted_clusters(self) -> tuple[int, ...]:
        """Clusters of the systems in the chart; empty if they are one cluster, or if there are many systems."""
        charted = tuple(each.cluster for each in self.rows)
        return charted if len(charted) <= MOST_CLUSTERED and len(set(charted)) > 1 else ()

    @property
    def width(self) -> float:
        """Width of the axis, which sets the digits of positions."""
        return self.span[1] - self.span[0]

    @property
    def has_z(self) -> bool:
        """Whether systems have mean z-scores."""
        return any(each.z is not None for each in self.rows)

    def difference(self, first: str, second: str) -> SystemDifference | None:
        """Return the difference between two systems, the higher one first."""
        return next((each for each in self.differences if (each.first, each.second) == (first, second)), None)


def systems_part(source: ReportSource) -> SystemsPart | None:
    """Return the systems; None if the judgments name fewer than two, or the model cannot estimate them."""
    fit = source.systems
    if fit is None:
        return None
    tested = fit.compared(ADJUST, INTERVAL_LEVEL) if len(fit.item) <= MOST_DIFFERENCES else None
    rows = _rows(source, fit, tested)
    used = ADJUST if tested is None else tested.adjust
    return SystemsPart(
        target=target_in_words("new", "new"),
        these_target=target_in_words("these", "new"),
        quantity=source.quantity.name,
        measure=source.quantity.measure,
        span=fit.span,
        charted=source.unit == "item",
        rows=rows,
        differences=() if tested is None else _differences(rows, tested),
        adjust=used,
        sentences=_sentences(rows, tested),
        notes=(*fit.remarks, *(() if tested is None else tested.notes)),
    )


def _rows(source: ReportSource, fit: Fit, tested: Differences | None) -> tuple[SystemRow, ...]:
    these, z = source.systems_for("these"), _z_scores(source)
    limits = {} if these is None else _limits(these)
    groups = fit.clusters(adjust=ADJUST) if tested is not None else ()
    cluster = {item: at for at, group in enumerate(groups, start=1) for item in group}
    scale = fit.scale.ordered()
    rows = rows_at(scale, {}, range(len(scale)))
    return tuple(
        SystemRow(
            row=row,
            these_low=limits.get(row.item, NO_LIMITS)[0],
            these_high=limits.get(row.item, NO_LIMITS)[1],
            z=z.get(row.item),
            cluster=cluster.get(row.item, 0),
            judgments=float(scale.count[at]),
        )
        for at, row in enumerate(rows)
    )


def _limits(fit: Fit) -> dict[str, tuple[float | None, float | None]]:
    low, high = fit.posterior.interval(INTERVAL_LEVEL)
    return {str(item): (float(low[at]), float(high[at])) for at, item in enumerate(fit.item)}


def _z_scores(source: ReportSource) -> dict[str, float]:
    """Mean z-score of each system, as in the WMT campaigns; empty if the answers are not scores."""
    pointed = [name for name, table in source.judgments.tables.items() if table.kind.pointed and len(table)]
    if not pointed:
        return {}
    try:
        fit = fit_unit(DirectAssessment(standardise="rater"), source.judgments, "system")
    except SteelyardError:
        return {}
    return dict(zip(map(str, fit.item), fit.posterior.position.tolist(), strict=True))


def _differences(rows: tuple[SystemRow, ...], tested: Differences) -> tuple[SystemDifference, ...]:
    """Every pair with the higher system first, in the order of the positions."""
    place = {each.row.item: at for at, each in enumerate(rows)}
    made = []
    for row in tested.rows():
        turned = place[row["left"]] > place[row["right"]]
        first, second = (row["right"], row["left"]) if turned else (row["left"], row["right"])
        ends = (-row["high"], -row["low"]) if turned else (row["low"], row["high"])
        estimate = -row["estimate"] if turned else row["estimate"]
        numbers = (None if np.isnan(value) else value for value in (estimate, *ends, row["p"]))
        made.append(SystemDifference(first, second, *numbers))
    return tuple(sorted(made, key=lambda each: (place[each.first], place[each.second])))


def _sentences(rows: tuple[SystemRow, ...], tested: Differences | None) -> tuple[str, ...]:
    number = max(each.cluster for each in rows)
    if tested is None:
        return (said("most_differences", count=MOST_DIFFERENCES),)
    significant = int(np.sum(tested.p < 1.0 - INTERVAL_LEVEL))
    method = Term(words.adjustment(tested.adjust))
    return (
        said("significant_pairs", significant=significant, count=len(tested), method=method),
        said("systems_form", count=max(number, 1)),
    )
