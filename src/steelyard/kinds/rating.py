"""Ratings: a score on a scale for an item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from steelyard.errors import BadAnswer, BadSetting
from steelyard.judgments.answering import FEWEST_ANSWERS, STRAIGHT_TASKS, straight_liners
from steelyard.judgments.conversions import DEPENDENT, Conversion, comparisons_between, pairs_within
from steelyard.judgments.findings import Finding, finding_of_raters
from steelyard.judgments.records import Row, require_inside, require_names, require_number
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.table_kinds import KINDS, BatchFields, FieldCell, TableKind
from steelyard.judgments.tasks import answers_of
from steelyard.kinds.asked import AskedQuestion, Reference, several
from steelyard.kinds.cell import Cell
from steelyard.kinds.correctness import ELSE, HIGH
from steelyard.kinds.form_field import FormField, scale_field
from steelyard.kinds.kind import Kind
from steelyard.kinds.on_scale import (
    between,
    check_inside,
    is_higher,
    is_level,
    lies_on,
    mark_outside,
    side_off,
    to_scale,
)
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget
from steelyard.maths.arrays import Codes, Mask, Vector

STUCK_SHARE = 0.9  # almost always one score: an unmoved slider, or one key
SLIDER = (0.0, 100.0)  # of EASL's MTurk page, whose field is Answer.range
TOO_LOW = "Too low: the item has more of it."
TOO_HIGH = "Too high: the item has less of it."


@dataclass(frozen=True, slots=True)
class Rating:
    """One rating: the score that a rater gave to an item.

    Parameters
    ----------
    rater
        Id of the rater.
    item
        Id of the item.
    score
        Finite number on the scale. More of the quality means a higher score.
    context
        Optional columns: question, system, segment, task, condition, round, at (seconds since 1970),
        milliseconds, count, and any covariates.

    Raises
    ------
    MissingValue
        If the rater or the item is empty.
    NotANumber
        If the score is not a finite number.

    Examples
    --------
    >>> from steelyard import Judgments, Rating
    >>> rating = Rating("ann", "tea", 20, {"question": "taste"})
    >>> Judgments.of([rating]).kinds
    ('rating',)
    """

    kind: ClassVar[str] = "rating"
    rater: str
    item: str
    score: float
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_names(rater=self.rater, item=self.item)
        require_number("score", self.score)

    def check_range(self, low: float, high: float) -> None:
        """Raise ScoreOutOfRange if the score is outside the scale."""
        require_inside(self.score, low, high)

    def rows(self) -> Iterator[Row]:
        """Yield the row of this rating in the long table."""
        yield {"rater": self.rater, "item": self.item, "score": float(self.score), **self.context}


@dataclass(frozen=True, slots=True)
class Score(Cell):
    """The score of one item in an answer.

    Attributes
    ----------
    score
        The score; None for "can't judge".
    outside
        Whether the score is beyond an end of the scale, if the study allows that.
    """

    kind: ClassVar[str] = "rating"
    values: ClassVar[tuple[str, ...]] = ("score",)
    score: float | None
    outside: bool = False  # beyond an end of the scale, if the study allows that

    @property
    def ends(self) -> tuple[float, float] | None:
        """The score, as lower and upper end."""
        return None if self.score is None else (self.score, self.score)

    def moved(self, move: Callable[[float], float]) -> Self:
        """Return the cell with its score moved along the scale."""
        return self if self.score is None else replace(self, score=move(self.score))


def _batch_score(cell: FieldCell, slot: int) -> dict[str, str | None]:
    score = cell("score")
    score = cell("range") if score is None else score
    return {} if score is None else {"score": score}


def _findings(judgments: Judgments) -> Iterator[Finding]:
    """Yield raters who almost always give one score, or one score to all items of a task."""
    table, raters = judgments.table("rating"), judgments.raters
    most = np.zeros(len(raters))
    rater, score = table.codes["rater"], table.numbers["score"]
    total = np.bincount(rater, minlength=len(most))
    pairs, times = np.unique(np.column_stack([rater, score]), axis=0, return_counts=True)
    np.maximum.at(most, pairs[:, 0].astype(np.int64), times)
    stuck = raters[(total >= FEWEST_ANSWERS) & (most >= STUCK_SHARE * total)]
    if len(stuck):
        words = f"gave the same score in {STUCK_SHARE:.0%} or more of their answers"
        yield finding_of_raters("stuck sliders", stuck, words)
    straight = raters[straight_liners(table, len(raters))]
    if len(straight):
        words = f"gave all items of a task the same score in at least {STRAIGHT_TASKS} tasks and in most of their tasks"
        yield finding_of_raters("straight-lining", straight, words)


def _to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """Return every two scores of a task as a comparison, a tie if they differ by at most `tie_width`."""
    listed = _in_tasks(judgments)
    first, second = pairs_within(listed, "rating")
    score = listed.table("rating").numbers["score"]
    gap = score[first] - score[second]
    sign = np.where(np.abs(gap) <= tie_width, 0.0, np.sign(gap))
    return comparisons_between(listed, "rating", (first, second), sign)


def _to_rankings(judgments: Judgments, tie_width: float) -> Judgments:
    """Return the scores of a task as a ranking, with equal scores as ties."""
    if tie_width > 0.0:
        raise BadSetting(
            "tie_width",
            "rankings cannot have ties by width (a ties b, b ties c, but a is above c). Convert to comparison.",
        )
    listed = _in_tasks(judgments)
    table = listed.table("rating")
    rank = _ranks(answers_of(listed, "rating"), table.numbers["score"])
    numbers = {name: values for name, values in table.numbers.items() if name != "score"} | {"rank": rank}
    return replace(listed, tables={"ranking": Table(KINDS["ranking"], table.codes, numbers)}, range=None)


def _in_tasks(judgments: Judgments) -> Judgments:
    """Return the ratings that belong to a task, so that their items were shown together."""
    table = judgments.table("rating")
    kept: Mask = table.codes.get("task", np.full(len(table), MISSING)) != MISSING
    return replace(judgments, tables={"rating": table.where(kept)})


def _ranks(answer: Codes, score: Vector) -> Vector:
    """Return the competition rank of each score in its answer: 1 for the highest, equal for equal scores."""
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


ONE = Protocol(
    "rating",
    "rating",
    "one item",
    Widget("widgets/scale/rating.js", ("styles/rating.css",)),
    Practice(
        (70,),
        "How many dots are there?",
        "This exercise shows how the page works. Place the picture between few dots and many dots.",
    ),
    reference="answer = 40",
    size=1,
    demo=Demo("How filling would this be for you?", tasks=10, answers=15),
    instruction="rate one item",
    method="Raters rated one item at a time.",
    seconds=27.0,
    timing="Chen, Weld & Zhang (2021), median of a single value, training included",
)
LIST = Protocol(
    "list",
    "rating",
    "lists",
    Widget(
        "widgets/scale/list.js",
        ("styles/lines.css", "styles/dock.css", "styles/list.css", "styles/order.css"),
    ),
    Practice(
        (20, 85, 50),
        "How many dots does each picture have?",
        "This exercise shows how the page works. Place every picture between few dots and many dots.",
    ),
    reference="answer = [20, 70]",
    becomes=("comparison",),
    label="list of {size}",
    demo=Demo("How filling would each of these be for you?", tasks=2, answers=15),
    instruction="rate several items side by side",
    method="Raters rated {size} items side by side (Sakaguchi & Van Durme, 2018).",
    references=(
        "Sakaguchi, K., & Van Durme, B. (2018). Efficient online scalar annotation with bounded support. ACL.",
    ),
    seconds=27.0,
    timing="Chen, Weld & Zhang (2021), median of a single value, training included",
)


class RatingKind(Kind[Score]):
    """Ratings of one item, or of each item of a list."""

    name = "rating"
    record = Rating
    table = TableKind(
        "rating",
        ("rater", "item"),
        ("score",),
        positions=("score",),
        repeats="refuse",
        fields=BatchFields(numbered=("score", "range"), value=_batch_score, range=SLIDER),
        findings=_findings,
    )
    cell = Score
    protocols = (ONE, LIST)
    default_model = "steelyard"
    conversions = (
        Conversion(
            "ratings_to_comparisons",
            "rating",
            "comparison",
            _to_comparisons,
            "Positions on the scale and distances are lost; only the order of each pair remains. Scores that differ "
            f"by at most the tie width become ties. Ratings without a task are omitted. {DEPENDENT}",
        ),
        Conversion(
            "ratings_to_rankings",
            "rating",
            "ranking",
            _to_rankings,
            "Positions on the scale and distances are lost; only the order within each task remains. "
            "Ratings without a task are omitted.",
        ),
    )
    marks = ("outside",)
    agreement = ("alpha", "kappa", "icc", "split_half", "pairwise", "leave_one_out", "self_consistency")
    scale_settings = (("levels", 0, "5 shows five labelled steps instead of a slider"),)

    def check(self, cells: Sequence[Score], asked: AskedQuestion) -> None:
        """Check that each score is on the scale of its question."""
        for score in (cell.score for cell in cells if cell.score is not None):
            check_inside("Score", score, asked.scale)
            if asked.scale.levels and not is_level(score, asked.scale):
                raise BadAnswer(
                    f"Score {score:g} is not one of the {asked.scale.levels} levels of the scale."
                )

    def settle(self, cell: Score, asked: AskedQuestion, from_file: bool) -> Score:
        """Return the score, marked if it is beyond an end of the scale."""
        return mark_outside(cell, asked.scale, from_file)

    def form_fields(self, asked: AskedQuestion, size: int) -> tuple[FormField, ...]:
        """Return a score for each item."""
        return (scale_field("score", "Score", asked.scale),)

    def mark_columns(self, cell: Score, asked: AskedQuestion) -> dict[str, Any]:
        """Return whether the score is beyond an end, if the study allows that."""
        return {"outside": cell.outside} if asked.scale.beyond else {}

    def scores(self, judgments: Judgments) -> Vector | None:
        """Return the scores."""
        return judgments.table(self.name).numbers["score"]

    def fraction(self, cell: Score, asked: AskedQuestion) -> float | None:
        """Return the score from 0 at the lower end of the scale to 1 at the upper end."""
        if cell.score is None:
            return None
        return (cell.score - asked.scale.low) / (asked.scale.high - asked.scale.low)

    def page_words(self, protocol: Protocol, size: int, asked: AskedQuestion) -> str:
        """Return the number of items on a page and the control for the score."""
        control = f"{asked.scale.levels} levels" if asked.scale.levels else "a slider"
        return f"lists of {size}, {control} for each item" if protocol is LIST else f"one item, {control}"

    def practice_cells(self, dots: Sequence[int]) -> tuple[Score, ...]:
        """Return the number of dots of each picture."""
        return tuple(Score(at, 0, float(count)) for at, count in enumerate(dots))

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Score, ...] | None:
        """Return a score for each item."""
        scores = several(reference.answer)
        if len(scores) != shown or not all(lies_on(score, asked) for score in scores):
            return None
        return tuple(Score(at, 0, score) for at, score in enumerate(scores))  # type: ignore[arg-type]

    def mistake(self, right: Score, attempted: Score, tolerance: float, step: int | None) -> str | None:
        """Return whether the score is too low or too high."""
        return side_off(attempted.score, right.score, tolerance)

    def wrong_side(
        self, side: str, right: Score, attempted: Score, examples: Sequence[tuple[float, float]]
    ) -> tuple[int, ...]:
        """Return the examples between the score and the correct score."""
        return between(attempted.score, right.score, [(low + high) / 2.0 for low, high in examples])

    def feedback(self, side: str, right: Score, attempted: Score) -> str:
        """Return in which direction the score is wrong."""
        return "" if side == ELSE else TOO_HIGH if side == HIGH else TOO_LOW

    def is_above(self, upper: Score, lower: Score, least: float) -> bool | None:
        """Whether the score is higher."""
        return is_higher(upper.ends, lower.ends, least)

    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Score]:
        """Return the perceived values, rounded to the steps of the scale."""
        on_scale = to_scale(seen, asked.scale)
        return [Score(item, question, float(score)) for item, score in enumerate(on_scale)]

    def position(self, right: Score, asked: AskedQuestion, items: int) -> float:
        """Return the score as a fraction of the scale."""
        fraction = self.fraction(right, asked)
        return 0.5 if fraction is None else fraction


RATING = RatingKind()
