"""Rows of agreement for comparisons, rankings and best-worst choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.judgments.findings import counted
from steelyard.judgments.keys import occurrences, row_key
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.tasks import answers_of, by_size
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.quality.agreement.best_worst import (
    SPLITS,
    Choices,
    best_worst_split_half,
    choice_agreement,
)
from steelyard.quality.agreement.concordance import SetCorrelations, same_sets
from steelyard.quality.agreement.intervals import (
    FEWEST_GROUPS,
    Interval,
    affordable_groups,
    jackknife,
    of_shares,
    resampled,
)
from steelyard.quality.agreement.of_ratings import concordance_row
from steelyard.quality.agreement.preferences import SAME, PairCells
from steelyard.quality.agreement.ratings import Ratings
from steelyard.quality.agreement.rows import AgreementRow, row, undefined
from steelyard.quality.agreement.source import Source
from steelyard.quality.triads import circular_triads

NO_COMMON_PAIR = "no pair of items was compared by two raters."
MEANINGS = {
    "alpha": "Agreement beyond chance on which item of a pair has more: 1 is perfect, 0 is chance.",
    "observed": "Share of answers to the same pair by two raters that are equal; chance is not removed.",
    "triads": "Share of triads in which a rater prefers a to b, b to c and c to a; random answers give 0.25.",
    "spearman": "Mean rank correlation of two rankings of the same items.",
    "tau": "Mean Kendall tau-b of two rankings of the same items.",
    "split_half": "Correlation of the scores from two halves of the annotations of each tuple, as in published norms.",
    "single": "Correlation of the scores from two halves of the annotations. {single} annotated only once, and the two "
    "halves have different tuples. Published values, whose halves have the same tuples, are not comparable.",
    "stepped_up": "The same, stepped up by Spearman-Brown to all annotations.",
    "best": "How often two raters of a tuple choose the same best item, beyond chance (1 / items in the tuple).",
    "worst": "How often two raters of a tuple choose the same worst item, beyond chance (1 / items in the tuple).",
}


def by_pair_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield the agreement on the outcome of each pair, corrected for chance, and the plain share."""
    outcomes = source.outcomes
    cells = PairCells(outcomes)
    found = cells.agreement()
    raters = len(np.unique(outcomes.rater[outcomes.rater >= 0]))
    by = f"{counted(raters, 'rater')}, " if raters else ""
    of = source.of(
        f"{counted(found.pairs, 'pair')} with 2 answers or more, {by}{counted(found.answers, 'answer')}"
    )
    if not found.pairs:
        yield undefined("Agreement by pair (alpha, nominal)", of, NO_COMMON_PAIR)
        return

    def statistics(keep: Mask) -> Vector:
        kept = cells.agreement(keep)
        return np.array([kept.observed, kept.alpha])

    share, alpha = jackknife(statistics, outcomes.ways, source.rng, affordable_groups(10 * len(outcomes)))
    yield row("Agreement by pair (alpha, nominal)", found.alpha, alpha, of, MEANINGS["alpha"])
    yield row("Agreement by pair (share)", found.observed, of_shares(share), of, MEANINGS["observed"])


