"""Numbers, times and states in words, for pages and reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

NONE = "–"
MINUS = "−"
MOST_DIGITS = 6


def whole(value: float) -> str:
    """A count with separators.

    >>> whole(1284)
    '1,284'
    """
    return f"{value:,.0f}"


def counted(value: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> counted(1, "item"), counted(24, "item"), counted(2, "person", "people")
    ('1 item', '24 items', '2 people')
    """
    return f"{whole(value)} {one if value == 1 else many or one + 's'}"


def score(value: float | None) -> str:
    """A score as it was given; "can't judge" where there was none."""
    return "can’t judge" if value is None else f"{value:g}".replace("-", MINUS)


def answer(value: float | str | None) -> str:
    """What a new judgment says: a score, a rank, a side or a choice.

    >>> answer(72.0), answer("left")
    ('72', 'left')
    """
    return value if isinstance(value, str) else score(value)


def position(value: float, width: float) -> str:
    """A position on a scale of this width, to about a hundredth of it.

    >>> position(96.6, 100), position(5.126, 6), position(0.51234, 0.28)
    ('97', '5.13', '0.512')
    """
    digits = 0 if width >= 50 else 1 if width >= 10 else 2
    if 0 < width < 1:
        digits = min(2 - math.floor(math.log10(width)), MOST_DIGITS)
    return _signed(f"{value:.{digits}f}")


def exact_position(value: float, width: float) -> str:
    """A position in a table: one digit more than in a sentence.

    >>> exact_position(96.62, 100)
    '96.6'
    """
    return position(value, width / 10)


def points(value: float | None, width: float = 100.0) -> str:
    """A difference in points of the scale, always with its sign.

    >>> points(3.2), points(-5.9), points(0.1), points(None)
    ('+3', '−6', '0', '–')
    """
    if value is None:
        return NONE
    text = position(value, width)
    return text if value <= 0 or not text.strip("0.") else f"+{text}"


def flags(raised: Sequence[str]) -> str:
    """The flags of a rater in one line.

    >>> flags(["Fast", "Hardly varies"])
    'Fast, hardly varies'
    """
    return ", ".join([*raised[:1], *(each[0].lower() + each[1:] for each in raised[1:])])


def status(excluded: bool, reason: str, stopped: bool) -> str:
    """Whether a rater is left out or receives no new tasks; "" for all others.

    >>> status(True, "random answers", True), status(False, "", True), status(False, "", False)
    ('Excluded: random answers', 'Stopped early', '')
    """
    if excluded:
        return f"Excluded: {reason}" if reason else "Excluded"
    return "Stopped early" if stopped else ""


def decimal(value: float | None) -> str:
    """A number with two digits."""
    return NONE if value is None else _signed(f"{value:.2f}")


def duration(milliseconds: float | None) -> str:
    """How long a task took.

    >>> duration(38_200), duration(4_260), duration(150_000), duration(None)
    ('38 s', '4.3 s', '2.5 min', '–')
    """
    if milliseconds is None:
        return NONE
    seconds = milliseconds / 1000.0
    if seconds >= 120:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def ago(seconds: float) -> str:
    """How long ago something happened.

    >>> ago(4), ago(200), ago(7_300), ago(200_000)
    ('4 s ago', '3 min ago', '2 h ago', '2 days ago')
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size or (unit != "days" and seconds >= size):
            return f"{seconds // size:.0f} {unit} ago"
    return f"{max(seconds, 0):.0f} s ago"


def day(at: float | None) -> str:
    """A date on the server's clock."""
    return NONE if at is None else f"{(moment := _local(at)).day} {moment:%b}"


def date(at: float) -> str:
    """A date with its year, in full."""
    return f"{(moment := _local(at)).day} {moment:%B %Y}"


def clock(at: float) -> str:
    """A time of day on the server's clock."""
    return f"{_local(at):%H:%M:%S}"


def iso(at: float) -> str:
    """A time for machines."""
    return _local(at).isoformat(timespec="seconds")


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at).astimezone()


def _signed(text: str) -> str:
    """A minus that is as wide as a digit, and no minus before zero."""
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", MINUS)
