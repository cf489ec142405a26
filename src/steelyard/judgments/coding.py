"""Text ids to integer codes and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, object_cells


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The labels of one family of ids, in order of first appearance."""

    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    def index(self) -> dict[str, int]:
        """Code of each label."""
        return {label: at for at, label in enumerate(self.labels)}

    def in_order(self) -> tuple[Vocabulary, Codes]:
        """The vocabulary with its labels sorted, and the new code of every old one."""
        order = np.array(sorted(range(len(self)), key=self.labels.__getitem__), dtype=np.int64)
        new = np.empty(len(self), dtype=np.int64)
        new[order] = np.arange(len(self))
        return Vocabulary(self.labels[order]), new

    def kept(self, codes: Codes) -> tuple[Vocabulary, Codes]:
        """The vocabulary of the labels that `codes` uses, and the new code of every old one."""
        used = np.zeros(len(self), dtype=bool)
        used[codes[codes >= 0]] = True
        new = np.cumsum(used) - 1
        return Vocabulary(self.labels[used]), np.where(used, new, -1).astype(np.int64)


def code(values: Iterable[Any], start: Vocabulary | None = None) -> tuple[Codes, Vocabulary]:
    """Codes of the values, and the vocabulary, extended with labels not seen before; None is -1.

    >>> codes, vocabulary = code(["b", "a", None, "b"])
    >>> codes.tolist(), vocabulary.labels.tolist()
    ([0, 1, -1, 0], ['b', 'a'])
    """
    index: dict[str, int] = {} if start is None else start.index()
    plain = _texts(values.tolist() if isinstance(values, np.ndarray) else list(values))
    lookup: dict[str | None, int] = {None: -1}
    for value in dict.fromkeys(plain):
        if value is not None:
            lookup[value] = index.setdefault(value, len(index))
    # The loop over a million rows runs in C.
    codes = np.fromiter(map(lookup.__getitem__, plain), dtype=np.int64, count=len(plain))
    return codes, Vocabulary(object_cells(index))


def merge(parts: Sequence[Mapping[str, Vocabulary]]) -> tuple[dict[str, Vocabulary], list[dict[str, Codes]]]:
    """One vocabulary per family for all parts, and each part's new codes by its old ones."""
    joined: dict[str, Vocabulary] = {}
    recodings: list[dict[str, Codes]] = []
    for part in parts:
        recoding = {}
        for family, vocabulary in part.items():
            recoding[family], joined[family] = code(vocabulary.labels, joined.get(family))
        recodings.append(recoding)
    return joined, recodings


def _texts(values: list[Any]) -> list[str | None]:
    if set(map(type, values)) <= {str, type(None)}:
        return values
    return [None if value is None else str(value) for value in values]
