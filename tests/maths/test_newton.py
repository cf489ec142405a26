import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from steelyard.maths.newton import minimise, tolerance_for


@dataclass(frozen=True)
class At:
    value: float
    gradient: np.ndarray
    matrix: np.ndarray

    def solve(self, target, tolerance):
        return np.linalg.pinv(self.matrix, rcond=1e-300) @ target


def logistic(place):
    """Sum of log(1 + exp(x)) - share * x: its minimum is the logit of each share."""
    shares = np.array([0.001, 0.3, 0.999])
    p = 1.0 / (1.0 + np.exp(-place))
    return At(float(np.sum(np.logaddexp(0.0, place) - shares * place)), p - shares, np.diag(p * (1.0 - p)))


def test_the_lowest_place_of_a_logistic_function_is_found():
    minimum = minimise(logistic, np.array([2.0, -2.0, 0.0]), 1e-12)
    assert minimum.converged
    np.testing.assert_allclose(minimum.place, [np.log(1 / 999), np.log(3 / 7), np.log(999)], atol=1e-9)


def test_steps_that_overshoot_are_halved():
    def steep(place):
        x = float(place[0])
        value = np.sqrt(1.0 + x * x)
        return At(value, np.array([x / value]), np.array([[value**-3]]))  # a plain Newton step goes to -x^3

    minimum = minimise(steep, np.array([10.0]))
    assert minimum.converged
    assert abs(minimum.place[0]) < 1e-6


def test_a_function_without_a_lowest_place_does_not_converge():
    def falling(place):
        return At(float(np.exp(-place[0])), -np.exp(-place), np.diag(np.exp(-place)))

    assert not minimise(falling, np.zeros(1), 1e-30, most=20).converged


def bernoulli(wins, losses):
    """Independent log-odds: the minimum is log(wins / losses)."""

    def function(place):
        p = 1.0 / (1.0 + np.exp(-place))
        value = np.sum(wins * np.logaddexp(0, -place) + losses * np.logaddexp(0, place))
        return At(float(value), (wins + losses) * p - wins, np.diag((wins + losses) * p * (1 - p)))

    return function


def test_steps_of_bounded_length_find_what_full_steps_would_leap_over():
    wins, losses = np.array([3.0, 1e6, 1e-6]), np.array([7.0, 1.0, 5.0])
    minimum = minimise(bernoulli(wins, losses), np.zeros(3), 1e-14, longest=2.0)
    assert minimum.converged
    assert minimum.place == pytest.approx(np.log(wins / losses), abs=1e-8)


def test_no_coordinate_moves_further_than_the_longest_step():
    places = []

    def watched(place):
        places.append(place)
        return bernoulli(np.array([1e6]), np.array([1.0]))(place)

    minimise(watched, np.zeros(1), longest=0.5)
    assert max(abs(b - a)[0] for a, b in itertools.pairwise(places)) <= 0.5 + 1e-12


def test_numbers_that_are_none_end_the_search():
    def broken(place):
        return At(float("nan"), np.array([np.nan]), np.eye(1))

    assert not minimise(broken, np.zeros(1)).converged


@pytest.mark.parametrize("factor", [1e-10, 1e-5, 1e8])
def test_a_function_of_another_size_has_the_same_lowest_place_in_as_many_steps(factor):
    def scaled(place):
        plain = logistic(place)
        return At(factor * plain.value, factor * plain.gradient, factor * plain.matrix)

    start = np.array([2.0, -2.0, 0.0])
    plain = minimise(logistic, start, tolerance_for(3.0, 1e-10))
    minimum = minimise(scaled, start, tolerance_for(3.0 * factor, 1e-10, factor), unit=factor)
    assert minimum.converged
    assert minimum.steps == plain.steps
    np.testing.assert_allclose(minimum.place, plain.place, rtol=0, atol=1e-12)
