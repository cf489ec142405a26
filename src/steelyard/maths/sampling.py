"""Draws without replacement, and random ties."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Vector


def weighted_sample(weights: Vector, size: int, rng: np.random.Generator) -> Codes:
    """Draw different indices, each in proportion to the remaining weights.

    Gumbel top-k sampling (Vieira 2014; Kool et al. 2019) has exactly this distribution. Zero weights come last, at
    random.

    Parameters
    ----------
    weights
        Weight of each index.
    size
        Number of indices to draw.
    rng
        Source of randomness.

    Returns
    -------
    Codes
        The indices, in the order of the draw.
    """
    positive = weights > 0.0
    keys = np.where(positive, np.log(np.where(positive, weights, 1.0)), -np.inf)
    keys = keys + np.where(positive, rng.gumbel(size=len(weights)), 0.0)
    keys = np.where(positive, keys, -1e300 - rng.random(len(weights)) * 1e299)
    order = (
        np.argpartition(-keys, min(size, len(keys)) - 1)[:size] if size < len(keys) else np.arange(len(keys))
    )
    return order[np.argsort(-keys[order], kind="stable")].astype(np.int64)


def shuffled_order(keys: Vector, rng: np.random.Generator) -> Codes:
    """Return indices from the largest key to the smallest, with random ties."""
    return np.lexsort((rng.random(len(keys)), -keys)).astype(np.int64)


def largest(keys: Vector, size: int, rng: np.random.Generator) -> Codes:
    """Return the indices of the largest keys, with random ties: the start of `shuffled_order`.

    Parameters
    ----------
    keys
        Key of each index.
    size
        Number of indices to return.
    rng
        Source of randomness.

    Returns
    -------
    Codes
        The indices, largest key first.
    """
    if size < len(keys):
        smallest = np.partition(keys, len(keys) - size)[len(keys) - size] if size else np.inf
        above, equal = np.flatnonzero(keys > smallest), np.flatnonzero(keys == smallest)
        among = np.concatenate([above, rng.choice(equal, size - len(above), replace=False)])
    else:
        among = np.arange(len(keys))
    return among[shuffled_order(keys[among], rng)].astype(np.int64)
