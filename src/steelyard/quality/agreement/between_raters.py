"""Raters against raters: mean pairwise Spearman correlation, and each rater against the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Vector, sum_by
from steelyard.maths.correlation import pearson_by, rounded, spearman_by
from steelyard.quality.agreement.ratings import Ratings, RatingTable, as_ratings

FEWEST_SHARED = 3  # items that two raters, or a rater and the rest, must share


@dataclass(frozen=True, eq=False)
class PairwiseSpearman:
    """Spearman correlations of pairs of raters.

    Attributes
    ----------
    first
        Code of one rater of each pair.
    second
        Code of the other rater.
    value
        Correlations of the pairs that share at least 3 items and are not constant there.
    """

    first: Codes
    second: Codes
    value: Vector

    @property
    def pairs(self) -> int:
        """Number of pairs that count."""
        return len(self.value)

    @property
    def mean(self) -> float:
        """Mean over pairs; NaN without pairs."""
        return float(self.value.mean()) if self.pairs else float("nan")

    def without(self, raters: Codes) -> float:
        """Return the mean over pairs in which none of these raters occurs."""
        kept = self.value[~np.isin(self.first, raters) & ~np.isin(self.second, raters)]
        return float(kept.mean()) if len(kept) else float("nan")


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Correlation of each rater with the mean of all other raters of the same items.

    Attributes
    ----------
    pearson
        Pearson correlation by rater; NaN with fewer than 3 shared items, or if one side is constant.
    spearman
        Spearman correlation by rater.
    """

    pearson: Vector
    spearman: Vector

    @property
    def raters(self) -> int:
        """Number of raters with a correlation."""
        return int(np.isfinite(self.pearson).sum())


def mean_pairwise_spearman(table: RatingTable) -> PairwiseSpearman:
    """Return the Spearman correlation of every two raters, on the items that both rated.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, NaN where a rating is missing, or `Ratings`.

    Returns
    -------
    PairwiseSpearman
        Correlations of pairs with at least 3 common items; its `mean` is the plain mean over pairs.

    Examples
    --------
    >>> round(mean_pairwise_spearman([[9, 2, 5], [6, 1, 3], [8, 4, 6], [7, 1, 2]]).mean, 3)
    0.762
    """
    index = _ByItem(as_ratings(table))
    return spearman_of_pairs(index.ratings, np.arange(index.ratings.raters), ordered=True)


def spearman_of_pairs(ratings: Ratings, raters: Codes, ordered: bool = False) -> PairwiseSpearman:
    """Return the Spearman correlations of these raters with all others.

    Parameters
    ----------
    ratings
        Ratings.
    raters
        Codes of the raters, a sample if there are very many pairs.
    ordered
        Whether to use only partners with a higher code, so that every pair of all raters counts once.

    Returns
    -------
    PairwiseSpearman
        One entry per pair that counts.
    """
    index = _ByItem(ratings)
    parts = [_with_partners(index, int(rater), ordered) for rater in raters]
    first, second, value = (
        np.concatenate([part[at] for part in parts]) if parts else np.empty(0) for at in range(3)
    )
    return PairwiseSpearman(first.astype(np.int64), second.astype(np.int64), value)


def leave_one_out(table: RatingTable, round_means: bool = True) -> LeaveOneOut:
    """Return the correlation of each rater with the mean of the other raters' ratings of the same items.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, NaN where a rating is missing, or `Ratings`.
    round_means
        Whether to round means before they are ranked (default), so that equal means are tied. Programs that do not
        round may rank equal means by their rounding errors; False is for comparison with these.

    Returns
    -------
    LeaveOneOut
        One Pearson and one Spearman correlation per rater.

    Examples
    --------
    >>> leave_one_out([[9, 2, 5], [6, 1, 3], [8, 4, 6], [7, 1, 2]]).pearson.round(3).tolist()
    [0.653, 0.816, 0.92]
    """
    ratings = as_ratings(table)
    shared = ratings.where(ratings.per_item[ratings.item] > 1)
    others = rounded(_others(shared)) if round_means else _others_directly(shared)
    enough = np.bincount(shared.rater, minlength=ratings.raters) >= FEWEST_SHARED
    pearson, spearman = (
        np.where(enough, correlate(shared.rater, shared.value, others, ratings.raters), np.nan)
        for correlate in (pearson_by, spearman_by)
    )
    return LeaveOneOut(pearson, spearman)


def _others(ratings: Ratings) -> Vector:
    """Return for each rating the mean of the other ratings of its item, from differences to the item's mean."""
    item = ratings.item
    centre = sum_by(item, ratings.value, ratings.items) / np.maximum(ratings.per_item, 1)
    off = ratings.value - centre[item]
    rest = sum_by(item, off, ratings.items)[item] - off
    return np.asarray(centre[item] + rest / (ratings.per_item[item] - 1))


def _others_directly(ratings: Ratings) -> Vector:
    """Return for each rating the mean of the other ratings of its item, summed anew for each rater."""
    table, means = ratings.matrix(), np.empty(len(ratings))
    for rater in range(ratings.raters):
        own = ratings.rater == rater
        means[own] = np.nanmean(np.delete(table[ratings.item[own]], rater, axis=1), axis=1)
    return means


class _ByItem:
    """Ratings sorted by item and by rater, to find the partners of a rater without a dense table."""

    def __init__(self, ratings: Ratings) -> None:
        self.ratings = ratings
        by_item = np.argsort(ratings.item, kind="stable")
        self.rater, self.value = ratings.rater[by_item], ratings.value[by_item]
        self.start = np.concatenate([[0], np.cumsum(ratings.per_item)])
        self.by_rater = np.argsort(ratings.rater, kind="stable")
        self.rater_start = np.concatenate([[0], np.cumsum(ratings.per_rater)])

    def own(self, rater: int) -> Codes:
        """Return the rows of a rater."""
        return self.by_rater[self.rater_start[rater] : self.rater_start[rater + 1]]

    def of_items(self, items: Codes) -> tuple[Codes, Codes]:
        """Return the sorted rows of these items, and the place of the item of each row among them."""
        sizes = self.start[items + 1] - self.start[items]
        place = np.repeat(np.arange(len(items)), sizes)
        offset = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.start[items][place] + offset, place


def _with_partners(index: _ByItem, rater: int, ordered: bool) -> tuple[Codes, Codes, Vector]:
    """Return the pairs of a rater: the rater, the partners, and the correlations on the shared items."""
    own = index.own(rater)
    rows, place = index.of_items(index.ratings.item[own])
    partner = index.rater[rows]
    kept = partner > rater if ordered else partner != rater
    rows, place, partner = rows[kept], place[kept], partner[kept]
    shared = np.bincount(partner, minlength=index.ratings.raters)
    enough = shared[partner] >= FEWEST_SHARED
    rows, place, partner = rows[enough], place[enough], partner[enough]
    value = spearman_by(partner, index.ratings.value[own][place], index.value[rows], index.ratings.raters)
    partners = np.flatnonzero(np.isfinite(value))
    return np.full(len(partners), rater), partners, value[partners]
