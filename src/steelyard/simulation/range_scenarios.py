"""Simulated raters who give ranges, single values and comparisons, with known ambiguity and disagreement.

A rater sees an item at a personal position, at some distance from its true position (disagreement), and cannot
distinguish it from anything within a width around that position (ambiguity). All sizes are assumptions; none was
measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.judgments.comparison_arrays import TIE
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector

OUTCOMES = ("tie", "left", "right")  # indexed by TIE, LEFT and RIGHT (-1 is the last)
PLACED = (0.1, 0.9)  # range of true positions, so that most answers are not at the ends


@dataclass(frozen=True, slots=True)
class RangeScenario:
    """Widths and distances of ranges, on the unit scale.

    Parameters
    ----------
    ambiguity
        Mean width of a range.
    disagreement
        Standard deviation of perceived positions between raters.
    bias_share
        Share of the variance of `disagreement` that is a rater's bias for all items. It moves single values, but not
        comparisons. Default 0.5.
    item_spread
        Standard deviation of the log width and log disagreement between items. Default 0.5.
    width_spread
        Standard deviation of the log width between raters. Default 0.3.
    bound_noise
        Standard deviation of each bound. Default 0.02.
    resolution
        Difference that raters can detect side by side, relative to the width of their ranges. Default 1.
    """

    ambiguity: float
    disagreement: float
    bias_share: float = 0.5
    item_spread: float = 0.5
    width_spread: float = 0.3
    bound_noise: float = 0.02
    resolution: float = 1.0


@dataclass(frozen=True, eq=False)
class RangeItems:
    """True properties of simulated items.

    Attributes
    ----------
    position
        True position of each item.
    width
        Width of the range of each item.
    disagreement
        Standard deviation between raters for each item.
    """

    position: Vector
    width: Vector
    disagreement: Vector


@dataclass(frozen=True, eq=False)
class Views:
    """Positions and widths as simulated raters see them.

    Attributes
    ----------
    centre
        Position at which each rater (row) sees each item (column).
    width
        Width of the range that each rater (row) sees for each item (column).
    """

    centre: Matrix
    width: Matrix

    @property
    def low(self) -> Matrix:
        """Lower ends."""
        return self.centre - self.width / 2.0

    @property
    def high(self) -> Matrix:
        """Upper ends."""
        return self.centre + self.width / 2.0


def draw_range_items(scenario: RangeScenario, count: int, rng: np.random.Generator) -> RangeItems:
    """Draw items whose ambiguity, disagreement and position are independent.

    Parameters
    ----------
    scenario
        Widths and distances.
    count
        Number of items.
    rng
        Source of randomness.

    Returns
    -------
    RangeItems
        The items.
    """
    own = np.sqrt(1.0 - scenario.bias_share) * scenario.disagreement
    return RangeItems(
        rng.uniform(*PLACED, count),
        scenario.ambiguity * _factors(scenario.item_spread, (count,), rng),
        own * _factors(scenario.item_spread, (count,), rng),
    )


def draw_views(items: RangeItems, scenario: RangeScenario, raters: int, rng: np.random.Generator) -> Views:
    """Draw how raters see the items.

    The centre is position + bias of the rater + disagreement of the item times N(0, 1). The width is the product of the
    item's width and a factor of the rater.

    Parameters
    ----------
    items
        The items.
    scenario
        Widths and distances.
    raters
        Number of raters.
    rng
        Source of randomness.

    Returns
    -------
    Views
        One row per rater, one column per item.
    """
    shape = (raters, len(items.position))
    bias = np.sqrt(scenario.bias_share) * scenario.disagreement * rng.standard_normal((raters, 1))
    centre = items.position + bias + items.disagreement * rng.standard_normal(shape)
    return Views(centre, items.width * _factors(scenario.width_spread, (raters, 1), rng))


def answer_ranges(views: Views, scenario: RangeScenario, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Return lower and upper bounds with some noise, sorted and clipped to the scale.

    Parameters
    ----------
    views
        How raters see the items.
    scenario
        Widths and distances.
    rng
        Source of randomness.

    Returns
    -------
    tuple of Matrix
        Lower bounds and upper bounds.
    """
    placed = [end + scenario.bound_noise * rng.standard_normal(end.shape) for end in (views.low, views.high)]
    low, high = np.sort(np.clip(placed, 0.0, 1.0), axis=0)
    return low, high


