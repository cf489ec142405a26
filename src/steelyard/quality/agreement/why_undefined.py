"""Why a statistic of ratings is undefined, as the end of a sentence."""

from __future__ import annotations

import numpy as np

from steelyard.judgments.findings import counted
from steelyard.maths.arrays import Codes
from steelyard.quality.agreement.between_raters import FEWEST_SHARED
from steelyard.quality.agreement.ratings import Ratings

MOST_PAIRS = (
    4_000_000  # pairs of ratings of one item, up to which the items that two raters share are counted
)
ANSWERS_NEEDED = f"At least {FEWEST_SHARED} are needed."


def why_no_alpha(ratings: Ratings) -> str:
    """Return why alpha is undefined.

    >>> from steelyard.quality.agreement.ratings import as_ratings
    >>> why_no_alpha(as_ratings([[1, None], [None, 2]]))
    'no item has two ratings.'
    """
    if not np.any(ratings.per_item > 1):
        return "no item has two ratings."
    return "all ratings of items with two ratings or more are equal."


def why_no_halves(ratings: Ratings) -> str:
    """Return why no split of the ratings gives a correlation.

    >>> from steelyard.quality.agreement.ratings import as_ratings
    >>> why_no_halves(as_ratings([[3, 40, 20]]))
    'only 1 item has two ratings or more. At least 3 are needed.'
    """
    return _too_few(ratings) or _all_equal(ratings) or (
        "in every split, fewer than 3 items have ratings in both halves, or all items have the same mean in one half."
    )  # fmt: skip


def why_no_pairs(ratings: Ratings) -> str:
    """Return why no two raters can be correlated."""
    reason = _too_few(ratings) or _all_equal(ratings)
    if reason:
        return reason
    if float(np.sum(ratings.per_item.astype(np.float64) ** 2)) <= 2.0 * MOST_PAIRS:
        most = _most_shared(ratings)
        if most < FEWEST_SHARED:
            return f"no two raters rated more than {counted(most, 'item')} in common. {ANSWERS_NEEDED}"
    return "of every two raters with 3 items or more in common, one gave all of these items the same rating."


def why_no_rest(ratings: Ratings) -> str:
    """Return why no rater can be correlated with the others."""
    reason = _too_few(ratings) or _all_equal(ratings)
    if reason:
        return reason
    shared = ratings.where(ratings.per_item[ratings.item] > 1)
    most = int(shared.per_rater.max())
    if most < FEWEST_SHARED:
        return f"no rater rated more than {counted(most, 'item')} that others rated too. {ANSWERS_NEEDED}"
    return "every rater gave these items the same rating, or the means of the other raters are equal."


def _too_few(ratings: Ratings) -> str:
    """Return that too few items have two ratings, or an empty text."""
    items = int(np.sum(ratings.per_item > 1))
    if items == 0:
        return "no item has two ratings."
    if items < FEWEST_SHARED:
        return f"only {counted(items, 'item')} {'has' if items == 1 else 'have'} two ratings or more. {ANSWERS_NEEDED}"
    return ""


def _all_equal(ratings: Ratings) -> str:
    shared = ratings.value[ratings.per_item[ratings.item] > 1]
    return "all ratings of items with two ratings or more are equal." if np.ptp(shared) == 0.0 else ""


def _most_shared(ratings: Ratings) -> int:
    """Return the largest number of items that two raters have in common."""
    from scipy.sparse import csr_array  # SciPy is slow to import

    cells = (np.ones(len(ratings)), (ratings.rater, ratings.item))
    table = csr_array(cells, shape=(ratings.raters, ratings.items))
    shared = (table @ table.T).tocoo()
    others: Codes = np.flatnonzero(shared.row != shared.col)
    return int(shared.data[others].max(initial=0.0))
