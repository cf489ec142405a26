"""Whom to ask no more: raters whose answers say so little that others are better asked instead."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from steelyard.scales.belief import Belief

LEAST_ANSWERS = 10  # of one rater, before a model can tell: two lists of five


@runtime_checkable
class WorthBelief(Belief, Protocol):
    """A belief that knows what its raters' answers are worth."""

    def worth(self, rater: str) -> float:
        """What one answer of this rater is worth, in answers of a usual rater."""


def says_too_little(belief: Belief | None, rater: str, answers: int, least: float) -> bool:
    """Is an answer of this rater, who has given so many, worth less than `least` usual ones?"""
    if not isinstance(belief, WorthBelief) or answers < LEAST_ANSWERS:
        return False
    return belief.worth(rater) < least
