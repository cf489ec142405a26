"""Intervals of statistics of agreement: bootstrap over items, and jackknife over raters and items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector

LEVEL = 0.95
BATCH_CELLS = 4_000_000  # weights of a bootstrap in memory at a time
GROUPS = 20  # largest number of groups that a jackknife leaves out
NO_VARIANCE = 1e-18  # smaller variances are rounding errors
EDGE = 1.0 - 1e-9  # correlations are cut here before Fisher's transformation
FEW_ITEMS = 30  # with fewer items, a jackknife covers better than the percentiles of a bootstrap
FEWEST_GROUPS = 3  # with fewer groups, the variance of a jackknife is too uncertain


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval.

    Attributes
    ----------
    low
        Lower limit; NaN if there is no interval.
    high
        Upper limit; NaN if there is no interval.
    method
        How the interval was made, in words.
    """

    low: float
    high: float
    method: str


def no_interval(reason: str) -> Interval:
    """Return an interval without limits, and why it has none."""
    return Interval(float("nan"), float("nan"), f"none: {reason}")


def item_weights(items: int, draws: int, rng: np.random.Generator) -> Iterator[Matrix]:
    """Yield how often each item is drawn in every bootstrap sample, draws x items, some samples at a time.

    Parameters
    ----------
    items
        Number of items.
    draws
        Number of bootstrap samples.
    rng
        Source of randomness.

    Yields
    ------
    Matrix
        Weights of the items in some of the samples.
    """
    step = max(1, BATCH_CELLS // max(items, 1))
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        drawn = rng.integers(0, items, (rows, items)) + items * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


def resampled(
    statistic: Callable[[Matrix], Vector],
    size: int,
    draws: int,
    rng: np.random.Generator,
    units: str = "items",
) -> Interval:
    """Return the interval of a statistic from a bootstrap over items, or a jackknife if there are few items.

    The percentiles of a bootstrap are too narrow with few items: with 10 items they cover about 83%.

    Parameters
    ----------
    statistic
        Function of the weights of the items, samples x items, that returns one value per sample.
    size
        Number of items.
    draws
        Number of bootstrap samples.
    rng
        Source of randomness.
    units
        What is drawn, in words.

    Returns
    -------
    Interval
        Percentiles of the bootstrap; with fewer than 30 items, the limits of a jackknife over items.
    """
    if size < FEW_ITEMS:
        value = statistic(np.ones((1, size)))[0] if size else np.nan
        left_out = statistic(1.0 - np.eye(size)) if size > 1 else np.empty(0)
        return jackknife_interval(float(value), {units: left_out})
    parts = [statistic(weights) for weights in item_weights(size, draws, rng)]
    return percentiles(np.concatenate(parts), f"bootstrap over {units}, {draws:,} samples")


def percentiles(draws: Vector, method: str) -> Interval:
    """Return the 2.5% and 97.5% points of the draws that are defined."""
    defined = draws[np.isfinite(draws)]
    if len(defined) < 2:
        return no_interval("the statistic is undefined in the bootstrap samples")
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    lost = len(draws) - len(defined)
    words = method if not lost else f"{method}, {lost:,} of {len(draws):,} samples undefined"
    return Interval(float(low), float(high), words)


def leave_out_groups(codes: Codes, rng: np.random.Generator, most: int = GROUPS) -> list[Mask]:
    """Return for each group which rows remain if the group is left out.

    Parameters
    ----------
    codes
        Code of each row, such as its rater, or several codes of each row, such as its items. A row with several codes
        is left out with each of them. -1 is no code.
    rng
        Source of randomness, which assigns codes to groups if there are more codes than groups.
    most
        Largest number of groups.

    Returns
    -------
    list of Mask
        One mask per group.
    """
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=1))
    groups = max(min(len(used), most), 1)
    group = np.full(int(used.max(initial=-1)) + 2, groups)  # the last entry is for rows without a code, -1
    group[used] = rng.permutation(len(used)) % groups
    own = group[codes]
    return [np.all((own != at).reshape(len(codes), -1), axis=1) for at in range(groups)] if len(used) else []


