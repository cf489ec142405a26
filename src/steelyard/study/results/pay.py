"""What each rater is paid, from [pay] in study.toml and the measured time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.study.definition.sections.pay import PaySettings
from steelyard.study.log.interface import Rater
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord

SECONDS_PER_HOUR = 3_600.0
FAILED, SCREENED_OUT = "failed checks", "screened out"
FINISHED, NOT_FINISHED, NO_ANSWERS = "finished", "not finished", "no answers"


@dataclass(frozen=True, slots=True)
class PayLine:
    """The pay of one rater.

    Attributes
    ----------
    rater
        The rater.
    condition
        Arm of the rater, or "".
    status
        Finished, not finished, failed checks, screened out, or no answers.
    tasks
        Number of answered tasks, including checks and probes.
    hours
        Measured time: the sum of the gaps between acts of the rater, each counted up to `idle_minutes` of [pay].
    base, per_task, completion, screened_out
        The amounts of [pay] that apply.
    top_up
        What is added to reach the hourly rate.
    """

    rater: Rater
    condition: str
    status: str
    tasks: int
    hours: float
    base: float = 0.0
    per_task: float = 0.0
    completion: float = 0.0
    screened_out: float = 0.0
    top_up: float = 0.0

    @property
    def total(self) -> float:
        """Sum of all amounts."""
        return self.base + self.per_task + self.completion + self.screened_out + self.top_up

    @property
    def hourly(self) -> float | None:
        """Total per measured hour, or None without measured time."""
        return self.total / self.hours if self.hours > 0.0 else None


@dataclass(frozen=True, slots=True)
class PaySummary:
    """The pay of all raters.

    Attributes
    ----------
    currency
        Currency of the amounts.
    total
        Sum of the pay of all raters.
    median_hourly
        Median pay per measured hour of raters with answers whose session did not end by failed checks; None if no
        time was measured.
    raters
        Number of raters in the median.
    idle_minutes
        Longest gap that counts in full.
    """

    currency: str
    total: float
    median_hourly: float | None
    raters: int
    idle_minutes: float


def pay_lines(ledgers: Sequence[Ledger], roster: Sequence[Rater]) -> tuple[PayLine, ...]:
    """Return the pay of every rater.

    Parameters
    ----------
    ledgers
        Ledger of the study, or of each of its arms.
    roster
        All raters.

    Returns
    -------
    tuple of PayLine
        One line per rater, in the order of the roster.
    """
    return tuple(_line(rater, *_record(ledgers, rater.id)) for rater in roster)


def pay_summary(ledgers: Sequence[Ledger], roster: Sequence[Rater]) -> PaySummary | None:
    """Return the pay of all raters together; None if study.toml sets no pay."""
    paid = [ledger.definition.pay for ledger in ledgers if ledger.definition.pay.is_paid]
    if not paid:
        return None
    lines = pay_lines(ledgers, roster)
    rates = [
        line.hourly for line in lines if line.status in (FINISHED, NOT_FINISHED) and line.hourly is not None
    ]
    median = float(np.median(rates)) if rates else None
    total = float(sum(line.total for line in lines))
    return PaySummary(paid[0].currency, total, median, len(rates), paid[0].idle_minutes)


def _record(ledgers: Sequence[Ledger], rater: str) -> tuple[RaterRecord, PaySettings]:
    """Return the record of a rater in the arm in which they have answered, and the pay of this arm."""
    holders = [ledger for ledger in ledgers if rater in ledger.raters] or list(ledgers[:1])
    ledger = max(holders, key=lambda each: len(each.raters[rater].answers) if rater in each.raters else 0)
    return ledger.raters.get(rater, RaterRecord()), ledger.definition.pay


def _line(rater: Rater, record: RaterRecord, pay: PaySettings) -> PayLine:
    tasks, hours = len(record.answers), record.active_seconds / SECONDS_PER_HOUR
    if record.ended:
        return PayLine(rater, record.condition, FAILED, tasks, hours, base=pay.base)
    if not tasks:
        status = SCREENED_OUT if record.screened_out else NO_ANSWERS
        amount = pay.screened_out if record.screened_out else 0.0
        return PayLine(rater, record.condition, status, 0, hours, screened_out=amount)
    completion = pay.completion if record.finished else 0.0
    per_task = pay.per_task * tasks
    return PayLine(
        rater,
        record.condition,
        FINISHED if record.finished else NOT_FINISHED,
        tasks,
        hours,
        base=pay.base,
        per_task=per_task,
        completion=completion,
        top_up=max(pay.hourly * hours - pay.base - per_task - completion, 0.0),
    )
