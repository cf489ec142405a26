"""Best-worst choices: which item of a task has the most of the quality, and which has the least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadAnswer, BadChoice, RowMistake
from steelyard.judgments.conversions import DEPENDENT, Conversion, comparisons_between, pairs_within
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.keys import row_key
from steelyard.judgments.orders import Orders, task_orders
from steelyard.judgments.records import Row, require_names
from steelyard.judgments.table import Judgments, Table, with_missing
from steelyard.judgments.table_kinds import BatchFields, FieldCell, TableKind
from steelyard.judgments.tasks import TOGETHER, answers_of
from steelyard.judgments.validation import rows_with_other_words
from steelyard.kinds.asked import AskedQuestion, Reference
from steelyard.kinds.cell import Cell
from steelyard.kinds.correctness import ELSE, HIGH, LOW
from steelyard.kinds.form_field import FormField
from steelyard.kinds.kind import Kind
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget
from steelyard.kinds.within_tasks import FAR, MIDDLE, without_equals
from steelyard.maths.arrays import Codes, Vector

ChoiceWord = Literal["best", "worst", "none"]
CHOICES = ("best", "worst", "none")
SIGNS = {"best": 1.0, "worst": -1.0}
NOT_BEST = "Not yet: another one has the most."
NOT_WORST = "Not yet: another one has the least."


@dataclass(frozen=True, slots=True)
class BestWorst:
    """One best-worst choice: the items of a task with the most and with the least of the quality.

    Parameters
    ----------
    rater
        Id of the rater.
    task
        Id of the task. Two choices of one rater need different tasks.
    items
        Ids of all items of the task.
    best
        Id of the item with the most of the quality.
    worst
        Id of the item with the least of the quality.
    context
        Optional columns: question, system, segment, task, condition, round, at (seconds since 1970),
        milliseconds, count, and any covariates.

    Raises
    ------
    MissingValue
        If the rater or the task is empty.
    BadChoice
        If best and worst are equal or are not items of the task, or if an item occurs twice.

    Examples
    --------
    >>> from steelyard import BestWorst, Judgments
    >>> choice = BestWorst("ann", "t1", ("tea", "milk", "soup"), best="soup", worst="tea")
    >>> Judgments.of([choice]).cells("best_worst", "choice").tolist()
    ['worst', 'none', 'best']
    """

    kind: ClassVar[str] = "best_worst"
    rater: str
    task: str
    items: tuple[str, ...]
    best: str
    worst: str
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_names(rater=self.rater, task=self.task)
        repeated = [item for item, times in Counter(self.items).items() if times > 1]
        if repeated:
            raise BadChoice(f"item {repeated[0]!r} occurs twice in task {self.task!r}.")
        if self.best not in self.items or self.worst not in self.items:
            raise BadChoice(
                f"best {self.best!r} and worst {self.worst!r} must be items of task {self.task!r}."
            )
        if self.best == self.worst:
            raise BadChoice(f"item {self.best!r} is both best and worst of task {self.task!r}.")

    def check_range(self, low: float, high: float) -> None:
        """Do nothing: a best-worst choice has no score."""

    def rows(self) -> Iterator[Row]:
        """Yield the rows of this choice in the long table, one per item."""
        choices = {self.best: "best", self.worst: "worst"}
        for item in self.items:
            choice = choices.get(item, "none")
            yield {"rater": self.rater, "task": self.task, "item": item, "choice": choice, **self.context}


@dataclass(frozen=True, slots=True)
class Pick(Cell):
    """Whether an item was chosen as best, as worst, or neither.

    Attributes
    ----------
    choice
        `"best"`, `"worst"`, `"none"`, or None for "can't judge".
    """

    kind: ClassVar[str] = "best_worst"
    values: ClassVar[tuple[str, ...]] = ("choice",)
    choice: ChoiceWord | None


def _unknown_choices(judgments: Judgments, table: Table) -> Iterator[Fault]:
    labels, codes = judgments.labels("choice"), table.codes["choice"]

    def say(row: int) -> RowMistake:
        return BadChoice(f"choice {labels[codes[row]]!r} is unknown. Allowed: {', '.join(CHOICES)}.")

    yield Fault(BadChoice, rows_with_other_words(judgments, table, "choice"), say)


def _incomplete_choices(judgments: Judgments, unclear: Codes) -> Iterator[Fault]:
    """Yield answers without one best and one worst item; answers of `unclear` rows are skipped."""
    table = judgments.table("best_worst")
    if not len(table) or "count" in table:
        return
    words = with_missing(judgments.labels("choice"))[table.codes["choice"]]
    _, first, page = np.unique(row_key(table, TOGETHER), return_index=True, return_inverse=True)
    best, worst = (np.bincount(page, np.equal(words, word)).astype(int) for word in ("best", "worst"))
    wrong = (best != 1) | (worst != 1)
    wrong[page[unclear]] = False

    def say(row: int) -> RowMistake:
        task = judgments.cells("best_worst", "task")[row]
        at = page[row]
        return BadChoice(f"task {task!r} has {best[at]} best and {worst[at]} worst items.")

    yield Fault(BadChoice, np.sort(first[wrong]), say, spoilt=rows_where(wrong[page]))


def _batch_choice(cell: FieldCell, slot: int) -> dict[str, str | None]:
    """Return the choice for a slot; the fields best and worst hold the numbers of slots."""
    best, worst, number = cell("best", 0), cell("worst", 0), str(slot)
    if best is None and worst is None:
        return {}
    return {"choice": "best" if best == number else "worst" if worst == number else "none"}


def _decided(judgments: Judgments) -> tuple[Codes, Codes, Codes]:
    """Return the answer of each row, and the rows of the 2n - 3 pairs that a choice of n items decides, best first.

    The best item is above all others, and all others are above the worst. Answers without one best and one other worst
    item are omitted.
    """
    sign, answer = _signs(judgments), answers_of(judgments, "best_worst")
    size = int(answer.max(initial=-1)) + 1
    best, worst = (np.bincount(answer[sign == wanted], minlength=size) for wanted in (1.0, -1.0))
    sound = (best == 1) & (worst == 1)
    first, second = pairs_within(judgments, "best_worst")
    decided = sound[answer[first]] & (sign[first] != sign[second])
    return answer, first[decided], second[decided]


def _signs(judgments: Judgments) -> Vector:
    """Return 1 for the best item of a choice, -1 for the worst and 0 for the others, by row."""
    words = {**SIGNS, "none": 0.0}
    sign = np.array([words[label] for label in judgments.labels("choice")])
    return np.asarray(sign[judgments.table("best_worst").codes["choice"]])


def _to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """Return the pairs that best-worst choices decide as comparisons."""
    _, first, second = _decided(judgments)
    sign = _signs(judgments)
    return comparisons_between(judgments, "best_worst", (first, second), np.sign(sign[first] - sign[second]))


def _orders(judgments: Judgments) -> Orders:
    """Return the pairs that best-worst choices decide as statements."""
    answer, one, other = _decided(judgments)
    sign = _signs(judgments)
    swapped = sign[one] < sign[other]
    pairs = (np.where(swapped, other, one), np.where(swapped, one, other), np.zeros(len(one), dtype=bool))
    size = np.bincount(answer).astype(float)
    return task_orders(judgments, "best_worst", pairs, answer, np.maximum(size * (size - 1.0), 1.0))


def _decided_share(items: int) -> float:
    """Return the share of pairs that a choice decides: those with the best or the worst item.

    >>> _decided_share(4)
    0.8333333333333334
    """
    return (2.0 * items - 3.0) / (items * (items - 1.0) / 2.0)


EXTREMES = Protocol(
    "best_worst",
    "best_worst",
    "best and worst",
    Widget(
        "widgets/choices/best-worst.js",
        ("styles/dock.css", "styles/choices.css", "styles/boards.css", "styles/best-worst.css"),
    ),
    Practice(
        (40, 90, 10, 60),
        "Which picture has the most dots, and which the fewest?",
        "This exercise shows how the page works. Choose the picture with the most dots and the one with the fewest.",
    ),
    reference="best = 1 and worst = 3",
    usual_size=4,
    usual_answers=6,
    least=3,
    against=True,
    becomes=("comparison",),
    question="Which item has the most of this quality, and which has the least?",
    demo=Demo("Which would be the most filling, and which the least?", tasks=6, answers=35),
    instruction="choose the best and the worst of several items",
    method="Raters chose the best and the worst of {size} items at a time (best-worst scaling; Kiritchenko & Mohammad, "
    "2017).",
    references=(
        "Kiritchenko, S., & Mohammad, S. M. (2017). Best-worst scaling more reliable than rating scales. ACL.",
    ),
    seconds=5.6,
    timing="assumed: two comparisons for four items, at the time in Chen, Weld & Zhang (2021)",
)


class BestWorstKind(Kind[Pick]):
    """One best and one worst item of a page."""

    name = "best_worst"
    record = BestWorst
    table = TableKind(
        "best_worst",
        ("rater", "task", "item", "choice"),
        words={"choice": CHOICES},
        per_task=True,
        noun="best-worst row",
        repeat="the same rater's answer to the same task",
        fields=BatchFields(whole=("best", "worst"), value=_batch_choice),
        row_faults=_unknown_choices,
        answer_faults=_incomplete_choices,
        orders=_orders,
        decided=_decided_share,
    )
    cell = Pick
    protocols = (EXTREMES,)
    default_model = "best_worst"
    agreement = ("best_worst_split_half", "best_worst_choice", "self_consistency")
    conversions = (
        Conversion(
            "best_worst_to_comparisons",
            "best_worst",
            "comparison",
            _to_comparisons,
            "Pairs of items that are neither best nor worst are undecided and omitted. The context of each pair is "
            f"lost: which other items were shown with it. {DEPENDENT}",
        ),
    )
    two_steps = True

    def check(self, cells: Sequence[Pick], asked: AskedQuestion) -> None:
        """Check that there is one best and one worst item, or no answer."""
        choices = [cell.choice for cell in cells]
        if set(choices) == {None}:
            return
        if not set(choices) <= set(CHOICES) or choices.count("best") != 1 or choices.count("worst") != 1:
            raise BadAnswer("Choose one best item and one worst item.")

    def form_fields(self, asked: AskedQuestion, size: int) -> tuple[FormField, ...]:
        """Return the choice of the best and of the worst item."""
        return (FormField("best", "Most", is_item=True), FormField("worst", "Least", is_item=True))

    def practice_cells(self, dots: Sequence[int]) -> tuple[Pick, ...]:
        """Return the pictures with the most and with the fewest dots."""
        return _picks(len(dots), dots.index(max(dots)), dots.index(min(dots)))

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Pick, ...] | None:
        """Return the best and the worst item, which the reference numbers from 1."""
        best, worst = reference.best, reference.worst
        if best == worst or not {best, worst} <= set(range(1, shown + 1)):
            return None
        return _picks(shown, best - 1, worst - 1)

    def mistake(self, right: Pick, attempted: Pick, tolerance: float, step: int | None) -> str | None:
        """Return LOW if the best item is wrong, HIGH if the worst item is wrong and the step asks for it."""
        if (right.choice == "best") != (attempted.choice == "best"):
            return LOW
        return None if step == 1 or right.choice == attempted.choice else HIGH

    def feedback(self, side: str, right: Pick, attempted: Pick) -> str:
        """Return which of the two choices is wrong."""
        return "" if side == ELSE else NOT_WORST if side == HIGH else NOT_BEST

    def is_repeat(self, earlier: Sequence[Pick], later: Sequence[Pick], tolerance: float) -> bool:
        """Whether the best or the worst item is the same, and the two are not exchanged."""
        before, now = ({cell.choice: cell.item for cell in cells} for cells in (earlier, later))
        exchanged = before["best"] == now["worst"] or before["worst"] == now["best"]
        return not exchanged and (before["best"] == now["best"] or before["worst"] == now["worst"])

    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Pick]:
        """Return the items that seem to have the most and the least."""
        order = np.argsort(-without_equals(seen, rng), kind="stable")
        return list(_picks(len(seen), int(order[0]), int(order[-1]), question))

    def position(self, right: Pick, asked: AskedQuestion, items: int) -> float:
        """Return a value above or below the middle, which is the other items' value."""
        return MIDDLE + FAR * SIGNS.get(right.choice or "", 0.0)


def _picks(items: int, best: int, worst: int, question: int = 0) -> tuple[Pick, ...]:
    choices: dict[int, ChoiceWord] = {best: "best", worst: "worst"}
    return tuple(Pick(at, question, choices.get(at, "none")) for at in range(items))


BEST_WORST = BestWorstKind()
