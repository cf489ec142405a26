"""Sums of sparse score vectors by cluster, compiled. `score_twin.py` is the same in NumPy and SciPy.

All compiled code is in this module, because numba's cache does not notice changes in other files.
"""

from __future__ import annotations

from typing import Any

from steelyard.maths.compiling import njit


@njit(cache=True, error_model="numpy")
def add_scores(
    totals: tuple[Any, Any, Any], units: tuple[Any, Any, Any], judged: tuple[Any, Any, Any]
) -> None:
    """Add the score and weight of each judgment to the sums of its cluster, in place.

    Judgments of entries without any value do not count.

    Parameters
    ----------
    totals
        Sums of scores (clusters x parameters), weight of the judgments by cluster, and weight by entry of judgments
        that are clusters of their own (cluster -1).
    units
        Scores of one judgment by entry: values, columns and starts of a sparse matrix.
    judged
        Entry, cluster and weight of each judgment.
    """
    sums, sizes, alone = totals
    entry, cluster, weight = judged
    values, columns, starts = units
    for at in range(len(entry)):
        here = entry[at]
        if starts[here] == starts[here + 1]:
            continue
        if cluster[at] < 0:
            alone[here] += weight[at]
            continue
        sizes[cluster[at]] += weight[at]
        row = sums[cluster[at]]
        for inner in range(starts[here], starts[here + 1]):
            row[columns[inner]] += weight[at] * values[inner]
