"""Comparisons of a log in the order of their times, for models that process one comparison at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steelyard.engines import statistics
from steelyard.engines.counted import numbers
from steelyard.engines.engine import Engine
from steelyard.engines.labels import MISSING
from steelyard.errors import BadSetting
from steelyard.judgments.logs import LogSteps
from steelyard.maths.arrays import Codes, Labels


def ordered_steps(engine: Engine, standard: Any, items: Labels) -> Iterator[LogSteps]:
    """Yield the comparisons that can be used, in the order of their times.

    Parameters
    ----------
    engine
        Engine of the log.
    standard
        Standard table of the log.
    items
        Items by their code.

    Yields
    ------
    LogSteps
        Some comparisons.
    """
    place = {str(label): code for code, label in enumerate(items)}
    for batch in engine.batches(statistics.ordered_rows(standard)):
        if batch["at"].null_count:
            raise BadSetting(
                "model",
                "some comparisons have no time, and this model depends on their order. Fill the cells.",
            )
        left, right = (_codes(batch[side], place) for side in ("left", "right"))
        used = (left != MISSING) & (right != MISSING) & (left != right)
        weight = numbers(batch["weight"]) if "weight" in batch.schema.names else np.ones(len(left))
        answer = batch["answer"].to_numpy(zero_copy_only=False).astype(np.int64)
        yield LogSteps(left[used], right[used], answer[used], weight[used])


def _codes(column: Any, place: dict[str, int]) -> Codes:
    encoded = column.dictionary_encode()
    labels = encoded.dictionary.to_pylist()
    table = np.array(
        [place.get("" if each is None else each.strip(), MISSING) for each in labels] + [MISSING]
    )
    indices = encoded.indices.fill_null(len(labels)).to_numpy(zero_copy_only=False)
    return np.asarray(table[indices], dtype=np.int64)