def answer_ratings(views: Views, rng: np.random.Generator) -> Matrix:
    """Return single values: a random point of the range that a rater sees, clipped to the scale."""
    return np.clip(views.centre + views.width * (rng.random(views.centre.shape) - 0.5), 0.0, 1.0)


def answer_comparisons(views: Views, scenario: RangeScenario) -> tuple[Codes, Codes, Codes]:
    """Return every pair (left, right) of columns, and by rater and pair 1 (left has more), -1 or 0 (tie)."""
    left, right = (side.astype(np.int64) for side in np.triu_indices(views.centre.shape[1], 1))
    gap = views.centre[:, left] - views.centre[:, right]
    least = scenario.resolution * (views.width[:, left] + views.width[:, right]) / 2.0
    return left, right, np.where(np.abs(gap) <= least, TIE, np.sign(gap).astype(np.int64))


@dataclass(frozen=True, slots=True)
class RangeDesign:
    """Numbers of groups, items and raters; each rater answers about all items of a group.

    The defaults are those of study 3 of Chen, Weld & Zhang (2021) for satiety: 8 groups of 10 items, 5 raters with
    ranges and 10 with single values. The paper does not report the number of raters per compared pair; 5 follows from
    the decimals of its Table 3.

    Attributes
    ----------
    groups
        Number of groups of items.
    group_size
        Number of items in a group.
    range_raters
        Number of raters per group who give ranges.
    rating_raters
        Number of raters per group who give single values.
    comparison_raters
        Number of raters per compared pair.
    """

    groups: int = 8
    group_size: int = 10
    range_raters: int = 5
    rating_raters: int = 10
    comparison_raters: int = 5


def simulate_ranges(scenario: RangeScenario, design: RangeDesign, rng: np.random.Generator) -> Judgments:
    """Return ranges, ratings and comparisons of all pairs, each from separate raters, for every group of items.

    Parameters
    ----------
    scenario
        Widths and distances.
    design
        Numbers of groups, items and raters.
    rng
        Source of randomness.

    Returns
    -------
    Judgments
        Judgments of three kinds.
    """
    return Judgments.concat([_group(scenario, design, number, rng) for number in range(design.groups)])


def _group(scenario: RangeScenario, design: RangeDesign, number: int, rng: np.random.Generator) -> Judgments:
    items = draw_range_items(scenario, design.group_size, rng)
    names = np.array([f"{number}-{at}" for at in range(design.group_size)], dtype=object)

    def people(kind: str, count: int) -> tuple[Views, Labels]:
        raters = np.array([f"{kind}-{number}-{at}" for at in range(count)], dtype=object)
        return draw_views(items, scenario, count, rng), raters

    views, raters = people("range", design.range_raters)
    low, high = answer_ranges(views, scenario, rng)
    ranges = {**_crossed(raters, names), "low": low.ravel(), "high": high.ravel()}
    views, raters = people("rating", design.rating_raters)
    ratings = {**_crossed(raters, names), "score": answer_ratings(views, rng).ravel()}
    views, raters = people("comparison", design.comparison_raters)
    left, right, sign = answer_comparisons(views, scenario)
    outcome = np.array(OUTCOMES, dtype=object)[sign].ravel()
    sides = {"left": np.tile(names[left], len(raters)), "right": np.tile(names[right], len(raters))}
    comparisons = {"rater": np.repeat(raters, len(left)), **sides, "outcome": outcome}
    columns_by_kind = {"range": ranges, "rating": ratings, "comparison": comparisons}
    return Judgments.concat(
        [Judgments.from_columns(kind, rows, (0.0, 1.0)) for kind, rows in columns_by_kind.items()]
    )


def _crossed(raters: Labels, names: Labels) -> dict[str, Any]:
    """Return the columns of every rater with every item."""
    return {"rater": np.repeat(raters, len(names)), "item": np.tile(names, len(raters))}


def _factors(spread: float, shape: tuple[int, ...], rng: np.random.Generator) -> Matrix:
    """Return lognormal factors with mean 1."""
    return np.asarray(np.exp(spread * rng.standard_normal(shape) - spread**2 / 2.0))
