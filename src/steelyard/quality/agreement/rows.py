"""Rows of the table of agreement."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from steelyard.quality.agreement.intervals import Interval

EQUAL_OR_FEW = "either all answers are equal, or too few raters answered the same tasks."


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One statistic of agreement.

    Attributes
    ----------
    statistic
        Name of the statistic.
    value
        Value; None if it is undefined.
    low
        Lower limit of the 95% interval; None if there is none.
    high
        Upper limit of the 95% interval; None if there is none.
    of
        What the value was computed on: numbers of items, raters, ratings or pairs.
    interval
        How the interval was made.
    meaning
        What the value says, in one sentence, or why it is undefined.
    """

    statistic: str
    value: float | None
    low: float | None
    high: float | None
    of: str
    interval: str
    meaning: str


def row(
    statistic: str,
    value: float,
    interval: Interval,
    of: str,
    meaning: str,
    *,
    reason: Callable[[], str] | None = None,
) -> AgreementRow:
    """Return the row of a statistic.

    Parameters
    ----------
    statistic
        Name of the statistic.
    value
        Value.
    interval
        95% interval.
    of
        What the value was computed on.
    meaning
        What the value says, in one sentence.
    reason
        Returns why the value is undefined, as the end of a sentence. By default, both possible causes are named.

    Returns
    -------
    AgreementRow
        The row. A value of NaN is undefined, and the meaning then states that.
    """
    if not math.isfinite(value):
        return undefined(statistic, of, EQUAL_OR_FEW if reason is None else reason())
    return AgreementRow(
        statistic, value, _limit(interval.low), _limit(interval.high), of, interval.method, meaning
    )


def undefined(statistic: str, of: str, reason: str) -> AgreementRow:
    """Return the row of a statistic that does not apply.

    Parameters
    ----------
    statistic
        Name of the statistic.
    of
        What it would be computed on.
    reason
        Why it is undefined, as the end of a sentence.

    Returns
    -------
    AgreementRow
        A row without a value.
    """
    return AgreementRow(statistic, None, None, None, of, "none", f"Undefined: {reason}")


def _limit(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
