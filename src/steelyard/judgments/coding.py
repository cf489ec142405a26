"""Conversion of text ids to integer codes and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.judgments.coded import Coded, coded_column, shared_objects
from steelyard.maths.arrays import Codes, Labels, object_cells


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The labels of a family of ids, in order of first appearance.

    Attributes
    ----------
    labels
        The labels; the code of a label is its index.
    """

    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    def index(self) -> dict[str, int]:
        """Return the code of each label."""
        return {label: at for at, label in enumerate(self.labels)}

    def in_order(self) -> tuple[Vocabulary, Codes]:
        """Return the vocabulary with sorted labels, and the new code of every old code."""
        order = np.array(sorted(range(len(self)), key=self.labels.__getitem__), dtype=np.int64)
        new = np.empty(len(self), dtype=np.int64)
        new[order] = np.arange(len(self))
        return Vocabulary(self.labels[order]), new

    def kept(self, codes: Codes) -> tuple[Vocabulary, Codes]:
        """Return the vocabulary of the labels that `codes` uses, and the new code of every old code."""
        used = np.zeros(len(self), dtype=bool)
        used[codes[codes >= 0]] = True
        new = np.cumsum(used) - 1
        return Vocabulary(self.labels[used]), np.where(used, new, -1).astype(np.int64)


def code(values: Iterable[Any], start: Vocabulary | None = None) -> tuple[Codes, Vocabulary]:
    """Return the codes of the values, and the vocabulary extended with new labels; None has the code -1.

    Labels are in order of first appearance. A column that is already coded (a pandas or Polars categorical, an Arrow
    dictionary) keeps its coding, and only its categories are processed as text.

    >>> codes, vocabulary = code(["b", "a", None, "b"])
    >>> codes.tolist(), vocabulary.labels.tolist()
    ([0, 1, -1, 0], ['b', 'a'])
    """
    coded = coded_column(values)
    if coded is not None:
        return _recode(coded.codes, coded.labels, start)
    shared = shared_objects(values)
    if shared is not None:
        return _by_object(values, *shared, start)
    plain = values.tolist() if isinstance(values, np.ndarray) else list(values)
    by_text = _by_text(plain, {} if start is None else start.index())
    if by_text is None:
        return code(_texts(plain), start)
    return by_text.codes, Vocabulary(by_text.labels)


def coded_cells(cells: Labels) -> Coded | None:
    """Return cells as a coded column if they share objects or are text, otherwise None."""
    shared = shared_objects(cells)
    if shared is not None:
        codes, first = shared
        return Coded(codes, cells[first])
    return coded_text(cells)


def coded_text(cells: Labels) -> Coded | None:
    """Return cells as a coded column if all of them are text or None, otherwise None."""
    listed = cells.tolist()
    first_value = next((value for value in listed if value is not None), None)
    return _by_text(listed, {}) if isinstance(first_value, str) else None


def _by_text(values: list[Any], index_before: Mapping[str, int]) -> Coded | None:
    """Return the codes of texts, with the labels of the index first; None if some value is not text."""
    index = _Index(index_before)
    try:
        # The loop over all rows runs in C; only a new label calls Python code.
        codes = np.fromiter(map(index.__getitem__, values), dtype=np.int64, count=len(values))
    except TypeError:  # a value that cannot be hashed
        return None
    return Coded(codes, object_cells(index.labels())) if index.textual() else None


class _Index(dict[Any, int]):
    """Code of each label; a new label gets the next code."""

    def __init__(self, index_before: Mapping[str, int]) -> None:
        super().__init__(index_before)
        self[None] = -1

    def __missing__(self, label: Any) -> int:
        self[label] = at = len(self) - 1
        return at

    def labels(self) -> list[str]:
        """Return all labels, by code."""
        return [label for label in self if label is not None]

    def textual(self) -> bool:
        """Whether every label is text. Then every value is text, because nothing else equals a text."""
        return set(map(type, self)) <= {str, type(None)}


def merge(parts: Sequence[Mapping[str, Vocabulary]]) -> tuple[dict[str, Vocabulary], list[dict[str, Codes]]]:
    """Return one vocabulary per family for all parts, and the new codes of each part by its old ones."""
    joined: dict[str, Vocabulary] = {}
    recodings: list[dict[str, Codes]] = []
    for part in parts:
        recoding = {}
        for family, vocabulary in part.items():
            recoding[family], joined[family] = code(vocabulary.labels, joined.get(family))
        recodings.append(recoding)
    return joined, recodings


def _recode(codes: Codes, labels: Labels, start: Vocabulary | None) -> tuple[Codes, Vocabulary]:
    """Return the codes of a coded column in terms of a vocabulary, with new labels in order of first appearance."""
    first = np.full(len(labels) + 1, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # for equal indices, the last value written stays
    used = np.argsort(first[:-1], kind="stable")[: int(np.sum(first[:-1] < len(codes)))]
    some, vocabulary = code([labels[at] for at in used.tolist()], start)
    new = np.full(len(labels) + 1, -1, dtype=np.int64)
    new[used] = some
    return new[codes], vocabulary


def _by_object(values: Any, codes: Codes, first: Codes, start: Vocabulary | None) -> tuple[Codes, Vocabulary]:
    """Return the codes of objects in terms of a vocabulary; objects that are equal as text get one code."""
    order = np.argsort(first)
    some, vocabulary = code(values[first[order]].tolist(), start)
    new = np.empty(len(first), dtype=np.int64)
    new[order] = some
    return new[codes], vocabulary


def _texts(values: list[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]
