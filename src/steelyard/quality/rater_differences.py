"""The answers of one rater beside those of the other raters, item by item or pair by pair."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.conversions import comparisons_in
from steelyard.judgments.table import Judgments
from steelyard.kinds.known import KINDS
from steelyard.maths.arrays import Codes, Labels, Mask, Vector


@dataclass(frozen=True, slots=True)
class Difference:
    """What one rater and the others answered about an item or a pair.

    Attributes
    ----------
    items
        Id of the item, or ids of the pair.
    own
        Mean score of the rater. For a pair: 1 if the first item was preferred, 0 for a tie, -1 if the second was.
    others
        Mean score of the other raters; None if no other rater judged it.
    raters
        Number of other raters.
    spread
        Standard deviation of the other raters' scores; None with fewer than two of them.
    """

    items: tuple[str, ...]
    own: float
    others: float | None
    raters: int
    spread: float | None

    @property
    def difference(self) -> float | None:
        """Own score minus mean score of the others; None without others."""
        return None if self.others is None else self.own - self.others


def differences_of(
    judgments: Judgments, rater: str, left_out: Collection[str] = ()
) -> tuple[Difference, ...]:
    """Return the answers of a rater beside those of the others, largest difference first.

    Ranges are represented by their midpoints. Kinds without scores are converted to pairs.

    Parameters
    ----------
    judgments
        Judgments of one question, including those of the rater.
    rater
        Id of the rater.
    left_out
        Raters with whom nobody is compared. Default: none.

    Returns
    -------
    tuple of Difference
        One entry per item or pair that the rater judged.

    Examples
    --------
    >>> from steelyard import Rating
    >>> scores = [("ann", "tea", 10), ("bob", "tea", 20), ("cem", "tea", 40), ("ann", "soup", 50)]
    >>> [(each.items, each.own, each.others) for each in differences_of(
    ...     Judgments.of(Rating(*score) for score in scores), "ann")]
    [(('tea',), 10.0, 30.0), (('soup',), 50.0, None)]
    """
    scored = _scored(judgments)
    if scored is None or rater not in set(map(str, scored.raters)):
        return ()
    own = int(np.flatnonzero(scored.raters.astype(str) == rater)[0])
    out = np.append(np.isin(scored.raters.astype(str), list(left_out)), True)  # the last is code -1, no rater
    judged = np.flatnonzero(np.isin(scored.thing, scored.thing[scored.rater == own]))
    ordered = judged[np.argsort(scored.thing[judged], kind="stable")]
    starts = np.flatnonzero(np.diff(scored.thing[ordered])) + 1
    differences = [_difference(scored, rows, own, out) for rows in np.split(ordered, starts)]
    return tuple(sorted(differences, key=_by_size))


@dataclass(frozen=True, eq=False)
class _Scored:
    """Scores by rater and thing, and the ids of each thing: an item or a pair."""

    raters: Labels
    rater: Codes
    thing: Codes
    score: Vector
    things: list[tuple[str, ...]]


def _scored(judgments: Judgments) -> _Scored | None:
    kind = next(iter(judgments.kinds), "")
    if not kind or "rater" not in judgments.table(kind).codes:
        return None
    scores = KINDS[kind].scores(judgments)
    if scores is not None:
        codes = judgments.table(kind).codes
        return _Scored(
            judgments.raters,
            codes["rater"],
            codes["item"],
            scores,
            [(str(each),) for each in judgments.items],
        )
    comparisons = comparisons_in(judgments)
    pairs, rows = pairs_of(comparisons), comparisons.table("comparison")
    low, high = np.minimum(pairs.left, pairs.right), np.maximum(pairs.left, pairs.right)
    kept, thing = np.unique(np.column_stack([low, high]), axis=0, return_inverse=True)
    outcome = np.where(pairs.left > pairs.right, -pairs.outcome, pairs.outcome).astype(float)
    names = [tuple(str(comparisons.items[at]) for at in pair) for pair in kept]
    return _Scored(comparisons.raters, rows.codes["rater"], thing.ravel(), outcome, names)


def _difference(scored: _Scored, rows: Codes, own: int, out: Mask) -> Difference:
    """Return the difference in the rows about one item or pair."""
    rater, score = scored.rater[rows], scored.score[rows]
    others = (rater != own) & ~out[rater]
    scores = score[others]
    return Difference(
        scored.things[int(scored.thing[rows[0]])],
        float(score[rater == own].mean()),
        float(scores.mean()) if len(scores) else None,
        len(np.unique(rater[others])),
        float(scores.std(ddof=1)) if len(scores) > 1 else None,
    )


def _by_size(each: Difference) -> tuple[bool, float]:
    return each.difference is None, -abs(each.difference or 0.0)
