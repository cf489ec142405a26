"""Comparisons of counts and fits of different engines."""

import hashlib

import numpy as np

COLUMNS = ("position", "spread", "low", "high", "rank_low", "rank_high", "count")


def digest(counts):
    """Hash of the counts with their items."""
    content = [
        str(counts.items.tolist()),
        counts.left.tolist(),
        counts.right.tolist(),
        counts.counts.tolist(),
    ]
    return hashlib.sha256(repr(content).encode()).hexdigest()


def assert_same_scale(one, other, tolerance):
    """Both fits have the same items with the same numbers, up to a tolerance."""
    first, second = (fit.scale.ordered() for fit in (one, other))
    assert first.item.tolist() == second.item.tolist()
    for name in COLUMNS:
        np.testing.assert_allclose(
            getattr(first, name), getattr(second, name), rtol=tolerance, atol=tolerance, err_msg=name
        )
