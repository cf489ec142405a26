"""Differences between all pairs of items or systems, with adjusted p values, and clusters of those not separated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from steelyard.errors import UnknownName
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.maths.definite import root_of
from steelyard.scales.joint import Joint

Adjust = Literal["none", "bonferroni", "holm", "bh", "single_step"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjust)
DIFFERENCE_COLUMNS = ("left", "right", "estimate", "error", "low", "high", "p", "probability", "detectable")
POWER = 0.8  # with which a detectable difference would have been found
SIMULATED = 2**15  # joint draws behind single-step p values, spread evenly (Sobol)
SINGULAR = (
    "The covariance of the positions is singular, so single-step p values cannot be simulated; "
    "Holm's adjustment is used instead."
)


@dataclass(frozen=True, eq=False)
class Differences:
    """Each item against each later one: left - right, its standard error, 95% interval, p value and probability.

    `p` is two-sided and adjusted for all pairs as `adjust` says; intervals and probabilities are of one pair at a
    time. `probability` is that of left above right; `detectable` the smallest true difference that this design would
    have found with probability 0.8, unadjusted. Pairs that no judgment links have NaN.
    """

    left: Labels
    right: Labels
    estimate: Vector
    error: Vector
    low: Vector
    high: Vector
    p: Vector
    probability: Vector
    detectable: Vector
    sign: Vector  # of the test: 1 where left is above right
    adjust: str
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.left)

    def columns(self) -> dict[str, Any]:
        """Columns by name."""
        return {name: getattr(self, name) for name in DIFFERENCE_COLUMNS}

    def rows(self) -> list[dict[str, Any]]:
        """One plain dict per pair."""
        columns = {name: values.tolist() for name, values in self.columns().items()}
        return [{name: cells[at] for name, cells in columns.items()} for at in range(len(self))]


def differences_of(
    items: Labels, joint: Joint, adjust: Adjust = "none", level: float = 0.95, part: Codes | None = None
) -> Differences:
    """All differences of a joint distribution; pairs of different parts cannot be compared."""
    check_adjustment(adjust)
    first, second = np.triu_indices(len(items), 1)
    estimate = joint.position[first] - joint.position[second]
    error = np.sqrt(joint.variances(first, second))
    linked = np.ones(len(first), dtype=bool) if part is None else part[first] == part[second]
    far = joint.quantiles(0.5 + level / 2.0, first, second)
    reach, detectable = far * error, (far + joint.quantiles(POWER, first, second)) * error
    ratio = _ratio(estimate, error)
    used, notes = ("holm", (SINGULAR,)) if adjust == "single_step" and joint.is_singular else (adjust, ())
    p = np.full(len(first), np.nan)
    p[linked] = _p_values(ratio[linked], joint, first[linked], second[linked], used)
    above = joint.below(ratio, first, second)

    def shown(values: Vector) -> Vector:
        return np.where(linked, values, np.nan)

    return Differences(
        left=items[first],
        right=items[second],
        estimate=shown(estimate),
        error=shown(error),
        low=shown(estimate - reach),
        high=shown(estimate + reach),
        p=p,
        probability=shown(above),
        detectable=shown(detectable),
        sign=np.sign(shown(estimate)),
        adjust=used,
        notes=notes,
    )


def _p_values(ratio: Vector, joint: Joint, first: Codes, second: Codes, adjust: str) -> Vector:
    """Two-sided p values of standardised differences, adjusted for their number."""
    own = 2.0 * joint.below(-np.abs(ratio), first, second)
    if adjust == "single_step":
        return single_step(ratio, own, joint, first, second)
    return adjusted(own, adjust)


def _ratio(estimate: Vector, error: Vector) -> Vector:
    """Estimate over error; infinite where a difference has no error at all, 0 where both are nothing."""
    sure = error <= 0.0
    certain = np.where(estimate == 0.0, 0.0, np.copysign(np.inf, estimate))
    return np.where(sure, certain, estimate / np.where(sure, 1.0, error))


def check_adjustment(adjust: str) -> None:
    """Refuse a name that is no adjustment."""
    if adjust not in ADJUSTMENTS:
        raise UnknownName("adjustment", adjust, ADJUSTMENTS)


def adjusted(p: Vector, adjust: str) -> Vector:
    """p values adjusted for their number: Bonferroni, Holm (1979) or Benjamini & Hochberg (1995).

    >>> adjusted(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    count = len(p)
    if adjust == "none" or not count:
        return p
    if adjust == "bonferroni":
        return np.minimum(1.0, count * p)
    order = np.argsort(p, kind="stable")
    if adjust == "holm":
        steps = np.maximum.accumulate((count - np.arange(count)) * p[order])
    else:
        steps = np.minimum.accumulate((count / np.arange(1, count + 1) * p[order])[::-1])[::-1]
    adjusted_p = np.empty(count)
    adjusted_p[order] = np.minimum(1.0, steps)
    return adjusted_p


def single_step(ratio: Vector, p: Vector, joint: Joint, first: Codes, second: Codes) -> Vector:
    """P(max |T| >= |t|) over all pairs, simulated from their joint distribution; between p and Bonferroni's p."""
    if not len(ratio):
        return p
    largest = np.sort(_largest(joint, first, second))
    exceeded = 1.0 - np.searchsorted(largest, np.abs(ratio), side="left") / len(largest)
    return np.clip(exceeded, p, np.minimum(1.0, len(p) * p))


def _largest(joint: Joint, first: Codes, second: Codes) -> Vector:
    """The largest standardised difference of each draw; t draws share the median degrees of freedom."""
    from scipy.special import ndtri  # SciPy is slow to import
    from scipy.stats import qmc  # SciPy is slow to import

    root = root_of(joint.covariance)
    scale = 1.0 / np.sqrt(np.maximum(joint.variances(first, second), 1e-300))
    uniform = np.clip(qmc.Sobol(len(root), seed=0).random(SIMULATED), 1e-12, 1.0 - 1e-12)
    drawn = root @ ndtri(uniform).T  # one row per item, so that a difference reads two rows
    largest = np.zeros(SIMULATED)
    for one, other, each in zip(first, second, scale, strict=True):
        np.maximum(largest, each * np.abs(drawn[one] - drawn[other]), out=largest)
    if joint.freedom is None:
        return largest
    freedom = float(np.median(joint.freedom[first, second]))
    if not np.isfinite(freedom):
        return largest
    return largest * np.sqrt(freedom / np.random.default_rng(0).chisquare(freedom, SIMULATED))


def clusters_of(
    items: Labels, position: Vector, differences: Differences, alpha: float, one_sided: bool
) -> tuple[tuple[str, ...], ...]:
    """Items, most first, with a line exactly where every pair across it is rejected at `alpha`."""
    order = np.lexsort((items.astype(str), -position))
    place = np.empty(len(items), dtype=np.int64)
    place[order] = np.arange(len(items))
    first, second = np.triu_indices(len(items), 1)
    upper = np.where(place[first] < place[second], 1.0, -1.0)
    p = differences.p / 2.0 if one_sided else differences.p
    open_pair = ~((p < alpha) & (differences.sign == upper))
    low = np.minimum(place[first], place[second])[open_pair]
    high = np.maximum(place[first], place[second])[open_pair]
    return _cut(items[order], low, high)


def _cut(ordered: Labels, low: Codes, high: Codes) -> tuple[tuple[str, ...], ...]:
    """Cut the ordered items wherever no pair from `low` to `high` spans the gap."""
    depth = np.zeros(len(ordered) + 1, dtype=np.int64)
    np.add.at(depth, low, 1)
    np.add.at(depth, high, -1)
    lines = np.flatnonzero(np.cumsum(depth)[: max(len(ordered) - 1, 0)] == 0) + 1
    groups: Sequence[Any] = np.split(ordered, lines) if len(ordered) else []
    return tuple(tuple(map(str, group)) for group in groups)
