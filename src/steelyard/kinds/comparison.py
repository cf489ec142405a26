"""Comparisons of two items, with ties, strength and "both bad" if a study asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, cast

import numpy as np

from steelyard.errors import BadAnswer, RowMistake, SelfComparison, UnknownOutcome
from steelyard.judgments.coding import Vocabulary
from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.conversions import KEPT_TEXT, Conversion
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.findings import Finding, finding_of_raters
from steelyard.judgments.orders import Orders
from steelyard.judgments.records import Row, require_names
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.table_kinds import KINDS, OUTCOMES, BatchFields, FieldCell, TableKind
from steelyard.judgments.validation import rows_with_other_words
from steelyard.kinds.asked import AskedQuestion, Reference, several
from steelyard.kinds.cell import Cell
from steelyard.kinds.file_answer import FileAnswer
from steelyard.kinds.form_field import FormField
from steelyard.kinds.kind import CellColumns, Kind
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget
from steelyard.kinds.within_tasks import FAR, MIDDLE, TIE_WIDTH, without_equals
from steelyard.maths.arrays import Vector, object_cells

Outcome = Literal["left", "right", "tie"]
STRENGTHS = (1, 2, 3)  # slightly, clearly, much
STRENGTH_STEPS = (0.2, 0.4)  # differences from which a simulated rater answers 2 and 3
BAD_BELOW = 0.25  # simulated raters call both items of a tie bad below this value
BOTH_BAD = "both_bad"  # the outcome of a tie in MTurk results if neither item is good
ONE_SIDE_ANSWERS = 8  # random answers choose one side eight times in 1 of 128 cases
SIGNS = {"right": 1.0, "left": -1.0}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison: which of two items has more of the quality.

    Parameters
    ----------
    rater
        Id of the rater.
    left
        Id of the item shown on the left.
    right
        Id of the item shown on the right.
    outcome
        "left" or "right" for the item with more of the quality, or "tie".
    context
        Optional columns: question, system, segment, task, condition, round, at (seconds since 1970),
        milliseconds, count, and any covariates.

    Raises
    ------
    MissingValue
        If an id is empty.
    SelfComparison
        If both items are the same.
    UnknownOutcome
        If the outcome is not "left", "right" or "tie".

    Examples
    --------
    >>> from steelyard import Comparison, Judgments
    >>> Judgments.of([Comparison("ann", "tea", "milk", "left")]).items.tolist()
    ['tea', 'milk']
    """

    kind: ClassVar[str] = "comparison"
    rater: str
    left: str
    right: str
    outcome: Outcome
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_names(rater=self.rater, left=self.left, right=self.right)
        if self.left == self.right:
            raise SelfComparison(self.left, self.rater)
        if self.outcome not in OUTCOMES:
            raise UnknownOutcome(self.outcome)

    def check_range(self, low: float, high: float) -> None:
        """Do nothing: a comparison has no score."""

    def rows(self) -> Iterator[Row]:
        """Yield the row of this comparison in the long table."""
        sides = {"rater": self.rater, "left": self.left, "right": self.right}
        yield {**sides, "outcome": self.outcome, **self.context}


@dataclass(frozen=True, slots=True)
class Verdict(Cell):
    """The outcome of one comparison in an answer.

    Attributes
    ----------
    outcome
        `"left"` if the first item of the task has more, `"right"` if this item has more, `"tie"`, or None for
        "can't judge".
    strength
        Size of the difference from 1 to 3, if the study asks for it.
    both_bad
        Whether a tie was given as "Both bad".
    """

    kind: ClassVar[str] = "comparison"
    values: ClassVar[tuple[str, ...]] = ("outcome",)
    outcome: Outcome | None
    strength: int | None = None
    both_bad: bool = False


def _row_faults(judgments: Judgments, table: Table) -> Iterator[Fault]:
    """Yield items compared with themselves, and unknown outcomes."""
    codes, outcomes = table.codes, judgments.labels("outcome")
    itself = (codes["left"] == codes["right"]) & (codes["left"] != MISSING)

    def say(row: int) -> RowMistake:
        rater = judgments.raters[codes["rater"][row]] if codes["rater"][row] != MISSING else ""
        return SelfComparison(judgments.items[codes["left"][row]], rater)

    yield Fault(SelfComparison, rows_where(itself), say)
    unknown = rows_with_other_words(judgments, table, "outcome")
    yield Fault(UnknownOutcome, unknown, lambda row: UnknownOutcome(outcomes[codes["outcome"][row]]))