def affordable_groups(work: int) -> int:
    """Return the number of groups that a jackknife leaves out, fewer if one value of the statistic takes long.

    >>> affordable_groups(1_000), affordable_groups(2_000_000)
    (20, 10)
    """
    return int(np.clip(20_000_000 // max(work, 1), 6, GROUPS))


def jackknife(
    statistics: Callable[[Mask], Vector],
    ways: Mapping[str, Codes],
    rng: np.random.Generator,
    most: int = GROUPS,
) -> list[Interval]:
    """Return intervals from a jackknife that leaves out groups of raters, and groups of items.

    The variances of the ways are added, so that the intervals are about new raters and new items. The variance of
    single rows, which both of them contain, is subtracted (Cameron, Gelbach & Miller 2011). The intervals are symmetric
    on the scale of Fisher's transformation atanh, with a t distribution that has the Welch-Satterthwaite degrees of
    freedom. A bootstrap over raters is no alternative: it draws raters twice, and the copies agree with each other.

    Parameters
    ----------
    statistics
        Function of the rows that are kept. It returns correlations, or coefficients with the same range.
    ways
        Codes of the rows that are left out together, by name, such as "raters" and "items".
    rng
        Source of randomness, which assigns raters or items to groups.
    most
        Largest number of groups.

    Returns
    -------
    list of Interval
        One interval per statistic, from -1 to 1. NaN if a way has fewer than 3 groups.
    """
    rows = len(next(iter(ways.values())))
    values = statistics(np.ones(rows, dtype=bool))
    left_out = {
        name: np.array([statistics(keep) for keep in leave_out_groups(codes, rng, most)])
        for name, codes in ways.items()
    }
    shared = (
        np.array([statistics(keep) for keep in leave_out_groups(np.arange(rows), rng, most)])
        if len(ways) > 1
        else np.empty((0, len(values)))
    )
    return [
        jackknife_interval(
            float(value), {name: part[:, at] for name, part in left_out.items()}, shared[:, at]
        )
        for at, value in enumerate(values)
    ]


def jackknife_interval(
    value: float, left_out: Mapping[str, Vector], of_rows: Vector | None = None
) -> Interval:
    """Return the interval from the values of a statistic that leave out one group each.

    Parameters
    ----------
    value
        Value of the statistic.
    left_out
        Values that leave out one group each, by name of the way.
    of_rows
        Values that leave out random groups of rows. Their variance, that of the error, is in the variances of all ways
        and is counted once.

    Returns
    -------
    Interval
        Limits from -1 to 1. NaN if a way has fewer than 3 groups.

    Examples
    --------
    >>> interval = jackknife_interval(0.5, {"raters": np.array([0.4, 0.5, 0.6])})
    >>> f"{interval.low:.2f} to {interval.high:.2f}, {interval.method}"
    '-0.12 to 0.84, jackknife over raters'
    """
    names = " and ".join(left_out)
    defined = {name: values[np.isfinite(values)] for name, values in left_out.items()}
    few = [name for name, values in defined.items() if len(values) < FEWEST_GROUPS]
    if few or not np.isfinite(value):
        return no_interval(f"fewer than {FEWEST_GROUPS} {few[0]}" if few else "the statistic is undefined")
    from scipy.special import stdtrit  # SciPy is slow to import

    parts = [_variance(_fisher(values)) for values in defined.values()]
    total = sum(part for part, _ in parts)
    variance = max(total - _error_variance(of_rows), *(part for part, _ in parts), 0.0)
    if variance <= NO_VARIANCE:
        return no_interval(f"the value is the same whichever {names} are left out")
    freedom = total**2 / sum(part**2 / (groups - 1) for part, groups in parts)
    reach = float(stdtrit(freedom, 0.5 + LEVEL / 2.0)) * np.sqrt(variance)
    centre = float(_fisher(np.array([value]))[0])
    low, high = float(np.tanh(centre - reach)), float(np.tanh(centre + reach))
    return Interval(min(low, value), max(high, value), f"jackknife over {names}")


def _error_variance(of_rows: Vector | None) -> float:
    defined = np.empty(0) if of_rows is None else of_rows[np.isfinite(of_rows)]
    return _variance(_fisher(defined))[0] if len(defined) >= FEWEST_GROUPS else 0.0


def of_shares(interval: Interval) -> Interval:
    """Return the interval of a share, limited to 0 and 1."""
    return replace(interval, low=max(interval.low, 0.0), high=min(interval.high, 1.0))


def _variance(values: Vector) -> tuple[float, int]:
    """Return the jackknife variance (g - 1) / g sum (v - mean)^2, and the number of groups g."""
    groups = len(values)
    return float((groups - 1) / groups * np.sum((values - values.mean()) ** 2)), groups


def _fisher(values: Vector) -> Vector:
    return np.arctanh(np.clip(values, -EDGE, EDGE))
