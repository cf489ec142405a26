"""The number of answers that a rater may take back."""

from __future__ import annotations

FREE_UNDOS = 5  # answers that every rater may take back
ANSWERS_PER_UNDO = 5  # each block of this many answers allows one more


def undos_left(answers: int, taken_back: int) -> int:
    """Return how many answers a rater may still take back.

    >>> undos_left(answers=12, taken_back=4)
    3
    """
    return max(FREE_UNDOS + answers // ANSWERS_PER_UNDO - taken_back, 0)


def answers_until_undo(answers: int, taken_back: int) -> int:
    """Return after how many more answers a rater without undos left can undo again.

    >>> answers_until_undo(answers=3, taken_back=5)
    2
    """
    return max((taken_back - FREE_UNDOS + 1) * ANSWERS_PER_UNDO - answers, 0)
