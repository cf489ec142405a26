"""Is the ambiguity that ranges show the same as the disagreement of single values?

Chen, Weld & Zhang (CSCW 2021), section 4.7.3: the mean width of an item's ranges beside the size of the 95%
interval (2 x 1.96 standard errors) of its ratings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.opinions import moments_by_item, opinions_of
from steelyard.judgments.table import Judgments
from steelyard.maths.gaussian import NORMAL_95
from steelyard.quality.paired import Correlation, PairedTest, correlation, paired_test
from steelyard.quality.trends import AlongScale, along_scale


@dataclass(frozen=True, eq=False)
class Widths:
    """Widths of ranges and sizes of 95% intervals: each along the scale, and against each other.

    `widths` stand at the mean middles of the ranges, `intervals` at the mean ratings. `test` (width - interval)
    and `correlation` are of the items that have both; it is None where one of the two does not vary.
    """

    widths: AlongScale
    intervals: AlongScale
    test: PairedTest
    correlation: Correlation | None


def compare_widths(judgments: Judgments) -> Widths:
    """The two kinds of uncertainty, from judgments that hold ranges and ratings of the same items."""
    size = len(judgments.items)
    ranges, ratings = opinions_of(judgments, "range"), opinions_of(judgments, "rating")
    for name, opinions in (("range", ranges), ("rating", ratings)):
        if not len(opinions):
            raise NothingToTest(
                "Widths", f"there are no {name} judgments.", "Put ranges and ratings together with +."
            )
    width = moments_by_item(ranges, ranges.values[:, 1] - ranges.values[:, 0], size).mean
    middle = moments_by_item(ranges, ranges.position, size).mean
    scores = moments_by_item(ratings, ratings.position, size)
    interval = 2.0 * NORMAL_95 * scores.error
    ranged, rated = ~np.isnan(width), ~np.isnan(interval)
    both = ranged & rated
    return Widths(
        along_scale(judgments.items[ranged], middle[ranged], width[ranged]),
        along_scale(judgments.items[rated], scores.mean[rated], interval[rated]),
        paired_test(width[both], interval[both]),
        correlation(width[both], interval[both]),
    )
