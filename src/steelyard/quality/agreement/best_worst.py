"""Split-half reliability of best-worst scaling, and agreement on the best and on the worst item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Vector, sum_by
from steelyard.quality.agreement.split_halves import SplitHalf, correlate, of_correlations

SPLITS = 100


@dataclass(frozen=True, eq=False)
class Choices:
    """Best-worst choices, one entry per item shown.

    Attributes
    ----------
    item
        Code of the item.
    sign
        1 for best, -1 for worst, 0 for neither.
    answer
        Annotation that the entry belongs to, from 0 without gaps.
    tuple_of
        Tuple of items that each annotation is about, from 0 without gaps; annotations of one tuple share it.
    """

    item: Codes
    sign: Vector
    answer: Codes
    tuple_of: Codes

    @property
    def items(self) -> int:
        """Number of item codes."""
        return int(self.item.max(initial=-1)) + 1

    def of_answers(self, keep: Mask) -> Choices:
        """Return the entries of some annotations, with the same item codes."""
        rows = keep[self.answer]
        answers = np.cumsum(keep) - 1
        tuples = np.unique(self.tuple_of[keep], return_inverse=True)[1]
        return Choices(self.item[rows], self.sign[rows], answers[self.answer[rows]], tuples)


def best_worst_scores(choices: Choices) -> Vector:
    """Return (times best - times worst) / times shown by item; NaN for items that were never shown."""
    return _scores(choices, np.ones(len(choices.item), dtype=bool))


def best_worst_split_half(
    choices: Choices, rng: np.random.Generator, splits: int = SPLITS, left_out: Codes | None = None
) -> SplitHalf:
    """Return the split-half reliability of best-worst scores, as Kiritchenko & Mohammad (2017) compute it.

    The annotations of each tuple are split at random into two halves, an odd one at random. Each half gives a score
    (best - worst) / shown to each item, and the two lists are correlated. Publications print the plain correlation,
    which is not stepped up.

    Parameters
    ----------
    choices
        Best-worst choices.
    rng
        Source of randomness.
    splits
        Number of random splits. Default 100.
    left_out
        Codes of items that do not count in the correlation, such as test items. Default: none.

    Returns
    -------
    SplitHalf
        Means over splits, plain and stepped up.

    References
    ----------
    - Kiritchenko, S. & Mohammad, S. (2017). Best-worst scaling more reliable than rating scales. ACL.
    """
    counted = np.ones(choices.items, dtype=bool)
    if left_out is not None:
        counted[left_out] = False
    return of_correlations([_correlated(choices, side, counted) for side in _halves(choices, splits, rng)])


def choice_agreement(choices: Choices, sign: float) -> tuple[Vector, Vector, Vector]:
    """Return how often two annotations of one tuple choose the same item as best, or as worst.

    Parameters
    ----------
    choices
        Best-worst choices.
    sign
        1 for the best item, -1 for the worst.

    Returns
    -------
    tuple
        By tuple with at least two annotations: share of equal pairs, share expected by chance (1 / size of the
        tuple), and number of annotations.
    """
    tuples = int(choices.tuple_of.max(initial=-1)) + 1
    annotations = np.bincount(choices.tuple_of, minlength=tuples).astype(np.float64)
    shown = np.bincount(choices.tuple_of[choices.answer], minlength=tuples)
    chosen = choices.sign == sign
    owner = choices.tuple_of[choices.answer[chosen]]
    key, times = np.unique(owner * max(choices.items, 1) + choices.item[chosen], return_counts=True)
    same = sum_by(key // max(choices.items, 1), times * (times - 1.0), tuples)
    several = annotations > 1
    pairs = annotations * (annotations - 1.0)
    return same[several] / pairs[several], (annotations / shown)[several], annotations[several]


def _halves(choices: Choices, splits: int, rng: np.random.Generator) -> Iterator[Mask]:
    """Yield which annotations are in the first half."""
    tuple_of = choices.tuple_of
    sizes = np.bincount(tuple_of)
    start = np.cumsum(sizes) - sizes
    for _ in range(splits):
        order = np.lexsort((rng.random(len(tuple_of)), tuple_of))
        place = np.empty(len(tuple_of), dtype=np.int64)
        place[order] = np.arange(len(tuple_of)) - start[tuple_of[order]]
        odd = rng.integers(0, 2, len(sizes)) * (sizes % 2)
        yield place < (sizes // 2 + odd)[tuple_of]


def _correlated(choices: Choices, is_first: Mask, counted: Mask) -> tuple[float, float]:
    side = is_first[choices.answer]
    first, second = _scores(choices, side), _scores(choices, ~side)
    both = counted & np.isfinite(first) & np.isfinite(second)
    return correlate(first[both], second[both])


def _scores(choices: Choices, rows: Mask) -> Vector:
    item, sign = choices.item[rows], choices.sign[rows]
    with np.errstate(invalid="ignore", divide="ignore"):
        return sum_by(item, sign, choices.items) / np.bincount(item, minlength=choices.items)
