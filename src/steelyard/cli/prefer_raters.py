"""What `steelyard prefer` says of raters who differ from the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.cli.answers import LEVEL, PreferenceAnswer, holm, listed, p_words
from steelyard.cli.prefer_model import Common, common_worths, preference_model, ratio_test
from steelyard.cli.prefer_tests import count_raters
from steelyard.errors import Separated, SteelyardError
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Mask
from steelyard.quality.differing import MOST_ITEMS, RaterDifference, differing_raters

RATERS = "Does any rater differ?"
NO_TERMS = "A likelihood ratio test of worths of each rater's own cannot be made"
MOST_TERMS = 2000  # of raters, beyond which they are not fitted
LEAST_ANSWERS = 5  # for each degree of freedom, below which a chi-square is called rough


def raters_answer(common: Common) -> PreferenceAnswer:
    """Likelihood ratio of worths of each rater's own, and which raters stand out."""
    raters = count_raters(common.judgments)
    if raters < 2:
        who = "names no raters" if not raters else "has one rater"
        return PreferenceAnswer(RATERS, [f"The file {who}, so this cannot be asked."])
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
    """Likelihood ratio of Dras's Eq. 2 against common worths, both on the table of raters."""
    df = (raters - 1) * (len(common.judgments.items) - 1)
    if df > MOST_TERMS:
        return [f"Worths of each rater's own would be {df:,} more terms, too many to fit."], {}
    try:
        own = preference_model(common.tied, rater_covariates=["rater"]).fit(common.judgments)
        shared = preference_model(common.tied, table="raters").fit(common.judgments)
        comparison = own.compare(shared)
    except Separated:
        return [
            f"{NO_TERMS}: some raters keep an order without exception, so that these would be infinite."
        ], {}
    except SteelyardError as reason:
        return [f"{NO_TERMS}. {reason}"], {}
    ratio = ratio_test(comparison.chi_square, comparison.df)
    verdict = "Raters' worths differ" if ratio.p < LEVEL else "That raters' worths differ is not shown"
    few = common.answers < LEAST_ANSWERS * (ratio.df + raters)
    rough = "; rough, with few answers for each term" if few else ""
    counts = f"{counted(raters, 'rater')}, {counted(common.answers, 'answer')}"
    return [f"{verdict}: {ratio.words()} ({counts}{rough})."], {"rater_terms": ratio}


def _set_aside(common: Common) -> tuple[list[RaterDifference], list[RaterDifference]]:
    """Raters who stand out one after another, each against worths of those left, and the others at the end."""
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
    rough = [each for each in (*apart, *rest) if each.answers < LEAST_ANSWERS * each.df]
    words = []
    if apart:
        words.append(f"Unlike the others: {listed([_apart_one(each) for each in apart])}.")
    evidence = f"score tests, smallest Holm-adjusted {p_words(least)}"
    many = counted(len(rest), "rater")
    if least > LEVEL:
        words.append(
            f"The other {many} cannot be told from each other ({evidence})."
            if apart
            else f"None of the {many} can be told from the rest ({evidence})."
        )
    else:
        words.append(
            f"{'The other' if apart else 'The'} {many} differ from each other, with no opinion in common ({evidence})."
        )
    if rough:
        words.append(f"The score tests are rough for {counted(len(rough), 'rater')} with few answers.")
    return words


def _apart_one(each: RaterDifference) -> str:
    most, least = (pick(each.excess, key=each.excess.__getitem__) for pick in (max, min))
    points = f"{most} {each.excess[most]:+.1f} and {least} {each.excess[least]:+.1f} points"
    return (
        f"{each.rater} (score test, chi-square = {each.statistic:.1f} on {each.df} df, {p_words(each.p)}, "
        f"{counted(each.answers, 'answer')}: {points} against the common worths)"
    )
