"""Habits of raters, each seen against the others who judged the same things.

Everything here is a plain description of ratings; nothing is corrected or left out because of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from steelyard.judgments.answering import answering_speed
from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.conversions import comparisons_in
from steelyard.judgments.counting import judgments_by_rater
from steelyard.judgments.table import Judgments, Table
from steelyard.kinds.known import KINDS
from steelyard.kinds.rating import RATING
from steelyard.maths.arrays import Codes, Mask, Vector, sum_by
from steelyard.quality.rater_flags import LEAST_SHARED, AgainstOthers, flags_of, related_of, spam_flags


@dataclass(frozen=True, slots=True)
class RaterHabits:
    """How one rater answers: in points of the scale, and against the other raters of the same items.

    `bias` is the mean of score less the others' mean; `slope` the regression of scores on the others' means
    (1 = uses the scale as they do; few others make it smaller); `agreement` their correlation. Ranges count by
    their middles. Comparisons, rankings and best-worst choices have neither bias nor slope: there `agreement` is about
    who of each two was preferred. `spam` is the probability that the rater does not look at the items, where a model
    estimates it.
    """

    rater: str
    answers: int
    milliseconds: float | None
    bias: float | None
    slope: float | None
    agreement: float | None
    flags: tuple[str, ...] = ()
    spam: float | None = None


def spam_by_rater(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The spam probability of each rater, where the rows of a fit (`Fit.raters`) have one.

    >>> spam_by_rater([{"rater": "ann", "spam": 0.02}, {"rater": "bob", "bias": 4.0}])
    {'ann': 0.02}
    """
    return {str(row["rater"]): float(row["spam"]) for row in rows if "spam" in row}


def describe_raters(
    judgments: Judgments, left_out: Collection[str] = (), spam: Mapping[str, float] = MappingProxyType({})
) -> tuple[RaterHabits, ...]:
    """The habits of every rater, in the order of `judgments.raters`.

    Raters in `left_out` are described too, but are no one's others. `spam` holds the spam probabilities that a model
    gives, by rater.

    >>> from steelyard import Rating
    >>> scores = [("ann", "tea", 10), ("ann", "soup", 50), ("bob", "tea", 20), ("bob", "soup", 60)]
    >>> [habits.bias for habits in describe_raters(Judgments.of(Rating(*each) for each in scores))]
    [-10.0, 10.0]
    """
    raters, kind = judgments.raters, next(iter(judgments.kinds), "")
    if not kind or "rater" not in judgments.table(kind).codes or not len(judgments.table(kind)):
        return ()
    scored = _scored(judgments, kind)
    placed = KINDS[kind].placed
    counted = ~np.isin(raters.astype(str), list(left_out))
    against = _against_others(scored, counted)
    speed = answering_speed([judgments.table(kind)], len(raters))
    rows = np.bincount(judgments.table(kind).codes["rater"] + 1, minlength=len(raters) + 1)[1:]
    related = related_of(against, np.minimum(against.shared, rows), counted)
    flags = flags_of(scored, against, related, speed, judgments.score_range if placed else None)
    answers_by_rater = judgments_by_rater(judgments, kind)
    return tuple(
        RaterHabits(
            str(raters[at]),
            round(answers_by_rater[at]),
            _number(speed.per_task[at]),
            _number(against.bias[at]) if placed else None,
            _number(against.slope[at]) if placed else None,
            _number(against.agreement[at]),
            (*(name for name, raised in flags if raised[at]), *spam_flags(spam.get(str(raters[at])))),
            spam.get(str(raters[at])),
        )
        for at in range(len(raters))
    )


def _scored(judgments: Judgments, kind: str) -> Table:
    """Judgments as scores: those of the kind where it has any, else by who won each pair.

    Of a pair the item with the smaller code wins (1), ties (0) or loses (-1), whichever side it stood on.
    """
    table = judgments.table(kind)
    scores = KINDS[kind].scores(judgments)
    if scores is not None:
        return Table(RATING.table, table.codes, {**table.numbers, "score": scores})
    comparisons = comparisons_in(judgments)
    rows, pairs = comparisons.table("comparison"), pairs_of(comparisons)
    turned = pairs.left > pairs.right
    pair = _paired(np.minimum(pairs.left, pairs.right), np.maximum(pairs.left, pairs.right))
    codes = {
        "item": np.unique(pair, return_inverse=True)[1],
        "rater": _raters_as(judgments, comparisons, rows),
    }
    return Table(
        RATING.table, codes, {"score": np.where(turned, -pairs.outcome, pairs.outcome).astype(float)}
    )


