"""Answers of `steelyard prefer`: sentences, and the numbers they are based on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

import numpy as np

from steelyard.scales.differences import adjusted

LEVEL = 0.05  # significance level for sentences about single raters
LISTED = 5  # raters listed in one sentence


@dataclass(frozen=True)
class PreferenceAnswer:
    """A question, its answer in sentences, and the numbers they are based on."""

    question: str
    sentences: Sequence[str]
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the question and its sentences as lines of text."""
        return [self.question, *(f"  {sentence}" for sentence in self.sentences)]

    def plain(self) -> dict[str, Any]:
        """Return the answer as values that JSON can represent."""
        return {
            "question": self.question,
            "sentences": list(self.sentences),
            "numbers": plain(self.numbers),
        }


def plain(value: Any) -> Any:
    """Return records as dicts, and None for numbers that are not finite.

    >>> plain({"f": math.inf, "ids": ("a", "b")})
    {'f': None, 'ids': ['a', 'b']}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def p_words(p: float) -> str:
    """Return a p value in standard notation.

    >>> p_words(0.01034), p_words(3e-7), p_words(1.0)
    ('p = 0.0103', 'p < 0.0001', 'p = 1')
    """
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.4f}".rstrip("0").rstrip(".") if p >= 0.9999 else f"p = {p:.4f}"


def listed(parts: Sequence[str], most: int = LISTED) -> str:
    """Return the first few texts, and the number of further ones.

    >>> listed(["a", "b", "c"], 2)
    'a; b; and 1 more'
    """
    shown = "; ".join(parts[:most])
    return shown if len(parts) <= most else f"{shown}; and {len(parts) - most:,} more"


def holm(p: Sequence[float]) -> list[float]:
    """Return p values adjusted by the method of Holm (1979), which controls the familywise error rate.

    >>> holm([0.01, 0.5, 0.04])
    [0.03, 0.5, 0.08]
    """
    return [float(each) for each in adjusted(np.array(p, dtype=np.float64), "holm")]
