import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from steelyard.scales.ranks import draws_for, rank_interval, ranks_of

positions = st.lists(st.integers(-5, 5), min_size=1, max_size=12).map(lambda values: np.array(values, float))


@given(positions)
def test_ranks_are_those_of_scipy_from_the_top(values):
    assert ranks_of(values).tolist() == rankdata(-values, method="min").tolist()


def test_no_items_have_no_ranks():
    assert ranks_of(np.empty(0)).tolist() == []
    low, high = rank_interval(np.empty((100, 0)))
    assert (low.tolist(), high.tolist()) == ([], [])


def test_items_apart_have_one_rank_each():
    draws = np.tile([3.0, 1.0, 2.0], (100, 1))
    low, high = rank_interval(draws)
    assert low.tolist() == high.tolist() == [1, 3, 2]


def test_a_rank_is_in_the_interval_when_more_than_a_tail_of_the_draws_have_it():
    draws = np.tile([2.0, 1.0], (1000, 1))
    draws[:24, 0] = 0.0  # 2.4% of the draws turn the two round
    assert [ends.tolist() for ends in rank_interval(draws)] == [[1, 2], [1, 2]]
    draws[:26, 0] = 0.0
    assert [ends.tolist() for ends in rank_interval(draws)] == [[1, 1], [2, 2]]


@given(st.integers(0, 1000), st.floats(0.1, 0.99))
def test_wider_levels_hold_narrower_ones(seed, level):
    draws = np.random.default_rng(seed).normal(size=(200, 6))
    low, high = rank_interval(draws, level)
    lower, higher = rank_interval(draws, min(level + 0.009, 0.999))
    assert (lower <= low).all()
    assert (high <= higher).all()
    assert (low <= high).all()
    assert low.min() >= 1
    assert high.max() <= 6


@pytest.mark.parametrize(("items", "draws"), [(0, 1000), (10, 1000), (40_000, 500), (10**6, 100)])
def test_very_many_items_get_fewer_draws(items, draws):
    assert draws_for(items) == draws
