"""Judgments of one kind told as another, each conversion with a sentence on what is lost.

The pairs of one task are dependent: n (n - 1) / 2 comparisons made of one ranking are not as much evidence as that
many comparisons made one by one, and standard errors that take them for independent are too small. The task column
is kept, so that errors can be clustered by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import BadSetting, NothingToConvert, UnknownName
from steelyard.judgments.coding import Vocabulary
from steelyard.judgments.kinds import KINDS, OUTCOMES, known_kind
from steelyard.judgments.pairs import pairs_of
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.tasks import answers_of, by_size
from steelyard.maths.arrays import Codes, Mask, Vector, object_cells

KEPT_TEXT = ("rater", "question", "segment", "task", "condition")
DEPENDENT = (
    "The pairs of one task are dependent, which standard errors that take them for independent do not know."
)


@dataclass(frozen=True, slots=True)
class Conversion:
    """How one kind of judgment is told as another, and what that loses.

    `function` takes the judgments and a tie width, and gives judgments of the new kind alone.
    """

    name: str
    source: str
    target: str
    function: Callable[[Judgments, float], Judgments]
    lost: str


def convert(judgments: Judgments, to: str = "comparison", tie_width: float = 0.0) -> Judgments:
    """All judgments that can be told as this kind, told so; those of this kind already stay as they are.

    Scores of one task that differ by at most `tie_width` tie. Of two items, the one whose id sorts first stands left:
    sides mean nothing. `losses` says what is lost.

    >>> from steelyard import Ranking
    >>> ranked = Judgments.of([Ranking("ann", "t1", {"tea": 1, "milk": 2, "soup": 2})])
    >>> told = convert(ranked, "comparison")
    >>> list(zip(*(told.cells("comparison", name).tolist() for name in ("left", "right", "outcome"))))
    [('milk', 'tea', 'right'), ('soup', 'tea', 'right'), ('milk', 'soup', 'tie')]
    """
    kind = known_kind(to)
    if not 0.0 <= tie_width < np.inf:
        raise BadSetting("tie_width", f"{tie_width} is not a number from 0 up.")
    parts = _converted(judgments, kind, tie_width)
    if not parts:
        known = [f"{each.source} to {each.target}" for each in CONVERSIONS.values()]
        raise NothingToConvert(judgments.kinds, kind, known)
    return replace(Judgments.concat(parts), range=judgments.range if kind == "rating" else None)


def comparisons_in(judgments: Judgments) -> Judgments:
    """All comparisons that these judgments contain; empty where no task has two items that were judged.

    >>> from steelyard import Ranking
    >>> len(comparisons_in(Judgments.of([Ranking("ann", "t1", {"tea": 1})])))
    0
    """
    parts = _converted(judgments, "comparison", 0.0)
    return replace(Judgments.concat(parts), range=None) if parts else Judgments({}, {})


def _converted(judgments: Judgments, kind: str, tie_width: float) -> list[Judgments]:
    """The judgments of this kind that each conversion gives, and those that are of this kind already."""
    parts = [each.function(judgments, tie_width) for each in conversions_of(judgments, kind)]
    if kind in judgments.tables:
        parts.append(replace(judgments, tables={kind: judgments.tables[kind]}))
    return [part.compact() for part in parts if len(part)]


def conversions_of(judgments: Judgments, to: str) -> list[Conversion]:
    """The conversions that tell these judgments as this kind."""
    kind = known_kind(to)
    targets = {each.target for each in CONVERSIONS.values()}
    if kind not in targets:
        raise UnknownName("kind to convert to", to, sorted(targets))
    return [each for each in CONVERSIONS.values() if each.target == kind and each.source in judgments.tables]


def losses(judgments: Judgments, to: str = "comparison") -> list[str]:
    """What is lost when these judgments are told as this kind, a sentence or two for each kind that is told anew."""
    return [f"{each.source} to {each.target}: {each.lost}" for each in conversions_of(judgments, to)]


def ratings_to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """Each two scores of one task as a comparison: a tie where they differ by at most `tie_width`."""
    told = _in_tasks(judgments)
    first, second = _pairs(told, "rating")
    score = told.table("rating").numbers["score"]
    gap = score[first] - score[second]
    sign = np.where(np.abs(gap) <= tie_width, 0.0, np.sign(gap))
    return _comparisons(told, "rating", (first, second), sign)


def ratings_to_rankings(judgments: Judgments, tie_width: float) -> Judgments:
    """The scores of one task as a ranking, equal scores as ties."""
    if tie_width > 0.0:
        raise BadSetting(
            "tie_width",
            "a ranking has no ties by width (a ties b, b ties c, a above c). Convert to comparison.",
        )
    told = _in_tasks(judgments)
    table = told.table("rating")
    rank = _ranks(answers_of(told, "rating"), table.numbers["score"])
    numbers = {name: values for name, values in table.numbers.items() if name != "score"} | {"rank": rank}
    return replace(told, tables={"ranking": Table(KINDS["ranking"], table.codes, numbers)}, range=None)


def rankings_to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """All n (n - 1) / 2 pairs of each ranking, ties kept."""
    first, second = _pairs(judgments, "ranking")
    rank = judgments.table("ranking").numbers["rank"]
    return _comparisons(judgments, "ranking", (first, second), np.sign(rank[second] - rank[first]))


def best_worst_to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """The 2n - 3 pairs that a best-worst choice of n items decides: the best over all, all over the worst.

    Answers without one best and one other worst item are left out.
    """
    table = judgments.table("best_worst")
    words = {"best": 1.0, "worst": -1.0, "none": 0.0}
    sign = np.array([words[label] for label in judgments.labels("choice")])[table.codes["choice"]]
    answer = answers_of(judgments, "best_worst")
    size = int(answer.max(initial=-1)) + 1
    best, worst = (np.bincount(answer[sign == wanted], minlength=size) for wanted in (1.0, -1.0))
    sound = (best == 1) & (worst == 1)
    first, second = _pairs(judgments, "best_worst")
    gap = np.sign(sign[first] - sign[second])
    decided = sound[answer[first]] & (gap != 0.0)
    return _comparisons(judgments, "best_worst", (first[decided], second[decided]), gap[decided])


def comparisons_to_rankings(judgments: Judgments, tie_width: float) -> Judgments:
    """Each comparison as a ranking of two, in a task of its own."""
    table, pairs = judgments.table("comparison"), pairs_of(judgments)
    codes = {
        name: np.tile(table.codes[name], 2) for name in KEPT_TEXT if name in table.codes and name != "task"
    }
    codes["item"] = np.r_[pairs.left, pairs.right]
    codes["task"] = np.tile(np.arange(len(table)), 2)
    numbers = {
        name: np.tile(table.numbers[name], 2) for name in ("round", "at", "count") if name in table.numbers
    }
    numbers["rank"] = np.r_[np.where(pairs.outcome < 0, 2.0, 1.0), np.where(pairs.outcome > 0, 2.0, 1.0)]
    tasks = Vocabulary(object_cells(f"comparison {at + 1}" for at in range(len(table))))
    vocabularies = {**judgments.vocabularies, "task": tasks}
    return Judgments({"ranking": Table(KINDS["ranking"], codes, numbers)}, vocabularies)


def _in_tasks(judgments: Judgments) -> Judgments:
    """The ratings that were made in a task, whose items were seen together."""
    table = judgments.table("rating")
    kept: Mask = table.codes.get("task", np.full(len(table), MISSING)) != MISSING
    return replace(judgments, tables={"rating": table.where(kept)})


def _ranks(answer: Codes, score: Vector) -> Vector:
    """1 for the highest score of each answer, the same for equal ones, then on from how many stand above."""
    order = np.lexsort((-score, answer))
    new_answer = (
        np.r_[True, answer[order][1:] != answer[order][:-1]] if len(order) else np.empty(0, dtype=bool)
    )
    new_rank = new_answer | np.r_[True, score[order][1:] != score[order][:-1]][: len(order)]
    at = np.arange(len(order))
    begin = np.maximum.accumulate(np.where(new_answer, at, 0))
    rank = np.empty(len(order))
    rank[order] = np.maximum.accumulate(np.where(new_rank, at, 0)) - begin + 1
    return rank


def _pairs(judgments: Judgments, kind: str) -> tuple[Codes, Codes]:
    """Rows of every two different items of one answer, the one whose id sorts first as first."""
    table = judgments.table(kind)
    if not len(table):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    place = judgments.vocabularies["item"].in_order()[1][table.codes["item"]]
    parts = []
    for rows in by_size(answers_of(judgments, kind)):
        sorted_rows = np.take_along_axis(rows, np.argsort(place[rows], axis=1, kind="stable"), axis=1)
        one, other = np.triu_indices(rows.shape[1], 1)
        parts.append(np.stack([sorted_rows[:, one].ravel(), sorted_rows[:, other].ravel()]))
    first, second = np.concatenate(parts, axis=1)
    order = np.lexsort((np.maximum(first, second), np.minimum(first, second)))  # as in the file
    first, second = first[order], second[order]
    different = place[first] != place[second]
    return first[different], second[different]


def _comparisons(judgments: Judgments, kind: str, rows: tuple[Codes, Codes], sign: Vector) -> Judgments:
    """Comparisons of the first rows' items (left) with the second's, with what both rows have in common."""
    table, (first, second) = judgments.table(kind), rows
    codes = {"left": table.codes["item"][first], "right": table.codes["item"][second]}
    vocabularies = dict(judgments.vocabularies)
    for name in KEPT_TEXT:
        if name in table.codes:
            one, other = table.codes[name][first], table.codes[name][second]
            codes[name] = np.where(one == other, one, MISSING)
    if "system" in table.codes:
        for side, at in (("left_system", first), ("right_system", second)):
            codes[side] = table.codes["system"][at]
    codes["outcome"] = np.select([sign > 0, sign < 0], [0, 1], 2)  # in the order of OUTCOMES
    vocabularies["outcome"] = Vocabulary(object_cells(OUTCOMES))
    told = Table(KINDS["comparison"], codes, _numbers(table, first, second))
    return Judgments({"comparison": told}, vocabularies)


def _numbers(table: Table, first: Codes, second: Codes) -> dict[str, Vector]:
    """The round where both rows have one, the later time, and the smaller count."""
    joined: dict[str, Callable[[Vector, Vector], Vector]] = {
        "round": lambda one, other: np.where(one == other, one, np.nan),
        "at": np.maximum,
        "count": np.minimum,
    }
    return {
        name: join(table.numbers[name][first], table.numbers[name][second])
        for name, join in joined.items()
        if name in table.numbers
    }


CONVERSIONS = {
    each.name: each
    for each in (
        Conversion(
            "ratings_to_comparisons",
            "rating",
            "comparison",
            ratings_to_comparisons,
            "Where on the scale the items stand and how far apart is gone, only which of two is higher is left, and "
            f"scores closer than the tie width are equal. Ratings that were made in no task are left out. {DEPENDENT}",
        ),
        Conversion(
            "rankings_to_comparisons",
            "ranking",
            "comparison",
            rankings_to_comparisons,
            "That the items were ranked as a whole is gone: a pair no longer says which others stood beside it. "
            f"{DEPENDENT}",
        ),
        Conversion(
            "best_worst_to_comparisons",
            "best_worst",
            "comparison",
            best_worst_to_comparisons,
            "Pairs of items that were neither best nor worst are undecided and left out, and that the best and the "
            f"worst were chosen out of all is gone. {DEPENDENT}",
        ),
        Conversion(
            "ratings_to_rankings",
            "rating",
            "ranking",
            ratings_to_rankings,
            "Where on the scale the items stand and how far apart is gone, only their order within a task is left. "
            "Ratings that were made in no task are left out.",
        ),
        Conversion(
            "comparisons_to_rankings",
            "comparison",
            "ranking",
            comparisons_to_rankings,
            "Which item stood left and which right is gone, and so is the task that several comparisons shared.",
        ),
    )
}
