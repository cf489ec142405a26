"""Raters who are stopped early because their answers carry too little information."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from steelyard.scales.belief import Belief

LEAST_ANSWERS = 10  # answers of a rater before the estimate is used: two lists of five


@runtime_checkable
class WorthBelief(Belief, Protocol):
    """A belief that estimates the information in the answers of its raters."""

    def worth(self, rater: str) -> float:
        """Return the information in one answer of this rater, relative to an answer of an average rater."""


def carries_too_little(belief: Belief | None, rater: str, answers: int, least: float) -> bool:
    """Whether the answers of a rater carry too little information to continue.

    Parameters
    ----------
    belief
        Current belief. If it does not estimate the information of raters, the result is False.
    rater
        Id of the rater.
    answers
        Number of answers of this rater so far. With fewer than ten, the result is False.
    least
        Smallest information in an answer, relative to an answer of an average rater.

    Returns
    -------
    bool
        True if the information is below `least`.
    """
    if not isinstance(belief, WorthBelief) or answers < LEAST_ANSWERS:
        return False
    return belief.worth(rater) < least