def _raters_as(judgments: Judgments, comparisons: Judgments, rows: Table) -> Codes:
    """The raters of converted rows, by their codes before."""
    place = {label: at for at, label in enumerate(judgments.raters)}
    new = np.array([place[label] for label in comparisons.raters] + [-1])
    return new[rows.codes["rater"]]


def _against_others(ratings: Table, counted: Mask) -> AgainstOthers:
    """Moments of scores and of the leave-one-out means of what each score was given to."""
    rater, score, weight = ratings.codes["rater"], ratings.numbers["score"], ratings.weights
    size = len(counted)
    others, pairs = _others_mean(ratings, counted)
    shared_rows = ~np.isnan(others)
    near, weighs = rater[shared_rows], weight[shared_rows]
    own = _Moments.of(near, score[shared_rows], weighs, size)
    theirs = _Moments.of(near, others[shared_rows], weighs, size)
    product = (score[shared_rows] - own.mean[near]) * (others[shared_rows] - theirs.mean[near])
    covariance = sum_by(near, weighs * product, size) / own.total
    shared = np.bincount(
        near[np.unique(_paired(pairs[shared_rows], near), return_index=True)[1]], minlength=size
    )
    enough = shared >= LEAST_SHARED
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(enough & (theirs.sd > 0), covariance / theirs.sd**2, np.nan)
        both = enough & (theirs.sd > 0) & (own.sd > 0)
        agreement = np.where(both, covariance / (own.sd * theirs.sd), np.nan)
    everything = _Moments.of(rater, score, weight, size)
    answers = np.bincount(rater[rater >= 0], minlength=size).astype(float)
    return AgainstOthers(answers, everything.sd, theirs.sd, own.mean - theirs.mean, slope, agreement, shared)


def _others_mean(ratings: Table, counted: Mask) -> tuple[Vector, Codes]:
    """For each row the mean of the counted others for the same thing (NaN without any), and the thing."""
    rater, thing = ratings.codes["rater"], _things(ratings)
    counts = np.append(counted, False)[rater]
    weight = np.where(counts, ratings.weights, 0.0)
    gained = weight * ratings.numbers["score"]
    _, pair = np.unique(_paired(thing, rater), return_inverse=True)
    total = sum_by(thing, weight)[thing] - sum_by(pair, weight)[pair]
    points = sum_by(thing, gained)[thing] - sum_by(pair, gained)[pair]
    alone = (total <= 1e-9) | (rater < 0)
    return np.where(alone, np.nan, points / np.where(alone, 1.0, total)), thing


def _things(ratings: Table) -> Codes:
    """What a score was given to: an item, under a question where there are several."""
    question = ratings.codes.get("question")
    return ratings.codes["item"] if question is None else _paired(ratings.codes["item"], question)


@dataclass(frozen=True, eq=False)
class _Moments:
    """Weighted total, mean and population standard deviation by group; NaN in empty groups."""

    total: Vector
    mean: Vector
    sd: Vector

    @staticmethod
    def of(group: Codes, values: Vector, weights: Vector, size: int) -> _Moments:
        inside = group >= 0
        group, values, weights = group[inside], values[inside], weights[inside]
        counted = sum_by(group, weights, size)
        total = np.where(counted > 0, counted, np.nan)
        mean = sum_by(group, weights * values, size) / total
        variance = sum_by(group, weights * (values - mean[group]) ** 2, size) / total
        # Equal scores leave a rounding error, which is no variance.
        return _Moments(total, mean, np.where(variance > 1e-18 * (1.0 + mean**2), np.sqrt(variance), 0.0))


def _paired(one: Codes, other: Codes) -> Codes:
    """One code for each pair of codes (from -1 up)."""
    return (one + 1) * (int(other.max(initial=-1)) + 2) + other + 1


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