def triad_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield the share of circular triads of all raters together."""
    by_rater = [each for each in circular_triads(source.comparisons) if each.triads]
    triads = np.array([each.triads for each in by_rater], dtype=np.float64)
    circular = np.array([each.circular for each in by_rater], dtype=np.float64)
    of = source.of(f"{counted(triads.sum(), 'triad')} without a tie, {counted(len(by_rater), 'rater')}")
    if not by_rater:
        yield undefined("Circular triads (share)", of, "no rater compared three items with each other.")
        return
    interval = resampled(
        lambda weights: np.asarray((weights @ circular) / (weights @ triads)),
        len(by_rater),
        source.settings.draws,
        source.rng,
        "raters",
    )
    yield row("Circular triads (share)", circular.sum() / triads.sum(), interval, of, MEANINGS["triads"])


@dataclass(frozen=True, eq=False)
class _Rankings:
    """Rankings, one entry per item ranked; answers about the same items under one question share a set."""

    item: Codes
    rank: Vector
    answer: Codes
    rater: Codes  # by answer
    set_of: Codes  # by answer

    @cached_property
    def matrices(self) -> list[tuple[Matrix, Codes]]:
        """For each set with several answers, ranks by answer and item, and the answers."""
        matrices = []
        place = np.lexsort((self.item, self.answer))
        for rows in by_size(self.answer[place]):
            lines = place[rows]
            owner = self.set_of[self.answer[lines[:, 0]]]
            order = np.argsort(owner, kind="stable")
            for part in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
                if len(part) > 1:
                    matrices.append((self.rank[lines[part]], self.answer[lines[part, 0]]))
        return matrices


def _rankings(source: Source) -> _Rankings:
    table, kind = source.table, source.kind.name
    answer = answers_of(source.judgments, kind)
    first = np.unique(answer, return_index=True)[1]
    named = named_raters(source.judgments, table)
    rater = np.where(named, table.codes.get("rater", np.zeros(len(table), dtype=np.int64)), -1)[first]
    set_of = same_sets(table.codes["item"], answer, row_key(table, SAME)[first])
    return _Rankings(table.codes["item"], table.numbers["rank"], answer, rater, set_of)


def ranking_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield Kendall's W if all raters ranked the same items, and mean correlations of rankings of the same items."""
    rankings = _rankings(source)
    answers, sets = len(rankings.rater), len(np.unique(rankings.set_of))
    if sets == 1 and answers > 1 and len(np.unique(rankings.rater)) == answers:
        rater = np.arange(answers)[rankings.answer]
        item = np.unique(rankings.item, return_inverse=True)[1]
        size = int(item.max()) + 1
        ranked = Ratings(item, rater, rankings.rank, size, answers)
        yield concordance_row(source, ranked, {"raters": ranked.rater})
    else:
        reason = (
            f"the {counted(answers, 'ranking')} are about {counted(sets, 'set')} of items, or raters repeat."
        )
        yield undefined("Kendall's W", source.of(counted(answers, "ranking")), reason)
    yield from _correlation_rows(source, rankings)


def _correlation_rows(source: Source, rankings: _Rankings) -> Iterator[AgreementRow]:
    means = SetCorrelations(rankings.matrices).means
    values = means(np.ones(len(rankings.rater), dtype=bool))
    used = [answers for _, answers in rankings.matrices]
    of = source.of(f"{counted(sum(map(len, used)), 'ranking')} of {counted(len(used), 'set')} of items")
    if not used:
        yield undefined("Mean Spearman of two rankings", of, "no two rankings are about the same items.")
        return
    ways = {"raters": rankings.rater} if len(np.unique(rankings.rater)) > 1 else {}
    if len(used) > 1 or not ways:
        ways["sets of items"] = rankings.set_of
    intervals = jackknife(means, ways, source.rng)
    for name, key, at in (("Spearman", "spearman", 0), ("Kendall's tau-b", "tau", 1)):
        yield row(f"Mean {name} of two rankings", float(values[at]), intervals[at], of, MEANINGS[key])


def _choices(source: Source) -> tuple[Choices, Codes]:
    """Return best-worst choices, and the rater of each annotation; -1 if there is none."""
    table, kind = source.table, source.kind.name
    answer = answers_of(source.judgments, kind)
    first = np.unique(answer, return_index=True)[1]
    signs = {"best": 1.0, "worst": -1.0}
    sign = np.array([signs.get(str(word), 0.0) for word in source.judgments.labels("choice")] + [0.0])
    named = named_raters(source.judgments, table)
    rater = np.where(named, table.codes.get("rater", np.zeros(len(table), dtype=np.int64)), -1)[first]
    tuples = same_sets(table.codes["item"], answer, row_key(table, SAME)[first])
    return Choices(table.codes["item"], sign[table.codes["choice"]], answer, tuples), rater


