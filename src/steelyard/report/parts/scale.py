"""The scale: positions with intervals, rank intervals and clusters, and the items that raters disagree on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.counting import judgments_by_kind
from steelyard.messages.words import Figure, Said, Term, said
from steelyard.report import words
from steelyard.report.answers_given import answers_given
from steelyard.report.charts import MOST_CLUSTERED, ScaleRow, rows_at, scale_rows
from steelyard.report.parts.disputes import Dispute, disputes
from steelyard.report.source import ReportSource
from steelyard.scales.fit import Fit
from steelyard.scales.scale import Scale

TABLED = 5_000  # largest number of items in the full table
CLUSTERED = 300  # largest number of items for which clusters are computed
BINS, LEAST_HISTOGRAM = 20, 10
QUANTILES = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1, 0.0)
WIDEST = 5


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of the histogram of positions.

    Attributes
    ----------
    low, high
        Ends of the bin.
    count
        Number of items in it.
    """

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class QuantileRow:
    """The item at a quantile of the positions.

    Attributes
    ----------
    share
        Share of the items at or below this position, from 0 to 1.
    row
        The item.
    """

    share: float
    row: ScaleRow


@dataclass(frozen=True, slots=True)
class AmbiguousRow:
    """An item whose position is among the least certain.

    Attributes
    ----------
    row
        The item.
    judgments
        Number of judgments of the item.
    answers
        The answers that raters gave.
    """

    row: ScaleRow
    judgments: float
    answers: str


@dataclass(frozen=True, slots=True)
class ScalePart:
    """The scale of one question or group.

    Attributes
    ----------
    unit
        "item" or "system".
    quantity
        Short name of the positions.
    meaning
        A sentence on what a position means.
    measure
        Unit of measurement of a difference; "" if there is none.
    span
        Ends of the axis.
    ends
        Ends of the scale; None if it has no fixed ends.
    size
        Number of items or systems.
    judgments
        Number of judgments.
    raters
        Number of raters.
    sentences
        The results in sentences: first and last item, precision, clusters.
    remarks
        Sentences about the fit that a reader needs.
    rows
        Items, highest position first. With more than 5,000 items, only the first 5,000.
    shown
        Items in the chart: those with the highest positions.
    clusters
        Cluster of each row, from 1; empty if clusters were not computed.
    cluster_rule
        How clusters were made, or why they were not.
    histogram
        Numbers of items by position; empty with fewer than ten items.
    quantiles
        Items at quantiles of the positions.
    ambiguous
        Items with the widest 95% intervals.
    disputed
        Items with the largest standard deviation between raters.
    answer_width
        Width of the range of the answers, in whose units standard deviations of answers are given.
    """

    unit: str
    quantity: str
    meaning: str
    measure: str
    span: tuple[float, float]
    ends: tuple[float, float] | None
    size: int
    judgments: float
    raters: int
    sentences: tuple[str, ...]
    remarks: tuple[str, ...]
    rows: tuple[ScaleRow, ...]
    shown: tuple[ScaleRow, ...]
    clusters: tuple[int, ...]
    cluster_rule: str
    histogram: tuple[Bin, ...]
    quantiles: tuple[QuantileRow, ...]
    ambiguous: tuple[AmbiguousRow, ...]
    disputed: tuple[Dispute, ...]
    answer_width: float

    @property
    def charted_clusters(self) -> tuple[int, ...]:
        """Clusters of the items in the chart; empty if they are one cluster, or if there are many items."""
        charted = self.clusters[: len(self.shown)]
        return charted if self.size <= MOST_CLUSTERED and len(set(charted)) > 1 else ()

    @property
    def width(self) -> float:
        """Width of the axis, which sets the digits of positions."""
        return self.span[1] - self.span[0]


def scale_part(source: ReportSource) -> ScalePart | None:
    """Return the scale; None while there is no fit."""
    fit = source.fit
    if fit is None:
        return None
    scale = fit.scale.ordered()
    rows = rows_at(scale, source.labels, range(min(len(scale), TABLED)))
    clusters, rule = _clusters(fit, source.unit)
    provenance = fit.provenance
    return ScalePart(
        unit=source.unit,
        quantity=source.quantity.name,
        meaning=source.quantity.sentence(source.unit),
        measure=source.quantity.measure,
        span=fit.span,
        ends=source.ends,
        size=len(scale),
        judgments=provenance.judgments,
        raters=provenance.raters,
        sentences=(*_sentences(source, fit, scale), *_cluster_sentence(source.unit, clusters)),
        remarks=fit.remarks,
        rows=rows,
        shown=scale_rows(scale, source.labels),
        clusters=tuple(clusters[row.item] for row in rows) if clusters else (),
        cluster_rule=rule,
        histogram=_histogram(scale),
        quantiles=_quantiles(scale, source.labels),
        ambiguous=_ambiguous(source, scale),
        disputed=disputes(source.judgments, source.labels, source.unit),
        answer_width=source.rating_width,
    )


