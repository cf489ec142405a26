import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from steelyard import Comparison, Judgments, Range, Rating
from steelyard.errors import NothingToTest
from steelyard.quality.relations import (
    Relations,
    collected_relations,
    direct_relations,
    inferred_intervals,
    inferred_relations,
    lost_pairs,
    range_relations,
    wasserstein,
)


def ranges(*rows):
    return Judgments.of([Range(*row) for row in rows])


def ratings(*rows):
    return Judgments.of([Rating(*row) for row in rows])


def shares(relations):
    return dict(zip(relations.keys(), relations.share.tolist(), strict=True))


def made(*rows):
    """Relations of pairs a-b, c-d, ... with these shares."""
    names = [chr(97 + at) for at in range(2 * len(rows))]
    first, second = (np.array(names[side::2], dtype=object) for side in (0, 1))
    return Relations(first, second, np.array(rows, dtype=float), np.ones(len(rows)))


def test_collected_comparisons_are_counted_whatever_their_sides():
    answers = [
        Comparison("ann", "a", "b", "left"),
        Comparison("bob", "b", "a", "right"),
        Comparison("cat", "b", "a", "tie"),
        Comparison("dan", "b", "a", "left", {"count": 5}),
    ]
    relations = collected_relations(Judgments.of(answers))
    assert shares(relations) == {("a", "b"): pytest.approx([5 / 8, 1 / 8, 2 / 8])}
    assert relations.count.tolist() == [8]


def test_each_rater_tells_a_relation_by_their_own_ranges():
    by_ranges = ranges(
        ("ann", "a", 0, 10), ("ann", "b", 20, 30),  # below
        ("bob", "a", 0, 25), ("bob", "b", 20, 30),  # overlap
        ("cat", "a", 50, 60), ("cat", "b", 20, 30),  # above
        ("dan", "a", 0, 5),  # judged one of them only
        ("eve", "a", 40, 60), ("eve", "b", 20, 30),
    )  # fmt: skip
    assert shares(range_relations(by_ranges)) == {("a", "b"): [0.25, 0.25, 0.5]}


def test_touching_bounds_overlap_and_equal_values_are_indistinguishable():
    assert shares(range_relations(ranges(("ann", "a", 0, 10), ("ann", "b", 10, 20))))["a", "b"] == [0, 1, 0]
    assert shares(range_relations(ranges(("ann", "a", 5, 5), ("ann", "b", 5, 5))))["a", "b"] == [0, 1, 0]
    values = ratings(("ann", "a", 5), ("ann", "b", 5), ("bob", "a", 4), ("bob", "b", 5))
    assert shares(direct_relations(values)) == {("a", "b"): [0.5, 0.5, 0]}


def test_a_raters_repeats_are_averaged_first():
    values = ratings(("ann", "a", 1), ("ann", "a", 9), ("ann", "b", 4))
    assert shares(direct_relations(values)) == {("a", "b"): [0, 0, 1]}


def test_inferred_intervals_are_the_mean_and_1_96_standard_errors():
    values = ratings(("ann", "a", 2), ("bob", "a", 4), ("cat", "a", 6), ("ann", "b", 3))
    low, high = inferred_intervals(values)
    half = 1.959964 * 2 / np.sqrt(3)  # standard deviation 2 of three
    assert (low[0], high[0]) == (pytest.approx(4 - half), pytest.approx(4 + half))
    assert np.isnan(low[1])


def test_infer_gives_each_pair_one_relation_and_leaves_out_items_of_one_rater():
    values = ratings(
        ("ann", "a", 2), ("bob", "a", 2.2), ("ann", "b", 3), ("bob", "b", 3.2),  # se 0.1: 1.9-2.3, 2.9-3.3
        ("ann", "c", 2), ("bob", "c", 4),  # se 1
        ("ann", "d", 9),
    )  # fmt: skip
    relations = shares(inferred_relations(values))
    assert relations == {("a", "b"): [1, 0, 0], ("a", "c"): [0, 1, 0], ("b", "c"): [0, 1, 0]}


