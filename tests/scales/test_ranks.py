import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from steelyard.scales.joint import Joint
from steelyard.scales.ranks import rank_interval, rank_interval_of_many, ranks_of


def independent(position, spread):
    return Joint(np.array(position, dtype=float), np.diag(np.square(np.array(spread, dtype=float))))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12).map(lambda values: np.array(values, float)))
def test_ranks_are_those_of_scipy_from_the_top(values):
    assert ranks_of(values).tolist() == rankdata(-values, method="min").tolist()


def test_no_items_have_no_ranks():
    low, high = rank_interval(independent([], []))
    assert len(low) == len(high) == 0


def test_items_far_apart_have_one_rank_each():
    low, high = rank_interval(independent([3.0, 2.0, 1.0], [0.1, 0.1, 0.1]))
    assert low.tolist() == high.tolist() == [1, 2, 3]


def test_items_that_cannot_be_separated_may_have_any_rank():
    low, high = rank_interval(independent([3.0, 2.9, 2.8], [1.0, 1.0, 1.0]))
    assert (low.tolist(), high.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_shared_errors_do_not_widen_rank_intervals():
    shared = np.full((2, 2), 1.0) + 1e-4 * np.eye(2)
    low, high = rank_interval(Joint(np.array([1.0, 0.8]), shared))
    assert low.tolist() == high.tolist() == [1, 2]


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=30), st.floats(0.5, 0.98))
def test_a_higher_level_never_narrows_and_the_rank_is_inside(position, level):
    joint = independent(position, np.full(len(position), 0.5))
    low, high = rank_interval(joint, level)
    lower, higher = rank_interval(joint, min(level + 0.019, 0.999))
    assert (lower <= low).all()
    assert (higher >= high).all()
    rank = ranks_of(np.array(position, dtype=float))
    assert (low <= rank).all()
    assert (rank <= high).all()


def test_unlinked_parts_may_be_in_any_order():
    low, high = rank_interval(
        independent([4.0, 3.0, 2.0, 1.0], np.full(4, 0.01)), part=np.array([0, 0, 1, 1])
    )
    assert (low.tolist(), high.tolist()) == ([1, 2, 1, 2], [3, 4, 3, 4])


def test_intervals_of_many_items_contain_those_of_all_pairs():
    rng = np.random.default_rng(4)
    position, spread = rng.normal(size=300), rng.uniform(0.05, 0.4, 300)
    low, high = rank_interval(independent(position, spread))
    wide_low, wide_high = rank_interval_of_many(position, spread)
    assert (wide_low <= low).all()
    assert (wide_high >= high).all()
    assert np.mean(wide_high - wide_low) < 1.1 * np.mean(high - low)


@pytest.mark.parametrize("deviation", [0.1, 0.2, 1.0])
def test_rank_intervals_cover_the_true_rank_of_close_and_distant_items(deviation):
    rng = np.random.default_rng(11)
    held, error = [], 0.2
    for _ in range(60):
        truth = rng.normal(0.0, deviation, 15)
        seen = truth + rng.normal(0.0, error, 15)
        low, high = rank_interval(independent(seen, np.full(15, error)))
        rank = ranks_of(truth)
        held.append(np.mean((low <= rank) & (rank <= high)))
    assert np.mean(held) >= 0.95
