import numpy as np
import pytest

from steelyard import Judgments, Range, Rating, read
from steelyard.judgments.opinions import moments_by_item, opinions_of


def test_a_raters_repeats_become_one_opinion_with_counts_as_weights():
    rows = [Rating("ann", "tea", 10, {"count": 3}), Rating("ann", "tea", 30), Rating("bob", "tea", 50)]
    opinions = opinions_of(Judgments.of(rows), "rating")
    assert opinions.position.tolist() == [15.0, 50.0]
    assert opinions.weight.tolist() == [1.0, 1.0]


def test_rows_that_never_happened_are_no_opinion():
    opinions = opinions_of(
        Judgments.of([Rating("ann", "tea", 10, {"count": 0}), Rating("bob", "tea", 5)]), "rating"
    )
    assert opinions.position.tolist() == [5.0]


def test_answers_without_a_rater_stay_apart(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("item,score,count\ntea,1,1\ntea,4,2\n")
    opinions = opinions_of(read(file, "rating"), "rating")
    assert opinions.position.tolist() == [1.0, 4.0]
    assert opinions.weight.tolist() == [1.0, 2.0]
    moments = moments_by_item(opinions, opinions.position, 1)
    assert (moments.count[0], moments.mean[0], moments.sd[0]) == (
        3,
        pytest.approx(3),
        pytest.approx(np.sqrt(3)),
    )


def test_the_position_of_a_range_is_its_middle():
    assert opinions_of(Judgments.of([Range("ann", "tea", 2, 5)]), "range").position.tolist() == [3.5]


def test_equal_values_have_exactly_that_mean_and_no_deviation():
    opinions = opinions_of(Judgments.of([Rating(f"r{at}", "tea", 0.1) for at in range(7)]), "rating")
    moments = moments_by_item(opinions, opinions.position, 2)
    assert (moments.mean[0], moments.sd[0], moments.error[0]) == (0.1, 0.0, 0.0)
    assert np.isnan([moments.mean[1], moments.sd[1], moments.error[1]]).all()
