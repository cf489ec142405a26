"""Rows of self-consistency: repeated answers and probes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steelyard.judgments.findings import counted
from steelyard.judgments.keys import is_repeated, joined_key, row_key
from steelyard.judgments.opinions import named_raters
from steelyard.maths.arrays import Mask, Vector, renumbered
from steelyard.quality.agreement.intervals import LEVEL, Interval, affordable_groups, jackknife, of_shares
from steelyard.quality.agreement.preferences import PairOutcomes
from steelyard.quality.agreement.rows import AgreementRow, row, undefined
from steelyard.quality.agreement.self_consistency import (
    Repeats,
    correlation_within_raters,
    only_repeated,
    repeated_choices,
    self_consistency,
)
from steelyard.quality.agreement.source import UNIT, Source

MOST_REPEATED = 20_000  # repeated items of a rater; of more, a random sample is used
COUNTS_WITHOUT_REPEATS = "a table of counts does not show which answers are about the same pair of texts."
MEANINGS = {
    "icc": "Correlation of two answers of the same rater about the same item, from repeats and probes.",
    "sd": "Standard deviation of a rater's repeated answers about one item, in units of the scale.",
    "same": "Share of equal outcomes when a rater judged one pair again, also as part of different tasks.",
}


def self_consistency_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield how well raters agree with their own repeated answers; nothing if there are no repeats."""
    if source.kind.agreement_values(source.with_repeats):
        yield from _scored_rows(source)
    else:
        yield from _choice_rows(source)


def _scored_rows(source: Source) -> Iterator[AgreementRow]:
    for name, value in source.kind.agreement_values(source.with_repeats).items():
        repeats, sampled = _sampled(_repeats(source, value), source.rng)
        if not len(repeats):
            return
        consistency = self_consistency(repeats)
        raters = len(np.unique(repeats.rater))
        words = f"{counted(consistency.cells, 'repeated item')}, {counted(raters, 'rater')}"
        of = f"{words}, {counted(len(repeats), 'answer')}{sampled}"
        suffix = f", {name}" if name else ""
        interval = _icc_interval(source, repeats)
        yield row(f"Self-consistency (ICC){suffix}", consistency.within_rater, interval, of, MEANINGS["icc"])
        spread = _sd_interval(consistency.sd, consistency.df)
        yield row(
            f"Self-consistency (standard deviation){suffix}", consistency.sd, spread, of, MEANINGS["sd"]
        )


def _repeats(source: Source, value: Vector) -> Repeats:
    table = source.with_repeats.table(source.kind.name)
    named = named_raters(source.with_repeats, table) & (table.weights > 0)
    at = table.numbers.get("at")
    in_time = np.arange(len(table)) if at is None or np.isnan(at).any() else np.argsort(at, kind="stable")
    order = in_time[named[in_time]]
    item = renumbered(row_key(table, UNIT))[1]
    rater = table.codes.get("rater", np.zeros(len(table), dtype=np.int64))
    return only_repeated(item[order], rater[order], value[order])


def _sampled(repeats: Repeats, rng: np.random.Generator) -> tuple[Repeats, str]:
    """Return the repeats of at most MOST_REPEATED combinations of item and rater, and words for a sample."""
    cell = repeats.cell if len(repeats) else np.empty(0, dtype=np.int64)
    total = int(cell.max(initial=-1)) + 1
    if total <= MOST_REPEATED:
        return repeats, ""
    kept = np.isin(cell, rng.choice(total, MOST_REPEATED, replace=False))
    return (
        Repeats(repeats.item[kept], repeats.rater[kept], repeats.value[kept]),
        f" (a random sample of {total:,} repeated items)",
    )


def _icc_interval(source: Source, repeats: Repeats) -> Interval:
    def statistic(keep: Mask) -> Vector:
        kept = only_repeated(repeats.item[keep], repeats.rater[keep], repeats.value[keep])
        return np.array([correlation_within_raters(kept) if len(kept) else np.nan])

    ways = {"raters": repeats.rater, "items": repeats.item}
    several = {name: codes for name, codes in ways.items() if len(np.unique(codes)) > 2}
    (interval,) = jackknife(statistic, several if several else {"repeats": repeats.cell}, source.rng, 10)
    return interval


def _sd_interval(sd: float, df: int) -> Interval:
    """Return the chi-square limits of a standard deviation."""
    from scipy.special import chdtri  # SciPy is slow to import

    low, high = (sd * np.sqrt(df / chdtri(df, tail)) for tail in ((1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0))
    return Interval(float(low), float(high), "chi-square limits")


def _choice_rows(source: Source) -> Iterator[AgreementRow]:
    outcomes = source.repeated_outcomes
    named = outcomes.where(outcomes.rater >= 0)
    if not len(named):
        return

    def share(keep: Mask) -> Vector:
        agreement, _ = _repeated(named.where(keep))
        return np.array([agreement.mean() if len(agreement) else np.nan])

    if np.any(named.count > 1.0):  # weights up to 1 belong to single answers
        of = f"{counted(float(named.count.sum()), 'answer')} in a table of counts"
        yield undefined("Self-consistency (share)", of, COUNTS_WITHOUT_REPEATS)
        return
    named = named.where(_is_repeated(named))
    if not len(named):
        return
    agreement, answers = _repeated(named)
    (interval,) = jackknife(share, named.ways, source.rng, affordable_groups(10 * len(named)))
    raters = counted(len(np.unique(named.rater)), "rater")
    words = f"{counted(len(agreement), 'repeated pair')}, {raters}, {counted(answers, 'answer')}"
    yield row(
        "Self-consistency (share)", float(agreement.mean()), of_shares(interval), words, MEANINGS["same"]
    )


def _is_repeated(outcomes: PairOutcomes) -> Mask:
    """Return whether the rater of each answer answered the same pair several times."""
    return is_repeated(joined_key(outcomes.rater, outcomes.pair))


def _repeated(outcomes: PairOutcomes) -> tuple[Vector, float]:
    """Return the agreement of each repeated pair of a rater, and the number of answers to these."""
    cell = renumbered(joined_key(outcomes.rater, outcomes.pair))[1]
    agreement, answers = repeated_choices(cell, outcomes.outcome)
    repeated = np.isfinite(agreement)
    return agreement[repeated], float(answers[repeated].sum())