def best_worst_split_half_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield the split-half reliability of best-worst scores."""
    choices, rater = _choices(source)
    tuples, answers = len(np.unique(choices.tuple_of)), len(rater)
    splits = int(np.clip(20_000_000 // max(len(choices.item), 1), 20, SPLITS))
    half = best_worst_split_half(choices, source.rng, splits)
    items = len(np.unique(choices.item))
    of = source.of(f"{counted(items, 'item')}, {counted(tuples, 'tuple')}, {counted(answers, 'annotation')}")
    pearson, spearman = _best_worst_intervals(source, choices, rater)
    meaning = _halves_in_words(np.bincount(choices.tuple_of))
    yield row("Split-half reliability (Pearson)", half.pearson, pearson, of, meaning)
    yield row("Split-half reliability (Spearman)", half.spearman, spearman, of, meaning)
    stepped = ((half.pearson_stepped_up, pearson), (half.spearman_stepped_up, spearman))
    for name, (value, plain) in zip(("Pearson", "Spearman"), stepped, strict=True):
        interval = Interval(_twice(plain.low), _twice(plain.high), plain.method)
        title = f"Split-half reliability ({name}, Spearman-Brown corrected)"
        yield row(title, value, interval, of, MEANINGS["stepped_up"])


def _halves_in_words(annotations: Codes) -> str:
    """Return what the correlation of two halves means, for tuples with these numbers of annotations."""
    single, tuples = int(np.sum(annotations == 1)), len(annotations)
    if not single:
        return MEANINGS["split_half"]
    which = f"All {tuples:,} tuples were" if single == tuples else f"{single:,} of {tuples:,} tuples were"
    return MEANINGS["single"].format(single=which)


def _best_worst_intervals(source: Source, choices: Choices, rater: Codes) -> list[Interval]:
    splits = int(np.clip(2_000_000 // max(len(choices.item), 1), 3, 20))
    seed = int(source.rng.integers(2**32))

    def statistics(keep: Mask) -> Vector:
        half = best_worst_split_half(choices.of_answers(keep), np.random.default_rng(seed), splits)
        return np.array([half.pearson, half.spearman])

    ways = {"raters": rater} if len(np.unique(rater)) > 1 else {}
    return jackknife(statistics, {**ways, "tuples": choices.tuple_of}, source.rng, 10)


def best_worst_choice_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield the agreement on the best and on the worst item of a tuple, corrected for chance."""
    choices, rater = _choices(source)
    ways = {"raters": rater} if len(np.unique(rater[rater >= 0])) >= FEWEST_GROUPS else {}
    ways["items"] = _items_of_answers(choices)

    def statistics(keep: Mask) -> Vector:
        return np.array([_beyond_chance(choices.of_answers(keep), sign) for sign in (1.0, -1.0)])

    values = statistics(np.ones(len(rater), dtype=bool))
    intervals = jackknife(statistics, ways, source.rng, affordable_groups(10 * len(choices.item)))
    tuples = int(np.sum(np.bincount(choices.tuple_of) > 1))
    of = source.of(f"{counted(tuples, 'tuple')} with 2 annotations or more")
    for name, value, interval in zip(("best", "worst"), values.tolist(), intervals, strict=True):
        title = f"Agreement on the {name} item (beyond chance)"
        if tuples:
            yield row(title, value, interval, of, MEANINGS[name])
        else:
            yield undefined(title, of, "no tuple has two annotations.")


def _beyond_chance(choices: Choices, sign: float) -> float:
    """Return (observed - chance) / (1 - chance), with tuples weighted by their annotations."""
    same, chance, answers = choice_agreement(choices, sign)
    if not len(same):
        return float("nan")
    observed, expected = np.average(same, weights=answers), np.average(chance, weights=answers)
    return float((observed - expected) / (1.0 - expected))


def _items_of_answers(choices: Choices) -> Codes:
    """Return the items of each annotation, one row each, filled up with -1."""
    place = occurrences(choices.answer)
    items = np.full((len(choices.tuple_of), int(place.max(initial=0)) + 1), -1)
    items[choices.answer, place] = choices.item
    return items


def _twice(value: float) -> float:
    return 2.0 * value / (1.0 + value) if value > -1.0 else float("nan")
