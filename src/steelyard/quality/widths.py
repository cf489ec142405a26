"""Comparison of the width of ranges with the disagreement of single ratings.

Follows Chen, Weld & Zhang (CSCW 2021), section 4.7.3: the mean width of an item's ranges is compared with the width of
the 95% interval of its ratings, 2 x 1.96 standard errors.
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
    """Widths of ranges and of 95% intervals of ratings.

    Attributes
    ----------
    widths
        Mean width of the ranges of each item, at the mean midpoint.
    intervals
        Width of the 95% interval of the ratings of each item, at the mean rating.
    test
        Paired t-test of width - interval over items that have both.
    correlation
        Correlation over items that have both; None if one of the two does not vary.
    """

    widths: AlongScale
    intervals: AlongScale
    test: PairedTest
    correlation: Correlation | None


def compare_widths(judgments: Judgments) -> Widths:
    """Compare the width of ranges with the disagreement of ratings.

    Parameters
    ----------
    judgments
        Ranges and ratings of the same items.

    Returns
    -------
    Widths
        Widths along the scale, with test and correlation.

    Raises
    ------
    NothingToTest
        If there are no ranges or no ratings.
    """
    size = len(judgments.items)
    ranges, ratings = opinions_of(judgments, "range"), opinions_of(judgments, "rating")
    for name, opinions in (("range", ranges), ("rating", ratings)):
        if not len(opinions):
            raise NothingToTest(
                "Widths", f"there are no {name} judgments.", "Combine ranges and ratings with +."
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
