"""Formatting of numbers, times and states as text, for pages and reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

NONE = "–"
MINUS = "−"
MOST_DIGITS = 6
NUMBERED = 8  # a matrix with more columns has numbers as headings
# Names of outcomes and choices on the pages; "first" and "second" are the two items in the order shown.
ANSWERS = {
    "left": "first",
    "right": "second",
    "tie": "about equal",
    "best": "most",
    "worst": "least",
    "none": "neither",
}


def whole(value: float) -> str:
    """Return a number without decimals, with thousands separators.

    >>> whole(1284)
    '1,284'
    """
    return f"{value:,.0f}"


def counted(value: float, one: str, many: str = "") -> str:
    """Return a count with its noun.

    Parameters
    ----------
    value
        The count.
    one
        Singular of the noun.
    many
        Plural of the noun; the singular with an s if empty.

    Returns
    -------
    str
        The count and the noun.

    Examples
    --------
    >>> counted(1, "item"), counted(24, "item"), counted(2, "person", "people")
    ('1 item', '24 items', '2 people')
    """
    return f"{whole(value)} {one if value == 1 else many or one + 's'}"


def score(value: float | None) -> str:
    """Return a score as it was given, or "can't judge" for None."""
    return "can’t judge" if value is None else f"{value:g}".replace("-", MINUS)


def answer(value: float | str | None) -> str:
    """Return an answer as text: a score, a rank, an outcome or a choice.

    >>> answer(72.0), answer("left"), answer("20 to 40")
    ('72', 'first', '20 to 40')
    """
    return ANSWERS.get(value, value) if isinstance(value, str) else score(value)


def position(value: float, width: float) -> str:
    """Return a position on a scale of this width, rounded to about a hundredth of the width.

    >>> position(96.6, 100), position(5.126, 6), position(0.51234, 0.28)
    ('97', '5.13', '0.512')
    """
    digits = 0 if width >= 50 else 1 if width >= 10 else 2
    if 0 < width < 1:
        digits = min(2 - math.floor(math.log10(width)), MOST_DIGITS)
    return signed(f"{value:.{digits}f}")


def exact_position(value: float, width: float) -> str:
    """Return a position for a table, with one digit more than in a sentence.

    >>> exact_position(96.62, 100)
    '96.6'
    """
    return position(value, width / 10)


def points(value: float | None, width: float = 100.0) -> str:
    """Return a difference in points of the scale, with its sign.

    >>> points(3.2), points(-5.9), points(0.1), points(None)
    ('+3', '−6', '0', '–')
    """
    if value is None:
        return NONE
    text = position(value, width)
    return text if value <= 0 or not text.strip("0.") else f"+{text}"


def flags(raised: Sequence[str]) -> str:
    """Return the flags of a rater in one line.

    >>> flags(["Fast", "Hardly varies"])
    'Fast, hardly varies'
    """
    return ", ".join([*raised[:1], *(each[0].lower() + each[1:] for each in raised[1:])])


def status(excluded: bool, reason: str, stopped: bool) -> str:
    """Return the status of a rater who is excluded or was stopped early, or "" for other raters.

    Parameters
    ----------
    excluded
        Whether the rater is excluded.
    reason
        Reason of the exclusion.
    stopped
        Whether the rater was stopped early.

    Returns
    -------
    str
        The status.

    Examples
    --------
    >>> status(True, "random answers", True), status(False, "", True), status(False, "", False)
    ('Excluded: random answers', 'Stopped early', '')
    """
    if excluded:
        return f"Excluded: {reason}" if reason else "Excluded"
    return "Stopped early" if stopped else ""


def decimal(value: float | None) -> str:
    """Return a number with two decimals."""
    return NONE if value is None else signed(f"{value:.2f}")


def duration(milliseconds: float | None) -> str:
    """Return a duration with its unit.

    >>> duration(38_200), duration(4_260), duration(150_000), duration(None)
    ('38 s', '4.3 s', '2.5 min', '–')
    """
    if milliseconds is None:
        return NONE
    seconds = milliseconds / 1000.0
    if seconds >= 120:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def hours(value: float) -> str:
    """Return a number of hours, or of minutes if it is below 2 hours.

    >>> hours(12.34), hours(0.5), hours(0.001)
    ('12.3 hours', '30 minutes', '0.1 minutes')
    """
    if value >= 2:
        return f"{value:,.1f} hours"
    minutes = 60 * value
    return f"{minutes:.0f} minutes" if minutes >= 2 else f"{minutes:.1f} minutes"


def span(low: float, high: float) -> str:
    """Return two ends of a scale.

    >>> span(0, 100)
    '0 to 100'
    """
    return f"{score(low)} to {score(high)}"


def kinds_combined(by_kind: Mapping[str, float], correlation: Mapping[str, float]) -> str:
    """Return how many judgments of each kind are on a scale, and how far they agree with the others; "" for one kind.

    >>> kinds_combined({"rating": 60, "comparison": 28}, {"comparison": 0.983})
    'The scale combines 60 rating and 28 comparison judgments. Correlation with the other judgments: comparison 0.98.'
    """
    if len(by_kind) < 2:
        return ""
    listed = [f"{whole(count)} {kind.replace('_', '-')}" for kind, count in by_kind.items()]
    combined = f"The scale combines {', '.join(listed[:-1])} and {listed[-1]} judgments."
    if not correlation:
        return combined
    each = ", ".join(f"{kind.replace('_', '-')} {value:.2f}" for kind, value in correlation.items())
    return f"{combined} Correlation with the other judgments: {each}."


def percent(share: float | None) -> str:
    """Return a share as a percentage.

    >>> percent(0.934), percent(None)
    ('93%', '–')
    """
    return NONE if share is None else f"{100 * share:.0f}%"


def p_value(p: float | None) -> str:
    """Return a p value for a table.

    >>> p_value(0.0312), p_value(3e-7), p_value(None)
    ('0.031', '<0.001', '–')
    """
    if p is None:
        return NONE
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def adjustment(name: str) -> str:
    """Return the name of an adjustment of p values for a sentence.

    >>> adjustment("holm"), adjustment("single_step")
    ('Holm’s method', 'the single-step method')
    """
    named = {
        "holm": "Holm’s method",
        "bonferroni": "Bonferroni’s method",
        "bh": "Benjamini and Hochberg’s method",
    }
    return named.get(name, f"the {name.replace('_', '-')} method")


def ago(seconds: float) -> str:
    """Return a time in the past relative to now.

    >>> ago(4), ago(200), ago(7_300), ago(200_000)
    ('4 s ago', '3 min ago', '2 h ago', '2 days ago')
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size or (unit != "days" and seconds >= size):
            return f"{seconds // size:.0f} {unit} ago"
    return f"{max(seconds, 0):.0f} s ago"


def day(at: float | None) -> str:
    """Return day and month of a time, in the time zone of the server."""
    return NONE if at is None else f"{(moment := _local(at)).day} {moment:%b}"


def date(at: float) -> str:
    """Return the full date of a time, in the time zone of the server."""
    return f"{(moment := _local(at)).day} {moment:%B %Y}"


def moment(at: float) -> str:
    """Return date and time in UTC.

    >>> moment(0.0)
    '1970-01-01 00:00:00'
    """
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"


def clock(at: float) -> str:
    """Return the time of day, in the time zone of the server."""
    return f"{_local(at):%H:%M:%S}"


def iso(at: float) -> str:
    """Return a time in ISO 8601 format."""
    return _local(at).isoformat(timespec="seconds")


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at).astimezone()


def signed(text: str) -> str:
    """Use the typographic minus sign, and no minus before zero."""
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", MINUS)
