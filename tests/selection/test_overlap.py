from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.selection.overlap import overlapping_groups
from steelyard.selection.pairing import joined, pairs_among


@given(st.integers(0, 70), st.integers(2, 8), st.integers(2, 3))
def test_every_item_is_in_a_group_and_all_groups_are_linked(items, size, least):
    size = max(size, least)
    groups = overlapping_groups(np.arange(items), size, least)
    if items < least:
        assert groups == []
        return
    part = np.arange(items)
    for group in groups:
        assert least <= len(set(group.tolist())) == len(group) <= size + (least > 2)
        part = joined(part, np.array(pairs_among(group.tolist())))
    assert set(part.tolist()) == {0}


@given(st.integers(3, 200), st.integers(3, 8), st.integers(2, 3))
def test_no_item_is_in_more_than_two_groups_and_no_pair_in_two(items, size, least):
    groups = overlapping_groups(np.arange(items), size, least)
    assert max(Counter(item for group in groups for item in group.tolist()).values()) <= 2
    assert max(Counter(pair for group in groups for pair in pairs_among(group.tolist())).values()) == 1


def test_groups_form_no_chain():
    """Every group is few steps from the first, also if each adds only one item."""
    steps = {0: 0}
    for one, other in overlapping_groups(np.arange(100), 2):
        steps[int(other)] = steps[int(one)] + 1
    assert max(steps.values()) <= 8
