"""Raters who are stopped early, because their answers carry so little information that others are asked instead."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from steelyard.scales.belief import Belief

LEAST_ANSWERS = 10  # of one rater, before a model can judge them: two lists of five


@runtime_checkable
class WorthBelief(Belief, Protocol):
    """A belief that estimates what its raters' answers are worth."""

    def worth(self, rater: str) -> float:
        """What one answer of this rater is worth, in answers of an average rater."""


def carries_too_little(belief: Belief | None, rater: str, answers: int, least: float) -> bool:
    """Is an answer of this rater, who has given so many, worth less than `least` answers of an average rater?"""
    if not isinstance(belief, WorthBelief) or answers < LEAST_ANSWERS:
        return False
    return belief.worth(rater) < least
