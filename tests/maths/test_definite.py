import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.maths.definite import cholesky, conjugate_gradients, inverse, root_of


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(0, 1000))
def test_conjugate_gradients_solve_what_cholesky_solves(size, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size + 2))
    matrix = root @ root.T + 0.1 * np.eye(size)
    target = rng.normal(size=(size, 3))
    solution = conjugate_gradients(lambda x: matrix @ x, target, np.diag(matrix), 1e-12)
    np.testing.assert_allclose(solution, cholesky(matrix)(target), rtol=1e-6, atol=1e-6)
    one = conjugate_gradients(lambda x: matrix @ x, target[:, 0], np.diag(matrix), 1e-12)
    np.testing.assert_allclose(one, solution[:, 0], rtol=1e-6, atol=1e-6)


def test_a_singular_graph_is_solved_where_the_target_sums_to_zero():
    graph = np.array([[2.0, -1.0, -1.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    target = np.array([1.0, -1.0, 0.0])
    solution = conjugate_gradients(lambda x: graph @ x, target, np.diag(graph), 1e-12)
    np.testing.assert_allclose(graph @ solution, target, atol=1e-10)


def test_a_matrix_that_rounding_made_singular_is_still_solved():
    matrix = np.array([[1.0, 1.0], [1.0, 1.0]])
    solution = cholesky(matrix)(np.array([1.0, 1.0]))
    assert matrix @ solution == pytest.approx([1.0, 1.0], abs=1e-6)


def test_an_inverse_is_symmetric_and_gives_the_identity():
    root = np.random.default_rng(0).normal(size=(30, 40))
    inverted = inverse(root @ root.T)
    assert np.array_equal(inverted, inverted.T)
    np.testing.assert_allclose(inverted @ root @ root.T, np.eye(30), atol=1e-9)


def test_a_root_gives_the_matrix_again_also_where_it_is_singular():
    root = np.random.default_rng(0).normal(size=(5, 3))
    for matrix in (root @ root.T, np.zeros((2, 2))):
        root_found = root_of(matrix)
        np.testing.assert_allclose(root_found @ root_found.T, matrix, atol=1e-9)


def test_a_matrix_that_is_far_from_definite_is_refused_and_not_tried_for_ever():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        root_of(np.diag([1.0, -1.0]))