def _findings(judgments: Judgments) -> Iterator[Finding]:
    """Yield raters who always choose one side."""
    table, outcomes = judgments.table("comparison"), judgments.labels("outcome")
    total = np.bincount(table.codes["rater"], minlength=len(judgments.raters))
    for side in ("left", "right"):
        chosen = np.flatnonzero(outcomes == side)
        rows = np.isin(table.codes["outcome"], chosen)
        times = np.bincount(table.codes["rater"][rows], minlength=len(total))
        always = judgments.raters[(total >= ONE_SIDE_ANSWERS) & (times == total)]
        if len(always):
            yield finding_of_raters("always one side", always, f"chose the {side} item every time")


def _orders(judgments: Judgments) -> Orders:
    """Return one statement per comparison, each from its own perception of both items."""
    table, pairs = judgments.table("comparison"), pairs_of(judgments)
    right_won = pairs.outcome < 0
    return Orders(
        np.where(right_won, pairs.right, pairs.left),
        np.where(right_won, pairs.left, pairs.right),
        pairs.outcome == 0,
        np.where(right_won, -1.0, 1.0),
        np.arange(len(pairs)),
        table.codes.get("rater", np.full(len(pairs), MISSING)),
        np.where(table.codes["outcome"] == MISSING, 0.0, pairs.weight),
        np.full(len(pairs), float(len(OUTCOMES))),
        shared=False,
    )


def _batch_outcome(cell: FieldCell, slot: int) -> dict[str, str | None]:
    outcome, strength = cell("outcome"), cell("strength")
    if outcome is None:
        return {}
    word = outcome.casefold()
    values: dict[str, str | None] = {"outcome": "tie" if word == BOTH_BAD else word}
    if word == BOTH_BAD:
        values["both_bad"] = "yes"
    return values if strength is None else {**values, "strength": strength}


def _to_rankings(judgments: Judgments, tie_width: float) -> Judgments:
    """Return each comparison as a ranking of two items, in a separate task."""
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


PAIR = Protocol(
    "comparison",
    "comparison",
    "two items",
    Widget(
        "widgets/choices/comparison.js", ("styles/dock.css", "styles/choices.css", "styles/comparison.css")
    ),
    Practice(
        (30, 60),
        "Which picture has more dots?",
        "This exercise shows how the page works. Choose the picture that has more dots.",
    ),
    reference='answer = "left"',
    size=2,
    usual_answers=10,
    least=2,
    against=True,
    first=1,
    takes=("ties", "both_bad", "strength"),
    question="Which item has more of this quality?",
    demo=Demo("Which would be more filling for you?", tasks=10, answers=25),
    instruction="choose one of two items",
    method="Raters compared two items at a time.",
    seconds=5.6,
    timing="half of a comparison in Chen, Weld & Zhang (2021), median",
)
EVERY_PAIR = Protocol(
    "comparison_list",
    "comparison",
    "one item against the others of its group",
    Widget(
        "widgets/choices/comparison-list.js",
        ("styles/lines.css", "styles/dock.css", "styles/choices.css", "styles/comparison-list.css"),
    ),
    Practice(
        (50, 20, 80),
        "Which picture of each pair has more dots?",
        "This exercise shows how the page works. Compare the first picture with each of the others.",
    ),
    reference='answer = ["left", "tie"]',
    selection="all_pairs",
    least=2,
    against=True,
    first=1,
    takes=("ties",),
    question="Which item has more of this quality?",
    demo=Demo("Which would be more filling for you?", tasks=7, answers=10),
    instruction="compare one item with each other item of the page",
    method="Raters compared one item at a time with every other item of its group.",
    seconds=5.6,
    timing="half of a comparison in Chen, Weld & Zhang (2021), median",
)


