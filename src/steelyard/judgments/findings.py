"""`Finding`: one thing worth knowing about judgments, and the words that findings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.maths.arrays import Labels

LISTED_IDS = 10  # ids named in one sentence; the rest are counted


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was seen: its name, a sentence about it, and the items, raters or columns it was seen in."""

    name: str
    sentence: str
    ids: tuple[str, ...] = ()


def counted(count: float, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "rater"), counted(1200, "row"), counted(2.5, "answer")
    ('1 rater', '1,200 rows', '2.5 answers')
    """
    number = f"{count:,.0f}" if float(count).is_integer() else f"{count:,g}"
    return f"{number} {noun}" if count == 1 else f"{number} {noun}s"


def listed(ids: Sequence[Any] | Labels) -> str:
    """The first few ids, and how many more there are."""
    shown = ", ".join(str(label) for label in ids[:LISTED_IDS])
    left = len(ids) - LISTED_IDS
    return shown if left <= 0 else f"{shown} and {left:,} more"


def finding_of_raters(name: str, raters: Labels, words: str) -> Finding:
    """A finding about these raters, who are named in it."""
    return Finding(name, f"{counted(len(raters), 'rater')} {words}: {listed(raters)}.", tuple(raters))
