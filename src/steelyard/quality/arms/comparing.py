"""Compare arms: values with intervals, and tests that permute raters between arms within strata."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.quality.arms.answers import ArmAnswers, Key
from steelyard.quality.arms.measures import MEASURES, NEEDED, Measure, correlations

LEAST_RATERS = 4  # with known values in each arm; fewer raters show nothing about their differences
LEAST_ITEMS = 5  # judged by two raters in every arm
MOST_CELLS = 4_000_000  # raters times items of one arm; of more, a random sample of items is used
LEAST_OF_STRATUM = 2  # raters in each arm, so that they can be permuted
POOLED = "pooled strata"
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class ArmsSettings:
    """How arms are compared.

    Parameters
    ----------
    permutations
        Number of random permutations of raters between arms.
    gold
        Gold value of each item. Default: no comparison with gold.
    seed
        Seed of the permutations.
    """

    permutations: int = 2000
    gold: Mapping[str, float] | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ArmValue:
    """The value of a measure in one arm, with its 95% interval, in natural units."""

    condition: str
    value: float
    low: float
    high: float
    raters: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two arms compared by one measure.

    Attributes
    ----------
    first, second
        Names of the conditions.
    effect
        Ratio second / first or, for correlations, the difference second - first of Fisher's z.
    low, high
        95% interval of the effect.
    p
        p-value of the permutation test.
    adjusted_p
        p-value adjusted for the number of pairs of arms (Holm).
    """

    first: str
    second: str
    effect: float
    low: float
    high: float
    p: float
    adjusted_p: float

    @property
    def is_clear(self) -> bool:
        """Whether the arms differ, at the 5% level after adjustment."""
        return self.adjusted_p < 1.0 - LEVEL


@dataclass(frozen=True, slots=True)
class ComparedMeasure:
    """One measure in all arms, and the contrasts of all pairs of arms."""

    measure: Measure
    values: tuple[ArmValue, ...]
    contrasts: tuple[Contrast, ...]


@dataclass(frozen=True, slots=True)
class ArmsComparison:
    """The arms of a study compared by all measures that apply.

    Attributes
    ----------
    conditions
        Names of the arms.
    items
        Number of items, or pairs, that at least two raters judged in every arm.
    measures
        The measures.
    between
        Correlation of the item means of each pair of arms, with its 95% interval.
    notes
        Sentences about what was left out, and why.
    """

    conditions: tuple[str, ...]
    items: int
    measures: tuple[ComparedMeasure, ...]
    between: tuple[Contrast, ...]
    notes: tuple[str, ...]

    def by_name(self, name: str) -> ComparedMeasure | None:
        """Return a measure by its name; None if it does not apply."""
        return next((each for each in self.measures if each.measure.name == name), None)

    @property
    def best(self) -> str | None:
        """The arm that needs clearly fewer answers for equal reliability than every other arm, or None."""
        needed = self.by_name(NEEDED.name)
        contrasts = () if needed is None else needed.contrasts
        for name in self.conditions:
            own = [each for each in contrasts if name in (each.first, each.second)]
            wins = [each.is_clear and (each.effect < 1.0) == (each.second == name) for each in own]
            if len(own) == len(self.conditions) - 1 and all(wins):
                return name
        return None


def compare_arms(arms: Sequence[ArmAnswers], settings: ArmsSettings | None = None) -> ArmsComparison:
    """Compare the arms of a study.

    For each measure, the value v of an arm is computed from all of its n raters and, for each rater j, without this
    rater. The pseudo-values n v - (n - 1) v(-j) give the standard error of the difference between two arms. Its
    studentised distribution is that of permutations of the centred pseudo-values between the arms, within strata.
    Interval and p-value both come from this distribution, so they agree. Strata with fewer than two raters in an arm
    are pooled.

    Parameters
    ----------
    arms
        Answers of each arm, from `arm_answers`.
    settings
        Number of permutations, gold values and seed. Default: 2000 permutations without gold.

    Returns
    -------
    ArmsComparison
        Values, intervals and tests. Measures that cannot be computed are left out, with a note.
    """
    chosen = ArmsSettings() if settings is None else settings
    rng = np.random.default_rng(chosen.seed)
    names = tuple(arm.name for arm in arms)
    if len({arm.kind for arm in arms}) > 1 and "comparison" in {arm.kind for arm in arms}:
        note = "Some conditions collect comparisons and others do not, so only their times can be compared."
        measures = _timed(arms, chosen, rng)
        return ArmsComparison(names, 0, measures, (), (note,))
    keys = _common(arms)
    if len(keys) < LEAST_ITEMS:
        note = f"Fewer than {LEAST_ITEMS} items have answers of two raters in every condition."
        return ArmsComparison(names, len(keys), _timed(arms, chosen, rng), (), (note,))
    kept, notes = _sampled(keys, arms, rng)
    shared = [arm.at(kept) for arm in arms]
    compared = [_compared(measure, shared, chosen, rng) for measure in _measures(kept, chosen.gold)]
    between = tuple(_between(*pair) for pair in itertools.combinations(shared, 2))
    present = tuple(each for each in compared if each is not None)
    return ArmsComparison(names, len(keys), present, between, (*notes, *_few_raters(arms)))


