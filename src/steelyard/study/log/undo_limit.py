"""How many answers a rater may take back: a limit on how much one rater can rewrite."""

from __future__ import annotations

FREE_UNDOS = 5  # answers that any rater may take back
ANSWERS_PER_UNDO = 5  # and one more for so many answers that count


def undos_left(answers: int, taken_back: int) -> int:
    """Answers that a rater with so many answers, who has taken so many back, may still take back.

    >>> undos_left(answers=12, taken_back=4)
    3
    """
    return max(FREE_UNDOS + answers // ANSWERS_PER_UNDO - taken_back, 0)


def answers_until_undo(answers: int, taken_back: int) -> int:
    """Answers after which undo works again, where none is left.

    >>> answers_until_undo(answers=3, taken_back=5)
    2
    """
    return max((taken_back - FREE_UNDOS + 1) * ANSWERS_PER_UNDO - answers, 0)
