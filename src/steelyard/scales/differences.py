"""Differences between all pairs of items or systems, adjusted p values, and clusters of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from steelyard.errors import UnknownName
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.maths.definite import root_of
from steelyard.scales.joint import Joint
from steelyard.scales.tables import Tabular

Adjust = Literal["none", "bonferroni", "holm", "bh", "single_step"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjust)
DIFFERENCE_COLUMNS = ("left", "right", "estimate", "error", "low", "high", "p", "probability", "detectable")
POWER = 0.8  # of the test of a detectable difference
SIMULATED = 2**15  # joint draws for single-step p values, from a Sobol sequence
SINGULAR = (
    "The covariance of the positions is singular, so single-step p values cannot be simulated. "
    "Holm's adjustment is used instead."
)


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Tabular):
    """Difference between the positions of every two items or systems.

    Each row is one pair. The estimate is the position of `left` minus the position of `right`. Values are NaN
    for pairs that no judgment links.

    Parameters
    ----------
    left
        Id of the first item of each pair.
    right
        Id of the second item of each pair.
    estimate
        Estimated difference, in units of the scale.
    error
        Standard error of the difference.
    low
        Lower end of the interval of the difference. Intervals are not adjusted for the number of pairs.
    high
        Upper end of the interval.
    p
        Two-sided p value, adjusted as `adjust` states.
    probability
        Probability that `left` has the higher position. Not adjusted.
    detectable
        Smallest true difference that this design would detect with power 0.8, without adjustment.
    sign
        Sign of the test statistic: 1 if `left` is higher.
    adjust
        Adjustment that was used. It differs from the requested one if that was impossible.
    notes
        Sentences about the tests.
    described
        How standard errors were computed and, for systems, the target of the estimates.

    Examples
    --------
    >>> from steelyard import DirectAssessment, Judgments, Rating
    >>> ratings = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
    >>> differences = DirectAssessment().fit(Judgments.of(ratings, range=(0, 100))).differences()
    >>> [(row["left"], row["right"], row["estimate"]) for row in differences.rows()]
    [('soup', 'tea', 40.0)]
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
    sign: Vector
    adjust: str
    notes: tuple[str, ...] = ()
    described: str = ""

    def __len__(self) -> int:
        return len(self.left)

    def columns(self) -> dict[str, Any]:
        """Return the columns by name."""
        return {name: getattr(self, name) for name in DIFFERENCE_COLUMNS}


def differences_of(
    items: Labels, joint: Joint, adjust: Adjust = "none", level: float = 0.95, part: Codes | None = None
) -> Differences:
    """Return the differences between all pairs of items.

    Parameters
    ----------
    items
        Item ids.
    joint
        Joint distribution of the positions.
    adjust
        Adjustment of the p values for the number of pairs.
    level
        Coverage of the intervals.
    part
        Number of the linked part of each item. Pairs across parts have NaN. None if all items are linked.

    Returns
    -------
    Differences
        One row per pair, in the order of `numpy.triu_indices`.
    """
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
    """Return two-sided p values of standardised differences, adjusted for the number of pairs."""
    own = 2.0 * joint.below(-np.abs(ratio), first, second)
    if adjust == "single_step":
        return single_step(ratio, own, joint, first, second)
    return adjusted(own, adjust)


def _ratio(estimate: Vector, error: Vector) -> Vector:
    """Return estimate / error. It is infinite if only the error is 0, and 0 if both are 0."""
    sure = error <= 0.0
    certain = np.where(estimate == 0.0, 0.0, np.copysign(np.inf, estimate))
    return np.where(sure, certain, estimate / np.where(sure, 1.0, error))


def check_adjustment(adjust: str) -> None:
    """Raise an error if the adjustment is unknown."""
    if adjust not in ADJUSTMENTS:
        raise UnknownName("adjustment", adjust, ADJUSTMENTS)


def adjusted(p: Vector, adjust: str) -> Vector:
    """Return p values adjusted by Bonferroni, Holm (1979) or Benjamini and Hochberg (1995).

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
    """Return single-step p values, P(max abs(T) >= abs(t)) over all pairs.

    The distribution of the maximum is simulated from the joint distribution of the differences. The result is
    limited to the range between the unadjusted p value and that of Bonferroni.

    Parameters
    ----------
    ratio
        Standardised difference of each pair.
    p
        Unadjusted two-sided p value of each pair.
    joint
        Joint distribution of the positions.
    first
        Index of the first item of each pair.
    second
        Index of the second item of each pair.

    Returns
    -------
    Vector
        Adjusted p value of each pair.
    """
    if not len(ratio):
        return p
    largest = np.sort(_largest(joint, first, second))
    exceeded = 1.0 - np.searchsorted(largest, np.abs(ratio), side="left") / len(largest)
    return np.clip(exceeded, p, np.minimum(1.0, len(p) * p))


def _largest(joint: Joint, first: Codes, second: Codes) -> Vector:
    """Return the largest absolute standardised difference of each draw.

    For t distributions, all differences use the median degrees of freedom.
    """
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
    """Return the items in groups, with a line wherever all pairs across it differ significantly.

    Parameters
    ----------
    items
        Item ids.
    position
        Position of each item.
    differences
        Tests of all pairs of these items, in the order of `differences_of`.
    alpha
        Significance level.
    one_sided
        Whether p values are halved, for tests in the direction of the estimated order.

    Returns
    -------
    tuple of tuple of str
        Item ids of each group, highest position first.
    """
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
    """Split the ordered items at every gap that no pair from `low` to `high` spans."""
    depth = np.zeros(len(ordered) + 1, dtype=np.int64)
    np.add.at(depth, low, 1)
    np.add.at(depth, high, -1)
    lines = np.flatnonzero(np.cumsum(depth)[: max(len(ordered) - 1, 0)] == 0) + 1
    groups: Sequence[Any] = np.split(ordered, lines) if len(ordered) else []
    return tuple(tuple(map(str, group)) for group in groups)
