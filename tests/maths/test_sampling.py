import numpy as np
from scipy.stats import chisquare

from steelyard.maths.sampling import largest, shuffled_order, weighted_sample


def test_the_first_draw_follows_the_weights():
    rng = np.random.default_rng(1)
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    first = np.bincount([weighted_sample(weights, 2, rng)[0] for _ in range(20_000)], minlength=4)
    assert chisquare(first, 20_000 * weights / weights.sum()).pvalue > 0.001


def test_a_pair_is_drawn_as_one_after_the_other_without_replacement():
    rng = np.random.default_rng(2)
    weights = np.array([0.5, 0.3, 0.2])
    pairs = [tuple(sorted(weighted_sample(weights, 2, rng).tolist())) for _ in range(20_000)]
    expected = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = weights[i], weights[j]
        expected[i, j] = a * b / (1 - a) + b * a / (1 - b)
    observed = [pairs.count(pair) for pair in expected]
    assert chisquare(observed, [20_000 * share for share in expected.values()]).pvalue > 0.001


def test_zero_weights_come_last_and_nothing_is_drawn_twice():
    drawn = weighted_sample(np.array([0.0, 1.0, 0.0, 1.0]), 4, np.random.default_rng(3))
    assert sorted(drawn.tolist()) == [0, 1, 2, 3]
    assert set(drawn[:2].tolist()) == {1, 3}


def test_equal_keys_come_in_every_order():
    rng = np.random.default_rng(4)
    orders = {tuple(shuffled_order(np.array([1.0, 1.0, 5.0]), rng).tolist()) for _ in range(50)}
    assert orders == {(2, 0, 1), (2, 1, 0)}


def test_the_largest_are_the_start_of_the_whole_order():
    keys = np.array([3.0, 1.0, 2.0, 2.0, 2.0, 5.0])
    rng = np.random.default_rng(5)
    drawn = {size: {tuple(largest(keys, size, rng).tolist()) for _ in range(200)} for size in range(8)}
    assert drawn[0] == {()}
    assert drawn[2] == {(5, 0)}
    assert drawn[4] == {(5, 0, i, j) for i in (2, 3, 4) for j in (2, 3, 4) if i != j}
    assert all(order[:2] == (5, 0) and order[-1] == 1 for order in drawn[6] | drawn[7])
    assert len(drawn[6]) == len(drawn[7]) == 6
