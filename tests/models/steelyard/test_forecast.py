import numpy as np
import pytest

from steelyard import Judgments, Rating, Steelyard
from steelyard.models.steelyard.forecast import Forecast, forecast


def test_the_interval_of_an_honest_rater_is_gaussian_and_cut_at_the_ends():
    predicted = Forecast(np.array([0.5, 0.99]), np.array([0.1, 0.1]), 0.0)
    low, high = predicted.interval(0.95)
    assert (low[0], high[0]) == pytest.approx((0.5 - 0.1959964, 0.5 + 0.1959964), abs=1e-6)
    assert high[1] == 1.0


def test_a_likely_spammer_may_answer_anything():
    low, high = Forecast(np.array([0.5]), np.array([0.01]), 1.0).interval(0.9)
    assert (low[0], high[0]) == pytest.approx((0.05, 0.95), abs=1e-6)


def test_intervals_of_higher_levels_contain_those_of_lower_levels():
    predicted = Forecast(np.full(50, 0.4), np.full(50, 0.2), 0.1)
    rows = predicted.holds(np.linspace(0, 1, 50), np.array([0.5, 0.8, 0.95]))
    assert (rows[0] <= rows[1]).all()
    assert (rows[1] <= rows[2]).all()


def test_the_bias_of_a_rater_enters_the_prediction():
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.3, 0.6, 40)
    bias = {"kind": 0.2, "strict": -0.2, "plain": 0.0}
    rows = [
        Rating(name, f"i{at}", float(np.clip(truth[at] + shift + rng.normal() * 0.03, 0, 1)))
        for name, shift in bias.items()
        for at in range(40)
    ]
    judgments = Judgments.of(rows, range=(0, 1))
    belief = Steelyard().believe(judgments.items, judgments)
    at = np.arange(40)
    kind, strict, new = (forecast(belief, name, at) for name in ("kind", "strict", "nobody"))
    assert (kind.mean - strict.mean).mean() == pytest.approx(0.4, abs=0.06)
    assert new.deviation.mean() > kind.deviation.mean()


def test_holds_is_one_if_the_score_is_inside_the_interval():
    rng = np.random.default_rng(1)
    mean, deviation = rng.uniform(-0.5, 1.5, 4000), rng.uniform(0.01, 0.4, 4000)
    score = np.clip(mean + deviation * rng.normal(size=4000) * 2.0, 0.0, 1.0)
    levels = np.array([0.5, 0.8, 0.95])
    for spam in (0.0, 0.2):
        predicted = Forecast(mean, deviation, spam)
        for level, row in zip(levels, predicted.holds(score, levels), strict=True):
            low, high = predicted.interval(float(level))
            assert (row == ((low <= score) & (score <= high))).all()