class ComparisonKind(Kind[Verdict]):
    """Comparisons of the first item of a page with each other item."""

    name = "comparison"
    record = Comparison
    table = TableKind(
        "comparison",
        ("rater", "left", "right", "outcome"),
        words={"outcome": OUTCOMES},
        repeat="the same rater's comparison of the same pair",
        fields=BatchFields(numbered=("outcome",), beside=("strength",), value=_batch_outcome),
        row_faults=_row_faults,
        findings=_findings,
        orders=_orders,
    )
    cell = Verdict
    protocols = (PAIR, EVERY_PAIR)
    default_model = "bradley_terry"
    earlier_default_model = "trueskill"
    conversions = (
        Conversion(
            "comparisons_to_rankings",
            "comparison",
            "ranking",
            _to_rankings,
            "The sides on which the items were shown and the tasks that comparisons share are lost.",
        ),
    )
    marks = ("both_bad", "strength")
    agreement = ("by_pair", "triads", "self_consistency")

    def check(self, cells: Sequence[Verdict], asked: AskedQuestion) -> None:
        """Check that each outcome was offered, with a strength if the study asks for one."""
        for cell in cells:
            _check_outcome(cell, asked)
            wanted = asked.strength and cell.outcome in ("left", "right")
            if (cell.strength is not None) != wanted or cell.strength not in (None, *STRENGTHS):
                words = (
                    "Choose how much more: 1, 2 or 3." if wanted else "This answer cannot have a strength."
                )
                raise BadAnswer(words)

    def read_marks(self, answer: FileAnswer) -> dict[str, Any]:
        """Return the strength, and whether both items are bad."""
        strength = answer.beside.get("strength")
        number = None if strength is None else int(float(strength))
        return {"strength": number, "both_bad": answer.ticked("both_bad")}

    def wrong_mark(self, beside: Mapping[str, str | None]) -> str | None:
        """Return what is wrong with the strength."""
        strength = beside.get("strength")
        if strength is None or re.fullmatch(r"[123](\.0*)?", strength):
            return None
        return f"strength {strength!r} is not 1, 2 or 3."

    def columns(self, cells: Sequence[Verdict], asked: AskedQuestion) -> tuple[CellColumns, CellColumns]:
        """Return the outcome, and the further answers that the study asks for."""
        text: CellColumns = {"outcome": [cell.outcome for cell in cells]}
        if asked.both_bad:
            text["both_bad"] = ["yes" if cell.both_bad else "no" for cell in cells]
        strengths = [float("nan") if cell.strength is None else cell.strength for cell in cells]
        return text, {"strength": strengths} if asked.strength else {}

    def mark_columns(self, cell: Verdict, asked: AskedQuestion) -> dict[str, Any]:
        """Return the strength and whether both items are bad, if the study asks for them."""
        strength = {"strength": cell.strength} if asked.strength else {}
        return {**strength, **({"both_bad": cell.both_bad} if asked.both_bad else {})}

    def describe(self, cell: Verdict, labels: Sequence[str]) -> tuple[str, float | str | None]:
        """Return both items, and which of them has more."""
        return f"{labels[0]} | {labels[cell.item]}", cell.outcome

    def form_fields(self, asked: AskedQuestion, size: int) -> tuple[FormField, ...]:
        """Return the outcome of the first item against each other item, and the strength if it is asked."""
        choices = [("left", "Item 1"), ("right", "Item {slot}")]
        choices += [("tie", "About equal")] if asked.ties else []
        choices += [("both_bad", "Both bad")] if asked.both_bad else []
        outcome = FormField("outcome", "Answer", tuple(choices), first=2)
        if not asked.strength:
            return (outcome,)
        degrees = (("1", "slightly"), ("2", "clearly"), ("3", "much"))
        return (outcome, FormField("strength", "How much more", degrees, first=2, required=False))

    def practice_cells(self, dots: Sequence[int]) -> tuple[Verdict, ...]:
        """Return which picture has more dots."""
        others = enumerate(dots[1:], 1)
        return tuple(Verdict(at, 0, "right" if count > dots[0] else "left") for at, count in others)

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Verdict, ...] | None:
        """Return an outcome for each item except the first."""
        outcomes = several(reference.answer)
        if len(outcomes) != shown - 1 or not set(outcomes) <= set(OUTCOMES):
            return None
        return tuple(Verdict(at, 0, cast(Outcome, outcome)) for at, outcome in enumerate(outcomes, 1))

    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Verdict]:
        """Return the item that seems to have more; a tie if the two seem close and ties are allowed."""
        apart = without_equals(seen, rng)
        return [_simulated(apart[0], apart[item], item, question, asked) for item in range(1, len(apart))]

    def position(self, right: Verdict, asked: AskedQuestion, items: int) -> float:
        """Return a value above or below the middle, which is the reference item's value."""
        return MIDDLE + FAR * SIGNS.get(right.outcome or "", 0.0)


def _check_outcome(cell: Verdict, asked: AskedQuestion) -> None:
    if cell.outcome is not None and cell.outcome not in OUTCOMES:
        raise BadAnswer(f"Outcome {cell.outcome!r} is not one of {', '.join(OUTCOMES)}.")
    if cell.outcome == "tie" and not asked.ties:
        raise BadAnswer("This study does not allow ties.")
    if cell.both_bad and not (asked.both_bad and cell.outcome == "tie"):
        raise BadAnswer("Only a tie can be marked as both bad, and only if the study asks for it.")


def _simulated(left: float, right: float, item: int, question: int, asked: AskedQuestion) -> Verdict:
    gap = left - right
    tied = asked.ties and abs(gap) < TIE_WIDTH
    outcome: Outcome = "tie" if tied else "left" if gap > 0 else "right"
    strength = 1 + sum(bool(abs(gap) >= step) for step in STRENGTH_STEPS)
    return Verdict(
        item,
        question,
        outcome,
        strength if asked.strength and not tied else None,
        bool(asked.both_bad and tied and max(left, right) < BAD_BELOW),
    )


COMPARISON = ComparisonKind()
