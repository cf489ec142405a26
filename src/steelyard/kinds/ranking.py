"""Rankings: the items of a task in order, the one with the most of the quality first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import BadAnswer, BadRank
from steelyard.judgments.conversions import DEPENDENT, Conversion, comparisons_between, pairs_within
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.records import Row, require_names
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import BatchFields, TableKind
from steelyard.kinds.asked import AskedQuestion, Reference
from steelyard.kinds.cell import Cell
from steelyard.kinds.kind import FileAnswer, Kind
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget
from steelyard.kinds.within_tasks import MIDDLE, TIE_WIDTH, without_equals
from steelyard.maths.arrays import Vector


@dataclass(frozen=True, slots=True)
class Ranking:
    """One rater's order of a task's items; rank 1 has the most of the quality, equal ranks tie."""

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
        """There are no scores that could lie outside the scale."""

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table, one per item."""
        for item, rank in self.ranks.items():
            yield {"rater": self.rater, "task": self.task, "item": item, "rank": rank, **self.context}


@dataclass(frozen=True, slots=True)
class Rank(Cell):
    """The item's place among those of the task, 1 = most; equal ranks tie."""

    kind: ClassVar[str] = "ranking"
    values: ClassVar[tuple[str, ...]] = ("rank",)
    rank: int | None


def _bad_ranks(judgments: Judgments, table: Table) -> Iterator[Fault]:
    ranks = table.numbers["rank"]
    odd = (ranks < 1) | (np.floor(ranks) != ranks) & ~np.isnan(ranks)
    yield Fault(BadRank, rows_where(odd), lambda row: BadRank(float(ranks[row])))


def _to_comparisons(judgments: Judgments, tie_width: float) -> Judgments:
    """All n (n - 1) / 2 pairs of each ranking, ties kept."""
    first, second = pairs_within(judgments, "ranking")
    rank = judgments.table("ranking").numbers["rank"]
    return comparisons_between(judgments, "ranking", (first, second), np.sign(rank[second] - rank[first]))


ORDER = Protocol(
    "ranking",
    "ranking",
    "rankings",
    Widget("widgets/cards/ranking.js", ("styles/dock.css", "styles/ranking.css", "styles/boards.css")),
    Practice(
        (45, 15, 80),
        "Which picture has more dots? Most first.",
        "First, how this page works. Put the pictures in order, the one with the most dots first.",
    ),
    reference="ranks = [2, 1, 3]",
    usual_answers=5,
    least=2,
    against=True,
    takes=("ties",),
    becomes=("comparison",),
    question="Which has more of it? Most first.",
    demo=Demo("Put these in order of how filling they would be for you.", tasks=5, answers=30),
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
    )
    cell = Rank
    protocols = (ORDER,)
    default_model = "plackett_luce"
    conversions = (
        Conversion(
            "rankings_to_comparisons",
            "ranking",
            "comparison",
            _to_comparisons,
            "That the items were ranked as a whole is gone: a pair no longer says which others stood beside it. "
            f"{DEPENDENT}",
        ),
    )

    def check(self, cells: Sequence[Rank], asked: AskedQuestion) -> None:
        """Ranks of all items or of none, from 1 without gaps."""
        ranks = [cell.rank for cell in cells if cell.rank is not None]
        if ranks and len(ranks) != len(cells):
            raise BadAnswer("Rank every item, or none.")
        if ranks and sorted(set(ranks)) != list(range(1, len(set(ranks)) + 1)):
            raise BadAnswer("Ranks go from 1 without gaps; equal ranks tie.")
        if not asked.ties and len(set(ranks)) != len(ranks):
            raise BadAnswer("This study takes no ties.")

    def read_file(self, question: int, answers: Sequence[FileAnswer]) -> list[Rank]:
        """Ranks without gaps: a file may leave places free after a tie."""
        ranks = sorted({each.values[0] for each in answers if each.values is not None})
        closed = [
            each if each.values is None else replace(each, values=(ranks.index(each.values[0]) + 1,))
            for each in answers
        ]
        return super().read_file(question, closed)

    def practice_cells(self, dots: Sequence[int]) -> tuple[Rank, ...]:
        """The pictures by their number of dots."""
        order = sorted(dots, reverse=True)
        return tuple(Rank(at, 0, 1 + order.index(count)) for at, count in enumerate(dots))

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Rank, ...] | None:
        """A rank for each item, from 1 without gaps."""
        ranks = reference.ranks
        if len(ranks) != shown or set(ranks) != set(range(1, len(set(ranks)) + 1)):
            return None
        return tuple(Rank(at, 0, rank) for at, rank in enumerate(ranks))

    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Rank]:
        """From most to least; an item that seems close to the one before it shares its rank."""
        apart = without_equals(seen, rng)
        order = np.argsort(-apart, kind="stable")
        new_rank = -np.diff(apart[order]) >= (TIE_WIDTH if asked.ties else 0.0)
        ranks = np.empty(len(apart), dtype=np.int64)
        ranks[order] = np.concatenate([[1], 1 + np.cumsum(new_rank)])
        return [Rank(item, question, int(rank)) for item, rank in enumerate(ranks)]

    def position(self, right: Rank, asked: AskedQuestion, items: int) -> float:
        """Ranks evenly over the scale."""
        return MIDDLE if right.rank is None else 1.0 - (right.rank - MIDDLE) / items


RANKING = RankingKind()
