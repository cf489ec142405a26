import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from steelyard.maths.correlation import mean_ranks, pearson_by, rounded, spearman_by

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


@given(rows=ROWS)
def test_ranks_and_correlations_within_groups_are_those_of_scipy(rows):
    group, first, second = (np.array(column) for column in zip(*rows, strict=True))
    ranks, found = mean_ranks(group, first.astype(float)), spearman_by(group, first, second, 3)
    for at in range(3):
        own = group == at
        assert ranks[own].tolist() == rankdata(first[own]).tolist()
        varies = own.sum() > 1 and np.ptp(first[own]) > 0 and np.ptp(second[own]) > 0
        expected = spearmanr(first[own], second[own])[0] if varies else np.nan
        assert found[at] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_constant_columns_have_no_correlation_even_with_rounding_errors():
    value = np.array([0.1 + 0.2, 0.3, 0.3])
    assert np.isnan(pearson_by(np.zeros(3, dtype=np.int64), value, np.arange(3.0), 1)[0])
    assert len(np.unique(rounded(value))) == 1


def test_empty_columns_have_no_ranks():
    assert len(mean_ranks(np.empty(0, dtype=np.int64), np.empty(0))) == 0
