import math

import pytest

from steelyard import Judgments, Range, Rating
from steelyard.errors import NothingToTest
from steelyard.quality.probes import (
    ProbeChange,
    compare_probes,
    most_uncertain,
    probe_changes,
    summarise_probes,
)


def probe(rater, *scores, condition="", item="p", **context):
    named = {"condition": condition} if condition else {}
    return [Rating(rater, item, score, {**named, **context}) for score in scores]


def change(first, second, condition="one", rater="ann"):
    return ProbeChange(rater, "p", condition, first, second)


def test_changes_are_sizes_between_answers_in_order_as_shares_of_the_scale():
    rows = [*probe("ann", 50, 20, 30), *probe("ann", 1, 2, item="twice"), *probe("bob", 10, 10, 60, 0)]
    changes = probe_changes(Judgments.of(rows, range=(0, 100)))
    assert [(each.rater, each.item, each.first, each.second) for each in changes] == [
        ("ann", "p", 0.3, 0.1),
        ("bob", "p", 0.0, 0.5),
    ]


def test_times_tell_the_order_where_all_rows_have_them():
    rows = [Rating("ann", "p", score, {"at": at}) for score, at in ((30, 3.0), (50, 1.0), (20, 2.0))]
    (changes,) = probe_changes(Judgments.of(rows, range=(0, 100)))
    assert (changes.first, changes.second) == (0.3, 0.1)


def test_ranges_change_by_their_middles_and_conditions_stay_apart():
    rows = [Range("ann", "p", low, low + 10, {"condition": "new"}) for low in (0, 20, 25)]
    (changes,) = probe_changes(Judgments.of([*rows, *probe("ann", 1, 2, condition="old")], range=(0, 100)))
    assert (changes.condition, changes.first, changes.second) == ("new", 0.2, 0.05)


def test_the_log_ratio_is_smoothed_so_that_no_change_has_one():
    assert change(0.2, 0.1).log_ratio == pytest.approx(math.log(0.5), abs=1e-6)
    assert change(0.0, 0.0).log_ratio == 0.0
    assert change(0.5, 0.0).log_ratio == pytest.approx(math.log(1e-8 / 0.50000001))


def test_changes_of_one_size_are_equal_whatever_the_arithmetic():
    (changes,) = probe_changes(
        Judgments.of(probe("ann", 0.1, 0.3, 0.5), range=(0, 1))
    )  # 0.3 - 0.1 < 0.5 - 0.3
    assert changes.log_ratio == 0.0


def test_the_sign_test_counts_smaller_second_changes():
    result = summarise_probes([change(0.4, 0.1), change(0.3, 0.2), change(0.2, 0.3), change(0.1, 0.1)], "one")
    assert (result.probes, result.first, result.second) == (4, pytest.approx(0.25), pytest.approx(0.175))
    assert result.median_ratio == pytest.approx(math.sqrt(2 / 3), abs=1e-6)  # ratios 1/4, 2/3, 1, 3/2
    tally = result.test.tally
    assert (tally.wins, tally.ties, tally.losses) == (2, 1, 1)
    assert result.test.p == pytest.approx(1.0)
    six = summarise_probes([change(0.4, 0.1)] * 6, "one")
    assert six.test.p == pytest.approx(2 / 64)
    assert summarise_probes([change(0.1, 0.1)], "one").test is None


# Chen, Weld & Zhang (2021), section 4.6.1: 15 of 50 sessions for toxicity and age, 12 of 40 for satiety.
@pytest.mark.parametrize(("sessions", "kept"), [(50, 15), (40, 12), (10, 3), (11, 4), (1, 1), (0, 0)])
def test_the_most_uncertain_are_the_30_percent_with_the_largest_first_change(sessions, kept):
    uncertain = most_uncertain([change(at / 100, 0.1) for at in range(sessions)])
    assert [each.first for each in uncertain] == [at / 100 for at in range(sessions - kept, sessions)]


def test_of_equally_uncertain_probes_none_is_preferred():
    assert len(most_uncertain([change(0.2, 0.1)] * 9 + [change(0.3, 0.1)])) == 10


def test_two_conditions_are_compared_by_the_ranks_of_their_log_ratios():
    one = [change(0.4, 0.1), change(0.4, 0.2), change(0.4, 0.3)]
    other = [change(0.4, each, "other") for each in (0.5, 0.6, 0.7)]
    result = compare_probes(one + other, "one", "other")
    assert result.test.share == result.test.u == 0.0
    assert result.test.p == pytest.approx(2 / 20)  # one of the 20 orders of three and three, two-sided
    turned = compare_probes(one + other, "other", "one").test
    assert (turned.u, turned.p) == (9.0, pytest.approx(result.test.p))


def test_the_most_uncertain_are_chosen_within_each_condition():
    one = [change(at / 10, 0.05) for at in range(1, 11)]
    other = [change(at / 100, 0.001, "other") for at in range(1, 11)]
    result = compare_probes(one + other, "one", "other")
    assert [each.probes for each in result.uncertain] == [3, 3]
    assert result.uncertain[0].first == pytest.approx(0.9)
    assert result.uncertain[1].first == pytest.approx(0.09)
    assert [each.probes for each in result.everyone] == [10, 10]


def test_probes_that_never_change_are_alike_in_both_conditions():
    result = compare_probes([change(0.1, 0.1), change(0.2, 0.2, "other")], "one", "other")
    assert (result.test.share, result.test.p) == (0.5, 1.0)


def test_a_condition_without_probes_is_said_so():
    with pytest.raises(NothingToTest, match="there are none in condition 'two'"):
        summarise_probes([change(0.1, 0.1)], "two")
