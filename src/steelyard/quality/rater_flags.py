"""Flags of raters: fast, hardly varying, reversed, unrelated or one-sided answers, straight lines, random answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.answering import (
    FAST_MS,
    FEWEST_ANSWERS,
    LEAST_ONE_SIDED,
    ONE_ANSWER,
    Speed,
    straight_liners,
)
from steelyard.judgments.table import Table
from steelyard.maths.arrays import Codes, Mask, Vector

LEAST_SHARED = 3  # least number of items in common with other raters for a slope or an agreement
STEADY_SHARE = 0.25  # scores hardly vary below this share of the other raters' standard deviation
STEADY_POINTS = 0.02  # scores hardly vary below this share of the range, whatever the other raters do
REVERSED_BELOW = -0.3  # agreement with other raters
# Answers are unrelated to those of the other raters if the agreement is not above 0 (one-sided 5% level) and is 3
# standard errors below that of the median rater. With these limits and SPAM_FROM, fewer than 1 in 100 simulated honest
# raters is flagged. The tests check this with other seeds.
LEAST_RELATED = 8  # least number of items in common with other raters for this flag
CLOSEST = 0.9999  # upper bound of an agreement, because Fisher's transform of 1 is infinite
LEAST_TYPICAL = 3  # least number of raters with an agreement for a comparison with the median rater
ABOVE_ZERO = 1.64  # standard errors
BELOW_TYPICAL = 3.0  # standard errors
SPAM_FROM = 0.9

HARDLY_VARIES = "Hardly varies"
FAST = "Fast"
REVERSED = "Scale reversed?"
STRAIGHT = "Straight lines"
UNRELATED = "Unrelated to the other raters’ answers"
ONE_SIDED = "Nearly always the same answer"
RANDOM = "Looks like random answers (spam probability {:.2f})"
# Why a rater has a flag, in words; the numbers are those of `RaterHabits`.
REASONS = {
    FAST: f"Half of the answers took less than {FAST_MS / 1000:g} s, or less than a fifth of the median rater's time.",
    HARDLY_VARIES: "The scores vary less than a quarter as much as those of the other raters on the same items, or "
    "by less than 2% of the scale.",
    REVERSED: "The answers are opposed to those of the other raters on the same items, beyond chance. The rater may "
    "have confused the ends of the scale.",
    UNRELATED: "The agreement with the other raters is not above 0 and far below that of the median rater.",
    STRAIGHT: "On at least half of the pages, all items have the same score.",
    ONE_SIDED: f"At least {ONE_ANSWER:.0%} of {LEAST_ONE_SIDED} or more comparisons have the same answer: left, "
    "right or tie.",
    RANDOM.partition(" (")[
        0
    ]: "The model finds it more probable that the answers do not depend on the items.",
}


@dataclass(frozen=True, eq=False)
class AgainstOthers:
    """Moments of each rater and of the other raters of the same items, by rater code; NaN if not available.

    Attributes
    ----------
    answers
        Number of answers.
    own_sd
        Standard deviation of the rater's scores.
    others_sd
        Standard deviation of the mean scores of the other raters on the same items.
    bias
        Mean score minus mean score of the other raters.
    slope
        Slope of the regression of scores on the mean scores of the others.
    agreement
        Correlation with the mean scores of the others.
    shared
        Number of items in common with other raters.
    """

    answers: Vector
    own_sd: Vector
    others_sd: Vector
    bias: Vector
    slope: Vector
    agreement: Vector
    shared: Codes


def flags_of(
    ratings: Table, against: AgainstOthers, related: Related, speed: Speed, scale: tuple[float, float] | None
) -> list[tuple[str, Mask]]:
    """Return the flags with the raters they apply to.

    Parameters
    ----------
    ratings
        Judgments as scores.
    against
        Moments of each rater and of the other raters.
    related
        Raters with opposed or unrelated answers.
    speed
        Answering speed of each rater.
    scale
        Range of the scores; None if judgments have no scores. Flags about variation then do not apply.

    Returns
    -------
    list of tuple
        Text of each flag and a mask by rater code.
    """
    opposed, unrelated = related.opposed, related.unrelated & ~related.opposed
    if scale is None:
        return [(FAST, speed.fast), (REVERSED, opposed), (UNRELATED, unrelated)]
    compared = np.where(against.shared >= LEAST_SHARED, against.others_sd, 0.0)
    steady = np.maximum(STEADY_POINTS * (scale[1] - scale[0]), STEADY_SHARE * compared)
    hardly = (against.answers >= FEWEST_ANSWERS) & (np.nan_to_num(against.own_sd) < steady)
    # Without variation, the sign of an agreement is random.
    return [
        (FAST, speed.fast),
        (HARDLY_VARIES, hardly),
        (REVERSED, ~hardly & opposed),
        (UNRELATED, ~hardly & unrelated),
        (STRAIGHT, straight_liners(ratings, len(against.answers))),
    ]


@dataclass(frozen=True, eq=False)
class Related:
    """Raters whose answers oppose those of the others, or are unrelated to them, beyond chance.

    Attributes
    ----------
    opposed
        Mask of raters with opposed answers.
    unrelated
        Mask of raters with unrelated answers.
    """

    opposed: Mask
    unrelated: Mask


def related_of(against: AgainstOthers, pieces: Codes, counted: Mask) -> Related:
    """Compare each rater's agreement with 0 and with that of the median rater.

    By Fisher's transformation, the standard error of an agreement is 1 / sqrt(n - 3).

    Parameters
    ----------
    against
        Moments of each rater and of the other raters.
    pieces
        Number n of independent observations of each rater. For a ranking these are its items, because its pairs are
        dependent.
    counted
        Mask of the raters who count for the median.

    Returns
    -------
    Related
        Raters with opposed or unrelated answers.
    """
    strength = np.arctanh(np.clip(against.agreement, -CLOSEST, CLOSEST))
    error = 1.0 / np.sqrt(np.maximum(pieces - 3.0, 1.0))
    below_zero = (against.agreement < REVERSED_BELOW) & (strength < -ABOVE_ZERO * error)
    opposed = (pieces >= FEWEST_ANSWERS) & below_zero
    strengths = strength[counted & ~np.isnan(strength)]
    if len(strengths) < LEAST_TYPICAL:
        return Related(opposed, np.zeros(len(counted), dtype=bool))
    untypical = np.median(strengths) - strength > BELOW_TYPICAL * error
    return Related(opposed, (pieces >= LEAST_RELATED) & (strength < ABOVE_ZERO * error) & untypical)


def reason_for(flag: str) -> str:
    """Return why a rater has a flag, or "" for a flag without a description.

    >>> reason_for("Straight lines")
    'On at least half of the pages, all items have the same score.'
    """
    return next((reason for name, reason in REASONS.items() if flag.startswith(name)), "")


def spam_flags(spam: float | None) -> tuple[str, ...]:
    """Return the flag for random answers if the spam probability of a model is high."""
    return () if spam is None or spam < SPAM_FROM else (RANDOM.format(spam),)
