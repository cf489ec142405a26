"""Answers to the questions of Dras (2015) from paired comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.comparison_arrays import TIE, pairs_of
from steelyard.judgments.counting import count_raters
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments
from steelyard.models.bradley_terry.rater_variance import FEW_RATERS
from steelyard.report.preference.answers import PreferenceAnswer, p_words
from steelyard.report.preference.between_groups import group_answer
from steelyard.report.preference.between_raters import raters_answer
from steelyard.report.preference.model_free import (
    consistency_answer,
    friedman_answer,
    pair_tests,
)
from steelyard.report.preference.positions import position_answer
from steelyard.report.preference.worths import Common, common_worths, strength_answer, ties_answer, worth_test

PREFERENCE = "Is there a preference at all?"
SAME_REASON = ", for the reason given above."


@dataclass(frozen=True)
class PreferOptions:
    """Options of the report: the parametrisation of estimates and the rater covariates to test."""

    parametrisation: str = "odds"
    rater_covariates: tuple[str, ...] = ()


def answer_all(
    judgments: Judgments, rng: np.random.Generator, asked: PreferOptions | None = None
) -> tuple[PreferenceAnswer, ...]:
    """Answer the questions of Dras (2015) from comparisons.

    Parameters
    ----------
    judgments
        Comparisons, with ties or without.
    rng
        Random numbers of Friedman's permutation test.
    asked
        Parametrisation and rater covariates. Default: odds, and no covariates.

    Returns
    -------
    tuple of PreferenceAnswer
        Preference, strength, ties, differences between raters, one answer per rater covariate, consistency,
        position bias.

    Raises
    ------
    NothingToTest
        If no two items are compared, or if every answer is a tie.

    References
    ----------
    - Dras, M. (2015). Evaluating human pairwise preference judgments. Computational Linguistics, 41(2).
    """
    present = with_counts(judgments)
    _check(present)
    common = common_worths(present)
    asked = PreferOptions() if asked is None else asked
    groups = (group_answer(common, column, asked.parametrisation) for column in asked.rater_covariates)
    answers = (
        preference_answer(common, rng),
        strength_answer(common, asked.parametrisation),
        ties_answer(common),
        raters_answer(common),
        *groups,
        consistency_answer(present),
        position_answer(common),
    )
    return _reason_once(answers, common.reason)


def _reason_once(answers: Sequence[PreferenceAnswer], reason: str) -> tuple[PreferenceAnswer, ...]:
    """Return the answers with the reason why no model was fitted in the first sentence that has it only."""
    stated, kept = False, []
    for answer in answers:
        sentences = []
        for sentence in answer.sentences:
            again = stated and bool(reason)
            sentences.append(sentence.replace(f". {reason}", SAME_REASON) if again else sentence)
            stated = stated or reason in sentence
        kept.append(replace(answer, sentences=sentences))
    return tuple(kept)


def with_counts(judgments: Judgments) -> Judgments:
    """Return the judgments without rows whose count is 0."""
    return judgments.where(lambda table: table.weights > 0).compact()


def _check(judgments: Judgments) -> None:
    """Raise `NothingToTest` where the comparisons cannot show a preference."""
    items, pairs = len(judgments.items), pairs_of(judgments)
    if not len(pairs) or items < 2:
        raise NothingToTest(
            "Preference",
            "no two items are compared here.",
            "Choose other items with --item, or another file.",
        )
    if np.all(pairs.outcome == TIE):
        fact = f"all {counted(float(pairs.weight.sum()), 'answer')} are ties."
        raise NothingToTest("Preference", fact, "Add answers that prefer an item.")


def preference_answer(common: Common, rng: np.random.Generator) -> PreferenceAnswer:
    """Test for a preference.

    A single pair is tested by sign tests, several items by the likelihood ratio test of equal worths. If the
    file has raters, Friedman's test is added.
    """
    judgments = common.judgments
    tested = _pair_answer(common) if len(judgments.items) == 2 else worth_test(common)
    friedman, numbers = friedman_answer(judgments, rng)
    caution = independence_words(judgments, "friedman" in numbers)
    return PreferenceAnswer(PREFERENCE, [*tested[0], *friedman, *caution], {**tested[1], **numbers})


def _pair_answer(common: Common) -> tuple[list[str], dict[str, Any]]:
    """Return the sign tests of one pair, and the test clustered by rater where it can be computed."""
    words, numbers = pair_tests(common.judgments)
    fitted = common.finite
    tally = numbers["tally"]
    step = None if fitted is None else fitted.odds([(tally.first, tally.second)])[0]
    clustered = None if step is None else step.clustered
    if clustered is not None:
        test = f"t = {clustered.t:.2f} on {clustered.df:.1f} df, {p_words(clustered.p)}"
        words = [*words, f"Test clustered by rater ({counted(clustered.raters, 'rater')}): {test}."]
    return words, {**numbers, "clustered": clustered}


def independence_words(judgments: Judgments, friedman: bool = False) -> list[str]:
    """Return cautions: which p values and intervals assume independent answers, and whether raters are few.

    `friedman` indicates that the report contains Friedman's test.
    """
    raters, answers = count_raters(judgments), float(judgments.table("comparison").weights.sum())
    if not raters:
        return [
            f"These p values assume that the {counted(answers, 'answer')} are independent. "
            "The file has no rater column, so this cannot be checked."
        ]
    if raters >= answers:
        return []
    counts = f"{counted(answers, 'answer')} of {counted(raters, 'rater')}"
    if raters == 1:
        return [
            f"All p values assume that the {counts} are independent. They do not generalise to other raters."
        ]
    which = (
        "Except for Friedman's test and results clustered by rater"
        if friedman
        else "Except for results clustered by rater"
    )
    words = [
        f"{which}, all p values and intervals assume that the {counts} are independent. If answers of one rater are "
        "correlated, these p values are too small and these intervals too narrow."
    ]
    return [*words, _few_words(raters)] if raters < FEW_RATERS else words


def _few_words(raters: int) -> str:
    return (
        f"There are only {counted(raters, 'rater')}, so clustered p values and intervals are based on few clusters. "
        "They use the larger of the clustered and the model-based variance, and a t distribution with few degrees of "
        "freedom."
    )
