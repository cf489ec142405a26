"""`Finding`: one remark about judgments, and functions for its wording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.maths.arrays import Labels

LISTED_IDS = 10  # ids named in one sentence; the rest are counted


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark on a file of judgments.

    Attributes
    ----------
    name
        Name of the finding, for programs.
    sentence
        The finding in words.
    ids
        Ids of the items, raters or columns that it concerns.
    """

    name: str
    sentence: str
    ids: tuple[str, ...] = ()


def counted(count: float, noun: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "rater"), counted(1200, "row"), counted(2.5, "answer")
    ('1 rater', '1,200 rows', '2.5 answers')
    """
    number = short_count(count)
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def short_count(count: float) -> str:
    """Return a count with at most one decimal, or with two digits if it is below 1; weights can be fractions.

    >>> short_count(1200), short_count(253.833), short_count(7.02), short_count(1 / 3)
    ('1,200', '253.8', '7', '0.33')
    """
    text = f"{count:,.1f}" if abs(count) >= 1.0 or count == 0.0 else f"{count:.2g}"
    return text.removesuffix(".0")


def listed(ids: Sequence[Any] | Labels) -> str:
    """Return the first ids as text, and the number of the remaining ones."""
    shown = ", ".join(str(label) for label in ids[:LISTED_IDS])
    left = len(ids) - LISTED_IDS
    return shown if left <= 0 else f"{shown} and {left:,} more"


def finding_of_raters(name: str, raters: Labels, words: str) -> Finding:
    """Return a finding that names these raters.

    Parameters
    ----------
    name
        Name of the finding.
    raters
        Ids of the raters.
    words
        What the raters did, as the predicate of a sentence.

    Returns
    -------
    Finding
        The finding.
    """
    return Finding(name, f"{counted(len(raters), 'rater')} {words}: {listed(raters)}.", tuple(raters))
