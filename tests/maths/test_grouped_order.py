"""Orders and codes that are computed without sorting whole rows, against their plain twins."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.judgments.keys import is_repeated
from steelyard.maths.arrays import grouped_order, renumbered


@pytest.mark.parametrize("groups", [1, 7, 70_000, 5_000_000_000])
def test_rows_are_sorted_by_group_and_value(groups):
    rng = np.random.default_rng(groups)
    group, values = rng.integers(0, groups, 3_000), rng.normal(size=3_000)
    assert grouped_order(group, values).tolist() == np.lexsort((values, group)).tolist()


@pytest.mark.parametrize("largest", [5, 900, 10**12])
def test_codes_are_renumbered_and_repeats_found_whatever_their_size(largest):
    codes = np.random.default_rng(largest).integers(0, largest, 400)
    codes[:20] = codes[20:40]
    used, place = np.unique(codes, return_inverse=True)
    for mine, plain in zip(renumbered(codes), (used, place), strict=True):
        assert mine.tolist() == plain.tolist()
    assert is_repeated(codes).tolist() == (np.bincount(place)[place] > 1).tolist()


def test_no_codes_have_no_repeats():
    none = np.empty(0, dtype=np.int64)
    assert [each.tolist() for each in renumbered(none)] == [[], []]
    assert is_repeated(none).tolist() == []
    assert not is_repeated(np.array([10**9, 3])).any()
