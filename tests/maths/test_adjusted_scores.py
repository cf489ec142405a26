import numpy as np
import pytest

from steelyard.maths.adjusted_scores import AdjustedScores, inverse_root, symmetric_root


def matrix_of(seed, size=4):
    root = np.random.default_rng(seed).normal(size=(size, size + 2))
    return root @ root.T


def test_roots_squared_are_the_matrix_and_its_inverse():
    matrix = matrix_of(1)
    root, inverse = symmetric_root(matrix), inverse_root(matrix)
    np.testing.assert_allclose(root @ root, matrix, rtol=1e-10)
    np.testing.assert_allclose(inverse @ inverse @ matrix, np.eye(4), atol=1e-10)


def test_the_inverse_root_of_a_singular_matrix_is_that_of_its_range():
    matrix = np.diag([4.0, 1.0, 0.0])
    np.testing.assert_allclose(inverse_root(matrix), np.diag([0.5, 1.0, 0.0]), atol=1e-12)


def test_clusters_alike_have_one_degree_of_freedom_less_than_clusters_and_no_bias():
    information = np.repeat(matrix_of(2)[None] / 6.0, 6, axis=0)
    scores = AdjustedScores(inverse_root(information.sum(axis=0)), np.zeros((6, 4)), information)
    row = np.array([[1.0, -1.0, 0.0, 0.5]])
    variance, freedom = scores.degrees(*scores.ends(row))
    assert freedom[0] == pytest.approx(5.0)
    assert variance[0] == pytest.approx((row @ np.linalg.inv(information.sum(axis=0)) @ row.T).item())


def test_the_covariance_has_no_bias_where_answers_are_independent():
    rng = np.random.default_rng(3)
    information = np.array([share * matrix_of(4, 2) for share in (0.1, 0.2, 0.3, 0.4)])
    bread, roots = np.linalg.inv(information.sum(axis=0)), [symmetric_root(each) for each in information]
    root = inverse_root(information.sum(axis=0))
    total = np.zeros((2, 2))
    for _ in range(4000):
        own = np.array([each @ rng.standard_normal(2) for each in roots])
        own = own - information @ bread @ own.sum(axis=0)  # scores at the estimates sum to 0
        total += AdjustedScores(root, own, information).covariance / 4000
    np.testing.assert_allclose(total, bread, rtol=0.08, atol=0.03 * bread.max())


def test_differences_have_the_degrees_of_freedom_of_their_own_row():
    information = np.array([matrix_of(seed) for seed in range(5)])
    scores = AdjustedScores(inverse_root(information.sum(axis=0)), np.zeros((5, 4)), information)
    rows = np.eye(4)[:3]
    table = scores.satterthwaite(rows)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        row = (rows[one] - rows[other])[None]
        assert (
            table[one, other] == table[other, one] == pytest.approx(scores.degrees(*scores.ends(row))[1][0])
        )
    assert table[1, 1] == pytest.approx(scores.degrees(*scores.ends(rows[1:2]))[1][0])
