"""How many answers a study wants, has and expects, and why no more tasks are planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Supply:
    """Answers that a study wants, has and expects from open tasks, counted once for every item shown.

    `rule` is the reason why no more tasks are planned; it is empty if no stopping rule is met.
    """

    wanted: int
    answered: int
    pending: int
    rule: str
    paused: bool

    @property
    def missing(self) -> int:
        """Number of answers that are wanted and not expected from any task."""
        return max(self.wanted - self.answered - self.pending, 0)


def total_supply(supplies: Sequence[Supply]) -> Supply:
    """Return the numbers of several arms together; a rule is stated if it has stopped all of them."""
    rules = [each.rule for each in supplies]
    return Supply(
        sum(each.wanted for each in supplies),
        sum(each.answered for each in supplies),
        sum(each.pending for each in supplies),
        rules[0] if all(rules) else "",
        any(each.paused for each in supplies),
    )
