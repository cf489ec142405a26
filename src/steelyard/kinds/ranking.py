"""Rankings: the items of a task in order, from most to least of the quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import BadAnswer, BadRank
from steelyard.judgments.conversions import DEPENDENT, Conversion, comparisons_between, pairs_within
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.orders import Orders, task_orders
from steelyard.judgments.records import Row, require_names
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import BatchFields, TableKind
from steelyard.judgments.tasks import answers_of
from steelyard.kinds.asked import AskedQuestion, Reference
from steelyard.kinds.cell import Cell
from steelyard.kinds.file_answer import FileAnswer
from steelyard.kinds.form_field import FormField
from steelyard.kinds.kind import Kind
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget
from steelyard.kinds.within_tasks import MIDDLE, TIE_WIDTH, without_equals
from steelyard.maths.arrays import Vector


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ranking: the order of the items of a task.

    Parameters
    ----------
    rater
        Id of the rater.
    task
        Id of the task. Two rankings of one rater need different tasks.
    ranks
        Rank of each item. Rank 1 has the most of the quality, and equal ranks are ties.
    context
        Optional columns: question, system, segment, task, condition, round, at (seconds since 1970),
        milliseconds, count, and any covariates.

    Raises
    ------
    MissingValue
        If an id is empty.
    BadRank
        If a rank is not a whole number of 1 or more.

    Examples
    --------
    >>> from steelyard import Judgments, Ranking
    >>> ranked = Judgments.of([Ranking("ann", "t1", {"tea": 1, "milk": 2, "soup": 2})])
    >>> ranked.cells("ranking", "rank").tolist()
    [1.0, 2.0, 2.0]
    """

    kind: ClassVar[str] = "ranking"
    rater: str
    task: str
    ranks: Mapping[str, int]
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_names(rater=self.rater, task=self.task)
        for item, rank in self.ranks.items():
            require_names(item=item)
            if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
                raise BadRank(rank)

    def check_range(self, low: float, high: float) -> None:
        """Do nothing: a ranking has no score."""

    def rows(self) -> Iterator[Row]:
        """Yield the rows of this ranking in the long table, one per item."""
        for item, rank in self.ranks.items():
            yield {"rater": self.rater, "task": self.task, "item": item, "rank": rank, **self.context}


@dataclass(frozen=True, slots=True)
class Rank(Cell):
    """The rank of one item in an answer.

    Attributes
    ----------
    rank
        The rank; 1 means most, equal ranks are ties, and None is "can't judge".
    """

    kind: ClassVar[str] = "ranking"
    values: ClassVar[tuple[str, ...]] = ("rank",)
    rank: int | None


def _bad_ranks(judgments: Judgments, table: Table) -> Iterator[Fault]:
    ranks = table.numbers["rank"]
    odd = (ranks < 1) | (np.floor(ranks) != ranks) & ~np.isnan(ranks)
    yield Fault(BadRank, rows_where(odd), lambda row: BadRank(float(ranks[row])))


def _to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """Return all n (n - 1) / 2 pairs of each ranking as comparisons, with ties."""
    first, second = pairs_within(judgments, "ranking")
    rank = judgments.table("ranking").numbers["rank"]
    return comparisons_between(judgments, "ranking", (first, second), np.sign(rank[second] - rank[first]))


def _orders(judgments: Judgments) -> Orders:
    """Return the n - 1 statements of each ranking about items of neighbouring ranks."""
    from scipy.special import gamma  # SciPy is slow to import

    rank, answer = judgments.table("ranking").numbers["rank"], answers_of(judgments, "ranking")
    order = np.lexsort((rank, answer))
    order = order[np.isfinite(rank[order])]
    one, other = order[:-1], order[1:]
    same = answer[one] == answer[other]
    one, other = one[same], other[same]
    size = np.bincount(answer[order], minlength=int(answer.max(initial=-1)) + 1)
    pairs = (one, other, rank[one] == rank[other])
    return task_orders(judgments, "ranking", pairs, answer, np.asarray(gamma(size + 1.0)))


ORDER = Protocol(
    "ranking",
    "ranking",
    "rankings",
    Widget("widgets/cards/ranking.js", ("styles/dock.css", "styles/ranking.css", "styles/boards.css")),
    Practice(
        (45, 15, 80),
        "Which picture has more dots? Most first.",
        "This exercise shows how the page works. Put the pictures in order, the one with the most dots first.",
    ),
    reference="ranks = [2, 1, 3]",
    usual_answers=5,
    least=2,
    against=True,
    takes=("ties",),
    becomes=("comparison",),
    question="Which items have more of this quality? Put the item with the most first.",
    demo=Demo("Put these in order of how filling they would be for you.", tasks=5, answers=30),
    instruction="put several items in order",
    method="Raters ranked {size} items at a time.",
    seconds=15.0,
    timing="assumed: as many comparisons as sorting five items needs, at the time in Chen, Weld & Zhang (2021)",
)


