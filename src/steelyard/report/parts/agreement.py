"""Agreement and calibration: agreement of raters, predicted reliability, coverage of intervals, and gold values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import BadInput
from steelyard.maths.gaussian import NORMAL_95
from steelyard.messages.words import Share, said, said_in_row
from steelyard.models.outputs import shared_labels
from steelyard.quality.gold.against import against_gold
from steelyard.quality.gold.item_values import ItemValues
from steelyard.report.source import ReportSource
from steelyard.study.results.audit import Audit, Mark
from steelyard.study.results.overview import Overview


@dataclass(frozen=True, slots=True)
class StatisticRow:
    """A statistic with its 95% interval.

    Attributes
    ----------
    statistic
        Name of the statistic.
    value, low, high
        Value and ends of the 95% interval; None if they are not defined.
    of
        What the statistic was computed on.
    interval
        How the interval was made; "" if it has none.
    meaning
        What the statistic says, in one sentence.
    """

    statistic: str
    value: float | None
    low: float | None
    high: float | None
    of: str
    interval: str
    meaning: str


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Observed coverage of intervals.

    Attributes
    ----------
    nominal
        Nominal coverage.
    region
        Part of the scale; "" for the whole scale.
    observed, low, high
        Observed coverage with its 95% interval.
    answers
        Number of answers.
    """

    nominal: float
    region: str
    observed: float
    low: float
    high: float
    answers: int


@dataclass(frozen=True, slots=True)
class AuditMean:
    """Mean answer about a system on tasks that the model did not choose, with its 95% interval."""

    system: str
    mean: float
    low: float
    high: float
    answers: int


@dataclass(frozen=True, slots=True)
class AgreementPart:
    """Agreement of raters, calibration of the intervals, and agreement with gold values.

    Attributes
    ----------
    statistics
        Statistics of agreement that suit the kind of judgment.
    remarks
        What was left out, assumed or does not apply.
    reliability
        Predicted correlation of the positions with those of an unlimited number of raters; None if the model does not
        predict it.
    growth
        Predicted reliability by number of judgments.
    coverage
        Observed coverage of predicted answers, on tasks that the model did not choose.
    audit_means
        Mean answers about systems on these tasks.
    gold
        Statistics of the positions against gold values; empty without gold.
    gold_name
        Name of the gold values.
    gold_notes
        Sentences about items without a gold value, and about statistics that do not apply.
    calibration_of
        A sentence that names the model and the unit of reliability and coverage, if these are not those of the scale;
        "" otherwise.
    """

    statistics: tuple[StatisticRow, ...]
    remarks: tuple[str, ...]
    reliability: float | None
    growth: tuple[Mark, ...]
    coverage: tuple[CoverageRow, ...]
    audit_means: tuple[AuditMean, ...]
    gold: tuple[StatisticRow, ...]
    gold_name: str
    gold_notes: tuple[str, ...]
    calibration_of: str = ""

    @property
    def coverage_verdict(self) -> str:
        """Whether intervals cover as many answers as they should, in a sentence; "" without coverage."""
        whole = [row for row in self.coverage if not row.region]
        few = [row for row in whole if row.high < row.nominal]
        many = [row for row in whole if row.low > row.nominal]
        if few:
            return said("intervals_too_narrow", listed=_listed(few))
        if many:
            return said("intervals_too_wide", listed=_listed(many))
        return said("coverage_as_nominal") if whole else ""


def _listed(rows: Sequence[CoverageRow]) -> str:
    """Return the observed coverage of these intervals."""
    return said_in_row(
        [said("intervals_contain", level=Share(row.nominal), share=Share(row.observed)) for row in rows]
    )