def test_equal_ratings_of_two_items_are_one_place_however_many_gave_them():
    values = ratings(*((f"r{at}", "a", 0.1) for at in range(3)), *((f"r{at}", "b", 0.1) for at in range(7)))
    assert shares(inferred_relations(values)) == {("a", "b"): [0, 1, 0]}


shares_of_three = st.tuples(*[st.integers(0, 5)] * 3).filter(any).map(lambda n: [each / sum(n) for each in n])


@given(shares_of_three, shares_of_three)
def test_the_distance_is_scipys_with_unit_spacing(one, other):
    expected = wasserstein_distance([-1, 0, 1], [-1, 0, 1], one, other)
    assert wasserstein(made(one), made(other)).distance[0] == pytest.approx(expected, abs=1e-12)


def test_the_distance_by_hand():
    # Two steps of 1 for what moves from < to >, one step from < to indistinguishable.
    distances = wasserstein(
        made([1, 0, 0], [1, 0, 0], [0.5, 0.5, 0]), made([0, 0, 1], [0, 1, 0], [0.25, 0.5, 0.25])
    )
    assert distances.distance.tolist() == [2, 1, 0.5]
    assert distances.mean == pytest.approx(3.5 / 3)
    assert distances.left_out == 0


def test_pairs_that_only_one_of_them_has_are_left_out_and_counted():
    distances = wasserstein(made([1, 0, 0], [0, 1, 0], [0, 0, 1]), made([1, 0, 0]))
    assert (len(distances.distance), distances.left_out) == (1, 2)


def test_lost_pairs_are_distinguished_by_people_and_not_by_the_method():
    collected = made([0.6, 0.4, 0], [0.2, 0.6, 0.2], [0, 0.2, 0.8], [0.4, 0.4, 0.2], [0.4, 0.2, 0.4])
    method = made([0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0.5, 0.5, 0])
    lost = lost_pairs(collected, method)
    # Distinguished: the first, the third and the last; a tie for most with "indistinguishable" is not.
    assert (lost.distinguished, lost.lost) == (3, 2)
    assert lost.share == pytest.approx(2 / 3)
    assert lost_pairs(made([0, 1, 0]), made([0, 1, 0])).share == 0.0


bounds = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)
answered = st.dictionaries(st.tuples(st.sampled_from("RST"), st.sampled_from("abc")), bounds, min_size=1)


@given(answered)
def test_mirroring_the_scale_swaps_less_and_more(answered):
    rows = [(rater, item, low, high) for (rater, item), (low, high) in answered.items()]
    mirrored = [(rater, item, 9 - high, 9 - low) for rater, item, low, high in rows]
    try:
        one = range_relations(ranges(*rows))
    except NothingToTest:
        return
    np.testing.assert_array_equal(one.share, range_relations(ranges(*mirrored)).share[:, ::-1])


@given(answered)
def test_renaming_items_turns_pairs_round_and_nothing_else(answered):
    rows = [(rater, item, low, high) for (rater, item), (low, high) in answered.items()]
    other = {"a": "z", "b": "y", "c": "x"}
    try:
        one = shares(range_relations(ranges(*rows)))
    except NothingToTest:
        return
    turned = shares(range_relations(ranges(*((r, other[i], low, high) for r, i, low, high in rows))))
    assert turned == {(other[b], other[a]): each[::-1] for (a, b), each in one.items()}


def test_a_range_of_one_point_tells_what_a_single_value_tells():
    rows = [("ann", "a", 1), ("ann", "b", 3), ("bob", "a", 3), ("bob", "b", 3), ("bob", "c", 0)]
    points = ranges(*((rater, item, value, value) for rater, item, value in rows))
    assert shares(range_relations(points)) == shares(direct_relations(ratings(*rows)))


def test_nothing_to_compare_is_said_so():
    with pytest.raises(NothingToTest, match="Range relations: no two items"):
        range_relations(ranges(("ann", "a", 1, 2), ("bob", "b", 1, 2)))
    with pytest.raises(NothingToTest, match="no pair in common"):
        wasserstein(
            made([1, 0, 0]),
            Relations(*(np.array([x], dtype=object) for x in "yz"), np.eye(3)[:1], np.ones(1)),
        )
