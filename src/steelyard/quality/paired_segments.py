"""Comparison of two systems on their common segments: paired bootstrap and sign-flip test.

The results generalise to new segments like these, but not to other raters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest, UnknownName
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Matrix, Vector, sum_by
from steelyard.quality.paired import paired_test

RESAMPLES = 10_000
CHUNK_CELLS = 2_000_000  # resamples x segments computed at once


@dataclass(frozen=True, slots=True)
class SegmentTest:
    """Paired test of two systems over their common segments.

    Attributes
    ----------
    left
        First system.
    right
        Second system.
    segments
        Number of common segments.
    difference
        Mean difference left - right of segment means.
    se_t
        Standard error of the difference.
    p_t
        P value of the paired t-test.
    se_bootstrap_exact
        Standard deviation of bootstrap means, for an unlimited number of resamples.
    low
        Lower percentile of bootstrap means.
    high
        Upper percentile of bootstrap means.
    p_sign_flip
        (1 + sign flips with a mean at least as far from 0) / (1 + sign flips).
    """

    left: str
    right: str
    segments: int
    difference: float
    se_t: float
    p_t: float
    se_bootstrap_exact: float
    low: float
    high: float
    p_sign_flip: float


def compare_on_segments(
    judgments: Judgments,
    left: str,
    right: str,
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> SegmentTest:
    """Compare two systems by their mean scores on the segments that both have.

    Parameters
    ----------
    judgments
        Ratings with system and segment columns.
    left
        First system.
    right
        Second system.
    rng
        Random numbers.
    resamples
        Number of bootstrap samples and of sign flips. Default: 10,000.
    level
        Coverage of the bootstrap interval. Default: 0.95.

    Returns
    -------
    SegmentTest
        Difference with t-test, bootstrap interval and sign-flip test.

    Raises
    ------
    NothingToTest
        If the systems share fewer than two segments.
    """
    gap = _segment_differences(judgments, left, right)
    if len(gap) < 2:
        raise NothingToTest(
            "Paired test over segments",
            f"{left} and {right} share {len(gap)} segments.",
            "At least two are needed.",
        )
    student = paired_test(gap, np.zeros(len(gap)))
    means = _resampled(gap, rng, resamples)
    tail = (1.0 - level) / 2.0
    size = len(gap)
    return SegmentTest(
        left,
        right,
        segments=size,
        difference=student.difference,
        se_t=float(np.std(gap, ddof=1) / np.sqrt(size)),
        p_t=student.p,
        se_bootstrap_exact=float(np.std(gap) / np.sqrt(size)),
        low=float(np.quantile(means, tail)),
        high=float(np.quantile(means, 1.0 - tail)),
        p_sign_flip=sign_flip_p(gap, rng, resamples),
    )


def _segment_differences(judgments: Judgments, left: str, right: str) -> Vector:
    """Return the difference of the two mean scores on each common segment."""
    table = judgments.table("rating")
    for column in ("system", "segment"):
        if column not in table.codes:
            raise NothingToTest(
                "Paired test over segments",
                f"the ratings have no {column} column.",
                f"Add a {column} column.",
            )
    names = judgments.labels("system").tolist()
    means = []
    for system in (left, right):
        if system not in names:
            raise UnknownName("system", system, tuple(map(str, names)))
        rows = (table.codes["system"] == names.index(system)) & (table.codes["segment"] != MISSING)
        segment, weight = table.codes["segment"][rows], table.weights[rows]
        size = len(judgments.labels("segment"))
        total = sum_by(segment, weight, size)
        score = sum_by(segment, weight * table.numbers["score"][rows], size)
        means.append(np.where(total > 0.0, score / np.where(total > 0.0, total, 1.0), np.nan))
    gap = means[0] - means[1]
    return np.asarray(gap[np.isfinite(gap)])


def _resampled(gap: Vector, rng: np.random.Generator, resamples: int) -> Vector:
    """Return means of segments drawn with replacement."""
    return _in_chunks(gap, resamples, lambda rows: gap[rng.integers(0, len(gap), (rows, len(gap)))])


def sign_flip_p(gap: Vector, rng: np.random.Generator, flips: int = RESAMPLES) -> float:
    """Return the p value of the sign-flip test of a mean difference.

    The p value is (1 + flips with a mean at least as far from 0) / (1 + flips).

    Parameters
    ----------
    gap
        Paired differences.
    rng
        Random numbers.
    flips
        Number of random assignments of signs. Default: 10,000.

    Returns
    -------
    float
        Two-sided p value.
    """
    flipped = _in_chunks(gap, flips, lambda rows: gap * rng.choice((-1.0, 1.0), (rows, len(gap))))
    least = abs(float(gap.mean())) * (1.0 - 1e-12)
    return float((1 + np.sum(np.abs(flipped) >= least)) / (1 + flips))


def _in_chunks(gap: Vector, rows: int, draw: Callable[[int], Matrix]) -> Vector:
    step = max(1, CHUNK_CELLS // len(gap))
    sizes = [min(step, rows - start) for start in range(0, rows, step)]
    return np.concatenate([draw(size).mean(axis=1) for size in sizes])
