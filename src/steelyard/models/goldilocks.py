"""Goldilocks: position, ambiguity and disagreement of items from ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.opinions import Opinions, moments_by_item, named_raters, opinions_of
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Vector, pairs_within, sum_by
from steelyard.models.means import Ends, MeanPosterior, Means, means_of, trimmed
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, rows_of
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity
from steelyard.scales.tables import Rows, as_rows

NO_ROWS = Rows()


@dataclass(frozen=True, eq=False)
class GoldilocksFit(Fit):
    """Scale of the mean midpoints of ranges, with ambiguity and disagreement of each item.

    Parameters
    ----------
    items
        One row per item, in the order of `scale`. `position` is the mean midpoint, `low` and `high` are the mean
        bounds and `ambiguity` is the mean width. Each has a standard error (`position_error`, ...).
        `disagreement`, `low_disagreement` and `high_disagreement` are the standard deviations of midpoints and
        bounds over raters. `raters` is the number of raters. Unknown values are None, such as the disagreement of
        one rater or the bounds of an item without ranges.
    raters
        One row per rater. `items` is the number of items and `width` the mean width. `bias` is the mean difference
        between the rater's midpoints and those of others for the same items. `width_habit` is the ratio of the
        rater's widths to those of others (1 = equal). `repeats` is the number of repeated answers.
        `self_difference` is the mean distance between midpoints of two answers to one item, and `self_overlap` the
        share of these pairs that overlap. See `Fit` for the other fields.
    """

    items: Rows = NO_ROWS

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "items", as_rows(self.items))


@dataclass(frozen=True, slots=True)
class Goldilocks:
    r"""Mean midpoint of the ranges of each item, with ambiguity separated from disagreement.

    In the Goldilocks protocol a rater answers with a range [low, high]: the part of the scale where the item could be.
    For the ranges of raters r about item i,

    .. math::

        \mathrm{position}_i = \mathrm{mean}_r \frac{l_{ri} + h_{ri}}{2}

        \mathrm{ambiguity}_i = \mathrm{mean}_r (h_{ri} - l_{ri})

        \mathrm{disagreement}_i = \mathrm{sd}_r \frac{l_{ri} + h_{ri}}{2}

    Repeated answers of a rater to an item are averaged first, so every rater has the same weight. Intervals of
    positions are moderated t intervals, as for `DirectAssessment`.

    Assumptions: raters answer independently, and each item is rated by a similar mix of raters. Ambiguity depends on
    how wide raters draw their ranges. Compare the `width_habit` of raters before comparing studies.

    Parameters
    ----------
    seed
        Seed of random draws. Default: 0.

    References
    ----------
    Chen, Q. Z., Weld, D. S., & Zhang, A. X. (2021). Goldilocks: Consistent crowdsourced scalar annotations with
    relative uncertainty. Proceedings of the ACM on Human-Computer Interaction, 5(CSCW2), section 3.2.

    Examples
    --------
    >>> from steelyard import Judgments, Range
    >>> ranges = [Range("ann", "tea", 10, 30), Range("bob", "tea", 30, 70), Range("ann", "soup", 60, 80)]
    >>> fit = Goldilocks().fit(Judgments.of(ranges, range=(0, 100)))
    >>> [(row["position"], row["ambiguity"], row["disagreement"]) for row in fit.items]
    [(35.0, 30.0, 21.213203435596427), (70.0, 20.0, None)]
    """

    name: ClassVar[str] = "goldilocks"
    kinds: ClassVar[tuple[str, ...]] = ("range",)
    capabilities: ClassVar[Capabilities] = Capabilities(needs_range=True)
    quantity: ClassVar[Quantity] = Quantity(
        "mean midpoint", "the mean of the midpoints of the ranges given to the {unit}", "points"
    )
    seed: int = 0

    def fit(self, judgments: Judgments) -> GoldilocksFit:
        """Estimate position, bounds, ambiguity and disagreement of every item, and the habits of every rater.

        Parameters
        ----------
        judgments
            Ranges.

        Returns
        -------
        GoldilocksFit
            Scale of the mean midpoints, with diagnostics of items and raters.

        Raises
        ------
        NothingToFit
            If there are no judgments of this kind.
        """
        judgments, places = in_sorted_order(judgments)
        ranges = rows_of(judgments, "range", self.name)
        opinions, size = opinions_of(judgments, "range"), len(judgments.items)
        ends = _ends(judgments.score_range, opinions)
        means = _mean(opinions.position, opinions, size, ends)
        rows = _item_rows(judgments, opinions, means, ends)
        return GoldilocksFit(
            judgments.items,
            sum_by(ranges.codes["item"], ranges.weights, size),
            MeanPosterior(means, ends),
            provenance_of(self.name, {}, judgments, self.seed, "range"),
            raters=Rows(_rater_rows(judgments, opinions)),
            places=places,
            items=Rows([rows[at] for at in places]),
        )


def _ends(scale: tuple[float, float], opinions: Opinions) -> Ends:
    """Return the ends of the scale, extended if ranges exceed them."""
    if not len(opinions):
        return Ends(scale, closed=True)
    lowest, highest = float(opinions.values.min()), float(opinions.values.max())
    return Ends((min(scale[0], lowest), max(scale[1], highest)), closed=True)


def _mean(values: Vector, opinions: Opinions, size: int, ends: Ends) -> Means:
    return means_of(trimmed(values, opinions.item, opinions.weight, 0.0), opinions.item, size, ends)


def _item_rows(judgments: Judgments, opinions: Opinions, middle: Means, ends: Ends) -> list[dict[str, Any]]:
    """Return the statistics of each item, in the order of its code."""
    size = len(judgments.items)
    low, high = opinions.values.T
    columns: dict[str, Vector] = {"position": middle.mean, "position_error": middle.error}
    for name, values in (("low", low), ("high", high), ("ambiguity", high - low)):
        means = _mean(values, opinions, size, ends)
        columns[name], columns[f"{name}_error"] = means.mean, means.error
    for name, values in (("", opinions.position), ("low_", low), ("high_", high)):
        columns[f"{name}disagreement"] = moments_by_item(opinions, values, size).sd
    unseen = [name for name in columns if name != "position"]
    columns |= {name: np.where(middle.seen, columns[name], np.nan) for name in unseen}
    columns["raters"] = sum_by(opinions.item, opinions.weight, size)
    return _rows("item", judgments.items, columns)


def _rater_rows(judgments: Judgments, opinions: Opinions) -> tuple[dict[str, Any], ...]:
    """Return the statistics of each named rater, in sorted order."""
    named = opinions.rater >= 0
    rater, size = opinions.rater[named], len(judgments.raters)
    width = opinions.values[:, 1] - opinions.values[:, 0]
    items = sum_by(rater, np.ones(len(rater)), size)
    columns = {"items": items, "width": _ratio(sum_by(rater, width[named], size), items)}
    columns |= _against_others(opinions, width, size) | _repeats(judgments)
    rows = _rows("rater", judgments.raters, columns)
    return tuple(row for row in rows if row["items"] and row["rater"] != UNKNOWN_RATER)


def _against_others(opinions: Opinions, width: Vector, size: int) -> dict[str, Vector]:
    """Return bias and width habit by rater code, over the items that other raters judged too.

    Values are NaN for raters who share no item with others.
    """
    total = sum_by(opinions.item, opinions.weight)[opinions.item] - opinions.weight
    shared = (opinions.rater >= 0) & (total > 1e-9)
    rater = opinions.rater[shared]

    def totals(values: Vector) -> tuple[Vector, Vector]:
        weighed = opinions.weight * values
        others = (sum_by(opinions.item, weighed)[opinions.item] - weighed)[shared] / total[shared]
        return sum_by(rater, values[shared], size), sum_by(rater, others, size)

    own_middle, their_middle = totals(opinions.position)
    own_width, their_width = totals(width)
    both_none = (own_width == 0) & (np.abs(their_width) < 1e-300)
    count = sum_by(rater, np.ones(len(rater)), size)
    habit = np.where(both_none & (count > 0), 1.0, _ratio(own_width, their_width))
    return {"bias": _ratio(own_middle - their_middle, count), "width_habit": habit}


def _repeats(judgments: Judgments) -> dict[str, Vector]:
    """Return self-consistency by rater code, from every two answers of a rater to one item."""
    table = judgments.table("range")
    table = table.where(named_raters(judgments, table) & (table.weights > 0))
    key = table.codes["rater"] * len(judgments.items) + table.codes["item"]
    order = np.argsort(key, kind="stable")
    key, rows = key[order], table.where(order)
    rater, size = rows.codes["rater"], len(judgments.raters)
    low, high, weight = rows.numbers["low"], rows.numbers["high"], rows.weights
    itself = np.maximum(weight * (weight - 1.0) / 2.0, 0.0)  # a row with count 2 is two equal answers
    pairs, apart, overlapping = sum_by(rater, itself, size), np.zeros(size), sum_by(rater, itself, size)
    for one, other in pairs_within(key):
        both, at = weight[one] * weight[other], rater[one]
        distance = np.abs(low[one] + high[one] - low[other] - high[other]) / 2.0
        overlap = (low[one] <= high[other]) & (low[other] <= high[one])
        pairs = pairs + sum_by(at, both, size)
        apart = apart + sum_by(at, both * distance, size)
        overlapping = overlapping + sum_by(at, both * overlap, size)
    again = np.maximum(sum_by(rater, weight, size) - np.bincount(rater[_first_of(key)], minlength=size), 0.0)
    return {
        "repeats": again,
        "self_difference": _ratio(apart, pairs),
        "self_overlap": _ratio(overlapping, pairs),
    }


def _first_of(key: Codes) -> Codes:
    return np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else np.empty(0, np.int64)


def _ratio(above: Vector, below: Vector) -> Vector:
    """Return the elementwise quotient, NaN if the divisor is 0."""
    some = below > 1e-300
    return np.where(some, above / np.where(some, below, 1.0), np.nan)


def _rows(name: str, labels: Sequence[Any] | Any, columns: Mapping[str, Vector]) -> list[dict[str, Any]]:
    """Return one plain dictionary per label, with None for unknown values and integers for counts."""
    return [
        {name: str(label), **{column: _cell(column, float(values[at])) for column, values in columns.items()}}
        for at, label in enumerate(labels)
    ]


def _cell(column: str, value: float) -> float | int | None:
    if np.isnan(value):
        return None
    return int(value) if column in ("raters", "items", "repeats") and value.is_integer() else value
