from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.maths.newton import cholesky, conjugate_gradients, minimise


@dataclass(frozen=True)
class At:
    value: float
    gradient: np.ndarray
    matrix: np.ndarray

    def solve(self, target, tolerance):
        return cholesky(self.matrix)(target)


def logistic(place):
    """Sum of log(1 + exp(x)) - share * x: its lowest place is the logit of each share."""
    shares = np.array([0.001, 0.3, 0.999])
    p = 1.0 / (1.0 + np.exp(-place))
    return At(float(np.sum(np.logaddexp(0.0, place) - shares * place)), p - shares, np.diag(p * (1.0 - p)))


def test_the_lowest_place_of_a_logistic_function_is_found():
    found = minimise(logistic, np.array([2.0, -2.0, 0.0]), 1e-12)
    assert found.converged
    np.testing.assert_allclose(found.place, [np.log(1 / 999), np.log(3 / 7), np.log(999)], atol=1e-9)


def test_steps_that_overshoot_are_halved():
    def steep(place):
        x = float(place[0])
        value = np.sqrt(1.0 + x * x)
        return At(value, np.array([x / value]), np.array([[value**-3]]))  # a plain Newton step goes to -x^3

    found = minimise(steep, np.array([10.0]))
    assert found.converged
    assert abs(found.place[0]) < 1e-6


def test_a_function_without_a_lowest_place_does_not_converge():
    def falling(place):
        return At(float(np.exp(-place[0])), -np.exp(-place), np.diag(np.exp(-place)))

    assert not minimise(falling, np.zeros(1), 1e-30, most=20).converged


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(0, 1000))
def test_conjugate_gradients_solve_what_cholesky_solves(size, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size + 2))
    matrix = root @ root.T + 0.1 * np.eye(size)
    target = rng.normal(size=(size, 3))
    found = conjugate_gradients(lambda x: matrix @ x, target, np.diag(matrix), 1e-12)
    np.testing.assert_allclose(found, cholesky(matrix)(target), rtol=1e-6, atol=1e-6)
    one = conjugate_gradients(lambda x: matrix @ x, target[:, 0], np.diag(matrix), 1e-12)
    np.testing.assert_allclose(one, found[:, 0], rtol=1e-6, atol=1e-6)


def test_a_singular_graph_is_solved_where_the_target_sums_to_zero():
    graph = np.array([[2.0, -1.0, -1.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    target = np.array([1.0, -1.0, 0.0])
    found = conjugate_gradients(lambda x: graph @ x, target, np.diag(graph), 1e-12)
    np.testing.assert_allclose(graph @ found, target, atol=1e-10)


def test_a_matrix_that_rounding_made_singular_is_still_solved():
    matrix = np.array([[1.0, 1.0], [1.0, 1.0]])
    found = cholesky(matrix)(np.array([1.0, 1.0]))
    assert matrix @ found == pytest.approx([1.0, 1.0], abs=1e-6)
