"""Answers to a researcher's questions: sentences to quote, and the numbers behind them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

import numpy as np

from steelyard.scales.differences import adjusted

LEVEL = 0.05  # of p, where a sentence must say which of many raters stand out
LISTED = 5  # raters named in one sentence


@dataclass(frozen=True)
class PreferenceAnswer:
    """One question, answered in sentences, with every number that they rest on."""

    question: str
    sentences: Sequence[str]
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The question and its sentences, to read."""
        return [self.question, *(f"  {sentence}" for sentence in self.sentences)]

    def plain(self) -> dict[str, Any]:
        """The answer as JSON can hold it."""
        return {
            "question": self.question,
            "sentences": list(self.sentences),
            "numbers": plain(self.numbers),
        }


def plain(value: Any) -> Any:
    """Records as dicts, and None for what is no finite number.

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
    """A p value as papers print it.

    >>> p_words(0.01034), p_words(3e-7), p_words(1.0)
    ('p = 0.0103', 'p < 0.0001', 'p = 1')
    """
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.4f}".rstrip("0").rstrip(".") if p >= 0.9999 else f"p = {p:.4f}"


def listed(parts: Sequence[str], most: int = LISTED) -> str:
    """The first few, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a; b; and 1 more'
    """
    shown = "; ".join(parts[:most])
    return shown if len(parts) <= most else f"{shown}; and {len(parts) - most:,} more"


def holm(p: Sequence[float]) -> list[float]:
    """p values adjusted for being many [Holm 1979]: no error among all of them with the stated chance.

    >>> holm([0.01, 0.5, 0.04])
    [0.03, 0.5, 0.08]
    """
    return [float(each) for each in adjusted(np.array(p, dtype=np.float64), "holm")]
