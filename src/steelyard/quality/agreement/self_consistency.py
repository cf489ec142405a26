"""Self-consistency: how well the repeated answers of a rater agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.keys import is_repeated, joined_key, occurrences
from steelyard.maths.arrays import Codes, Matrix, Vector, renumbered, sum_by
from steelyard.quality.agreement.variance_components import fit_random, one_way_of

MOST_CELLS = 200  # combinations of item and rater up to which variances are REML estimates
NEGATIVE = -1e-9  # relative size of a variance from which it counts as negative


@dataclass(frozen=True, eq=False)
class Repeats:
    """Repeated values: two or more of one rater about one item.

    Attributes
    ----------
    item
        Code of the item of each value.
    rater
        Code of the rater.
    value
        Values, in the order in which they were given.
    """

    item: Codes
    rater: Codes
    value: Vector

    def __len__(self) -> int:
        return len(self.value)

    @property
    def cell(self) -> Codes:
        """Code of each combination of item and rater, from 0."""
        return renumbered(joined_key(self.rater, self.item))[1]

    def first_and_second(self) -> tuple[Vector, Vector, Codes]:
        """Return the first and the second value of each combination of item and rater, and its rater."""
        cell = self.cell
        order = np.argsort(cell, kind="stable")
        nth = occurrences(cell[order])
        first, second = (order[nth == turn] for turn in (0, 1))
        return self.value[first], self.value[second], self.rater[first]


@dataclass(frozen=True, eq=False)
class SelfConsistency:
    """Agreement of raters with themselves, from the model value = mean + item + rater + item:rater + error.

    Attributes
    ----------
    items
        Variance between items; 0 if only one item is repeated, because it is not known then.
    raters
        Variance between raters; 0 if only one rater repeats.
    items_by_raters
        Variance of the interaction of items and raters.
    error
        Variance between the repeated values of one rater about one item.
    within_rater
        Correlation of two values of the same rater about the same item: all but `error`, as a share of the total.
    between_raters
        Correlation of values of two raters about the same item: `items` as a share of the total. NaN if only one item
        is repeated.
    sd
        Standard deviation of a rater's repeated values, the square root of `error`.
    df
        Degrees of freedom of `error`.
    change
        Mean of second minus first value.
    absolute_change
        Mean absolute difference of second and first value.
    by_rater
        ICC(1,1) of each rater over the items that the rater repeated; NaN if undefined.
    cells
        Number of combinations of item and rater with repeated values.
    """

    items: float
    raters: float
    items_by_raters: float
    error: float
    within_rater: float
    between_raters: float
    sd: float
    df: int
    change: float
    absolute_change: float
    by_rater: Vector
    cells: int


def repeats_of_table(table: Matrix) -> Repeats:
    """Return a table of items, raters and times as repeated values, NaN where one is missing."""
    values = np.asarray(table, dtype=np.float64)
    item, rater, time = np.nonzero(~np.isnan(values))
    return only_repeated(item, rater, values[item, rater, time])


def only_repeated(item: Codes, rater: Codes, value: Vector) -> Repeats:
    """Return the values of combinations of item and rater that occur at least twice.

    Parameters
    ----------
    item
        Code of the item of each value.
    rater
        Code of the rater.
    value
        Values, in the order in which they were given.

    Returns
    -------
    Repeats
        Repeated values, in the same order.
    """
    repeated = is_repeated(joined_key(rater, item))
    return Repeats(item[repeated], rater[repeated], value[repeated])


def self_consistency(repeats: Repeats) -> SelfConsistency:
    """Return the agreement of raters with their own repeated answers.

    The variances are those of an analysis of variance if all raters repeated all items equally often and no variance
    is negative, and REML estimates otherwise. With more than 200 combinations of item and rater, they are estimated by
    moments, because the cost of REML is cubic (`_by_moments`).

    Parameters
    ----------
    repeats
        Repeated values, from `repeats_of_table` or `only_repeated`.

    Returns
    -------
    SelfConsistency
        Variances and correlations.

    Raises
    ------
    NothingToTest
        If no rater answered about an item twice.

    Examples
    --------
    >>> table = [[[62, 58], [40, 47]], [[35, 31], [22, 28]], [[80, 84], [66, 60]]]
    >>> round(self_consistency(repeats_of_table(table)).within_rater, 2)
    0.98
    """
    if not len(repeats):
        raise NothingToTest(
            "Self-consistency", "no rater answered about an item twice.", "Add repeats or probes."
        )
    items, raters, both, error = _variances(repeats)
    total = items + raters + both + error
    first, second, _ = repeats.first_and_second()
    cells = len(first)
    return SelfConsistency(
        items,
        raters,
        both,
        error,
        _share_within(total, error),
        items / total if total > 0 and len(np.unique(repeats.item)) > 1 else float("nan"),
        float(np.sqrt(error)),
        len(repeats) - cells,
        float(np.mean(second - first)),
        float(np.mean(np.abs(second - first))),
        _by_rater(repeats),
        cells,
    )


def correlation_within_raters(repeats: Repeats) -> float:
    """Return only `within_rater` of `self_consistency`, for many samples of the repeats."""
    variances = _variances(repeats)
    return _share_within(sum(variances), variances[-1])


def _share_within(total: float, error: float) -> float:
    return (total - error) / total if total > 0 else float("nan")


def _variances(repeats: Repeats) -> tuple[float, float, float, float]:
    """Return the variances of items, raters, both and error."""
    variances = _balanced(repeats)
    if variances is not None:
        return variances
    cells = int(repeats.cell.max()) + 1
    return _by_reml(repeats) if cells <= MOST_CELLS else _by_moments(repeats)


def repeated_choices(cell: Codes, choice: Codes) -> tuple[Vector, Vector]:
    """Return the agreement of the repeated choices in each cell, such as a rater's answers to one pair.

    With a and b answers of each kind among c answers, the agreement is (a (a - 1) + b (b - 1)) / (c (c - 1)), the
    share of pairs of answers that are equal.

    Parameters
    ----------
    cell
        Cell of each choice, from 0.
    choice
        Code of each choice, from 0.

    Returns
    -------
    tuple
        Agreement by cell, NaN for cells with one answer, and the number of answers by cell.
    """
    size = int(cell.max(initial=-1)) + 1
    total = np.bincount(cell, minlength=size).astype(np.float64)
    key, times = np.unique(joined_key(cell, choice), return_counts=True)
    owner = key // (int(choice.max(initial=0)) + 1)
    same = sum_by(owner, times * (times - 1.0), size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 1, same / (total * (total - 1.0)), np.nan), total


def _balanced(repeats: Repeats) -> tuple[float, float, float, float] | None:
    """Return the variances of items, raters, both and error from mean squares, or None if that is not possible."""
    item, rater = (np.unique(codes, return_inverse=True)[1] for codes in (repeats.item, repeats.rater))
    n, m, cells = int(item.max()) + 1, int(rater.max()) + 1, repeats.cell
    size = len(repeats) // (n * m)
    if n < 2 or m < 2 or len(np.unique(cells)) != n * m or np.any(np.bincount(cells) != size):
        return None
    table = np.empty((n, m, size))
    order = np.argsort(cells, kind="stable")
    table[item[order], rater[order], np.tile(np.arange(size), n * m)] = repeats.value[order]
    means, grand = table.mean(axis=2), table.mean()
    of_items, of_raters = means.mean(axis=1), means.mean(axis=0)
    rest = means - of_items[:, None] - of_raters + grand
    squares = (
        m * size * float(np.sum((of_items - grand) ** 2)) / (n - 1),
        n * size * float(np.sum((of_raters - grand) ** 2)) / (m - 1),
        size * float(np.sum(rest**2)) / ((n - 1) * (m - 1)),
        float(np.sum((table - means[:, :, None]) ** 2)) / (n * m * (size - 1)),
    )
    variances = (
        (squares[0] - squares[2]) / (m * size),
        (squares[1] - squares[2]) / (n * size),
        (squares[2] - squares[3]) / size,
        squares[3],
    )
    return variances if min(variances) >= NEGATIVE * max(variances) else None


def _by_reml(repeats: Repeats) -> tuple[float, float, float, float]:
    codes = {"item": repeats.item, "rater": repeats.rater, "both": repeats.cell}
    effects = {}
    for name, each in codes.items():
        levels, code = np.unique(each, return_inverse=True)
        if len(levels) > 1:
            effects[name] = (code, len(levels))
    if len(effects.get("both", ((), 0))[0]) and effects["both"][1] in [
        effects[name][1] for name in ("item", "rater") if name in effects
    ]:  # each cell is an item, or a rater: the interaction cannot be separated from it
        del effects["both"]
    if not effects or np.ptp(repeats.value) == 0.0:
        return 0.0, 0.0, 0.0, float(np.var(repeats.value, ddof=1))
    variances = fit_random(repeats.value, effects).solved.variances
    items, raters, both = (variances.get(name, 0.0) for name in ("item", "rater", "both"))
    return items, raters, both, variances["residual"]


def _by_moments(repeats: Repeats) -> tuple[float, float, float, float]:
    """Return the variances from differences between the means of cells, the combinations of item and rater.

    Half of the mean squared difference of two cells, without the part of the error, estimates the variances that the
    two do not share: all of them if item and rater differ, those of raters and of the interaction if the item is the
    same, and those of items and of the interaction if the rater is. Each estimate is unbiased; negative ones are 0.
    """
    cell = repeats.cell
    size = np.bincount(cell).astype(np.float64)
    mean = sum_by(cell, repeats.value) / size
    error = float(np.sum((repeats.value - mean[cell]) ** 2)) / (len(cell) - len(size))
    first = np.unique(cell, return_index=True)[1]
    centred = mean - mean.mean()
    every, same_item, same_rater = (
        _differences(codes, centred, error / size)
        for codes in (np.zeros(len(size), dtype=np.int64), repeats.item[first], repeats.rater[first])
    )
    apart = every - same_item - same_rater
    if apart[1] <= 0.0:
        return 0.0, 0.0, max(_half_mean(every), 0.0), error
    both_differ = max(_half_mean(apart), 0.0)
    items, raters = (
        float(np.clip(both_differ - _half_mean(shared), 0.0, both_differ)) if shared[1] > 0.0 else 0.0
        for shared in (same_item, same_rater)
    )
    return items, raters, max(both_differ - items - raters, 0.0), error


def _differences(group: Codes, mean: Vector, error: Vector) -> Vector:
    """Return the sum of squared differences within groups, less the part of the error, and the number of pairs."""
    number = np.bincount(group).astype(np.float64)
    squares = number * sum_by(group, mean**2) - sum_by(group, mean) ** 2
    of_error = (number - 1.0) * sum_by(group, error)
    return np.array([float(np.sum(squares - of_error)), float(np.sum(number * (number - 1.0) / 2.0))])


def _half_mean(sums: Vector) -> float:
    return float(sums[0] / sums[1] / 2.0) if sums[1] > 0.0 else 0.0


def _by_rater(repeats: Repeats) -> Vector:
    """Return ICC(1,1) of each rater over the repeated items."""
    values = []
    for rater in np.unique(repeats.rater):
        own = repeats.rater == rater
        item = np.unique(repeats.item[own], return_inverse=True)[1]
        anova = one_way_of(item, repeats.value[own], int(item.max()) + 1)
        values.append(anova.icc.value)
    return np.array(values)
