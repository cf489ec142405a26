"""Sections 2 and 3 of Dras (2015): totals of Table 1, sign tests of the single pairs, and Friedman's test."""

from __future__ import annotations

from collections import Counter

from steelyard.quality.friedman import friedman_test
from steelyard.quality.preference import (
    PreferenceTest,
    Tally,
    even_split_exact_test,
    even_split_test,
    putter_test,
    sign_test,
    trinomial_test,
)
from steelyard.simulation.reproduction.claims import Check, Claim, near
from steelyard.simulation.reproduction.dras_data import BASELINE, FIGURE_1, NEW, PAIRS, TABLE_1, table_1
from steelyard.simulation.reproduction.figures import Grid
from steelyard.simulation.reproduction.reproduction import Section

SIGNIFICANT = 0.05
PREFERRED = ("ModPref", "Collins, as fitted", "Lewis and Steedman")  # the model finds a preference
UNDECIDED = ("EqualPref", "NoPref", "StrongPref")
TESTS = {
    "sign": sign_test,
    "Putter": putter_test,
    "even split": even_split_test,
    "even split, exact": even_split_exact_test,
    "trinomial": trinomial_test,
}


def tests_section() -> Section:
    """Return the totals of Table 1 and the tests without a model."""
    results = {name: _tests(pair.counts) for name, pair in FIGURE_1.items()}
    head = ("data set", *(f"{name}, p" for name in TESTS))
    rows = tuple((name, *(f"{test.p:.4g}" for test in tests)) for name, tests in results.items())
    caption = "Two-sided p values. The tests differ in the treatment of ties; the paper discusses them in section 3."
    claims = (_totals(), _ranking(), _same_result(results))
    text = (
        "These tests need no model. They compare the two systems of a pair, or the ranks that judges give.",
        _friedman(),
    )
    return Section(
        "Sections 2 and 3: totals and tests without a model",
        text,
        claims,
        (Grid("Tests of the nine data sets", caption, head, rows),),
    )


def _tests(counts: tuple[int, int, int]) -> list[PreferenceTest]:
    tally = Tally(NEW, BASELINE, *counts)
    return [test(tally) for test in TESTS.values()]


def _totals() -> Claim:
    sums = [sum(sum(cell) for cell in counts) for counts in TABLE_1.values()]
    return Claim(
        "Section 2",
        "Each judge ranked 240 translation pairs.",
        "240",
        ", ".join(f"{judge} {total}" for judge, total in zip(TABLE_1, sums, strict=True)),
        tuple(near(total, 240.0, 0.0) for total in sums),
    )


def _ranking() -> Claim:
    """Return the order of the systems by all first preferences."""
    wins: Counter[str] = Counter()
    for counts in TABLE_1.values():
        for pair, (first, _, second) in zip(PAIRS, counts, strict=True):
            wins[pair[0]] += first
            wins[pair[1]] += second
    order = [name for name, _ in wins.most_common()]
    return Claim(
        "Section 2",
        "The totals of first preferences rank the systems.",
        "A D B C",
        " ".join(f"{name} ({wins[name]})" for name in order),
        tuple(near(order.index(name), at, 0.0) for at, name in enumerate("ADBC")),
    )


def _same_result(results: dict[str, list[PreferenceTest]]) -> Claim:
    """Return the claim that the sign test agrees with the model on every data set."""
    p = {name: tests[0].p for name, tests in results.items()}
    checks = [Check(p[name], high=SIGNIFICANT) for name in PREFERRED]
    checks += [Check(p[name], low=SIGNIFICANT) for name in UNDECIDED]
    return Claim(
        "Section 5",
        "The sign test without ties gives the same result about the preference as the model, for each data set.",
        "same result",
        "; ".join(f"{name} p = {p[name]:.2g}" for name in (*PREFERRED, *UNDECIDED)),
        tuple(checks),
        note="The counts of EqualPref, NoPref, StrongPref and Lewis and Steedman are stand-ins.",
    )


def _friedman() -> str:
    """Return Friedman's test of Table 1 as a sentence; the paper discusses the test and prints no result."""
    test = friedman_test(table_1())
    return (
        f"Friedman's test of Table 1, with judges as blocks (section 3 prints no result): chi-square "
        f"{test.statistic:.1f} on {test.df} df, {test.method} p = {test.p:.4f}, Kendall's W {test.kendall_w:.2f}."
    )
