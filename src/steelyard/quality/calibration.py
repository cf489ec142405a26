"""Do intervals hold what they promise? Measured on answers that were not chosen by looking at the belief."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Vector, sum_by
from steelyard.maths.gaussian import NORMAL_95

LEVELS = (0.5, 0.8, 0.9, 0.95)
REGIONS = ("lowest third", "middle third", "highest third")


@dataclass(frozen=True, slots=True)
class Foretold:
    """One fresh answer: the score, what was expected, and which levels' intervals held it."""

    item: str
    score: float
    expected: float
    held: tuple[bool, ...]  # by LEVELS


@dataclass(frozen=True, slots=True)
class Share:
    """How often something held, with a 95% interval of that share."""

    held: int
    of: int

    @property
    def share(self) -> float:
        """The share itself; one half of nothing."""
        return self.held / self.of if self.of else 0.5

    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval (1927)."""
        if not self.of:
            return 0.0, 1.0
        z2 = NORMAL_95**2
        centre = (self.held + z2 / 2.0) / (self.of + z2)
        reach = np.sqrt(z2 * (self.share * (1.0 - self.share) * self.of + z2 / 4.0)) / (self.of + z2)
        return float(centre - reach), float(centre + reach)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Promised against measured: by level, and for 95% intervals by region of the scale."""

    answers: int
    by_level: tuple[tuple[float, Share], ...]
    by_region: tuple[tuple[str, Share], ...]


def calibration_of(answers: Sequence[Foretold]) -> Calibration:
    """The shares of these answers that intervals held; expected scores are on the unit scale."""
    held = np.array([answer.held for answer in answers], dtype=float).reshape(len(answers), len(LEVELS))
    by_level = tuple((level, Share(int(held[:, at].sum()), len(answers))) for at, level in enumerate(LEVELS))
    region = np.clip((np.array([answer.expected for answer in answers]) * 3.0).astype(np.int64), 0, 2)
    count = sum_by(region, np.ones(len(answers)), 3)
    inside = sum_by(region, held[:, -1], 3)
    by_region = tuple((name, Share(int(inside[at]), int(count[at]))) for at, name in enumerate(REGIONS))
    return Calibration(len(answers), by_level, by_region)


def sum_of(parts: Sequence[Calibration]) -> Calibration:
    """The calibration of all answers together, from those of parts of them."""
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
    """Mean answer to a system's outputs on the audit slice, with a clustered standard error."""

    system: str
    mean: float
    error: float
    answers: int


def clustered_mean(score: Vector, clusters: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Mean and its standard error with several overlapping clusterings (Cameron, Gelbach & Miller 2011).

    For two clusterings (raters, segments): the variance by each, less that by their intersection.
    """
    mean = float(score.mean())
    gap = score - mean
    if len(clusters) == 1:
        return mean, float(np.sqrt(_cluster_variance(gap, np.asarray(clusters[0]))))
    first, second = (np.asarray(each) for each in clusters[:2])
    both = first * (int(second.max()) + 1) + second
    parts = [_cluster_variance(gap, each) for each in (first, second, both)]
    # Sampling noise can take the difference below either part; the larger part is then the honest answer.
    return mean, float(np.sqrt(max(parts[0] + parts[1] - parts[2], parts[0], parts[1])))


def _cluster_variance(gap: Vector, cluster: np.typing.NDArray[np.int64]) -> float:
    _, code = np.unique(cluster, return_inverse=True)
    groups = int(code.max()) + 1
    sums = sum_by(code, gap)
    correction = groups / max(groups - 1, 1)
    return float(correction * np.sum(sums**2) / len(gap) ** 2)
