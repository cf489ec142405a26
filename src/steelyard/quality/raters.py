"""Description of raters in comparison with the other raters of the same items.

The results are descriptive. They do not change or exclude any judgment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from steelyard.judgments.answering import answering_speed, one_sided
from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.conversions import comparisons_in
from steelyard.judgments.counting import judgments_by_rater
from steelyard.judgments.keys import is_repeated
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import TableKind
from steelyard.kinds.known import KINDS
from steelyard.maths.arrays import Codes, Mask, Vector, sum_by
from steelyard.quality.rater_flags import (
    LEAST_SHARED,
    ONE_SIDED,
    AgainstOthers,
    flags_of,
    related_of,
    spam_flags,
)
from steelyard.scales.tables import Records

COMPARISON = "comparison"
SCORES = TableKind("scores", ("rater", "item"), ("score",))  # judgments of any kind as scores


@dataclass(frozen=True, slots=True)
class RaterHabits:
    """Description of one rater in comparison with the other raters of the same items.

    Ranges are represented by their midpoints. Comparisons, rankings and best-worst choices have no bias and no slope;
    their agreement is that of the preferences in each pair.

    Attributes
    ----------
    rater
        Rater.
    answers
        Number of answers.
    milliseconds
        Median time per task; None without times.
    bias
        Mean of score minus mean score of the other raters, in points of the scale.
    slope
        Slope of the regression of scores on the mean scores of the others. 1 means the same use of the scale. With few
        other raters it is biased towards 0.
    agreement
        Correlation with the mean scores of the others.
    flags
        Reasons to check this rater, as text.
    spam
        Probability that the rater answers at random; None if no model estimates it.
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
    """Return the spam probability of each rater, if the rows of a fit (`Fit.raters`) have one.

    >>> spam_by_rater([{"rater": "ann", "spam": 0.02}, {"rater": "bob", "bias": 4.0}])
    {'ann': 0.02}
    """
    return {str(row["rater"]): float(row["spam"]) for row in rows if "spam" in row}


