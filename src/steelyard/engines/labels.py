"""Labels of an engine as sorted codes: spaces around them are removed, and blank ones are missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, object_cells

MISSING = -1


@dataclass(frozen=True, eq=False)
class Coder:
    """Codes of labels in order of appearance. It grows while batches arrive."""

    codes: dict[str, int] = field(default_factory=dict)  # by label without spaces around it
    written: dict[str | None, int] = field(default_factory=dict)  # by label as written in the log

    def add(self, column: Any) -> Codes:
        """Return the codes of an Arrow column, MISSING where it is empty."""
        encoded = column.dictionary_encode()
        encoded = encoded.combine_chunks() if hasattr(encoded, "combine_chunks") else encoded
        table = np.array([self._code(label) for label in encoded.dictionary.to_pylist()] + [MISSING])
        indices = encoded.indices.fill_null(len(table) - 1).to_numpy(zero_copy_only=False)
        return np.asarray(table[indices], dtype=np.int64)

    def _code(self, label: str | None) -> int:
        code = self.written.get(label)
        if code is None:
            plain = "" if label is None else label.strip()
            code = self.codes.setdefault(plain, len(self.codes)) if plain else MISSING
            self.written[label] = code
        return code

    def sorted(self) -> Vocabulary:
        """Return the labels in sorted order."""
        labels = list(self.codes)
        order = sorted(range(len(labels)), key=labels.__getitem__)
        place = np.empty(len(labels) + 1, dtype=np.int64)
        place[order] = np.arange(len(labels))
        place[-1] = MISSING
        written = {label: int(place[code]) for label, code in self.written.items() if label is not None}
        return Vocabulary(object_cells([labels[at] for at in order]), place, written)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Sorted labels, the sorted code of each code of a `Coder`, and of each label as written in the log."""

    labels: Labels
    place: Codes
    written: dict[str, int]

    def __len__(self) -> int:
        return len(self.labels)

    def table(self, only: Iterable[int] | None = None) -> Any:
        """Return an Arrow table of the labels as written and their codes, for joins."""
        import pyarrow as pa  # an optional dependency

        kept = self.written if only is None else {k: v for k, v in self.written.items() if v in set(only)}
        used = {label: code for label, code in kept.items() if code != MISSING}
        return pa.table(
            {"label": pa.array(list(used), pa.string()), "code": pa.array(list(used.values()), pa.int32())}
        )
