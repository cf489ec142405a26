import math

import numpy as np
import pytest
from scipy.stats import pearsonr

from steelyard import Judgments, Range, Rating
from steelyard.errors import NothingToTest
from steelyard.quality.widths import compare_widths

# Widths 2, 4, 9 and 1; standard errors of two ratings, half their difference: 1, 2 and 1.
RANGES = [("ann", "a", 0, 1), ("bob", "a", 0, 3), ("ann", "b", 3, 7), ("ann", "c", 1, 10), ("ann", "d", 5, 6)]
RATINGS = [
    ("cat", "a", 1),
    ("dan", "a", 3),
    ("cat", "b", 4),
    ("dan", "b", 8),
    ("cat", "c", 8),
    ("dan", "c", 10),
]


def both():
    return Judgments.of([Range(*row) for row in RANGES]) + Judgments.of([Rating(*row) for row in RATINGS])


def test_widths_stand_at_middles_and_intervals_at_mean_ratings():
    widths = compare_widths(both())
    assert widths.widths.item.tolist() == ["a", "b", "c", "d"]
    assert widths.widths.position.tolist() == [1, 5, 5.5, 5.5]
    assert widths.widths.size.tolist() == [2, 4, 9, 1]
    assert widths.intervals.position.tolist() == [2, 6, 9]
    assert widths.intervals.size.tolist() == pytest.approx([3.919928, 7.839856, 3.919928])
    np.testing.assert_allclose(widths.intervals.trend.at(widths.intervals.position), widths.intervals.size)


def test_sizes_are_compared_on_the_items_that_have_both():
    widths = compare_widths(both())
    gaps = [2 - 3.919928, 4 - 7.839856, 9 - 3.919928]
    assert widths.test.pairs == 3
    assert widths.test.difference == pytest.approx(sum(gaps) / 3)
    assert widths.test.t == pytest.approx(np.mean(gaps) / (np.std(gaps, ddof=1) / math.sqrt(3)))
    expected = pearsonr([2, 4, 9], [1, 2, 1])
    assert (widths.correlation.r, widths.correlation.p) == pytest.approx(
        (expected.statistic, expected.pvalue)
    )
    assert widths.correlation.r_squared == pytest.approx(expected.statistic**2)


def test_mirroring_the_scale_turns_the_trend_and_nothing_else():
    mirrored = Judgments.of([Range(r, i, 10 - high, 10 - low) for r, i, low, high in RANGES]) + Judgments.of(
        [Rating(r, i, 10 - score) for r, i, score in RATINGS]
    )
    one, other = compare_widths(both()), compare_widths(mirrored)
    assert other.test.t == pytest.approx(one.test.t)
    assert other.widths.trend.quadratic == pytest.approx(one.widths.trend.quadratic)
    assert other.widths.trend.turn == pytest.approx(10 - one.widths.trend.turn)


def test_intervals_that_do_not_vary_have_no_correlation():
    rows = [Range("ann", i, at, 2 * at) for at, i in enumerate("abc")]
    scores = [
        Rating(rater, i, at + lean) for at, i in enumerate("abc") for rater, lean in (("x", 0), ("y", 1))
    ]
    assert compare_widths(Judgments.of(rows) + Judgments.of(scores)).correlation is None


def test_ranges_alone_are_not_enough():
    with pytest.raises(NothingToTest, match="there are no rating judgments"):
        compare_widths(Judgments.of([Range(*row) for row in RANGES]))
