"""What `steelyard prefer` says from tests that need no model: of a preference, and of consistency."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steelyard.cli.answers import LEVEL, PreferenceAnswer, holm, listed, p_words
from steelyard.errors import NothingToTest
from steelyard.judgments.findings import counted
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.table import Judgments
from steelyard.quality.friedman import FriedmanTest, friedman_test
from steelyard.quality.preference import (
    PreferenceTest,
    Tally,
    even_split_test,
    likelihood_ratio_test,
    putter_test,
    sign_test,
    tally,
    trinomial_test,
)
from steelyard.quality.repeats import RaterRepeats, SideCounts, count_repeats, position_bias
from steelyard.quality.triads import Triads, circular_triads

ROUGH_BELOW = 12  # below, the chi-square of Friedman's test is called rough
CONSISTENCY = "Is any rater inconsistent?"


def count_raters(judgments: Judgments) -> int:
    """How many raters the judgments name; a file without raters has none."""
    return sum(rater != UNKNOWN_RATER for rater in judgments.raters)


def pair_tests(judgments: Judgments) -> tuple[list[str], dict[str, Any]]:
    """The tests of a single pair, in sentences."""
    counts = tally(judgments)
    tests = [putter_test(counts), even_split_test(counts), likelihood_ratio_test(counts)]
    if counts.whole:
        tests += [sign_test(counts), trinomial_test(counts)]
    by_name = {test.name: test for test in tests}
    return [_tally_words(counts), *_pair_words(counts, by_name)], {
        "tally": counts,
        "tests": by_name,
    }


def _pair_words(counts: Tally, tests: dict[str, PreferenceTest]) -> list[str]:
    """Exact tests where counts are whole, else normal ones; those that differ by ties only where there are some."""
    out, n = ("ties left out", counts.decided) if counts.ties else ("no ties", counts.total)
    z = tests["putter"]
    normal = (
        f"Sign test by the normal distribution, {out}: z = {z.statistic:.2f}, {p_words(z.p)} (n = {n:g})."
    )
    exact = f"Sign test, {out}: {p_words(tests['sign'].p)} (exact, n = {n:g})." if counts.whole else normal
    ratio = tests["likelihood_ratio"]
    agrees = f"Likelihood ratio = {ratio.statistic:.2f} on 1 df, {p_words(ratio.p)} (n = {counts.decided:g})."
    if not counts.ties:
        return [exact, agrees]
    kept = (
        f" Trinomial test, ties kept: {p_words(tests['trinomial'].p)} (n = {counts.total:g})."
        if counts.whole
        else ""
    )
    split = tests["even_split"]
    even = f"z = {split.statistic:.2f}, {p_words(split.p)} (n = {counts.total:g})"
    return [exact + kept, f"Ties split evenly, the most cautious: {even}.", agrees]


def _tally_words(counts: Tally) -> str:
    ties = f"{counts.ties:,g} {'is a tie' if counts.ties == 1 else 'are ties'}"
    return (
        f"Of {counted(counts.total, 'answer')}, {counts.wins:,g} prefer {counts.first}, "
        f"{counts.losses:,g} prefer {counts.second}, {ties}."
    )


def friedman_answer(judgments: Judgments, rng: np.random.Generator) -> tuple[list[str], dict[str, Any]]:
    """Friedman's test with raters as blocks, in sentences; why there is none where it cannot be made."""
    if not count_raters(judgments):
        return [], {}
    try:
        test = friedman_test(judgments, "half_ties", rng)
    except NothingToTest as reason:
        return [str(reason)], {}
    return _friedman_words(test), {"friedman": test}


def _friedman_words(test: FriedmanTest) -> list[str]:
    p = {
        "exact": f"exact {p_words(test.p)}",
        "permutation": f"{p_words(test.p)} from 9,999 drawn orders",
        "chi2": p_words(test.p),
    }[test.method]
    rough = test.raters < ROUGH_BELOW
    beside = f"; the chi-square's {p_words(test.p_chi2)} is rough with so few raters" if rough else ""
    words = [
        f"Friedman test, each rater counted once ({counted(test.raters, 'rater')}): chi-square = "
        f"{test.statistic:.2f} on {test.df} df, Kendall's W = {test.kendall_w:.2f}, {p}{beside}."
    ]
    if test.left_out:
        words.append(f"It leaves out {counted(len(test.left_out), 'rater')} who did not compare every item.")
    if not test.balanced:
        words.append("It takes pairs as asked equally often, which they were not: read it with care.")
    return words


