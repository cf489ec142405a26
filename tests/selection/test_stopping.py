import numpy as np
import pytest

from steelyard.selection.stopping import Stop, mean_width, predicted_reliability, should_stop


def test_predicted_reliability_is_the_correlation_of_posterior_means_with_the_truth():
    rng = np.random.default_rng(1)
    truth = rng.normal(0.5, 0.2, 20_000)
    observed = truth + rng.normal(0, 0.1, 20_000)
    shrunk = 0.5 + (observed - 0.5) * 0.04 / 0.05
    predicted = predicted_reliability(shrunk, np.full(20_000, 0.04 * 0.01 / 0.05))
    assert predicted == pytest.approx(np.corrcoef(shrunk, truth)[0, 1], abs=0.005)


@pytest.mark.parametrize("position", [np.array([]), np.array([0.3]), np.full(5, 0.4)])
def test_a_scale_that_distinguishes_nothing_is_not_reliable(position):
    assert predicted_reliability(position, np.full(len(position), 0.01)) == 0.0


def test_the_first_rule_that_is_met_stops():
    position, variance, answers = np.linspace(0, 1, 50), np.full(50, 0.0004), np.full(50, 3.0)
    assert should_stop(Stop(reliability=0.95), position, variance, answers)
    assert not should_stop(Stop(reliability=0.9999), position, variance, answers)
    assert should_stop(Stop(interval_width=0.1), position, variance, answers)
    assert not should_stop(Stop(interval_width=0.05), position, variance, answers)
    assert should_stop(Stop(budget=150), position, variance, answers)
    assert not should_stop(Stop(budget=151), position, variance, answers)
    assert not should_stop(Stop(), position, variance, answers)


def test_one_answer_per_item_is_too_few_to_trust_the_prediction():
    position, variance = np.linspace(0, 1, 50), np.full(50, 1e-6)
    assert not should_stop(Stop(reliability=0.9), position, variance, np.ones(50))


def test_width_is_that_of_the_95_percent_interval():
    assert mean_width(np.array([0.01])) == pytest.approx(2 * 1.959964 * 0.1)
