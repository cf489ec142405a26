"""The compiled sums of scores equal their readable twin."""

import numpy as np
from scipy.sparse import random_array

from steelyard.maths.score_kernel import add_scores
from steelyard.maths.score_twin import summed_scores


def test_compiled_sums_equal_the_sparse_product():
    rng = np.random.default_rng(3)
    units = random_array((30, 8), density=0.4, rng=rng, format="csr")
    units = units + random_array((30, 8), density=0.2, rng=rng, format="csr")
    entry, cluster = rng.integers(30, size=500), rng.integers(-1, 6, size=500)
    weight = rng.random(500)
    sums, sizes, alone = np.zeros((6, 8)), np.zeros(6), np.zeros(30)
    add_scores((sums, sizes, alone), (units.data, units.indices, units.indptr), (entry, cluster, weight))
    expected, expected_alone = summed_scores(units, entry, cluster, weight, 6)
    np.testing.assert_allclose(sums, expected, atol=1e-12)
    full = np.diff(units.indptr) > 0
    np.testing.assert_allclose(alone, np.where(full, expected_alone, 0.0), atol=1e-12)
    counted = full[entry] & (cluster >= 0)
    np.testing.assert_allclose(sizes, np.bincount(cluster[counted], weight[counted], minlength=6))
