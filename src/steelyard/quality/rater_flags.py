"""Which raters are flagged, and in which words: fast, hardly varying, reversed, unrelated, straight lines, random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.answering import FEWEST_ANSWERS, Speed, straight_liners
from steelyard.judgments.table import Table
from steelyard.maths.arrays import Codes, Mask, Vector

LEAST_SHARED = 3  # items judged with others before a slope or an agreement is given
STEADY_SHARE = 0.25  # of the others' standard deviation, under which scores hardly vary
STEADY_POINTS = 0.02  # of the range, under which scores hardly vary whatever others say
REVERSED_BELOW = -0.3  # agreement with others
# A rater's answers are unrelated to the others' where the agreement is not above 0 (one-sided 5% level) and is
# 3 standard errors below the median rater's. Both limits and SPAM_FROM were chosen on simulated raters so that
# fewer than 1 in 100 honest raters is flagged. The tests repeat that on other seeds.
LEAST_RELATED = 8  # items judged with others before answers can be called unrelated
CLOSEST = 0.9999  # an agreement of 1 has no finite transform
LEAST_TYPICAL = 3  # raters with an agreement before one of them can be called untypical
ABOVE_ZERO = 1.64  # standard errors
BELOW_TYPICAL = 3.0  # standard errors
SPAM_FROM = 0.9

HARDLY_VARIES = "Hardly varies"
FAST = "Fast"
REVERSED = "Scale reversed?"
STRAIGHT = "Straight lines"
UNRELATED = "Unrelated to the other raters’ answers"
RANDOM = "Looks like random answers (spam probability {:.2f})"


@dataclass(frozen=True, eq=False)
class AgainstOthers:
    """Each rater's moments beside those of the others, by rater code; NaN where they cannot be had."""

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
    """What is worth a look, by rater code; without a scale nobody is flagged for how scores vary."""
    opposed, unrelated = related.opposed, related.unrelated & ~related.opposed
    if scale is None:
        return [(FAST, speed.fast), (REVERSED, opposed), (UNRELATED, unrelated)]
    compared = np.where(against.shared >= LEAST_SHARED, against.others_sd, 0.0)
    steady = np.maximum(STEADY_POINTS * (scale[1] - scale[0]), STEADY_SHARE * compared)
    hardly = (against.answers >= FEWEST_ANSWERS) & (np.nan_to_num(against.own_sd) < steady)
    # Without variation the sign of an agreement is chance.
    return [
        (FAST, speed.fast),
        (HARDLY_VARIES, hardly),
        (REVERSED, ~hardly & opposed),
        (UNRELATED, ~hardly & unrelated),
        (STRAIGHT, straight_liners(ratings, len(against.answers))),
    ]


@dataclass(frozen=True, eq=False)
class Related:
    """Whose answers go against the others', and whose are unrelated to them, by more than chance explains."""

    opposed: Mask
    unrelated: Mask


def related_of(against: AgainstOthers, pieces: Codes, counted: Mask) -> Related:
    """Agreements with their uncertainty, beside 0 and beside that of the median rater.

    Fisher's transformation makes the standard error of an agreement 1 / sqrt(n - 3), where n counts `pieces` of
    independent information: the pairs of one ranking are not independent, its items are taken instead.
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


def spam_flags(spam: float | None) -> tuple[str, ...]:
    """The flag of a rater who probably answers at random, by the spam probability of a model."""
    return () if spam is None or spam < SPAM_FROM else (RANDOM.format(spam),)
