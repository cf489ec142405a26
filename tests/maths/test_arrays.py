import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.maths.arrays import median_by, object_cells, sum_by

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), min_size=0, max_size=30)


@given(rows)
def test_sums_and_medians_by_code_are_those_of_each_group(rows):
    codes = np.array([code for code, _ in rows], dtype=np.int64)
    values = np.array([value for _, value in rows], dtype=float)
    sums, medians = sum_by(codes, values, 5), median_by(codes, values, 5)
    for code in range(5):
        group = values[codes == code]
        assert sums[code] == group.sum()
        assert medians[code] == np.median(group) if len(group) else np.isnan(medians[code])


def test_lists_of_one_length_stay_cells():
    assert object_cells([[1, 2], [3, 4]]).shape == (2,)
