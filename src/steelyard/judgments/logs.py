"""What models read of a log that is too large for memory: counts, sums and streams of coded rows.

`steelyard.engines` computes these where the log is stored. Models use them in the same way as the counts and sums of a
`Judgments` table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from steelyard.judgments.counts import PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Vector


@dataclass(frozen=True, eq=False)
class LogClusters:
    """The clusters of one type in a log.

    Attributes
    ----------
    name
        Type of the clusters: "rater" or "segment".
    weight
        Number of judgments of each named cluster, by code.
    alone
        Number of judgments without a name. Each of them is a cluster of its own.
    """

    name: str
    weight: Vector
    alone: float


@dataclass(frozen=True, eq=False)
class LogRows:
    """Some comparisons of a log, coded.

    Attributes
    ----------
    entry
        Row of the table of counts plus its number of rows times the outcome (FIRST, TIE or SECOND).
    cluster
        Code of the cluster, -1 without a name.
    weight
        Number of times each comparison was made.
    """

    entry: Codes
    cluster: Codes
    weight: Vector


@runtime_checkable
class CountedComparisons(Protocol):
    """Comparisons of which models read only counts."""

    @property
    def rater_count(self) -> int:
        """Number of named raters."""

    def pooled(self, by: Sequence[str] = (), ordered: bool = False) -> PairCounts:
        """Return the comparisons counted by pair and by these columns."""

    def cells(self, clusters: Sequence[str], by: Sequence[str], ordered: bool) -> PairCounts | None:
        """Return counts that are split by rater or segment too, or None if they are too many for memory."""

    def clusters(self, name: str) -> LogClusters:
        """Return the raters or segments with their numbers of judgments."""

    def rows(self, table: PairCounts, name: str, part: tuple[int, int] = (0, 1)) -> Iterator[LogRows]:
        """Yield the comparisons as rows of a table of counts, with their clusters.

        With `part` (k, n), only clusters whose code is k modulo n. Part 0 has the judgments without a name.
        """


@dataclass(frozen=True, eq=False)
class LogSteps:
    """Some comparisons of a log in order.

    Attributes
    ----------
    left, right
        Codes of the items.
    answer
        0 if left was preferred, 1 for a tie, 2 if right was preferred.
    weight
        Number of times each comparison was made.
    """

    left: Codes
    right: Codes
    answer: Codes
    weight: Vector


@runtime_checkable
class OrderedComparisons(CountedComparisons, Protocol):
    """Comparisons that can also be read in the order of their times."""

    def in_order(self, items: Labels) -> Iterator[LogSteps]:
        """Yield the comparisons in the order of their times."""


ComparisonSource: TypeAlias = Judgments | PairCounts | CountedComparisons


@runtime_checkable
class CountedRankings(Protocol):
    """Rankings of which models read the counts of distinct ones."""

    def counted(self, with_raters: bool) -> Judgments:
        """Return the distinct rankings with their counts, of each rater separately or together."""


@dataclass(frozen=True, eq=False)
class ItemSums:
    """Sums of scores by item.

    Attributes
    ----------
    items
        Sorted item ids.
    count
        Number of ratings of each item.
    mean
        Mean score of each item.
    squares
        Sum of squared deviations from this mean.
    variance
        Variance of all scores.
    raters
        Number of named raters.
    """

    items: Labels
    count: Vector
    mean: Vector
    squares: Vector
    variance: float
    raters: int


@runtime_checkable
class SummedRatings(Protocol):
    """Ratings of which models read only sums."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Lower and upper end of the scale."""

    def item_sums(self, standardise: Literal["none", "rater"] = "none", lost: float = 0.0) -> ItemSums:
        """Return sums of scores by item, or of z-scores within raters.

        `lost` is the number subtracted from n in the divisor of a rater's variance.
        """


@runtime_checkable
class HeldJudgments(Protocol):
    """Judgments that can be read into memory."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgment."""

    def judgments(self, columns: Sequence[str] = (), most_rows: int | None = None) -> Judgments:
        """Return the distinct judgments with their counts."""


@dataclass(frozen=True, eq=False)
class RatingLabels:
    """Items and raters of a log of ratings.

    Attributes
    ----------
    items, raters
        Sorted ids.
    rows
        Number of ratings of each rater; the last entry counts those without a rater.
    shared_tasks
        Whether a rater rated several items in one task.
    """

    items: Labels
    raters: Labels
    rows: Vector
    shared_tasks: bool


@dataclass(frozen=True, eq=False)
class RatingRows:
    """Some ratings of a log, coded.

    Attributes
    ----------
    item, rater
        Codes in `RatingLabels`; -1 for ratings without a rater.
    score
        Scores.
    weight
        Number of times each rating was given.
    task
        A number that is equal for ratings of one task; None if no task has several items.
    """

    item: Codes
    rater: Codes
    score: Vector
    weight: Vector
    task: Codes | None


@runtime_checkable
class StreamedRatings(Protocol):
    """Ratings that models read as a stream, because they may be too many for memory."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Lower and upper end of the scale."""

    @property
    def fits_memory(self) -> bool:
        """Whether the ratings are few enough for memory."""

    def rating_labels(self) -> RatingLabels:
        """Return the items and raters."""

    def rating_rows(self, labels: RatingLabels) -> Iterator[RatingRows]:
        """Yield the ratings, in no particular order."""
