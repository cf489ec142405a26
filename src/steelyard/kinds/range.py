"""Ranges: bounds that contain the position of an item, given in two steps (Goldilocks)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from steelyard.errors import BadAnswer, CrossedRange
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.records import Row, require_inside, require_names, require_number
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import BatchFields, TableKind
from steelyard.kinds.asked import AskedQuestion, Reference
from steelyard.kinds.cell import Cell
from steelyard.kinds.correctness import HIGH, LOW
from steelyard.kinds.file_answer import FileAnswer
from steelyard.kinds.form_field import FormField, scale_field
from steelyard.kinds.kind import Kind
from steelyard.kinds.on_scale import (
    between,
    check_inside,
    is_higher,
    lies_on,
    mark_outside,
    side_off,
    to_scale,
)
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget
from steelyard.maths.arrays import Vector

HALF_WIDTH = 0.06  # median half-width of simulated ranges, on [0, 1]
WIDTH_SPREAD = 0.4  # standard deviation of the log half-width
PRACTICE_HALF_WIDTH = 2.0  # dots
FARTHER = {
    (LOW, True): "Not yet: the lower handle is too far up. Move it down.",
    (LOW, False): "Not yet: move the lower handle further up.",
    (HIGH, True): "Not yet: move the upper handle further down.",
    (HIGH, False): "Not yet: the upper handle is too far down. Move it up.",
}


@dataclass(frozen=True, slots=True)
class Range:
    """One range: the lower and the upper bound that a rater is sure of.

    Parameters
    ----------
    rater
        Id of the rater.
    item
        Id of the item.
    low
        Lower bound: the item is certainly not below it.
    high
        Upper bound: the item is certainly not above it.
    context
        Optional columns: question, system, segment, task, condition, round, at (seconds since 1970),
        milliseconds, count, and any covariates.

    Raises
    ------
    MissingValue
        If the rater or the item is empty.
    NotANumber
        If a bound is not a finite number.
    CrossedRange
        If the lower bound is above the upper bound.

    Examples
    --------
    >>> from steelyard import Judgments, Range
    >>> Judgments.of([Range("ann", "tea", 10, 30)]).score_range
    (0.0, 100.0)
    """

    kind: ClassVar[str] = "range"
    rater: str
    item: str
    low: float
    high: float
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_names(rater=self.rater, item=self.item)
        require_number("low", self.low)
        require_number("high", self.high)
        if self.low > self.high:
            raise CrossedRange(self.low, self.high)

    def check_range(self, low: float, high: float) -> None:
        """Raise ScoreOutOfRange if a bound is outside the scale."""
        require_inside(self.low, low, high)
        require_inside(self.high, low, high)

    def rows(self) -> Iterator[Row]:
        """Yield the row of this range in the long table."""
        yield {
            "rater": self.rater,
            "item": self.item,
            "low": float(self.low),
            "high": float(self.high),
            **self.context,
        }


@dataclass(frozen=True, slots=True)
class Bounds(Cell):
    """The bounds of one item in an answer.

    Attributes
    ----------
    low
        Lower bound; None for "can't judge".
    high
        Upper bound; None for "can't judge".
    kept_low, kept_high
        Whether the rater deliberately left the handle at this end of the scale.
    outside
        Whether a bound is beyond an end of the scale, if the study allows that.
    """

    kind: ClassVar[str] = "range"
    values: ClassVar[tuple[str, ...]] = ("low", "high")
    low: float | None
    high: float | None
    kept_low: bool = False
    kept_high: bool = False
    outside: bool = False

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both bounds."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def moved(self, move: Callable[[float], float]) -> Self:
        """Return the cell with both bounds moved along the scale."""
        if self.low is None or self.high is None:
            return self
        return replace(self, low=move(self.low), high=move(self.high))


def _crossed(judgments: Judgments, table: Table) -> Iterator[Fault]:
    lows, highs = table.numbers["low"], table.numbers["high"]
    yield Fault(CrossedRange, rows_where(lows > highs), lambda row: CrossedRange(lows[row], highs[row]))


TWO_STEPS = Protocol(
    "range",
    "range",
    "one item, its bounds in two steps",
    Widget(
        "widgets/scale/range.js",
        (
            "styles/dock.css",
            "styles/scale.css",
            "styles/anchors.css",
            "styles/scale-upright.css",
            "styles/steps.css",
            "styles/range.css",
        ),
    ),
    Practice(
        (40,),
        "Where on the scale could the picture be, by its number of dots?",
        "This exercise shows how the page works, in two steps. First, move the lower handle up past every picture that "
        "definitely has fewer dots. Stop when you are no longer sure. Then move the upper handle down past every "
        "picture that definitely has more dots.",
        anchored=True,
    ),
    reference="low = 30 and high = 50",
    size=1,
    grounded=True,
    demo=Demo("How filling would this be for you?", tasks=10, answers=15),
    instruction="mark the lowest and the highest position that an item could have",
    method="Raters gave the range of positions that an item could have, in two steps (Chen et al., 2021).",
    references=(
        "Chen, Q. Z., Weld, D. S., & Zhang, A. X. (2021). Goldilocks: Consistent crowdsourced scalar annotations with "
        "relative uncertainty. Proceedings of the ACM on Human-Computer Interaction, 5(CSCW2).",
    ),
    seconds=51.0,
    timing="Chen, Weld & Zhang (2021), median of a range, training included",
)


class RangeKind(Kind[Bounds]):
    """A lower and an upper bound on the scale."""

    name = "range"
    record = Range
    table = TableKind(
        "range",
        ("rater", "item"),
        ("low", "high"),
        positions=("low", "high"),
        repeats="refuse",
        fields=BatchFields(numbered=("low", "high")),
        row_faults=_crossed,
    )
    cell = Bounds
    protocols = (TWO_STEPS,)
    default_model = "goldilocks"
    marks = ("kept_low", "kept_high", "outside")
    agreement = ("alpha", "icc", "split_half", "pairwise", "leave_one_out", "self_consistency")
    two_steps = True
    scale_settings = (("beyond", False, "allow raters to place items beyond the ends"),)
    question_settings = (
        ("lower", "definitely lower", "label in step 1 for an example that the rater passes"),
        ("not_lower", "not lower", "label in step 1 for the example at which the rater stops"),
        ("higher", "definitely higher", "the same in step 2, from the upper end"),
        ("not_higher", "not higher", ""),
    )

    def check(self, cells: Sequence[Bounds], asked: AskedQuestion) -> None:
        """Check that both bounds are on the scale and do not cross, and that a kept bound is at its end."""
        for cell in cells:
            if (cell.low is None) != (cell.high is None):
                raise BadAnswer("Set both bounds, or no bound.")
            if cell.low is not None and cell.high is not None:
                _check_bounds(cell, cell.low, cell.high, asked)

    def settle(self, cell: Bounds, asked: AskedQuestion, from_file: bool) -> Bounds:
        """Return the bounds, marked if one is beyond an end of the scale."""
        return mark_outside(cell, asked.scale, from_file)

    def read_marks(self, answer: FileAnswer) -> dict[str, Any]:
        """Return which handles were kept at their end."""
        return {"kept_low": answer.ticked("kept_low"), "kept_high": answer.ticked("kept_high")}

    def mark_columns(self, cell: Bounds, asked: AskedQuestion) -> dict[str, Any]:
        """Return which handles were kept, and whether a bound is beyond an end if the study allows that."""
        outside = {"outside": cell.outside} if asked.scale.beyond else {}
        return {"kept_low": cell.kept_low, "kept_high": cell.kept_high, **outside}

    def scores(self, judgments: Judgments) -> Vector | None:
        """Return the midpoints of the ranges."""
        numbers = judgments.table(self.name).numbers
        return (numbers["low"] + numbers["high"]) / 2.0

    def agreement_values(self, judgments: Judgments) -> dict[str, Vector]:
        """Return the midpoints and the widths of the ranges."""
        numbers = judgments.table(self.name).numbers
        middle = (numbers["low"] + numbers["high"]) / 2.0
        return {"midpoints": middle, "widths": numbers["high"] - numbers["low"]}

    def describe(self, cell: Bounds, labels: Sequence[str]) -> tuple[str, float | str | None]:
        """Return the item and its bounds."""
        return labels[cell.item], None if cell.ends is None else f"{cell.ends[0]:g} to {cell.ends[1]:g}"

    def form_fields(self, asked: AskedQuestion, size: int) -> tuple[FormField, ...]:
        """Return a lower and an upper bound for each item."""
        low = scale_field("low", "Certainly not below", asked.scale)
        return (low, scale_field("high", "Certainly not above", asked.scale))

    def practice_cells(self, dots: Sequence[int]) -> tuple[Bounds, ...]:
        """Return bounds close to the number of dots."""
        return (Bounds(0, 0, dots[0] - PRACTICE_HALF_WIDTH, dots[0] + PRACTICE_HALF_WIDTH),)

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Bounds, ...] | None:
        """Return both bounds."""
        low, high = reference.low, reference.high
        if low is None or high is None or low > high or not (lies_on(low, asked) and lies_on(high, asked)):
            return None
        return (Bounds(0, 0, low, high),)

    def mistake(self, right: Bounds, attempted: Bounds, tolerance: float, step: int | None) -> str | None:
        """Return which bound is too far off; the first step asks only for the lower bound."""
        if side_off(attempted.low, right.low, tolerance) is not None:
            return LOW
        return None if step == 1 or side_off(attempted.high, right.high, tolerance) is None else HIGH

    def wrong_side(
        self, side: str, right: Bounds, attempted: Bounds, examples: Sequence[tuple[float, float]]
    ) -> tuple[int, ...]:
        """Return the examples between the handle and its correct place, each at the bound that its step shows."""
        value, wanted = (attempted.low, right.low) if side == LOW else (attempted.high, right.high)
        return between(value, wanted, [high if side == LOW else low for low, high in examples])

    def feedback(self, side: str, right: Bounds, attempted: Bounds) -> str:
        """Return which handle to move, and in which direction."""
        value, wanted = (attempted.low, right.low) if side == LOW else (attempted.high, right.high)
        return "" if value is None or wanted is None else FARTHER[side, value > wanted]

    def is_above(self, upper: Bounds, lower: Bounds, least: float) -> bool | None:
        """Whether the middle of the range is higher."""
        return is_higher(upper.ends, lower.ends, least)

    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Bounds]:
        """Return ranges around the perceived values, of varying width; bounds at an end of the scale are kept."""
        half = HALF_WIDTH * np.exp(WIDTH_SPREAD * rng.standard_normal(len(seen)))
        scale, bounds = asked.scale, (seen - half, seen + half)
        low, high = (to_scale(np.clip(bound, 0.0, 1.0), scale).tolist() for bound in bounds)
        return [
            Bounds(item, question, low[item], high[item], low[item] == scale.low, high[item] == scale.high)
            for item in range(len(seen))
        ]

    def position(self, right: Bounds, asked: AskedQuestion, items: int) -> float:
        """Return the midpoint of the range as a fraction of the scale."""
        if right.low is None or right.high is None:
            return 0.5
        return ((right.low + right.high) / 2.0 - asked.scale.low) / (asked.scale.high - asked.scale.low)


def _check_bounds(cell: Bounds, low: float, high: float, asked: AskedQuestion) -> None:
    scale = asked.scale
    check_inside("Lower bound", low, scale)
    check_inside("Upper bound", high, scale)
    if low > high:
        raise BadAnswer(f"The lower bound {low:g} is above the upper bound {high:g}.")
    if (cell.kept_low and low > scale.low) or (cell.kept_high and high < scale.high):
        raise BadAnswer("A bound that is marked as kept is not at its end of the scale.")


RANGE = RangeKind()
