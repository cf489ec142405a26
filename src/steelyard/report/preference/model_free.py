"""Model-free tests of `steelyard prefer`: sign tests, Friedman's test and rater consistency."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.counting import count_raters
from steelyard.judgments.findings import counted, short_count
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
from steelyard.quality.repeats import RaterRepeats, count_repeats, has_several_per_row
from steelyard.quality.triads import Triads, circular_triads
from steelyard.report.preference.answers import LEVEL, PreferenceAnswer, holm, listed, p_words

FEW_BLOCKS = 12  # raters; with fewer, the chi-square approximation of Friedman's test is poor
CONSISTENCY = "Are raters consistent?"


def pair_tests(judgments: Judgments) -> tuple[list[str], dict[str, Any]]:
    """Return the tests of a single pair: sentences and statistics."""
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
    """Return exact tests for whole counts, otherwise normal approximations. Tie variants appear only with ties."""
    out, n = ("ties excluded", counts.decided) if counts.ties else ("no ties", counts.total)
    z = tests["putter"]
    normal = f"Sign test, {out}: z = {z.statistic:.2f}, {p_words(z.p)} (normal approximation, n = {n:g})."
    exact = f"Sign test, {out}: {p_words(tests['sign'].p)} (exact, n = {n:g})." if counts.whole else normal
    ratio = tests["likelihood_ratio"]
    agrees = (
        f"Likelihood ratio test, {out}: chi-square = {ratio.statistic:.2f} on 1 df, {p_words(ratio.p)} "
        f"(n = {counts.decided:g})."
    )
    if not counts.ties:
        return [exact, agrees]
    kept = (
        f" Trinomial test, ties included: {p_words(tests['trinomial'].p)} (exact, n = {counts.total:g})."
        if counts.whole
        else ""
    )
    split = tests["even_split"]
    even = f"z = {split.statistic:.2f}, {p_words(split.p)} (n = {counts.total:g})"
    return [exact + kept, f"Sign test, ties split evenly (the most conservative): {even}.", agrees]


def _tally_words(counts: Tally) -> str:
    ties = f"{short_count(counts.ties)} {'is a tie' if counts.ties == 1 else 'are ties'}"
    return (
        f"Of {counted(counts.total, 'answer')}, {short_count(counts.wins)} prefer {counts.first}, "
        f"{short_count(counts.losses)} prefer {counts.second} and {ties}."
    )


def friedman_answer(judgments: Judgments, rng: np.random.Generator) -> tuple[list[str], dict[str, Any]]:
    """Return Friedman's test with raters as blocks; the reason where it cannot be computed; nothing without raters."""
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
        "permutation": f"permutation {p_words(test.p)} (9,999 permutations)",
        "chi2": p_words(test.p),
    }[test.method]
    few = test.raters < FEW_BLOCKS
    asymptotic = f"; the asymptotic {p_words(test.p_chi2)} is unreliable with few raters" if few else ""
    words = [
        f"Friedman test with raters as blocks ({counted(test.raters, 'rater')}): chi-square = "
        f"{test.statistic:.2f} on {test.df} df, Kendall's W = {test.kendall_w:.2f}, {p}{asymptotic}."
    ]
    if test.left_out:
        words.append(
            f"Friedman's test excludes {counted(len(test.left_out), 'rater')} who did not compare every item."
        )
    if not test.balanced:
        words.append(
            "Friedman's test assumes that every pair was judged equally often, which is not the case here. Interpret "
            "with caution."
        )
    return words


def consistency_answer(judgments: Judgments) -> PreferenceAnswer:
    """Report circular triads and repeated pairs of the raters."""
    if not count_raters(judgments):
        return PreferenceAnswer(CONSISTENCY, ["This cannot be tested: the file does not identify raters."])
    triads, repeats = circular_triads(judgments), count_repeats(judgments)
    table = judgments.table("comparison")
    sentences = [
        *_triad_words(triads),
        *_repeat_words(repeats, has_several_per_row(table), "segment" in table.codes),
    ]
    return PreferenceAnswer(CONSISTENCY, sentences, {"triads": triads, "repeats": repeats})


def _triad_words(triads: tuple[Triads, ...]) -> list[str]:
    counting = [each for each in triads if each.triads]
    if not counting:
        return [
            "Circular triads: cannot be counted, because no rater decided all three pairs of any three items."
        ]
    adjusted = holm([1.0 if each.p is None else each.p for each in counting])
    unsure = [each for each, p in zip(counting, adjusted, strict=True) if p > LEVEL]
    able = [each for each in unsure if each.least_p is not None and each.least_p * len(counting) <= LEVEL]
    words = [_all_triads(counting)]
    if not unsure:
        words.append(
            f"Every rater makes fewer circular triads than random answers would (Holm-adjusted p < {LEVEL:g})."
        )
    if able:
        named = listed([f"{each.rater} ({each.circular} of {each.triads}, {_p(each)})" for each in able])
        words.append(
            "There is no evidence of fewer circular triads than with random answers "
            f"(Holm-adjusted p > {LEVEL:g}) for these raters; the p values listed are not adjusted: {named}."
        )
    if len(unsure) > len(able):
        who = counted(len(unsure) - len(able), "rater")
        words.append(f"For {who} the test cannot reach p < {LEVEL:g}, because there are too few triads.")
    return words


def _all_triads(counting: list[Triads]) -> str:
    """Return the pooled count. With random, independent answers it has mean T / 4 and variance 3 T / 16."""
    circles, triads = (sum(getattr(each, name) for each in counting) for name in ("circular", "triads"))
    z = (circles - triads / 4.0) / math.sqrt(3.0 * triads / 16.0)
    return (
        f"Circular triads: {circles:,} of {triads:,} triads are circular ({counted(len(counting), 'rater')} pooled); "
        f"{triads / 4.0:,.1f} are expected from random answers (z = {z:.1f})."
    )


def _p(each: Triads) -> str:
    zeta = "" if each.zeta is None else f"zeta = {each.zeta:.2f}, "
    return zeta + p_words(1.0 if each.p is None else each.p)


def _repeat_words(repeats: tuple[RaterRepeats, ...], counts: bool, segments: bool) -> list[str]:
    if counts:
        return [
            "Repeated pairs: cannot be counted, because a table of counts does not record which answers repeat a pair."
        ]
    if not repeats:
        return ["Repeated pairs: no rater judged the same pair twice."]
    asked, changed, turned = (sum(getattr(each, name) for each in repeats) for name in _REPEATED)
    words = [
        f"Repeated pairs: {counted(asked, 'repeat')} by {counted(len(repeats), 'rater')}. In {changed:,} "
        f"({changed / asked:.0%}) the answer changed, and in {turned:,} of them the preference was reversed."
    ]
    worst = sorted(repeats, key=lambda each: (-each.changed / each.repeats, -each.repeats, each.rater))
    if changed and len(repeats) > 1:
        named = [f"{each.rater} {each.changed} of {each.repeats}" for each in worst if each.changed]
        words.append(f"Raters who changed the largest share of answers: {listed(named, 3)}.")
    if not segments:
        words.append(
            "If an item represents several outputs, these are not repeats. Add a segment column to distinguish outputs."
        )
    return words


_REPEATED = ("repeats", "changed", "reversed")
