import numpy as np
import pytest
from hypothesis import given
from scipy.stats import spearmanr

from steelyard import Elo
from tests.models.online import (
    against_truth,
    judge,
    rows,
    simulated,
)

GAMES = [
    (("a", "b"), "left", 1.0),
    (("b", "c"), "right", 1.0),
    (("c", "a"), "tie", 1.0),
    (("a", "d"), "left", 1.0),
    (("d", "b"), "right", 1.0),
    (("b", "a"), "tie", 1.0),
    (("c", "d"), "left", 1.0),
    (("d", "a"), "left", 1.0),
    (("a", "c"), "right", 1.0),
]


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (4.0, (999.9088401132506, 998.057361798468, 1005.9422426047066, 996.0915554835748)),
        (32.0, (994.6284774815961, 987.5677123295893, 1044.2404359213017, 973.5633742675132)),
    ],
)
def test_ratings_are_those_of_evalica(k, expected):
    # evalica 0.4.2, elo(..., k=k).
    assert Elo(k=k).fit(judge(GAMES)).posterior.position == pytest.approx(expected, rel=1e-15)


def test_four_hundred_points_are_ten_to_one():
    posterior = Elo().fit(judge([(("milk", "tea"), "tie", 1.0)])).posterior
    apart = type(posterior)(
        type(posterior.belief)(
            posterior.belief.item,
            np.array([1400.0, 1000.0]),
            posterior.belief.variance,
            posterior.belief.count,
        ),
        400.0,
    )
    assert apart.expected_score(np.array([0]), np.array([1]))[0] == pytest.approx(10 / 11)


@given(rows)
def test_points_are_won_from_the_other_side(rows):
    belief = Elo(k=30).fit(judge(rows)).posterior.belief
    assert belief.position.sum() == pytest.approx(1000.0 * len(belief.item), rel=1e-13)


def test_default_settings_recover_the_order_of_a_simulated_truth():
    rng = np.random.default_rng(1)
    truth = rng.random(60)
    fit = Elo().fit(simulated(rng, truth, 60))
    assert spearmanr(fit.posterior.position, against_truth(fit, truth)).statistic > 0.93


def test_coverage_of_simulated_ratings_is_close_to_nominal():
    rng = np.random.default_rng(2)
    held = []
    for _ in range(40):
        truth = 200.0 * rng.standard_normal(40)
        # A logistic difference has the standard deviation pi / sqrt(3); its scale here is 400 / ln 10.
        left = rng.integers(40, size=400)
        right = (left + 1 + rng.integers(39, size=400)) % 40
        won = truth[left] - truth[right] + rng.logistic(0.0, 400.0 / np.log(10.0), 400) > 0
        games = [
            ((f"i{i:03d}", f"i{j:03d}"), "left" if w else "right", 1.0)
            for i, j, w in zip(left, right, won, strict=True)
        ]
        fit = Elo().fit(judge(games))
        wanted = against_truth(fit, truth)
        wanted = wanted - wanted.mean() + 1000.0
        low, high = fit.posterior.interval(0.95)
        held.append(np.mean((low <= wanted) & (wanted <= high)))
    assert 0.92 < np.mean(held) < 0.98