def _timed(
    arms: Sequence[ArmAnswers], settings: ArmsSettings, rng: np.random.Generator
) -> tuple[ComparedMeasure, ...]:
    """Return the measures that do not need common items."""
    found = (_compared(each, arms, settings, rng) for each in MEASURES if each.name == "seconds")
    return tuple(each for each in found if each is not None)


def _measures(keys: tuple[Key, ...], gold: Mapping[str, float] | None) -> tuple[Measure, ...]:
    if gold is None:
        return MEASURES
    values = np.array([gold.get(key, np.nan) if isinstance(key, str) else np.nan for key in keys])
    if (~np.isnan(values)).sum() < LEAST_ITEMS:
        return MEASURES

    def compute(arm: ArmAnswers, weights: Matrix) -> Vector:
        return correlations(weights, arm, values)

    return (*MEASURES, Measure("gold", "Correlation with gold", compute, "high", is_ratio=False))


def _common(arms: Sequence[ArmAnswers]) -> tuple[Key, ...]:
    """Return the items that at least two raters judged in every arm."""
    judged = [
        {key for key, count in zip(arm.keys, arm.judged.sum(axis=0), strict=True) if count > 1}
        for arm in arms
    ]
    return tuple(sorted(set.intersection(*judged), key=str)) if judged else ()


def _sampled(
    keys: tuple[Key, ...], arms: Sequence[ArmAnswers], rng: np.random.Generator
) -> tuple[tuple[Key, ...], tuple[str, ...]]:
    most = MOST_CELLS // max(1, *(len(arm.raters) for arm in arms))
    if len(keys) <= most:
        return keys, ()
    chosen = np.sort(rng.choice(len(keys), most, replace=False))
    note = f"The arms are compared on a random sample of {most:,} of {len(keys):,} items."
    return tuple(keys[at] for at in chosen), (note,)


def _few_raters(arms: Sequence[ArmAnswers]) -> tuple[str, ...]:
    few = [arm.name for arm in arms if len(arm.raters) < LEAST_RATERS]
    if not few:
        return ()
    return (f"Conditions with fewer than {LEAST_RATERS} raters are not tested: {', '.join(few)}.",)


@dataclass(frozen=True, eq=False)
class _Estimate:
    """A measure in one arm: its value, and the pseudo-value of each rater with a known one."""

    arm: ArmAnswers
    value: float
    pseudo: Vector
    strata: tuple[str, ...]

    @property
    def variance(self) -> float:
        """Squared standard error of the value."""
        return float(self.pseudo.var(ddof=1) / len(self.pseudo))


def _estimate(arm: ArmAnswers, compute: Callable[[ArmAnswers, Matrix], Vector]) -> _Estimate | None:
    """Return the jackknife estimate of a measure; None if too few raters have values."""
    count = len(arm.raters)
    if count < LEAST_RATERS:
        return None
    (value,) = compute(arm, np.ones((1, count)))
    without = compute(arm, 1.0 - np.eye(count))
    pseudo = count * value - (count - 1) * without
    finite = np.isfinite(pseudo)
    if not np.isfinite(value) or finite.sum() < LEAST_RATERS:
        return None
    strata = tuple(arm.strata.get(rater, "") for rater, each in zip(arm.raters, finite, strict=True) if each)
    return _Estimate(arm, float(value), pseudo[finite], strata)


