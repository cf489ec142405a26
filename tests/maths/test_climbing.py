import numpy as np
import pytest

from steelyard.maths.climbing import Height, climb


class Plain:
    def __init__(self, matrix):
        self.matrix = matrix

    def solve(self, right):
        return np.linalg.pinv(self.matrix, rcond=1e-300) @ right


def logistic(wins, losses):
    """Independent log-odds: the top is at log(wins / losses)."""

    def height(point):
        p = 1.0 / (1.0 + np.exp(-point))
        value = -np.sum(wins * np.logaddexp(0, -point) + losses * np.logaddexp(0, point))
        return Height(float(value), wins - (wins + losses) * p, Plain(np.diag((wins + losses) * p * (1 - p))))

    return height


def test_the_top_is_found_to_the_last_digits_even_where_full_steps_leap_over_it():
    wins, losses = np.array([3.0, 1e6, 1e-6]), np.array([7.0, 1.0, 5.0])
    summit = climb(logistic(wins, losses), np.zeros(3))
    assert summit.converged
    assert summit.point == pytest.approx(np.log(wins / losses), abs=1e-9)


def test_a_climb_without_a_top_is_not_converged_or_far_away():
    summit = climb(logistic(np.array([1.0]), np.array([0.0])), np.zeros(1))
    assert not summit.converged or summit.point[0] > 30


def test_steps_that_are_no_numbers_end_the_climb():
    def height(point):
        return Height(float("nan"), np.array([np.nan]), Plain(np.eye(1)))

    assert not climb(height, np.zeros(1)).converged
