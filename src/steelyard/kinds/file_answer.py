"""`FileAnswer`: the answer about one item in a results file, from which kinds make cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.judgments.formats.mturk import TICKED


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """The answer about one item of a task in a results file.

    Parameters
    ----------
    item
        Index of the item in the task.
    values
        Values of the answer, or None for "can't judge".
    beside
        Marks in the same row, as text.
    """

    item: int
    values: tuple[Any, ...] | None
    beside: Mapping[str, str | None] = field(default_factory=dict)

    def ticked(self, mark: str) -> bool:
        """Whether a yes-or-no mark is yes."""
        text = self.beside.get(mark)
        return text is not None and text.casefold() in TICKED