def _compared(
    measure: Measure, arms: Sequence[ArmAnswers], settings: ArmsSettings, rng: np.random.Generator
) -> ComparedMeasure | None:
    estimates = [_estimate(arm, measure.compute) for arm in arms]
    present = [each for each in estimates if each is not None]
    if not present:
        return None
    contrasts = [
        _contrast(measure, one, other, settings.permutations, rng)
        for one, other in itertools.combinations(present, 2)
    ]
    values = tuple(_value(measure, each) for each in present)
    return ComparedMeasure(measure, values, _adjusted(contrasts))


def _value(measure: Measure, estimate: _Estimate) -> ArmValue:
    from scipy.stats import t as student  # imported on first use

    half = float(student.ppf((1 + LEVEL) / 2, len(estimate.pseudo) - 1)) * estimate.variance**0.5
    low, high = (measure.natural(estimate.value + side * half) for side in (-1, 1))
    return ArmValue(estimate.arm.name, measure.natural(estimate.value), low, high, len(estimate.pseudo))


def _contrast(
    measure: Measure, one: _Estimate, other: _Estimate, permutations: int, rng: np.random.Generator
) -> Contrast:
    gap, error = other.value - one.value, (one.variance + other.variance) ** 0.5
    drawn = np.abs(_studentised(one, other, permutations, rng))
    extreme = int((drawn * error >= abs(gap)).sum())
    p = (1 + extreme) / (1 + permutations)
    half = float(np.quantile(drawn, LEVEL)) * error
    low, effect, high = gap - half, gap, gap + half
    if measure.is_ratio:
        low, effect, high = (measure.natural(each) for each in (low, effect, high))
    return Contrast(one.arm.name, other.arm.name, effect, low, high, p, p)


def _studentised(one: _Estimate, other: _Estimate, permutations: int, rng: np.random.Generator) -> Vector:
    """Return studentised differences after permuting the centred pseudo-values of raters within strata."""
    values = np.concatenate([one.pseudo - one.pseudo.mean(), other.pseudo - other.pseudo.mean()])
    strata = np.unique(_permutable(one.strata, other.strata), return_inverse=True)[1]
    drawn = np.argsort(strata + rng.random((permutations, len(values))), axis=1)
    mixed = np.empty((permutations, len(values)))
    mixed[:, np.argsort(strata, kind="stable")] = values[drawn]  # each rater keeps a place of their stratum
    left, right = mixed[:, : len(one.pseudo)], mixed[:, len(one.pseudo) :]
    squared = sum(each.var(axis=1, ddof=1) / each.shape[1] for each in (left, right))
    error = np.sqrt(squared)
    return np.asarray((right.mean(axis=1) - left.mean(axis=1)) / np.where(error > 0, error, np.inf))


def _permutable(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the stratum of each rater; strata with fewer than two raters in an arm are pooled into one."""
    counts = [Counter(each) for each in (one, other)]
    return [
        each if min(count[each] for count in counts) >= LEAST_OF_STRATUM else POOLED
        for each in (*one, *other)
    ]


def _adjusted(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """Return the contrasts with p-values adjusted by Holm's method."""
    largest, adjusted = 0.0, {}
    order = sorted(range(len(contrasts)), key=lambda at: contrasts[at].p)
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(contrasts) - rank) * contrasts[at].p))
        adjusted[at] = largest
    return tuple(replace(each, adjusted_p=adjusted[at]) for at, each in enumerate(contrasts))


def _between(one: ArmAnswers, other: ArmAnswers) -> Contrast:
    """Return the correlation of the item means of two arms; its interval has the jackknife errors of both arms."""
    estimates = []
    for arm, against in ((one, other), (other, one)):
        mean = (against.judged * against.position).sum(axis=0) / against.judged.sum(axis=0)
        estimates.append(_estimate(arm, partial(_correlated, mean)))
    known = [each for each in estimates if each is not None]
    if len(known) < 2:
        return Contrast(one.name, other.name, np.nan, np.nan, np.nan, np.nan, np.nan)
    value, half = known[0].value, 1.96 * sum(each.variance for each in known) ** 0.5
    low, effect, high = (float(np.tanh(each)) for each in (value - half, value, value + half))
    return Contrast(one.name, other.name, effect, low, high, np.nan, np.nan)


def _correlated(values: Vector, arm: ArmAnswers, weights: Matrix) -> Vector:
    return correlations(weights, arm, values)
