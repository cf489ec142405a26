"""Calibration: observed coverage of prediction intervals, on answers to tasks chosen at random."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Vector, sum_by
from steelyard.maths.gaussian import NORMAL_95

LEVELS = (0.5, 0.8, 0.9, 0.95)
REGIONS = ("lowest third", "middle third", "highest third")


@dataclass(frozen=True, slots=True)
class PredictedAnswer:
    """An answer with its prediction.

    Attributes
    ----------
    item
        Item id.
    score
        Score of the answer.
    expected
        Predicted score.
    held
        Whether the interval of each level in `LEVELS` contains the score.
    """

    item: str
    score: float
    expected: float
    held: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95% interval.

    Attributes
    ----------
    held
        Number of cases that count.
    of
        Number of all cases.
    """

    held: int
    of: int

    @property
    def share(self) -> float:
        """The share; 0.5 without any case."""
        return self.held / self.of if self.of else 0.5

    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95% interval (1927).

        Returns
        -------
        tuple of float
            Lower and upper limit.
        """
        if not self.of:
            return 0.0, 1.0
        z2 = NORMAL_95**2
        centre = (self.held + z2 / 2.0) / (self.of + z2)
        reach = np.sqrt(z2 * (self.share * (1.0 - self.share) * self.of + z2 / 4.0)) / (self.of + z2)
        return float(centre - reach), float(centre + reach)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Observed coverage by nominal level, and of 95% intervals by region of the scale.

    Attributes
    ----------
    answers
        Number of answers.
    by_level
        Nominal level and observed coverage.
    by_region
        Region of the scale and observed coverage of 95% intervals.
    """

    answers: int
    by_level: tuple[tuple[float, Share], ...]
    by_region: tuple[tuple[str, Share], ...]


def calibration_of(answers: Sequence[PredictedAnswer]) -> Calibration:
    """Return the observed coverage of prediction intervals.

    Parameters
    ----------
    answers
        Answers with their predictions, on the unit scale.

    Returns
    -------
    Calibration
        Coverage by level and by region.
    """
    held = np.array([answer.held for answer in answers], dtype=float).reshape(len(answers), len(LEVELS))
    by_level = tuple((level, Share(int(held[:, at].sum()), len(answers))) for at, level in enumerate(LEVELS))
    region = np.clip((np.array([answer.expected for answer in answers]) * 3.0).astype(np.int64), 0, 2)
    count = sum_by(region, np.ones(len(answers)), 3)
    inside = sum_by(region, held[:, -1], 3)
    by_region = tuple((name, Share(int(inside[at]), int(count[at]))) for at, name in enumerate(REGIONS))
    return Calibration(len(answers), by_level, by_region)


def sum_of(parts: Sequence[Calibration]) -> Calibration:
    """Return the calibration of all answers from the calibrations of parts.

    Parameters
    ----------
    parts
        Calibrations of disjoint sets of answers.

    Returns
    -------
    Calibration
        Pooled coverage.
    """
    every = [calibration_of(()), *parts]
    by_level = tuple((level, _sum(part.by_level[at][1] for part in every)) for at, level in enumerate(LEVELS))
    by_region = tuple(
        (name, _sum(part.by_region[at][1] for part in every)) for at, name in enumerate(REGIONS)
    )
    return Calibration(sum(part.answers for part in every), by_level, by_region)


def _sum(shares: Iterable[Share]) -> Share:
    counts = [(share.held, share.of) for share in shares]
    return Share(sum(held for held, _ in counts), sum(of for _, of in counts))


@dataclass(frozen=True, slots=True)
class SystemMean:
    """Mean score of the outputs of a system on the audit slice.

    Attributes
    ----------
    system
        System.
    mean
        Mean score.
    error
        Clustered standard error.
    answers
        Number of answers.
    """

    system: str
    mean: float
    error: float
    answers: int


def clustered_mean(score: Vector, clusters: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return a mean and its standard error, clustered one way or two ways (Cameron, Gelbach & Miller 2011).

    The two-way variance is the sum of the two one-way variances minus the variance by their intersection. It is at
    least the larger one-way variance.

    Parameters
    ----------
    score
        Scores.
    clusters
        One or two sequences with the cluster of each score.

    Returns
    -------
    tuple of float
        Mean and standard error.
    """
    mean = float(score.mean())
    gap = score - mean
    if len(clusters) == 1:
        return mean, float(np.sqrt(_cluster_variance(gap, np.asarray(clusters[0]))))
    first, second = (np.asarray(each) for each in clusters[:2])
    both = first * (int(second.max()) + 1) + second
    parts = [_cluster_variance(gap, each) for each in (first, second, both)]
    # Sampling noise can make the difference smaller than a one-way variance.
    return mean, float(np.sqrt(max(parts[0] + parts[1] - parts[2], parts[0], parts[1])))


def _cluster_variance(gap: Vector, cluster: np.typing.NDArray[np.int64]) -> float:
    _, code = np.unique(cluster, return_inverse=True)
    groups = int(code.max()) + 1
    sums = sum_by(code, gap)
    correction = groups / max(groups - 1, 1)
    return float(correction * np.sum(sums**2) / len(gap) ** 2)