def consistency_answer(judgments: Judgments) -> PreferenceAnswer:
    """Circular triads, repeats and sides of every rater."""
    if not count_raters(judgments):
        return PreferenceAnswer(CONSISTENCY, ["The file names no raters, so this cannot be asked."])
    triads, repeats = circular_triads(judgments), count_repeats(judgments)
    sides = position_bias(judgments)
    table = judgments.table("comparison")
    sentences = [
        *_triad_words(triads),
        *_repeat_words(repeats, "count" in table.numbers, "segment" in table.codes),
        *_side_words(sides),
    ]
    return PreferenceAnswer(CONSISTENCY, sentences, {"triads": triads, "repeats": repeats, "sides": sides})


def _triad_words(triads: tuple[Triads, ...]) -> list[str]:
    counting = [each for each in triads if each.triads]
    if not counting:
        return [
            "Circular triads: no rater decided all three pairs of any three items, so there are none to count."
        ]
    adjusted = holm([1.0 if each.p is None else each.p for each in counting])
    unsure = [each for each, p in zip(counting, adjusted, strict=True) if p > LEVEL]
    able = [each for each in unsure if each.least_p is not None and each.least_p * len(counting) <= LEVEL]
    words = [_all_triads(counting)]
    if not unsure:
        words.append(f"Every rater has fewer than a coin (Holm-adjusted p below {LEVEL:g}).")
    if able:
        named = listed([f"{each.rater} ({each.circular} of {each.triads}, {_p(each)})" for each in able])
        words.append(f"Fewer than a coin cannot be shown (Holm-adjusted p above {LEVEL:g}) for {named}.")
    if len(unsure) > len(able):
        who = counted(len(unsure) - len(able), "rater")
        words.append(f"For {who} there are too few triads to tell anyone from a coin, even without a circle.")
    return words


def _all_triads(counting: list[Triads]) -> str:
    """All raters together: the sum has mean T / 4 and variance 3 T / 16, raters being independent."""
    circles, triads = (sum(getattr(each, name) for each in counting) for name in ("circular", "triads"))
    z = (circles - triads / 4.0) / math.sqrt(3.0 * triads / 16.0)
    return (
        f"Circular triads: {circles:,} of {triads:,} triads of {counted(len(counting), 'rater')} go round in a circle; "
        f"answers drawn with a coin would make {triads / 4.0:,.1f} (z = {z:.1f} of all together)."
    )


def _p(each: Triads) -> str:
    zeta = "" if each.zeta is None else f"zeta = {each.zeta:.2f}, "
    return zeta + p_words(1.0 if each.p is None else each.p)


def _repeat_words(repeats: tuple[RaterRepeats, ...], counts: bool, segments: bool) -> list[str]:
    if counts:
        return [
            "Repeats: a table of counts does not say which answers were given to the same question again."
        ]
    if not repeats:
        return ["Repeats: no rater was asked about the same pair twice."]
    asked, changed, turned = (sum(getattr(each, name) for each in repeats) for name in _REPEATED)
    words = [
        f"Repeats: {counted(asked, 'repeat')} of a pair by {counted(len(repeats), 'rater')}; {changed:,} "
        f"({changed / asked:.0%}) got another answer than before, {turned:,} of them for the other item."
    ]
    worst = sorted(repeats, key=lambda each: (-each.changed / each.repeats, -each.repeats, each.rater))
    if changed and len(repeats) > 1:
        named = [f"{each.rater} {each.changed} of {each.repeats}" for each in worst if each.changed]
        words.append(f"Most often: {listed(named, 3)}.")
    if not segments:
        words.append(
            "If an item stands for many outputs, these are no repeats: a segment column tells them apart."
        )
    return words


_REPEATED = ("repeats", "changed", "reversed")


def _side_words(sides: tuple[SideCounts, ...]) -> list[str]:
    if not sides:
        return ["Sides: no pair stands in both orders, so a side cannot be told from an item."]
    left, total = sum(each.left for each in sides), sum(each.left + each.right for each in sides)
    adjusted = holm([each.p for each in sides])
    biased = [
        f"{each.rater} ({each.share:.0%} left of {each.left + each.right}, Holm-adjusted {p_words(p)})"
        for each, p in zip(sides, adjusted, strict=True)
        if p <= LEVEL
    ]
    first = f"Sides: the left was preferred in {left / total:.0%} of {counted(total, 'decided answer')}"
    if not biased:
        return [f"{first}; no rater prefers a side beyond chance (Holm-adjusted p above {LEVEL:g})."]
    return [
        f"{first}; more often one side than chance gives: {listed(biased)}, if sides were drawn at random."
    ]
