import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.judgments.keys import distinct, joined_key

keys = st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 1, 2, 2**61])), min_size=1, max_size=30)


@settings(deadline=None)
@given(keys)
def test_joined_keys_are_the_same_where_both_keys_are(pairs):
    first, second = np.array(pairs, dtype=np.int64).T
    joined = joined_key(first, second).tolist()
    for one, key in zip(pairs, joined, strict=True):
        assert [other == one for other in pairs] == [other == key for other in joined]


@settings(deadline=None)
@given(st.lists(st.integers(0, 40) | st.integers(0, 2**62), max_size=30))
def test_keys_differ_when_none_comes_twice(values):
    assert distinct(np.array(values, dtype=np.int64)) == len(set(values))
