"""Rewards, fees and bonuses, in whole cents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from steelyard.errors import BadSetting
from steelyard.study.collecting.raters import person_of
from steelyard.study.log.interface import Source
from steelyard.study.results.pay import PayLine

CENTS = 100
# https://www.mturk.com/pricing, as quoted on 7 October 2026: 20% of reward and bonus, 20% more on rewards of HITs with
# ten or more assignments, at least 0.01 USD per assignment or bonus. Masters and premium qualifications cost more; they
# are not used here.
MTURK_FEE = Decimal("0.20")
MTURK_LARGE_FEE = Decimal("0.40")
MTURK_LARGE = 10
MTURK_LEAST_FEE = 1


@dataclass(frozen=True, slots=True)
class Cost:
    """What HITs cost if all assignments are approved, in cents."""

    rewards: int
    fees: int

    @property
    def total(self) -> int:
        """Rewards and fees."""
        return self.rewards + self.fees


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus for one rater.

    Attributes
    ----------
    rater
        Id of the rater in the study.
    person
        Id of the person on the site.
    cents
        The amount.
    """

    rater: str
    person: str
    cents: int


def cents_of(amount: str, where: str) -> int:
    """Return an amount of money in cents; raise BadSetting if it is not a positive number of cents.

    >>> cents_of("1.5", "--reward")
    150
    """
    try:
        cents = Decimal(amount) * CENTS
    except ArithmeticError:
        raise BadSetting(where, f"{amount!r} is not an amount. Write a number such as 1.50.") from None
    if not cents.is_finite() or cents <= 0 or cents != int(cents):
        raise BadSetting(
            where, f"{amount!r} is not an amount in whole cents above 0. Write a number such as 1.50."
        )
    return int(cents)


def in_words(cents: int, currency: str = "USD") -> str:
    """Return an amount with its currency.

    >>> in_words(123456)
    '1,234.56 USD'
    """
    return f"{cents / CENTS:,.2f} {currency}"


def mturk_cost(reward: int, hits: int, assignments: int) -> Cost:
    """Return what HITs cost on MTurk.

    Parameters
    ----------
    reward
        Reward of one assignment, in cents.
    hits
        Number of HITs.
    assignments
        Assignments of each HIT.

    Returns
    -------
    Cost
        Rewards and fees.

    Examples
    --------
    >>> mturk_cost(100, 1, 9), mturk_cost(100, 1, 10), mturk_cost(2, 5, 1)
    (Cost(rewards=900, fees=180), Cost(rewards=1000, fees=400), Cost(rewards=10, fees=5))
    """
    share = MTURK_LARGE_FEE if assignments >= MTURK_LARGE else MTURK_FEE
    return Cost(reward * hits * assignments, _fee(reward, share) * hits * assignments)


def mturk_bonus_fee(cents: int) -> int:
    """Return the fee of MTurk for a bonus, in cents."""
    return _fee(cents, MTURK_FEE)


def _fee(cents: int, share: Decimal) -> int:
    return max(int((cents * share).quantize(Decimal(1), ROUND_HALF_UP)), MTURK_LEAST_FEE)


def bonuses_of(lines: Sequence[PayLine], source: Source, reward: int) -> list[Bonus]:
    """Return what [pay] of study.toml owes to raters of a crowd beyond the reward.

    Parameters
    ----------
    lines
        Pay of all raters.
    source
        The crowd.
    reward
        Reward that an approved rater has received, in cents.

    Returns
    -------
    list of Bonus
        Raters whose pay is above the reward. Raters who were forgotten have no id, and are left out.
    """
    owed = [
        Bonus(line.rater.id, person_of(line.rater), round(line.total * CENTS) - reward)
        for line in lines
        if line.rater.source == source and line.tasks
    ]
    return [each for each in owed if each.cents > 0 and each.person]
