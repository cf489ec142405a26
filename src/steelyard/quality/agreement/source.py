"""What a statistic of agreement is computed on: judgments of one kind, as ratings and as pairs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, NothingToTest, UnknownName
from steelyard.judgments.conversions import comparisons_in
from steelyard.judgments.keys import joined_key, occurrences, row_key
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.probes import without_probes
from steelyard.judgments.table import Judgments, Table
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS
from steelyard.maths.arrays import Codes, Vector, renumbered, sum_by
from steelyard.quality.agreement.krippendorff import LEVELS
from steelyard.quality.agreement.preferences import PairOutcomes, pair_outcomes
from steelyard.quality.agreement.ratings import Ratings

MOST_POINTS = (
    11  # points of a scale of whole numbers, such as 0 to 10, up to which scores count as its points
)
FEWEST_DRAWS = 100
ALPHA_INTERVALS = ("items", "raters", "pairs")
OF_NUMBERS = ("alpha", "icc", "split_half", "pairwise", "leave_one_out", "self_consistency")
OF_PAIRS = ("by_pair", "self_consistency")
UNIT = ("item", "question")  # columns that together are what is rated


@dataclass(frozen=True, kw_only=True)
class AgreementSettings:
    """How agreement is computed.

    Parameters
    ----------
    statistics
        Names of statistics, from `STATISTICS`. Default: those that suit the kind of judgment.
    levels
        Levels of measurement of Krippendorff's alpha. Default: interval, and ordinal if scores are points of a scale.
    points
        Points of the scale of the scores, if it has only these. Default: the scores, if they are whole numbers
        that differ by at most 10.
    draws
        Number of bootstrap samples. Default 1000.
    alpha_interval
        Interval of Krippendorff's alpha. "items" (default): bootstrap over items, for new items and the same raters.
        "raters": jackknife over raters and items, for new raters, too. "pairs": bootstrap of Hayes & Krippendorff.
    part
        What the judgments are a part of, in words, such as "audit slice". It precedes the counts in the column `of`.
    """

    statistics: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    points: tuple[float, ...] = ()
    draws: int = 1000
    alpha_interval: str = "items"
    part: str = ""

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in LEVELS:
                raise UnknownName("level", level, LEVELS)
        if self.alpha_interval not in ALPHA_INTERVALS:
            raise UnknownName("interval of alpha", self.alpha_interval, ALPHA_INTERVALS)
        if self.draws < FEWEST_DRAWS:
            raise BadSetting("draws", f"{self.draws} are too few. Use at least {FEWEST_DRAWS}.")


@dataclass(frozen=True, eq=False)
class Source:
    """Judgments of one kind, without probes, and what statistics need of them.

    `repeated` are the judgments for self-consistency, with repeats and probes, if they are others than `every`.
    """

    every: Judgments  # with probes
    settings: AgreementSettings
    rng: np.random.Generator = field(repr=False)
    repeated: Judgments | None = None

    def with_generator(self, name: str) -> Source:
        """Return the same source with a generator for one statistic, so that its value depends on no other statistic.

        Parameters
        ----------
        name
            Name of the statistic.

        Returns
        -------
        Source
            What was computed so far is shared.
        """
        copied = replace(self, rng=np.random.default_rng([self.seed, *name.encode()]))
        shared = {key: each for key, each in vars(self).items() if key not in vars(copied)}
        vars(copied).update(shared)
        return copied

    @cached_property
    def seed(self) -> int:
        """Seed of the generators of the statistics, drawn from the generator of the source."""
        return int(self.rng.integers(2**63))

    def prepare(self) -> None:
        """Compute what several statistics share."""
        if self.kind.agreement_values(self.every):
            _ = self.ratings, self.points
        else:
            _ = self.outcomes, self.repeated_outcomes

    @cached_property
    def judgments(self) -> Judgments:
        """The judgments without probes."""
        return without_probes(self.every)[0]

    @property
    def with_repeats(self) -> Judgments:
        """The judgments from which self-consistency is computed, with repeats and probes."""
        return self.every if self.repeated is None else self.repeated

    @property
    def probes(self) -> int:
        """Number of rows that are probes."""
        return without_probes(self.with_repeats)[1]

    @cached_property
    def kind(self) -> Kind[Any]:
        """The kind of the judgments."""
        kinds = [name for name, table in self.every.tables.items() if len(table)]
        if not kinds:
            raise NothingToTest(
                "Agreement", "there are no judgments.", "Collect answers of two or more raters first."
            )
        if len(kinds) != 1:
            raise NothingToTest(
                "Agreement",
                f"the judgments must be of one kind, but their kinds are {', '.join(kinds)}.",
                "Select one kind: judgments.only(kind) in Python, --kind on the command line.",
            )
        return KINDS[kinds[0]]

    @property
    def statistics(self) -> tuple[str, ...]:
        """Names of the statistics that suit the kind by default."""
        if self.kind.agreement:
            return self.kind.agreement
        return OF_NUMBERS if self.kind.agreement_values(self.every) else OF_PAIRS

    @property
    def table(self) -> Table:
        """Rows without probes."""
        return self.judgments.table(self.kind.name)

    @cached_property
    def ratings(self) -> dict[str, Ratings]:
        """Ratings by the name of what is rated; empty if the kind has no numbers."""
        values = self.kind.agreement_values(self.judgments)
        return {name: ratings_of(self.judgments, self.table, each) for name, each in values.items()}

    @cached_property
    def points(self) -> tuple[float, ...]:
        """Points of the scale, declared or observed; empty if scores are continuous."""
        if self.settings.points:
            return self.settings.points
        values = list(self.kind.agreement_values(self.judgments).values())
        if len(values) != 1:
            return ()
        used = np.unique(values[0])
        few = len(used) > 1 and used[-1] - used[0] < MOST_POINTS
        return tuple(used.tolist()) if few and bool(np.all(used == np.round(used))) else ()

    @cached_property
    def comparisons(self) -> Judgments:
        """The judgments as comparisons, where that is possible."""
        return comparisons_in(self.judgments)

    @cached_property
    def outcomes(self) -> PairOutcomes:
        """Outcomes of pairs, without probes."""
        return pair_outcomes(self.comparisons)

    @cached_property
    def repeated_outcomes(self) -> PairOutcomes:
        """All outcomes, with repeats and probes."""
        same = self.repeated is None and not self.probes
        return self.outcomes if same else pair_outcomes(comparisons_in(self.with_repeats))

    @property
    def averaged(self) -> int:
        """Number of rows beyond one per rater and item, which are averaged."""
        first = next(iter(self.ratings.values()), None)
        return 0 if first is None or not first.named else int(np.sum(self.table.weights > 0)) - len(first)

    def of(self, words: str) -> str:
        """Return what a statistic was computed on, with the part of the judgments."""
        return f"{self.settings.part}: {words}" if self.settings.part else words


def ratings_of(judgments: Judgments, table: Table, value: Vector) -> Ratings:
    """Return one value per rater and item, the mean if a rater repeated an item.

    Parameters
    ----------
    judgments
        Judgments with the raters.
    table
        Rows of ratings.
    value
        Value of each row.

    Returns
    -------
    Ratings
        Values by item, under its question. If any row has no rater, all rows count as ratings by different raters.
    """
    counted = table.weights > 0
    rows, values, weights = table.where(counted), value[counted], table.weights[counted]
    item = renumbered(row_key(rows, UNIT))[1]
    if not named_raters(judgments, rows).all():
        return _nameless(item, values, weights)
    rater = rows.codes["rater"]
    _, first, cell = np.unique(joined_key(item, rater), return_index=True, return_inverse=True)
    start = values[first]
    mean = start + sum_by(cell, weights * (values - start[cell])) / sum_by(cell, weights)
    return Ratings(
        item[first], rater[first], mean, int(item.max(initial=-1)) + 1, len(judgments.raters)
    ).compact()


def _nameless(item: Codes, values: Vector, weights: Vector) -> Ratings:
    """Return every row as a rating by another rater, repeated by its count."""
    if np.any(weights != np.round(weights)):
        raise NothingToTest(
            "Agreement", "counts of ratings without raters are not whole numbers.", "Use whole counts."
        )
    times = weights.astype(np.int64)
    repeated = np.repeat(item, times)
    slot = occurrences(repeated)
    size = int(item.max(initial=-1)) + 1
    return Ratings(repeated, slot, np.repeat(values, times), size, int(slot.max(initial=-1)) + 1, named=False)
