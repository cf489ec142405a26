"""Tests of differences between raters, for `steelyard prefer`."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.errors import Separated, SteelyardError
from steelyard.judgments.counting import count_raters
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Mask
from steelyard.quality.differing import MOST_ITEMS, RaterDifference, differing_raters
from steelyard.report.preference.answers import LEVEL, PreferenceAnswer, holm, listed, p_words
from steelyard.report.preference.worths import Common, common_worths, preference_model, ratio_test, why_not

RATERS = "Do raters differ?"
NO_TERMS = "The likelihood ratio test of rater-specific worths cannot be computed"
MOST_TERMS = 2000  # rater-specific parameters; a model with more is too slow to fit
SHOWN = 3  # raters described in one sentence
LEAST_ANSWERS = 5  # per degree of freedom; with fewer, the chi-square approximation is poor


def raters_answer(common: Common) -> PreferenceAnswer:
    """Report the likelihood ratio test of rater-specific worths, and the raters who differ from the others."""
    raters = count_raters(common.judgments)
    if raters < 2:
        who = "does not identify raters" if not raters else "has only one rater"
        return PreferenceAnswer(RATERS, [f"This cannot be tested: the file {who}."])
    if common.fitted is None:
        return PreferenceAnswer(RATERS, [f"This cannot be tested. {common.reason}"])
    words, numbers = _rater_terms(common, raters)
    if len(common.judgments.items) > MOST_ITEMS:
        return PreferenceAnswer(RATERS, words, numbers)
    apart, rest = _set_aside(common)
    return PreferenceAnswer(
        RATERS, [*words, *_apart_words(apart, rest)], {**numbers, "set_aside": apart, "others": rest}
    )


def _rater_terms(common: Common, raters: int) -> tuple[list[str], dict[str, Any]]:
    """Return the likelihood ratio test of rater-specific worths, Dras (2015), Eq. 2, against common worths."""
    df = (raters - 1) * (len(common.judgments.items) - 1)
    if df > MOST_TERMS:
        return [
            f"Rater-specific worths are not tested: they would add {df:,} parameters (limit {MOST_TERMS:,})."
        ], {}
    try:
        own = preference_model(common.tied, rater_covariates=["rater"]).fit(common.judgments)
        shared = preference_model(common.tied, table="raters").fit(common.judgments)
        comparison = own.compare(shared)
    except Separated:
        return [
            f"{NO_TERMS}: the answers of some raters follow one order without exception, so their worths would be "
            "infinite."
        ], {}
    except SteelyardError as reason:
        return [f"{NO_TERMS}. {why_not(reason)}"], {}
    ratio = ratio_test(comparison.chi_square, comparison.df)
    verdict = (
        "Worths differ between raters"
        if ratio.p < LEVEL
        else "There is no evidence that worths differ between raters"
    )
    few = common.answers < LEAST_ANSWERS * (ratio.df + raters)
    approximate = "; approximate, because there are few answers per parameter" if few else ""
    counts = f"{counted(raters, 'rater')}, {counted(common.answers, 'answer')}"
    return [f"{verdict}: {ratio.words()} ({counts}{approximate})."], {"rater_terms": ratio}


def _set_aside(common: Common) -> tuple[list[RaterDifference], list[RaterDifference]]:
    """Remove the most deviating rater and refit until no rater deviates; return the removed and the remaining raters.

    Each rater is tested against the worths of all raters who remain at that step.
    """
    apart: list[RaterDifference] = []
    while True:
        rest = _against_all(common)
        first = min(rest, key=lambda each: (each.p, -each.statistic))
        if min(1.0, len(rest) * first.p) > LEVEL or len(rest) <= 2 or len(apart) >= len(rest) - 1:
            return apart, rest
        left = common_worths(_without(common.judgments, first.rater))
        if left.fitted is None or len(left.judgments.items) < len(common.judgments.items):
            return apart, rest
        apart.append(first)
        common = left


def _against_all(common: Common) -> list[RaterDifference]:
    assert common.fitted is not None
    tie = None if common.fitted.tie is None else common.fitted.tie[0]
    return list(differing_raters(common.judgments, common.fitted.log_worth, tie))


def _without(judgments: Judgments, rater: str) -> Judgments:
    code = judgments.vocabularies["rater"].index()[rater]

    def keep(table: Table) -> Mask:
        return np.not_equal(table.codes["rater"], code)

    return judgments.where(keep).compact()


def _apart_words(apart: list[RaterDifference], rest: list[RaterDifference]) -> list[str]:
    least = min(holm([each.p for each in rest]))
    sparse = [each for each in (*apart, *rest) if each.answers < LEAST_ANSWERS * each.df]
    words = []
    if apart:
        words.append(
            "Raters who differ from the others (score tests; observed minus expected wins of the two most extreme "
            f"items, ties counting half): {listed([_apart_one(each) for each in apart], SHOWN)}."
        )
    evidence = f"score tests, smallest Holm-adjusted {p_words(least)}"
    many = counted(len(rest), "rater")
    if least > LEVEL:
        words.append(
            f"There is no evidence that the other {many} differ from each other ({evidence})."
            if apart
            else f"There is no evidence that any of the {many} differs from the others ({evidence})."
        )
    else:
        words.append(
            f"{'The other' if apart else 'The'} {many} differ from each other and share no common preference "
            f"({evidence})."
        )
    if sparse:
        words.append(f"The score tests are approximate for {counted(len(sparse), 'rater')} with few answers.")
    return words


def _apart_one(each: RaterDifference) -> str:
    most, least = (pick(each.excess, key=each.excess.__getitem__) for pick in (max, min))
    extremes = f"{most} {each.excess[most]:+.1f}, {least} {each.excess[least]:+.1f}"
    return (
        f"{each.rater} (chi-square = {each.statistic:.1f} on {each.df} df, {p_words(each.p)}, "
        f"{counted(each.answers, 'answer')}; {extremes})"
    )
