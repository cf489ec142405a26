"""Raters: bias, slope, noise, spam, agreement with the others, self-consistency, speed and flags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.messages.words import said
from steelyard.quality.rater_repeats import SelfConsistency, consistency_by_rater
from steelyard.report import words
from steelyard.report.parts.comparisons import ANSWERED, KIND
from steelyard.report.source import ReportSource, SourceRater

LISTED = 200  # largest number of raters in the table


@dataclass(frozen=True, slots=True)
class RaterRow:
    """One rater. Numbers are None if they are not estimated.

    Attributes
    ----------
    rater
        Id of the rater.
    answers
        Number of judgments.
    milliseconds
        Median time per task.
    bias
        Points above (+) or below (-) the mean of the others on the same items.
    slope
        1 if the rater spreads items over the scale as the others do, 0 if the answers are unrelated to theirs.
    noise
        Standard deviation of the rater's answers around the positions, as the model estimates it.
    agreement
        Correlation with the means, or with the preferences, of the others.
    spam
        Estimated probability that the rater does not look at the items.
    repeats
        Number of repeated answers.
    consistency
        Agreement of the rater with their own earlier answers: share of unchanged answers, or mean absolute
        difference in points if answers are positions.
    note
        Flags and exclusion, in words.
    checks
        Failed checks of the answered ones, in words; None without checks.
    width_habit
        Ratio of the widths of the rater's ranges to those of others on the same items; 1 is equal. None without
        ranges.
    flags, status
        The flags, and whether the rater is excluded or was stopped early, which `note` has in one text.
    """

    rater: str
    answers: int
    milliseconds: float | None
    bias: float | None
    slope: float | None
    noise: float | None
    agreement: float | None
    spam: float | None
    repeats: int
    consistency: float | None
    note: str
    checks: str | None = None
    width_habit: float | None = None
    flags: tuple[str, ...] = ()
    status: str = ""


@dataclass(frozen=True, slots=True)
class RaterColumn:
    """A column of the table of raters: its field, its title and the meaning of its numbers."""

    field: str
    title: str
    meaning: str
    text: Callable[[Any, float], str]


def _points(value: float | None, width: float) -> str:
    return words.points(value, width)


def _size(value: float | None, width: float) -> str:
    return words.NONE if value is None else words.exact_position(value, width)


def _decimal(value: float | None, width: float) -> str:
    return words.decimal(value)


def _duration(value: float | None, width: float) -> str:
    return words.duration(value)


def _count(value: int, width: float) -> str:
    return words.whole(value)


def _words(value: str | None, width: float) -> str:
    return value or "–"


TIME = RaterColumn("milliseconds", "Time per task", "", _duration)
SPAM = RaterColumn(
    "spam", "Spam", "estimated probability that the rater does not look at the items", _decimal
)
CHECKS = RaterColumn("checks", "Failed checks", "failed checks of those with a result", _words)
REPEATS = RaterColumn("repeats", "Repeats", "number of answers that repeat an earlier question", _count)
PLACED = (
    TIME,
    RaterColumn("bias", "Bias", "points above (+) or below (−) the mean of the others", _points),
    RaterColumn(
        "slope",
        "Slope",
        "regression slope of the answers on the mean of the others; 1 is the same use of the scale and 0 is "
        "unrelated; with few other raters per item, slopes are biased towards 0",
        _decimal,
    ),
    RaterColumn(
        "width_habit",
        "Width",
        "width of the ranges divided by that of the others on the same items; 1 is equal",
        _decimal,
    ),
    RaterColumn("noise", "Noise", "estimated standard deviation of the answers around the positions", _size),
    RaterColumn("agreement", "Agreement", "correlation with the means of the others", _decimal),
    REPEATS,
    RaterColumn(
        "consistency", "Change", "mean absolute difference between repeated answers, in points", _size
    ),
    SPAM,
    CHECKS,
)
COMPARED = (
    TIME,
    RaterColumn("agreement", "Agreement", "correlation with the preferences of the others", _decimal),
    REPEATS,
    RaterColumn("consistency", "Unchanged", "share of repeated answers that did not change", _decimal),
    SPAM,
    CHECKS,
)


@dataclass(frozen=True, slots=True)
class RatersPart:
    """Raters of one question or group.

    Attributes
    ----------
    size
        Number of raters who answered.
    rows
        Raters with most answers first; at most 200.
    placed
        Whether answers are positions, so that raters have a bias and a slope.
    answer_width
        Width of the range of the answers.
    sentences
        The results in sentences.
    """

    size: int
    rows: tuple[RaterRow, ...]
    placed: bool
    answer_width: float
    sentences: tuple[str, ...]

    @property
    def noted(self) -> bool:
        """Whether any rater has a note."""
        return any(row.note for row in self.rows)

    def columns(self) -> list[RaterColumn]:
        """Return the columns in which any rater has a value."""
        every = PLACED if self.placed else COMPARED
        return [each for each in every if any(getattr(row, each.field) not in (None, 0) for row in self.rows)]

    def cell(self, row: RaterRow, column: RaterColumn) -> str:
        """Return the number of a rater in a column, as text."""
        return column.text(getattr(row, column.field), self.answer_width)


def raters_part(source: ReportSource) -> RatersPart | None:
    """Return the raters; None if none is identified."""
    if not source.raters:
        return None
    estimated = {} if source.fit is None else {str(row["rater"]): row for row in source.fit.raters}
    ordered = sorted(source.raters, key=lambda each: (-each.answers, each.rater))
    everything = source.judgments if source.with_probes is None else source.with_probes
    consistency = consistency_by_rater(everything)
    rows = tuple(
        _row(each, estimated.get(each.rater, {}), consistency.get(each.rater)) for each in ordered[:LISTED]
    )
    return RatersPart(len(ordered), rows, source.judgments.placed, source.rating_width, _sentences(source))


def _row(rater: SourceRater, estimated: Mapping[str, Any], own: SelfConsistency | None) -> RaterRow:
    habits = rater.habits
    flags = () if rater.excluded or habits is None else tuple(habits.flags)
    status = words.status(rater.excluded, rater.reason, rater.stopped_early)
    return RaterRow(
        rater=rater.rater,
        answers=rater.answers,
        milliseconds=None if habits is None else habits.milliseconds,
        bias=None if habits is None else habits.bias,
        slope=None if habits is None else habits.slope,
        noise=estimated.get("noise"),
        agreement=None if habits is None else habits.agreement,
        spam=None if habits is None else habits.spam,
        repeats=0 if own is None else own.repeats,
        consistency=None if own is None else own.value,
        note=". ".join(each for each in (words.flags(flags), status) if each),
        checks=f"{rater.checks_failed} of {rater.checks}" if rater.checks else None,
        width_habit=estimated.get("width_habit"),
        flags=flags,
        status=status,
    )


def _sentences(source: ReportSource) -> tuple[str, ...]:
    """How many raters have a flag, what flags are raised for, and where other tests of raters are."""
    raters = source.raters
    if not any(each.habits is not None and each.habits.agreement is not None for each in raters):
        return (
            "Flags need several raters with answers about the same items, and could not be computed here.",
        )
    flagged = sum(bool(each.habits and each.habits.flags) and not each.excluded for each in raters)
    if not flagged:
        return (said("no_flags_raised", count=len(raters)), *_tests(source))
    return (
        said("raters_with_flags", count=flagged, raters=said("n_raters", count=len(raters))),
        *_tests(source),
    )


def _tests(source: ReportSource) -> tuple[str, ...]:
    """What flags are raised for, and where the other tests of single raters are."""
    if source.judgments.placed:
        return (
            "Flags are raised for fast, hardly varying, opposed or unrelated answers and for straight lines.",
        )
    if not len(source.judgments.table(KIND)):
        return ("Flags are raised for fast, opposed or unrelated answers.",)
    flags = "Flags are raised for fast, opposed, unrelated or one-sided answers."
    if len(source.judgments.only(KIND).at_unit(source.unit).compact().items) > ANSWERED:
        return (flags,)
    return (
        flags,
        "Whether single raters differ from the others or prefer a side is tested above, in the answers on comparisons.",
    )
