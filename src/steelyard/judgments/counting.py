"""The number of judgments, as models, pages, reports and files count them.

A judgment is one answer of one rater to one question: one rating or range of an item, one comparison of a pair, one
ranking of a task, or one best-worst choice of a task. A row with a `count` of n represents n judgments. Rankings and
best-worst choices have one row per item of the task, so they have fewer judgments than rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.table import Judgments
from steelyard.judgments.tasks import answers_of
from steelyard.maths.arrays import Codes, Vector, sum_by


def count_judgments(judgments: Judgments, kinds: Sequence[str] | None = None) -> int | float:
    """Return the number of judgments, of all kinds or of these; an integer unless counts are fractions.

    >>> from steelyard import Judgments, Ranking, Rating
    >>> ranked = Judgments.of([Ranking("ann", "t", {"tea": 1, "milk": 2, "soup": 3})])
    >>> count_judgments(ranked), count_judgments(ranked + Judgments.of([Rating("ann", "tea", 20)]))
    (1, 2)
    """
    chosen = judgments.kinds if kinds is None else [kind for kind in judgments.kinds if kind in kinds]
    total = float(sum(judgment_weights(judgments, kind)[1].sum() for kind in chosen))
    return int(total) if total.is_integer() else total


def count_raters(judgments: Judgments) -> int:
    """Return the number of identified raters; 0 for a file without raters.

    >>> from steelyard import Judgments, Rating
    >>> count_raters(Judgments.of([Rating("ann", "tea", 20), Rating("ann", "milk", 20)]))
    1
    """
    return sum(rater != UNKNOWN_RATER for rater in judgments.raters)


def judgments_by_kind(judgments: Judgments) -> dict[str, int | float]:
    """Return the number of judgments of each kind that has any."""
    return {
        kind: count_judgments(judgments, (kind,)) for kind, table in judgments.tables.items() if len(table)
    }


def judgments_by_rater(judgments: Judgments, kind: str) -> Vector:
    """Return the number of judgments of one kind by rater code; judgments without a rater are not counted."""
    first, weight = judgment_weights(judgments, kind)
    rater = judgments.table(kind).codes["rater"][first]
    return sum_by(rater[rater >= 0], weight[rater >= 0], len(judgments.raters))


def judgment_weights(judgments: Judgments, kind: str) -> tuple[Codes, Vector]:
    """Return the first row of each judgment of a kind, and its count."""
    table = judgments.table(kind)
    if not table.kind.per_task:
        return np.arange(len(table)), table.weights
    answer = answers_of(judgments, kind)
    order = np.lexsort((table.weights, answer))  # the count of an answer is the smallest count of its rows
    first = order[np.r_[True, answer[order][1:] != answer[order][:-1]]] if len(answer) else order
    return first, table.weights[first]