def agreement_part(source: ReportSource) -> AgreementPart | None:
    """Return agreement and calibration; None if nothing can be computed."""
    overview = source.calibrated
    audit = None if overview is None else overview.audit
    statistics, remarks = _statistics(source)
    gold, gold_notes = _gold(source)
    part = AgreementPart(
        statistics=statistics,
        remarks=remarks,
        reliability=None if overview is None else overview.reliability,
        growth=() if audit is None else audit.growth,
        coverage=_coverage(audit),
        audit_means=_audit_means(audit),
        gold=gold,
        gold_name="" if source.gold is None else source.gold.name,
        gold_notes=gold_notes,
    )
    calibrated = part.reliability is not None or bool(part.coverage or part.audit_means)
    if overview is not None and calibrated and not source.leads:
        part = replace(part, calibration_of=_calibration_of(overview))
    return part if calibrated or any((statistics, remarks, gold, gold_notes)) else None


def _calibration_of(overview: Overview) -> str:
    """Return which model the calibration of a study is about, in a report whose scale was fitted again."""
    learning = overview.definition.learning
    return (
        f"The calibration below is that of the study: the model {learning.model} with the settings of study.toml, for "
        f"{learning.unit}s, on all answers. It does not apply to the scale above, which was fitted with other options."
    )


def _statistics(source: ReportSource) -> tuple[tuple[StatisticRow, ...], tuple[str, ...]]:
    if source.agreement is None:
        return (), ()
    try:
        result = source.agreement()
    except BadInput as reason:
        return (), (str(reason),)
    rows = (
        StatisticRow(
            row.statistic, *_defined((row.value, row.low, row.high)), row.of, row.interval, row.meaning
        )
        for row in result.statistics
    )
    return tuple(rows), result.remarks


def _defined(values: Sequence[float | None]) -> tuple[float | None, float | None, float | None]:
    value, low, high = (None if each is None or not np.isfinite(each) else float(each) for each in values)
    return value, low, high


def _coverage(audit: Audit | None) -> tuple[CoverageRow, ...]:
    if audit is None or not audit.calibration.answers:
        return ()
    calibration = audit.calibration
    levels = [(level, "", share) for level, share in calibration.by_level]
    widest = calibration.by_level[-1][0]
    regions = [(widest, name, share) for name, share in calibration.by_region if share.of]
    return tuple(
        CoverageRow(level, region, share.share, *share.interval(), share.of)
        for level, region, share in (*levels, *regions)
    )


def _audit_means(audit: Audit | None) -> tuple[AuditMean, ...]:
    systems = () if audit is None else audit.systems
    ordered = sorted(systems, key=lambda each: -each.mean)
    reach = NORMAL_95
    return tuple(
        AuditMean(
            each.system,
            each.mean,
            each.mean - reach * each.error,
            each.mean + reach * each.error,
            each.answers,
        )
        for each in ordered
    )


def _gold(source: ReportSource) -> tuple[tuple[StatisticRow, ...], tuple[str, ...]]:
    """Statistics of the positions against gold values."""
    if source.gold is None or source.fit is None:
        return (), ()
    try:
        result = against_gold([_values(source)], _gold_values(source))
    except BadInput as reason:
        return (), (str(reason),)
    rows = (
        StatisticRow(
            f"{row['statistic']} ({row['level']}s)",
            *_defined((row["value"], row["low"], row["high"])),
            row["of"],
            "bootstrap",
            row["meaning"],
        )
        for row in result.statistics
    )
    return tuple(rows), result.notes


def _values(source: ReportSource) -> ItemValues:
    assert source.fit is not None
    of_items = source.unit == "item"
    systems, segments = (
        shared_labels(source.judgments, column) if of_items else {} for column in ("system", "segment")
    )
    return ItemValues.of_scale(
        source.model.name, source.fit.scale, source.ends, systems=systems or None, segments=segments or None
    )


def _gold_values(source: ReportSource) -> ItemValues:
    """The gold values of the unit of the scale: gold values of outputs are averaged for a scale of systems."""
    assert source.gold is not None
    return source.gold.by_system() if source.unit == "system" else source.gold
