"""Does a rater place an item again where it was? Changes of a probe, an item asked three times in one sequence.

Chen, Weld & Zhang (CSCW 2021), section 4.6: the first change is from the first answer to the second, the second
change from the second to the third, both as sizes. Self-consistency improves where the second is smaller, which
the log-ratio log((second + e) / (first + e)), e = 1e-8, shows by its sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.keys import row_key
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Codes, Vector
from steelyard.quality.preference import PreferenceTest, Tally, sign_test

SMOOTHING = 1e-8  # added to both changes, as shares of the scale
UNCERTAIN_SHARE = 0.3  # of sessions: those with the largest first change
DECIMALS = 12  # of a change; finer differences are those of arithmetic
ANSWERS = 3  # to a probe: given, asked again, asked once more


@dataclass(frozen=True, slots=True)
class ProbeChange:
    """How one rater's answers to one probe changed, as shares of the scale."""

    rater: str
    item: str
    condition: str
    first: float
    second: float

    @property
    def log_ratio(self) -> float:
        """Below 0 where the second change is smaller."""
        return math.log((self.second + SMOOTHING) / (self.first + SMOOTHING))


@dataclass(frozen=True, slots=True)
class ProbeSummary:
    """The probes of one condition: mean changes, the median ratio second / first (smoothed), and the sign test.

    In the sign test a win is a smaller second change, a tie two changes of one size; it is None where all tie.
    """

    condition: str
    probes: int
    first: float
    second: float
    median_ratio: float
    test: PreferenceTest | None


@dataclass(frozen=True, slots=True)
class RankTest:
    """Mann-Whitney test of two groups, two-sided: exact for small groups without ties, else by the normal curve.

    `share` is P(one > other) + P(equal) / 2: of all pairs of one log-ratio from each, where the first is larger.
    """

    first: str
    second: str
    u: float
    share: float
    p: float


@dataclass(frozen=True, slots=True)
class ProbeComparison:
    """The probes of two conditions, all of them and the most uncertain of each, and tests of their log-ratios."""

    everyone: tuple[ProbeSummary, ProbeSummary]
    test: RankTest
    uncertain: tuple[ProbeSummary, ProbeSummary]
    uncertain_test: RankTest


def probe_changes(judgments: Judgments) -> tuple[ProbeChange, ...]:
    """Every item that a named rater judged three times under one question and condition, by rater and item.

    Answers stand in the order of `at` where all rows have it, else of the file. Ratings change by score, ranges by
    middle. Of more than three answers the first three count.
    """
    changes: list[ProbeChange] = []
    for kind in ("rating", "range"):
        table = judgments.table(kind)
        table = table.where(named_raters(judgments, table))
        if len(table) >= ANSWERS:
            changes += _changes(judgments, table)
    return tuple(sorted(changes, key=lambda change: (change.condition, change.rater, change.item)))


def most_uncertain(changes: Sequence[ProbeChange]) -> tuple[ProbeChange, ...]:
    """The 30% of probes with the largest first change, rounded up; all that are as large as the last of them.

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
    """The probes of one condition in numbers."""
    here = [change for change in changes if change.condition == condition]
    if not here:
        raise NothingToTest(
            "Probes",
            f"none in condition {condition!r}.",
            "A probe is an item that one rater judged three times.",
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
    """Two conditions beside each other: all probes, and within the most uncertain 30% of each condition."""
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
    """The probes among the rows of one kind."""
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
    """How large a change is, without the rounding error that would make equal changes differ."""
    return np.abs(np.round(change, DECIMALS))


def _when(table: Table) -> Vector | Codes:
    """What rows are ordered by: their time where all have it, else their place in the file."""
    times = table.numbers.get("at")
    return np.arange(len(table)) if times is None or np.isnan(times).any() else times
