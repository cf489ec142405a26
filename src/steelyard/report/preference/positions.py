"""Position bias for `steelyard prefer`: whether the item shown on the left is preferred more often."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.errors import SteelyardError
from steelyard.judgments.comparison_arrays import LEFT, RIGHT, pairs_of, shown_both_ways
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments
from steelyard.quality.repeats import SideCounts, position_bias
from steelyard.report.preference.answers import LEVEL, PreferenceAnswer, holm, listed, p_words
from steelyard.report.preference.odds import Odds, PreferenceFit
from steelyard.report.preference.worths import Common, preference_model, why_not

POSITION = "Is there a position bias?"
SIDES = ("the item on the left", "the item on the right")


def position_answer(common: Common) -> PreferenceAnswer:
    """Report how often the left item is preferred, the order effect with its test, and raters with a bias."""
    left, total = _side_totals(common.judgments)
    if not total:
        return PreferenceAnswer(
            POSITION, ["This cannot be tested: no pair was shown in both orders and decided."]
        )
    share = (
        f"The left item was preferred in {left / total:.0%} of {counted(total, 'decided answer')} about pairs that "
        "were shown in both orders."
    )
    words, numbers = _order_effect(common)
    sides = position_bias(common.judgments)
    return PreferenceAnswer(
        POSITION,
        [share, *words, *_rater_words(sides)],
        {"left": left, "decided": total, **numbers, "sides": sides},
    )


def _side_totals(judgments: Judgments) -> tuple[float, float]:
    """Return the number of preferences for the left item and for either, over pairs shown in both orders."""
    pairs = pairs_of(judgments)
    both = shown_both_ways(pairs.left, pairs.right, len(judgments.items))
    left, right = (float(pairs.weight[both & (pairs.outcome == side)].sum()) for side in (LEFT, RIGHT))
    return left, left + right


def _order_effect(common: Common) -> tuple[list[str], dict[str, Any]]:
    """Return the odds of the left item between items of equal worth: sentences and statistics."""
    try:
        fitted = PreferenceFit(preference_model(common.tied, order=True).fit(common.judgments))
    except SteelyardError as reason:
        return [f"The order effect cannot be estimated. {why_not(reason)}"], {}
    names = fitted.fit.design.names
    if "order" not in names or "order" in fitted.fit.design.aliased:
        return [
            "The order effect cannot be estimated: it cannot be separated from the worths of the items."
        ], {}
    row = np.array([float(name == "order") for name in names])
    odds = fitted.odds_of(SIDES, row)
    return [_odds_words(odds, float(row @ fitted.fit.theta))], {"odds": odds}


def _odds_words(odds: Odds, effect: float) -> str:
    p = odds.p if odds.clustered is None else odds.clustered.p
    verdict = "There is a position bias" if p < LEVEL else "There is no evidence of a position bias"
    return (
        f"{verdict}: between two items of equal worth, odds of {odds.words()}. The order effect is {effect:.3f} on the "
        "scale of log-odds; 0 is no bias."
    )


def _rater_words(sides: tuple[SideCounts, ...]) -> list[str]:
    if not sides:
        return []
    adjusted = holm([each.p for each in sides])
    biased = [
        f"{each.rater} ({each.share:.0%} left of {each.left + each.right}, Holm-adjusted {p_words(p)})"
        for each, p in zip(sides, adjusted, strict=True)
        if p <= LEVEL
    ]
    if not biased:
        return [f"There is no evidence of a bias of any single rater (Holm-adjusted p > {LEVEL:g})."]
    return [f"Raters with a bias, assuming random sides: {listed(biased)}."]
