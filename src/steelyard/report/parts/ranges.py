"""Ranges: ambiguity beside disagreement, the four corners, drift over rounds, anchors and training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.messages.words import Figure, said
from steelyard.models.goldilocks import Goldilocks
from steelyard.report import words
from steelyard.report.answers_given import answers_given
from steelyard.report.charts import MOST
from steelyard.report.procedure_text import training_words
from steelyard.report.source import ReportSource
from steelyard.study.grounding.rounds import Drift

KIND = "range"
TABLED = 5_000
EXAMPLES = 3
LEAST_RATERS = 2
CORNERS = (  # name, whether it is ambiguous, and whether it is disputed; in the order of the scatter plot
    ("clear and disputed", False, True),
    ("ambiguous and disputed", True, True),
    ("clear and agreed", False, False),
    ("ambiguous and agreed", True, False),
)


@dataclass(frozen=True, slots=True)
class RangeRow:
    """One item judged by ranges.

    Attributes
    ----------
    item, label
        Id and label of the item.
    position
        Mean midpoint of the ranges.
    low, high
        Means of the lower and upper bounds.
    ambiguity
        Mean width of the ranges.
    disagreement
        Standard deviation of the midpoints over raters; None with a single rater.
    raters
        Number of raters.
    """

    item: str
    label: str
    position: float
    low: float
    high: float
    ambiguity: float
    disagreement: float | None
    raters: float


@dataclass(frozen=True, slots=True)
class CornerExample:
    """An item of a corner, with the ranges that raters gave."""

    row: RangeRow
    answers: str


@dataclass(frozen=True, slots=True)
class Corner:
    """Items that are clear or ambiguous, and agreed or disputed.

    Attributes
    ----------
    name
        Name of the corner, such as "clear and agreed".
    count
        Number of items in it.
    examples
        Its most typical items.
    """

    name: str
    count: int
    examples: tuple[CornerExample, ...]


@dataclass(frozen=True, slots=True)
class AnchorRow:
    """An anchor of the current round: the label of the item, and the range at which it is shown.

    `position` is the estimate from the judgments; None if the item has none.
    """

    label: str
    low: float
    high: float
    position: float | None = None


@dataclass(frozen=True, slots=True)
class AnchorDrift:
    """An anchor over rounds: the label of the item, and pairs of round and position."""

    label: str
    places: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class RangesPart:
    """Ranges of one question or group.

    Attributes
    ----------
    span
        Ends of the scale.
    rows
        Items, highest position first. With more than 5,000 items, only the first 5,000.
    shown
        Items in the chart, evenly spaced by position.
    size
        Number of items.
    ambiguity_cut, disagreement_cut
        Medians that separate clear from ambiguous and agreed from disputed items.
    corners
        The four corners; empty if no item has two raters.
    correlation
        Spearman correlation of ambiguity and disagreement over items; None if it is not defined.
    sentences
        The results in sentences.
    drift
        Positions of anchor items by round.
    anchors
        Anchors of the current round.
    training
        A sentence on training attempts; "" without training.
    """

    span: tuple[float, float]
    rows: tuple[RangeRow, ...]
    shown: tuple[RangeRow, ...]
    size: int
    ambiguity_cut: float
    disagreement_cut: float
    corners: tuple[Corner, ...]
    correlation: float | None
    sentences: tuple[str, ...]
    drift: tuple[AnchorDrift, ...]
    anchors: tuple[AnchorRow, ...]
    training: str

    @property
    def width(self) -> float:
        """Width of the scale, which sets the digits of positions."""
        return self.span[1] - self.span[0]


def ranges_part(source: ReportSource) -> RangesPart | None:
    """Return ambiguity and disagreement; None for other kinds of judgment."""
    if not len(source.judgments.table(KIND)):
        return None
    rows = _rows(source)
    compared = [row for row in rows if row.disagreement is not None and row.raters >= LEAST_RATERS]
    cuts = _cuts(compared)
    low, high = source.judgments.score_range
    correlation = _correlation(compared)
    return RangesPart(
        span=(low, high),
        rows=rows[:TABLED],
        shown=_evenly(rows),
        size=len(rows),
        ambiguity_cut=cuts[0],
        disagreement_cut=cuts[1],
        corners=_corners(source, compared, cuts),
        correlation=correlation,
        sentences=_sentences(rows, compared, correlation, high - low),
        drift=_drift(source),
        anchors=anchor_rows(source, {row.item: row.position for row in rows}),
        training="" if source.overview is None else training_words(source.overview.effort),
    )


def _rows(source: ReportSource) -> tuple[RangeRow, ...]:
    items: Sequence[Mapping[str, Any]] = source.fit.items if source.fit is not None else ()
    if not items or "ambiguity" not in items[0]:
        items = Goldilocks().fit(source.judgments.only(KIND)).items
    rows = (_row(source, each) for each in items if each["ambiguity"] is not None)
    return tuple(sorted(rows, key=lambda row: (-row.position, row.item)))


def _evenly(rows: tuple[RangeRow, ...]) -> tuple[RangeRow, ...]:
    if len(rows) <= MOST:
        return rows
    return tuple(rows[at] for at in np.round(np.linspace(0, len(rows) - 1, MOST)).astype(int).tolist())


def _row(source: ReportSource, values: Mapping[str, Any]) -> RangeRow:
    item = str(values["item"])
    names = ("position", "low", "high", "ambiguity", "disagreement", "raters")
    return RangeRow(item, source.label(item), *(values[name] for name in names))


def _cuts(rows: Sequence[RangeRow]) -> tuple[float, float]:
    if not rows:
        return 0.0, 0.0
    return (
        float(np.median([row.ambiguity for row in rows])),
        float(np.median([row.disagreement for row in rows])),
    )


def _corners(source: ReportSource, rows: Sequence[RangeRow], cuts: tuple[float, float]) -> tuple[Corner, ...]:
    if not rows:
        return ()
    return tuple(_corner(source, rows, cuts, each) for each in CORNERS)


def _corner(
    source: ReportSource,
    rows: Sequence[RangeRow],
    cuts: tuple[float, float],
    corner: tuple[str, bool, bool],
) -> Corner:
    """The items of a corner. Its most typical items are farthest from both medians."""
    name, ambiguous, disputed = corner
    inside = [
        row
        for row in rows
        if (row.ambiguity > cuts[0]) == ambiguous and (_disagreement(row) > cuts[1]) == disputed
    ]
    typical = sorted(inside, key=lambda row: -_distance(row, cuts))[:EXAMPLES]
    examples = tuple(CornerExample(row, answers_given(source.judgments, row.item)) for row in typical)
    return Corner(name, len(inside), examples)


def _disagreement(row: RangeRow) -> float:
    return 0.0 if row.disagreement is None else row.disagreement


def _distance(row: RangeRow, cuts: tuple[float, float]) -> float:
    """Smaller of the two relative distances from the medians."""
    pairs = ((row.ambiguity, cuts[0]), (_disagreement(row), cuts[1]))
    return min(abs(value - cut) / cut if cut > 0 else abs(value) for value, cut in pairs)


def _correlation(rows: Sequence[RangeRow]) -> float | None:
    from scipy.stats import spearmanr  # SciPy is slow to import

    ambiguity, disagreement = [row.ambiguity for row in rows], [_disagreement(row) for row in rows]
    if len(rows) < 3 or min(len(set(ambiguity)), len(set(disagreement))) < 2:
        return None
    return float(spearmanr(ambiguity, disagreement).statistic)


def _sentences(
    rows: Sequence[RangeRow], compared: Sequence[RangeRow], correlation: float | None, width: float
) -> tuple[str, ...]:
    if not rows:
        return ()
    typical = words.position(float(np.median([row.ambiguity for row in rows])), width)
    sentences: list[str] = [said("typical_range", width=Figure(typical))]
    if compared:
        apart = words.position(float(np.median([_disagreement(row) for row in compared])), width)
        sentences.append(said("midpoints_deviate", deviation=Figure(apart)))
    if correlation is not None:
        value = Figure(words.decimal(correlation))
        sentences.append(said("ambiguity_correlation", value=value, count=len(compared)))
    return tuple(sentences)


def _drift(source: ReportSource) -> tuple[AnchorDrift, ...]:
    drift: Sequence[Drift] = () if source.overview is None else source.overview.drift
    return tuple(AnchorDrift(source.label(each.item), each.places) for each in drift)


def anchor_rows(source: ReportSource, positions: Mapping[str, float]) -> tuple[AnchorRow, ...]:
    """Return the anchors of the current round, with these estimated positions by item."""
    anchors = () if source.overview is None else source.overview.effort.anchors
    return tuple(
        AnchorRow(source.label(each.item), each.low, each.high, positions.get(str(each.item)))
        for each in anchors
    )
