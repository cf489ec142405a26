import numpy as np
import pytest
from scipy.sparse import csr_array

from steelyard.maths.precision import DensePrecision, Links, SparsePrecision


def laplacian(size, rng, chain=False):
    """The precision of differences along a chain, or between many random pairs."""
    matrix = np.zeros((size, size))
    pairs = [(i, i + 1) for i in range(size - 1)] if chain else rng.integers(0, size, (6 * size, 2))
    for i, j in pairs:
        if i != j:
            weight = rng.uniform(0.5, 2.0)
            matrix[[i, j], [i, j]] += weight
            matrix[[i, j], [j, i]] -= weight
    return matrix


def both(matrix, links):
    return DensePrecision(matrix, links), SparsePrecision(csr_array(matrix), links)


@pytest.mark.parametrize("groups", [1, 2])
def test_sparse_and_dense_solve_alike(groups):
    rng = np.random.default_rng(0)
    blocks = [laplacian(12, rng) for _ in range(groups)]
    matrix = np.kron(np.eye(groups), np.ones((12, 12))) * np.tile(np.hstack(blocks), (groups, 1))
    links = Links(np.repeat(np.arange(groups), 12), np.full(groups, 3.0))
    dense, sparse = both(matrix, links)
    right = rng.normal(size=(12 * groups, 3))
    assert sparse.solve(right) == pytest.approx(dense.solve(right), abs=1e-8)
    assert dense.covariance @ (matrix + links.dense()) == pytest.approx(np.eye(12 * groups), abs=1e-9)


def test_the_sum_of_a_group_has_the_variance_that_its_link_says():
    # The precision of a group's mean is that of its link: variance 1 / amount of the sum over the size, n^2 / amount.
    dense, _ = both(
        laplacian(6, np.random.default_rng(1)), Links(np.zeros(6, dtype=np.int64), np.array([0.25]))
    )
    assert np.ones(6) @ dense.covariance @ np.ones(6) / 36 == pytest.approx(4.0)


@pytest.mark.parametrize("chain", [False, True])
def test_draws_have_the_covariance_and_variances_are_near_the_exact_ones(chain):
    rng = np.random.default_rng(2)
    matrix = laplacian(40, rng, chain)
    links = Links(np.zeros(40, dtype=np.int64), np.array([np.trace(matrix)]))
    dense, sparse = both(matrix, links)
    for precision in (dense, sparse):
        drawn = precision.draws(20_000, np.random.default_rng(3))
        scale = np.sqrt(np.diag(dense.covariance))
        assert np.cov(drawn.T) / np.outer(scale, scale) == pytest.approx(
            dense.covariance / np.outer(scale, scale), abs=0.06
        )
    every = np.arange(40)
    exact, rough = dense.variances(every, 0), sparse.variances(every, 0)
    assert np.sqrt(rough) == pytest.approx(np.sqrt(exact), rel=0.15 if chain else 0.05)


def test_a_matrix_that_says_nothing_of_a_coordinate_gives_it_a_huge_variance():
    precision = DensePrecision(np.diag([1.0, 0.0]), Links(np.array([-1, -1]), np.empty(0)))
    assert precision.covariance[1, 1] > 1e6
    assert precision.covariance[0, 0] == pytest.approx(1.0)
