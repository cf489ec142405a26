"""Learning curve: how closely scales from part of the answers agree with gold values or with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from steelyard.errors import NothingToTest, SteelyardError
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.tasks import answers_of
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.scales.fit import Fit
from steelyard.scales.tables import Tabular

LEAST_ITEMS = 3  # items that two scales must share for a correlation
LEAST_ANSWERS = 4
SPREAD = (0.025, 0.975)  # quantiles over the repeats
GOLD = "gold values"
OTHER_ANSWERS = "a scale from as many other answers"


class FittingModel(Protocol):
    """A model, as far as a learning curve needs it."""

    def fit(self, judgments: Judgments) -> Fit:
        """Return the scale estimated from judgments."""


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Tabular):
    """Correlation of scales from a number of answers with gold values, or with scales from as many other answers.

    Attributes
    ----------
    answers
        Number of answers that each scale is estimated from.
    correlation
        Mean Pearson correlation over the repeats. NaN if no scale could be estimated.
    low
        2.5% quantile of the correlation over the repeats.
    high
        97.5% quantile of the correlation over the repeats.
    items
        Mean number of items that are compared: those that both scales have.
    fitted
        Number of repeats in which the scales could be estimated.
    against
        What the scales are compared with.
    notes
        Sentences about repeats that could not be used.
    """

    answers: Codes
    correlation: Vector
    low: Vector
    high: Vector
    items: Vector
    fitted: Codes
    against: str
    notes: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """Return the values of each column by name."""
        names = ("answers", "correlation", "low", "high", "items", "fitted")
        return {name: getattr(self, name) for name in names}


def learning_curve(
    model: FittingModel,
    judgments: Judgments,
    rng: np.random.Generator,
    *,
    gold: Mapping[str, float] | None = None,
    points: int = 6,
    repeats: int = 10,
) -> LearningCurve:
    """Fit a model to random parts of the answers, and correlate the scales.

    Without gold values, two disjoint parts of n answers are drawn, and the two scales are correlated. This is the
    reliability of a scale from n answers. The parts have at most half of the answers each. With gold values, one part
    of n answers is drawn, and its scale is correlated with the gold values.

    Parameters
    ----------
    model
        Model to fit.
    judgments
        Judgments. A ranking or best-worst choice is one answer and is never divided.
    rng
        Random numbers.
    gold
        Value of each item from another source. Default: none.
    points
        Numbers of answers to try, 6 by default, evenly spaced on a logarithmic scale.
    repeats
        Draws for each number of answers, 10 by default.

    Returns
    -------
    LearningCurve
        One row per number of answers.

    Raises
    ------
    NothingToTest
        If there are too few answers.
    """
    numbers = {kind: _answer_of_each_row(judgments, kind) for kind in judgments.kinds}
    total = sum(int(each.max(initial=-1)) + 1 for each in numbers.values())
    most = total if gold is not None else total // 2
    if most < LEAST_ANSWERS:
        raise NothingToTest("A learning curve", f"there are only {total} answers.", "Collect more answers.")
    first = min(max(LEAST_ANSWERS, len(judgments.items)), most)
    sizes = np.unique(np.round(np.geomspace(first, most, points)).astype(np.int64))
    part = _PartOf(judgments, numbers, total)
    drawn = [_correlations(model, part, int(size), rng, gold=gold, repeats=repeats) for size in sizes]
    return _curve(sizes, drawn, repeats, OTHER_ANSWERS if gold is None else GOLD)


@dataclass(frozen=True, eq=False)
class _PartOf:
    """Selects some of the answers, which are numbered over all kinds."""

    judgments: Judgments
    numbers: Mapping[str, Codes]
    total: int

    def __call__(self, answers: Codes) -> Judgments:
        chosen = np.zeros(self.total, dtype=bool)
        chosen[answers] = True
        start, masks = 0, dict[str, Mask]()
        for kind, number in self.numbers.items():
            masks[kind] = chosen[start + number]
            start += int(number.max(initial=-1)) + 1

        def keep(table: Table) -> Mask:
            return masks[table.kind.name]

        return self.judgments.where(keep).compact()


def _answer_of_each_row(judgments: Judgments, kind: str) -> Codes:
    table = judgments.table(kind)
    return answers_of(judgments, kind) if table.kind.per_task else np.arange(len(table))


def _correlations(
    model: FittingModel,
    part: _PartOf,
    size: int,
    rng: np.random.Generator,
    *,
    gold: Mapping[str, float] | None,
    repeats: int,
) -> Matrix:
    """Return the correlation and the number of items of each repeat, without repeats that cannot be fitted."""
    correlations = []
    for _ in range(repeats):
        order = rng.permutation(part.total)
        try:
            one = _positions(model.fit(part(order[:size])))
            other = gold if gold is not None else _positions(model.fit(part(order[size : 2 * size])))
        except SteelyardError:
            continue
        correlations.append(_correlation(one, other))
    return np.array([each for each in correlations if each is not None]).reshape(-1, 2)


def _positions(fit: Fit) -> dict[str, float]:
    return dict(zip(map(str, fit.item), fit.posterior.position.tolist(), strict=True))


def _correlation(one: Mapping[str, float], other: Mapping[str, float]) -> tuple[float, float] | None:
    shared = sorted(one.keys() & other.keys())
    pairs = np.array([(one[item], other[item]) for item in shared]).reshape(-1, 2)
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    if len(pairs) < LEAST_ITEMS or np.any(pairs.std(axis=0) == 0.0):
        return None
    return float(np.corrcoef(pairs.T)[0, 1]), float(len(pairs))


def _curve(sizes: Codes, drawn: Sequence[Matrix], repeats: int, against: str) -> LearningCurve:
    low, high = np.array(
        [np.quantile(each[:, 0], SPREAD) if len(each) else (np.nan, np.nan) for each in drawn]
    ).T
    middle, items = np.array([each.mean(axis=0) if len(each) else (np.nan, np.nan) for each in drawn]).T
    fitted = np.array([len(each) for each in drawn])
    missing = int(repeats * len(drawn) - fitted.sum())
    left_out = (
        f"{missing} of {repeats * len(drawn)} draws could not be fitted, or had too few items in common."
    )
    return LearningCurve(
        answers=sizes,
        correlation=middle,
        items=items,
        low=low,
        high=high,
        fitted=fitted,
        against=against,
        notes=(left_out,) if missing else (),
    )
