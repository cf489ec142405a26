"""`agreement_of`: the statistics of agreement that suit the judgments, as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from steelyard.errors import NothingToTest, UnknownName
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments
from steelyard.quality.agreement.of_choices import (
    best_worst_choice_rows,
    best_worst_split_half_rows,
    by_pair_rows,
    ranking_rows,
    triad_rows,
)
from steelyard.quality.agreement.of_ratings import (
    alpha_rows,
    icc_rows,
    kappa_rows,
    kendall_w_rows,
    leave_one_out_rows,
    pairwise_rows,
    split_half_rows,
)
from steelyard.quality.agreement.of_repeats import self_consistency_rows
from steelyard.quality.agreement.ratings import Ratings
from steelyard.quality.agreement.rows import AgreementRow
from steelyard.quality.agreement.source import AgreementSettings, Source
from steelyard.scales.tables import Tabular

STATISTICS: Mapping[str, Callable[[Source], Iterator[AgreementRow]]] = MappingProxyType(
    {
        "alpha": alpha_rows,
        "kappa": kappa_rows,
        "icc": icc_rows,
        "split_half": split_half_rows,
        "pairwise": pairwise_rows,
        "leave_one_out": leave_one_out_rows,
        "kendall_w": kendall_w_rows,
        "rankings": ranking_rows,
        "by_pair": by_pair_rows,
        "triads": triad_rows,
        "best_worst_split_half": best_worst_split_half_rows,
        "best_worst_choice": best_worst_choice_rows,
        "self_consistency": self_consistency_rows,
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Tabular):
    """Statistics of agreement, one row each.

    The columns are statistic, value, low and high (95% interval), of (what the value was computed on), interval (how
    the interval was made) and meaning (one sentence).

    Attributes
    ----------
    statistics
        The rows.
    remarks
        What was left out, assumed or does not apply, as sentences.
    heads
        Numbers of the rows that pages show first: the first row, or that of each kind of judgment.
    """

    statistics: tuple[AgreementRow, ...]
    remarks: tuple[str, ...] = ()
    heads: tuple[int, ...] = (0,)

    def columns(self) -> dict[str, Any]:
        """Return the values of each column by name."""
        names = [each.name for each in fields(AgreementRow)]
        return {name: [getattr(row, name) for row in self.statistics] for name in names}


def agreement_of(
    judgments: Judgments,
    settings: AgreementSettings | None = None,
    rng: np.random.Generator | None = None,
    repeated: Judgments | None = None,
) -> Agreement:
    """Return how well raters agree, by the statistics that suit the kind of judgment.

    Probes are used only for self-consistency. A rater's repeated ratings of an item are averaged for the other
    statistics. Items under different questions are different items.

    Parameters
    ----------
    judgments
        Judgments of one kind.
    settings
        Which statistics, and how. Default: `AgreementSettings()`.
    rng
        Source of randomness of bootstrap samples and splits. Each statistic has a generator of its own, derived from
        this one and the statistic's name. Default: a generator with the seed 0.
    repeated
        Judgments of the same kind with repeats and probes, from which self-consistency is computed. Default:
        `judgments`.

    Returns
    -------
    Agreement
        A table with one row per statistic.

    Raises
    ------
    NothingToTest
        If there are judgments of several kinds or none, or no chosen statistic suits the kind.

    Examples
    --------
    >>> from steelyard import read
    >>> scores = {"ann": [9, 6, 8, 7], "bob": [8, 5, 9, 6], "cem": [9, 4, 7, 7]}
    >>> rows = [(rater, item, score) for rater, given in scores.items() for item, score in zip("abcd", given)]
    >>> ratings = read(dict(zip(("rater", "item", "score"), zip(*rows))))
    >>> table = agreement_of(ratings, AgreementSettings(statistics=("alpha",), levels=("interval",)))
    >>> [(row.statistic, round(row.value, 2), row.of) for row in table.statistics]
    [("Krippendorff's alpha (interval)", 0.75, '4 items, 3 raters, 12 ratings')]
    """
    chosen = AgreementSettings() if settings is None else settings
    source = Source(judgments, chosen, np.random.default_rng(0) if rng is None else rng, repeated)
    names = chosen.statistics if chosen.statistics else source.statistics
    for name in names:
        if name not in STATISTICS:
            raise UnknownName("statistic", name, tuple(STATISTICS))
        if chosen.statistics and name not in suitable(source):
            raise NothingToTest(
                f"Statistic {name}",
                f"it does not suit {source.kind.words} judgments.",
                f"Choose among: {', '.join(suitable(source))}.",
            )
    source.prepare()
    made = {name: tuple(STATISTICS[name](source.with_generator(name))) for name in names}
    rows = tuple(row for part in made.values() for row in part)
    return Agreement(rows, tuple(_remarks(source, made)))


def suitable(source: Source) -> tuple[str, ...]:
    """Return the names of all statistics that suit the kind of the judgments."""
    more = ("kendall_w",) if source.kind.agreement_values(source.judgments) else ()
    return (*source.statistics, *more)


NEEDED = {
    "kappa": "it needs scores in a few categories, by at least two raters of the same items. For other scores, use "
    "alpha or icc",
    "self_consistency": "no rater judged the same item, pair or list twice",
}
NEEDS_OTHERS = "it needs at least two raters who judged the same items"


def _remarks(source: Source, made: Mapping[str, tuple[AgreementRow, ...]]) -> Iterator[str]:
    ratings = next(iter(source.ratings.values()), None)
    if source.probes:
        verb = "is" if source.probes == 1 else "are"
        yield f"{counted(source.probes, 'row')} of probes or repeats {verb} used only for self-consistency."
    if ratings is not None:
        yield from _rating_remarks(source, ratings)
    if source.points and not source.settings.points and "kappa" in made:
        yield (
            f"The scores are {len(source.points)} different whole numbers, so statistics for ordered categories are "
            "included."
        )
    for name in [each for each in source.settings.statistics if not made[each]]:
        yield f"Statistic {name} does not apply: {NEEDED.get(name, NEEDS_OTHERS)}."


def _rating_remarks(source: Source, ratings: Ratings) -> Iterator[str]:
    if source.averaged > 0:
        verb = "is" if source.averaged == 1 else "are"
        again = counted(source.averaged, "repeated rating")
        yield f"{again} of the same rater and item {verb} averaged with the first."
    if not ratings.named:
        yield (
            "Some or all rows name no rater. Each rating of an item is treated as the rating of a different rater, and "
            "statistics that compare raters are not computed."
        )
    alone = int(np.sum(ratings.per_item == 1))
    if alone:
        verb = "does" if alone == 1 else "do"
        yield f"{counted(alone, 'item')} with only one rating {verb} not count for alpha and kappa."
