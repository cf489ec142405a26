"""Ratings: how much of the quality an item has, as a score on the scale."""

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
from steelyard.kinds.kind import ELSE, HIGH, Kind
from steelyard.kinds.on_scale import check_inside, is_level, lies_on, mark_outside, side_off, to_scale
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget
from steelyard.maths.arrays import Codes, Mask, Vector

STUCK_SHARE = 0.9  # one score nearly always: a slider left where it was, or one key pressed
SLIDER = (0.0, 100.0)  # the range input of EASL's MTurk page, whose field is Answer.range
TOO_LOW = "Too low: there is more of it than that."
TOO_HIGH = "Too high: there is less of it than that."


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's answer to: how much of the quality does this item have?

    `context` holds optional columns: question, system, segment, task, condition, round, at,
    milliseconds, count, and any covariates.
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
        """Raise where a number lies outside the scale."""
        require_inside(self.score, low, high)

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table."""
        yield {"rater": self.rater, "item": self.item, "score": float(self.score), **self.context}


@dataclass(frozen=True, slots=True)
class Score(Cell):
    """How much of the quality the item has."""

    kind: ClassVar[str] = "rating"
    values: ClassVar[tuple[str, ...]] = ("score",)
    score: float | None
    outside: bool = False  # past an end of the scale, where the study lets raters go there

    @property
    def ends(self) -> tuple[float, float] | None:
        """The score, as both ends."""
        return None if self.score is None else (self.score, self.score)

    def moved(self, move: Callable[[float], float]) -> Self:
        """The cell with its score moved along the scale."""
        return self if self.score is None else replace(self, score=move(self.score))


def _batch_score(cell: FieldCell, slot: int) -> dict[str, str | None]:
    score = cell("score")
    score = cell("range") if score is None else score
    return {} if score is None else {"score": score}


def _findings(judgments: Judgments) -> Iterator[Finding]:
    """Raters who give one score nearly always, or one score to all items of a task."""
    table, raters = judgments.table("rating"), judgments.raters
    most = np.zeros(len(raters))
    rater, score = table.codes["rater"], table.numbers["score"]
    total = np.bincount(rater, minlength=len(most))
    pairs, times = np.unique(np.column_stack([rater, score]), axis=0, return_counts=True)
    np.maximum.at(most, pairs[:, 0].astype(np.int64), times)
    stuck = raters[(total >= FEWEST_ANSWERS) & (most >= STUCK_SHARE * total)]
    if len(stuck):
        words = f"gave one score in {STUCK_SHARE:.0%} or more of their answers"
        yield finding_of_raters("stuck sliders", stuck, words)
    straight = raters[straight_liners(table, len(raters))]
    if len(straight):
        words = (
            f"gave all items of a task the same score, in {STRAIGHT_TASKS} tasks or more and most of theirs"
        )
        yield finding_of_raters("straight-lining", straight, words)


def _to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """Each two scores of one task as a comparison: a tie where they differ by at most `tie_width`."""
    listed = _in_tasks(judgments)
    first, second = pairs_within(listed, "rating")
    score = listed.table("rating").numbers["score"]
    gap = score[first] - score[second]
    sign = np.where(np.abs(gap) <= tie_width, 0.0, np.sign(gap))
    return comparisons_between(listed, "rating", (first, second), sign)


def _to_rankings(judgments: Judgments, tie_width: float) -> Judgments:
    """The scores of one task as a ranking, equal scores as ties."""
    if tie_width > 0.0:
        raise BadSetting(
            "tie_width",
            "a ranking has no ties by width (a ties b, b ties c, a above c). Convert to comparison.",
        )
    listed = _in_tasks(judgments)
    table = listed.table("rating")
    rank = _ranks(answers_of(listed, "rating"), table.numbers["score"])
    numbers = {name: values for name, values in table.numbers.items() if name != "score"} | {"rank": rank}
    return replace(listed, tables={"ranking": Table(KINDS["ranking"], table.codes, numbers)}, range=None)


def _in_tasks(judgments: Judgments) -> Judgments:
    """The ratings that were made in a task, whose items were seen together."""
    table = judgments.table("rating")
    kept: Mask = table.codes.get("task", np.full(len(table), MISSING)) != MISSING
    return replace(judgments, tables={"rating": table.where(kept)})


def _ranks(answer: Codes, score: Vector) -> Vector:
    """1 for the highest score of each answer, the same for equal ones, then on from how many are above."""
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
        "First, how this page works. Put the picture where it belongs between few dots and many.",
    ),
    reference="answer = 40",
    size=1,
    demo=Demo("How filling would this be for you?", tasks=10, answers=15),
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
        "First, how this page works. Give every picture its place between few dots and many.",
    ),
    reference="answer = [20, 70]",
    becomes=("comparison",),
    label="list of {size}",
    demo=Demo("How filling would each of these be for you?", tasks=2, answers=15),
)


class RatingKind(Kind[Score]):
    """Scores on the scale, of one item or of each item of a list."""

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
            "Where on the scale the items stand and how far apart is gone, only which of two is higher is left, and "
            f"scores closer than the tie width are equal. Ratings that were made in no task are left out. {DEPENDENT}",
        ),
        Conversion(
            "ratings_to_rankings",
            "rating",
            "ranking",
            _to_rankings,
            "Where on the scale the items stand and how far apart is gone, only their order within a task is left. "
            "Ratings that were made in no task are left out.",
        ),
    )
    marks = ("outside",)
    scale_settings = (("levels", 0, "5 gives five labelled steps instead of a slider"),)

    def check(self, cells: Sequence[Score], asked: AskedQuestion) -> None:
        """Each score lies on its question's scale."""
        for score in (cell.score for cell in cells if cell.score is not None):
            check_inside("Score", score, asked.scale)
            if asked.scale.levels and not is_level(score, asked.scale):
                raise BadAnswer(f"Score {score:g} is not one of the {asked.scale.levels} levels.")

    def settle(self, cell: Score, asked: AskedQuestion, from_file: bool) -> Score:
        """The score, marked where it lies past an end."""
        return mark_outside(cell, asked.scale, from_file)

    def mark_columns(self, cell: Score, asked: AskedQuestion) -> dict[str, Any]:
        """Whether the score lies past an end, where raters may go there."""
        return {"outside": cell.outside} if asked.scale.beyond else {}

    def scores(self, judgments: Judgments) -> Vector | None:
        """The scores."""
        return judgments.table(self.name).numbers["score"]

    def fraction(self, cell: Score, asked: AskedQuestion) -> float | None:
        """The score from 0 at the lower end of the scale to 1 at the upper one."""
        if cell.score is None:
            return None
        return (cell.score - asked.scale.low) / (asked.scale.high - asked.scale.low)

    def page_words(self, protocol: Protocol, size: int, asked: AskedQuestion) -> str:
        """How many items a page has, and with what they are scored."""
        control = f"{asked.scale.levels} levels" if asked.scale.levels else "a slider"
        return f"lists of {size}, {control} for each item" if protocol is LIST else f"one item, {control}"

    def practice_cells(self, dots: Sequence[int]) -> tuple[Score, ...]:
        """The number of dots."""
        return tuple(Score(at, 0, float(count)) for at, count in enumerate(dots))

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Score, ...] | None:
        """A score for each item."""
        scores = several(reference.answer)
        if len(scores) != shown or not all(lies_on(score, asked) for score in scores):
            return None
        return tuple(Score(at, 0, score) for at, score in enumerate(scores))  # type: ignore[arg-type]

    def mistake(self, right: Score, attempted: Score, tolerance: float, step: int | None) -> str | None:
        """Too low, or too high."""
        return side_off(attempted.score, right.score, tolerance)

    def feedback(self, side: str, right: Score, attempted: Score) -> str:
        """Which way to go."""
        return "" if side == ELSE else TOO_HIGH if side == HIGH else TOO_LOW

    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Score]:
        """What is seen, at the steps of the scale."""
        on_scale = to_scale(seen, asked.scale)
        return [Score(item, question, float(score)) for item, score in enumerate(on_scale)]

    def position(self, right: Score, asked: AskedQuestion, items: int) -> float:
        """The score as a fraction of the scale."""
        fraction = self.fraction(right, asked)
        return 0.5 if fraction is None else fraction


RATING = RatingKind()