def _sentences(source: ReportSource, fit: Fit, scale: Scale) -> list[str]:
    """First and last item, and the precision of the positions."""
    width, quantity, is_item = fit.span[1] - fit.span[0], source.quantity, source.unit == "item"
    (first, at_first), (last, at_last) = (_placed(source, scale, at, width) for at in (0, len(scale) - 1))
    based = _based_on(fit)
    combined = words.kinds_combined(judgments_by_kind(source.judgments), fit.correlation_of_kinds)
    caveat = [each for each in (combined, quantity.caveat) if each]
    if len(scale) == 1:
        only = "only_item" if is_item else "only_system"
        return [said(only, name=first, at=at_first, judgments=based), *caveat]
    return [
        said(
            "first_and_last",
            first=first,
            at_first=at_first,
            last=last,
            at_last=at_last,
            units=said("n_items" if is_item else "n_systems", count=len(scale)),
            judgments=based,
        ),
        said(
            "typical_item" if is_item else "typical_system",
            width=measured(words.position(float(np.median(scale.high - scale.low)), width), quantity.measure),
            where=_where(source, scale, width),
        ),
        said("rank_interval_covers", shown=_typical_ranks(scale), count=len(scale)),
        *caveat,
    ]


def _based_on(fit: Fit) -> Said:
    """The number of judgments, and of raters if they are known."""
    judgments = said("n_judgments", count=round(fit.provenance.judgments))
    raters = fit.provenance.raters
    return (
        said("judgments_by", judgments=judgments, raters=said("n_raters", count=raters))
        if raters
        else judgments
    )


def measured(width: str, measure: str) -> str:
    """Return the width of an interval with its unit of measurement, if there is one."""
    return said("with_measure", value=Figure(width), measure=Term(measure)) if measure else Figure(width)


def _placed(source: ReportSource, scale: Scale, at: int, width: float) -> tuple[str, Said]:
    position, low, high = (
        Figure(words.position(float(values[at]), width)) for values in (scale.position, scale.low, scale.high)
    )
    label = source.label(scale.item[at])
    name = said("in_quotes", text=label) if len(label.split()) > 1 else label
    return name, said("placed_at", position=position, low=low, high=high)


def _where(source: ReportSource, scale: Scale, width: float) -> Said:
    ends = source.ends
    if ends is not None:
        return said("on_a_scale", low=Figure(words.score(ends[0])), high=Figure(words.score(ends[1])))
    low, high = (words.position(float(end), width) for end in (scale.position.min(), scale.position.max()))
    return said("positions_range", low=Figure(low), high=Figure(high))


def _typical_ranks(scale: Scale) -> int:
    return int(np.median(scale.rank_high - scale.rank_low + 1))


def _clusters(fit: Fit, unit: str) -> tuple[dict[str, int], str]:
    """Cluster of each item, and the rule."""
    is_item = unit == "item"
    if len(fit.item) > CLUSTERED:
        return {}, said("most_items_clustered" if is_item else "most_systems_clustered", count=CLUSTERED)
    if len(fit.item) < 2:
        return {}, ""
    groups = fit.clusters(adjust="holm")
    numbers = {str(item): at for at, group in enumerate(groups, start=1) for item in group}
    return numbers, said("items_of_clusters" if is_item else "systems_of_clusters")


def _cluster_sentence(unit: str, clusters: Mapping[str, int]) -> list[str]:
    number, is_item = max(clusters.values(), default=0), unit == "item"
    if number < 2:
        one = said("one_cluster_of_items" if is_item else "one_cluster_of_systems")
        return [one, said("unadjusted_ranks")] if len(clusters) > 1 else [one] if clusters else []
    several = said("items_in_clusters" if is_item else "systems_in_clusters", count=number)
    return [several, said("unadjusted_ranks")]


def _histogram(scale: Scale) -> tuple[Bin, ...]:
    low, high = float(scale.position.min()), float(scale.position.max())
    if len(scale) < LEAST_HISTOGRAM or not high > low:
        return ()
    counts, edges = np.histogram(scale.position, min(BINS, len(scale) // 2), (low, high))
    return tuple(Bin(float(edges[at]), float(edges[at + 1]), int(count)) for at, count in enumerate(counts))


def _quantiles(scale: Scale, labels: Mapping[str, str]) -> tuple[QuantileRow, ...]:
    """Items at quantiles; none if the scale has hardly more items than quantiles."""
    if len(scale) < 2 * len(QUANTILES):
        return ()
    at = [round((1.0 - share) * (len(scale) - 1)) for share in QUANTILES]
    rows = rows_at(scale, labels, at)
    return tuple(QuantileRow(share, row) for share, row in zip(QUANTILES, rows, strict=True))


def _ambiguous(source: ReportSource, scale: Scale) -> tuple[AmbiguousRow, ...]:
    """The judged items with the widest intervals."""
    if len(scale) < 3:
        return ()
    width = np.where(scale.count > 0, scale.high - scale.low, -np.inf)
    most = min(WIDEST, len(scale) // 3)
    at = [int(each) for each in np.argsort(-width, kind="stable")[:most] if width[each] > 0]
    rows = rows_at(scale, source.labels, at)
    return tuple(
        AmbiguousRow(row, float(scale.count[each]), answers_given(source.judgments, row.item, source.unit))
        for each, row in zip(at, rows, strict=True)
    )
