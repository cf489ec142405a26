"""Self-consistency of raters on probes: items that are judged three times in one sequence.

Follows Chen, Weld & Zhang (CSCW 2021), section 4.6. The first change is the absolute difference between the first and
second answer, the second change that between the second and third. Self-consistency improves if the second change is
smaller. The log-ratio log((second + e) / (first + e)), e = 1e-8, is then negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.keys import row_key
from steelyard.judgments.opinions import named_raters, placed_kinds
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Codes, Vector
from steelyard.quality.preference import PreferenceTest, Tally, sign_test

SMOOTHING = 1e-8  # added to both changes, as shares of the scale
UNCERTAIN_SHARE = 0.3  # share of probes with the largest first change
DECIMALS = 12  # decimals of a change; smaller differences are rounding errors
ANSWERS = 3  # answers to a probe


@dataclass(frozen=True, slots=True)
class ProbeChange:
    """Changes of one rater's answers to one probe, as shares of the scale.

    Attributes
    ----------
    rater
        Rater.
    item
        Item of the probe.
    condition
        Condition; "" if there is none.
    first
        Change from the first to the second answer.
    second
        Change from the second to the third answer.
    """

    rater: str
    item: str
    condition: str
    first: float
    second: float

    @property
    def log_ratio(self) -> float:
        """Smoothed log-ratio of second and first change; negative if the second change is smaller."""
        return math.log((self.second + SMOOTHING) / (self.first + SMOOTHING))


@dataclass(frozen=True, slots=True)
class ProbeSummary:
    """Summary of the probes of one condition.

    Attributes
    ----------
    condition
        Condition.
    probes
        Number of probes.
    first
        Mean first change.
    second
        Mean second change.
    median_ratio
        Median of the smoothed ratio second / first.
    test
        Sign test, in which a win is a smaller second change. None if all changes are equal.
    """

    condition: str
    probes: int
    first: float
    second: float
    median_ratio: float
    test: PreferenceTest | None


@dataclass(frozen=True, slots=True)
class RankTest:
    """Two-sided Mann-Whitney test of the log-ratios of two conditions.

    The test is exact for small groups without ties, otherwise by the normal approximation.

    Attributes
    ----------
    first
        First condition.
    second
        Second condition.
    u
        Mann-Whitney statistic.
    share
        Estimate of P(first > second) + P(equal) / 2.
    p
        Two-sided p value.
    """

    first: str
    second: str
    u: float
    share: float
    p: float


@dataclass(frozen=True, slots=True)
class ProbeComparison:
    """Comparison of the probes of two conditions.

    Attributes
    ----------
    everyone
        Summaries of all probes of the two conditions.
    test
        Test of all log-ratios.
    uncertain
        Summaries of the most uncertain probes of the two conditions.
    uncertain_test
        Test of the log-ratios of the most uncertain probes.
    """

    everyone: tuple[ProbeSummary, ProbeSummary]
    test: RankTest
    uncertain: tuple[ProbeSummary, ProbeSummary]
    uncertain_test: RankTest


def probe_changes(judgments: Judgments) -> tuple[ProbeChange, ...]:
    """Return the changes of every item that a rater judged three times under one question and condition.

    Answers are ordered by the column `at` if all rows have it, otherwise by the file. Changes are those of scores for
    ratings and of midpoints for ranges. Of more than three answers, the first three are used.

    Parameters
    ----------
    judgments
        Ratings or ranges with identified raters.

    Returns
    -------
    tuple of ProbeChange
        Sorted by condition, rater and item.
    """
    changes: list[ProbeChange] = []
    for kind in placed_kinds(judgments):
        table = judgments.table(kind)
        table = table.where(named_raters(judgments, table))
        if len(table) >= ANSWERS:
            changes += _changes(judgments, table)
    return tuple(sorted(changes, key=lambda change: (change.condition, change.rater, change.item)))


def most_uncertain(changes: Sequence[ProbeChange]) -> tuple[ProbeChange, ...]:
    """Return the 30% of probes with the largest first change, rounded up and including ties.

    Parameters
    ----------
    changes
        Changes of probes.

    Returns
    -------
    tuple of ProbeChange
        The selected probes.

    Examples
    --------
    >>> made = [ProbeChange("ann", str(at), "", at / 10, 0.1) for at in range(10)]
    >>> [change.first for change in most_uncertain(made)]
    [0.7, 0.8, 0.9]
    """
    if not changes:
        return ()
    kept = math.ceil(UNCERTAIN_SHARE * len(changes) - 1e-9)
    least = sorted((change.first for change in changes), reverse=True)[kept - 1]
    return tuple(change for change in changes if change.first >= least)


def summarise_probes(changes: Sequence[ProbeChange], condition: str) -> ProbeSummary:
    """Return the summary of the probes of one condition.

    Parameters
    ----------
    changes
        Changes of probes.
    condition
        Condition.

    Returns
    -------
    ProbeSummary
        Mean changes and sign test.

    Raises
    ------
    NothingToTest
        If the condition has no probes.
    """
    here = [change for change in changes if change.condition == condition]
    if not here:
        raise NothingToTest(
            "Probes",
            f"there are none in condition {condition!r}.",
            "Add items that one rater judged three times.",
        )
    smaller = sum(change.second < change.first for change in here)
    larger = sum(change.second > change.first for change in here)
    counts = Tally("smaller", "larger", smaller, len(here) - smaller - larger, larger)
    return ProbeSummary(
        condition,
        len(here),
        float(np.mean([change.first for change in here])),
        float(np.mean([change.second for change in here])),
        math.exp(float(np.median([change.log_ratio for change in here]))),
        sign_test(counts) if counts.decided else None,
    )


def compare_probes(changes: Sequence[ProbeChange], first: str, second: str) -> ProbeComparison:
    """Compare the probes of two conditions.

    Parameters
    ----------
    changes
        Changes of probes.
    first
        First condition.
    second
        Second condition.

    Returns
    -------
    ProbeComparison
        Summaries and tests for all probes, and for the most uncertain 30% of each condition.
    """
    groups = {name: [change for change in changes if change.condition == name] for name in (first, second)}
    few = {name: most_uncertain(group) for name, group in groups.items()}
    everyone = (summarise_probes(changes, first), summarise_probes(changes, second))
    uncertain = (summarise_probes(few[first], first), summarise_probes(few[second], second))
    return ProbeComparison(
        everyone,
        _rank_test(first, second, groups[first], groups[second]),
        uncertain,
        _rank_test(first, second, few[first], few[second]),
    )


def _rank_test(first: str, second: str, one: Sequence[ProbeChange], other: Sequence[ProbeChange]) -> RankTest:
    from scipy.stats import mannwhitneyu  # SciPy is slow to import

    here, there = ([change.log_ratio for change in group] for group in (one, other))
    if len({*here, *there}) == 1:
        return RankTest(first, second, len(one) * len(other) / 2.0, 0.5, 1.0)
    test = mannwhitneyu(here, there)
    u = float(test.statistic)
    return RankTest(first, second, u, u / (len(one) * len(other)), float(test.pvalue))


def _changes(judgments: Judgments, table: Table) -> list[ProbeChange]:
    """Return the probes among the rows of one kind of judgment."""
    low, high = judgments.score_range
    position = np.mean([table.numbers[name] for name in table.kind.numbers], axis=0) / (high - low)
    key = row_key(table, ("rater", "item", "question", "condition"))
    order = np.lexsort((_when(table), key))
    starts = np.flatnonzero(np.append(True, key[order][1:] != key[order][:-1]))
    sizes = np.diff(np.append(starts, len(order)))
    asked = starts[sizes >= ANSWERS]
    one, two, three = (order[asked + step] for step in range(ANSWERS))
    firsts, seconds = (_size(position[late] - position[early]) for early, late in ((one, two), (two, three)))
    conditions = table.codes.get("condition", np.full(len(table), MISSING))
    return [
        ProbeChange(
            str(judgments.raters[table.codes["rater"][at]]),
            str(judgments.items[table.codes["item"][at]]),
            "" if conditions[at] == MISSING else str(judgments.labels("condition")[conditions[at]]),
            float(first),
            float(second),
        )
        for at, first, second in zip(one, firsts, seconds, strict=True)
    ]


def _size(change: Vector) -> Vector:
    """Return the absolute change, rounded so that equal changes do not differ by rounding errors."""
    return np.abs(np.round(change, DECIMALS))


def _when(table: Table) -> Vector | Codes:
    """Return the sort key of the rows: their time if all have it, otherwise their position in the file."""
    times = table.numbers.get("at")
    return np.arange(len(table)) if times is None or np.isnan(times).any() else times