def describe_raters(
    judgments: Judgments, left_out: Collection[str] = (), spam: Mapping[str, float] = MappingProxyType({})
) -> Records[RaterHabits]:
    """Describe every rater in comparison with the other raters.

    Parameters
    ----------
    judgments
        Judgments of one kind.
    left_out
        Raters who are described, but with whom nobody is compared. Default: none.
    spam
        Spam probability of each rater, from a model. Default: none.

    Returns
    -------
    Records of RaterHabits
        One description per rater, in the order of `judgments.raters`.

    Examples
    --------
    >>> from steelyard import Rating
    >>> scores = [("ann", "tea", 10), ("ann", "soup", 50), ("bob", "tea", 20), ("bob", "soup", 60)]
    >>> [habits.bias for habits in describe_raters(Judgments.of(Rating(*each) for each in scores))]
    [-10.0, 10.0]
    """
    raters, kind = judgments.raters, next(iter(judgments.kinds), "")
    if not kind or "rater" not in judgments.table(kind).codes or not len(judgments.table(kind)):
        return Records()
    scored = _scored(judgments, kind)
    placed = KINDS[kind].placed
    counted = ~np.isin(raters.astype(str), list(left_out))
    against = _against_others(scored, counted)
    speed = answering_speed([judgments.table(kind)], len(raters))
    rows = np.bincount(judgments.table(kind).codes["rater"] + 1, minlength=len(raters) + 1)[1:]
    related = related_of(against, np.minimum(against.shared, rows), counted)
    flags = flags_of(scored, against, related, speed, judgments.score_range if placed else None)
    if kind == COMPARISON:
        flags.append((ONE_SIDED, _one_sided(judgments)))
    answers_by_rater = judgments_by_rater(judgments, kind)
    return Records(
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


def _one_sided(judgments: Judgments) -> Mask:
    """Return which raters nearly always gave the same answer, by rater code."""
    pairs = pairs_of(judgments)
    rater = judgments.table(COMPARISON).codes["rater"]
    return one_sided(rater, pairs.outcome, pairs.weight, len(judgments.raters))


def _scored(judgments: Judgments, kind: str) -> Table:
    """Return judgments as scores. Kinds without scores are converted to pairs.

    The score of a pair is 1 if the item with the smaller code wins, 0 for a tie and -1 if it loses.
    """
    table = judgments.table(kind)
    scores = KINDS[kind].scores(judgments)
    if scores is not None:
        return Table(SCORES, table.codes, {**table.numbers, "score": scores})
    comparisons = comparisons_in(judgments)
    rows, pairs = comparisons.table(COMPARISON), pairs_of(comparisons)
    turned = pairs.left > pairs.right
    pair = _paired(np.minimum(pairs.left, pairs.right), np.maximum(pairs.left, pairs.right))
    codes = {
        "item": np.unique(pair, return_inverse=True)[1],
        "rater": _raters_as(judgments, comparisons, rows),
    }
    score = np.where(turned, -pairs.outcome, pairs.outcome).astype(float)
    return Table(SCORES, codes, {"score": score, "count": rows.weights})


def _raters_as(judgments: Judgments, comparisons: Judgments, rows: Table) -> Codes:
    """Return the raters of converted rows by their original codes."""
    place = {label: at for at, label in enumerate(judgments.raters)}
    new = np.array([place[label] for label in comparisons.raters] + [-1])
    return new[rows.codes["rater"]]


def _against_others(ratings: Table, counted: Mask) -> AgainstOthers:
    """Return moments of scores and of the leave-one-out means of the same items."""
    rater, score, weight = ratings.codes["rater"], ratings.numbers["score"], ratings.weights
    size = len(counted)
    others, pairs = _others_mean(ratings, counted)
    shared_rows = ~np.isnan(others)
    near, weighs = rater[shared_rows], weight[shared_rows]
    own = _Moments.of(near, score[shared_rows], weighs, size)
    theirs = _Moments.of(near, others[shared_rows], weighs, size)
    product = (score[shared_rows] - own.mean[near]) * (others[shared_rows] - theirs.mean[near])
    covariance = sum_by(near, weighs * product, size) / own.total
    shared = _things_by_rater(pairs[shared_rows], near, size)
    enough = shared >= LEAST_SHARED
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(enough & (theirs.sd > 0), covariance / theirs.sd**2, np.nan)
        both = enough & (theirs.sd > 0) & (own.sd > 0)
        agreement = np.where(both, covariance / (own.sd * theirs.sd), np.nan)
    everything = _Moments.of(rater, score, weight, size)
    answers = np.bincount(rater[rater >= 0], minlength=size).astype(float)
    return AgainstOthers(answers, everything.sd, theirs.sd, own.mean - theirs.mean, slope, agreement, shared)


def _others_mean(ratings: Table, counted: Mask) -> tuple[Vector, Codes]:
    """Return for each row the mean of the other counted raters (NaN without any), and the code of what was judged."""
    rater, thing = ratings.codes["rater"], _things(ratings)
    counts = np.append(counted, False)[rater]
    weight = np.where(counts, ratings.weights, 0.0)
    gained = weight * ratings.numbers["score"]
    own_weight, own_points = weight.copy(), gained.copy()
    again = is_repeated(_paired(thing, rater))
    _, pair = np.unique(_paired(thing, rater)[again], return_inverse=True)
    own_weight[again], own_points[again] = (sum_by(pair, each[again])[pair] for each in (weight, gained))
    total = sum_by(thing, weight)[thing] - own_weight
    points = sum_by(thing, gained)[thing] - own_points
    alone = (total <= 1e-9) | (rater < 0)
    return np.where(alone, np.nan, points / np.where(alone, 1.0, total)), thing


def _things_by_rater(thing: Codes, rater: Codes, size: int) -> Codes:
    """Return the number of different things of each rater."""
    ordered = np.sort(_paired(rater, thing))
    first = np.r_[True, ordered[1:] != ordered[:-1]] if len(ordered) else np.empty(0, dtype=bool)
    owner = ordered[first] // (int(thing.max(initial=-1)) + 2) - 1
    return np.bincount(owner[owner >= 0], minlength=size)


def _things(ratings: Table) -> Codes:
    """Return the code of what was judged: an item, or an item under a question."""
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
        # Equal scores can have a tiny variance from rounding errors.
        return _Moments(total, mean, np.where(variance > 1e-18 * (1.0 + mean**2), np.sqrt(variance), 0.0))


def _paired(one: Codes, other: Codes) -> Codes:
    """Return one code for each pair of codes, which start at -1."""
    return (one + 1) * (int(other.max(initial=-1)) + 2) + other + 1


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