class RankingKind(Kind[Rank]):
    """A rank for each item of a page."""

    name = "ranking"
    record = Ranking
    table = TableKind(
        "ranking",
        ("rater", "task", "item"),
        ("rank",),
        per_task=True,
        noun="ranking row",
        repeat="the same rater's answer to the same task",
        fields=BatchFields(numbered=("rank",)),
        row_faults=_bad_ranks,
        orders=_orders,
    )
    cell = Rank
    protocols = (ORDER,)
    default_model = "plackett_luce"
    agreement = ("rankings", "by_pair", "self_consistency")
    conversions = (
        Conversion(
            "rankings_to_comparisons",
            "ranking",
            "comparison",
            _to_comparisons,
            f"The context of each pair is lost: which other items were ranked with it. {DEPENDENT}",
        ),
    )

    def check(self, cells: Sequence[Rank], asked: AskedQuestion) -> None:
        """Check that all items or no items are ranked, from 1 without gaps."""
        ranks = [cell.rank for cell in cells if cell.rank is not None]
        if ranks and len(ranks) != len(cells):
            raise BadAnswer("Rank every item, or no item.")
        if ranks and sorted(set(ranks)) != list(range(1, len(set(ranks)) + 1)):
            raise BadAnswer("Use the ranks 1, 2, 3, ... without gaps. Equal ranks are ties.")
        if not asked.ties and len(set(ranks)) != len(ranks):
            raise BadAnswer("This study does not allow ties.")

    def read_file(self, question: int, answers: Sequence[FileAnswer]) -> list[Rank]:
        """Return ranks without gaps; a file may skip ranks after a tie."""
        ranks = sorted({each.values[0] for each in answers if each.values is not None})
        closed = [
            each if each.values is None else replace(each, values=(ranks.index(each.values[0]) + 1,))
            for each in answers
        ]
        return super().read_file(question, closed)

    def form_fields(self, asked: AskedQuestion, size: int) -> tuple[FormField, ...]:
        """Return a rank for each item."""
        return (FormField("rank", "Rank (1 = most)", low=1.0, high=float(size), step=1.0),)

    def practice_cells(self, dots: Sequence[int]) -> tuple[Rank, ...]:
        """Return the pictures ranked by their number of dots."""
        order = sorted(dots, reverse=True)
        return tuple(Rank(at, 0, 1 + order.index(count)) for at, count in enumerate(dots))

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Rank, ...] | None:
        """Return a rank for each item, from 1 without gaps."""
        ranks = reference.ranks
        if len(ranks) != shown or set(ranks) != set(range(1, len(set(ranks)) + 1)):
            return None
        return tuple(Rank(at, 0, rank) for at, rank in enumerate(ranks))

    def is_repeat(self, earlier: Sequence[Rank], later: Sequence[Rank], tolerance: float) -> bool:
        """Whether more than half of the pairs keep their order."""
        again = {cell.item: cell.rank for cell in later}
        pairs = [(one, other) for at, one in enumerate(earlier) for other in earlier[at + 1 :]]
        kept = sum(
            _order(one.rank, other.rank) == _order(again[one.item], again[other.item]) for one, other in pairs
        )
        return 2 * kept > len(pairs)

    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Rank]:
        """Return ranks from most to least; an item that seems close to the previous one shares its rank."""
        apart = without_equals(seen, rng)
        order = np.argsort(-apart, kind="stable")
        new_rank = -np.diff(apart[order]) >= (TIE_WIDTH if asked.ties else 0.0)
        ranks = np.empty(len(apart), dtype=np.int64)
        ranks[order] = np.concatenate([[1], 1 + np.cumsum(new_rank)])
        return [Rank(item, question, int(rank)) for item, rank in enumerate(ranks)]

    def position(self, right: Rank, asked: AskedQuestion, items: int) -> float:
        """Return ranks evenly spaced over the scale."""
        return MIDDLE if right.rank is None else 1.0 - (right.rank - MIDDLE) / items


def _order(one: int | None, other: int | None) -> int:
    """Return 1, -1 or 0 if the first rank is smaller, larger or equal."""
    if one is None or other is None:
        return 0
    return (one < other) - (one > other)


RANKING = RankingKind()
