"""Rows of agreement for ratings, and for the midpoints and widths of ranges."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.findings import counted
from steelyard.maths.arrays import Codes, Mask, Vector
from steelyard.quality.agreement.alpha_of_groups import alpha_over_item_groups, can_be_grouped
from steelyard.quality.agreement.between_raters import leave_one_out, spearman_of_pairs
from steelyard.quality.agreement.concordance import kendall_w, mean_correlation
from steelyard.quality.agreement.intervals import (
    FEWEST_GROUPS,
    GROUPS,
    Interval,
    affordable_groups,
    jackknife,
    jackknife_interval,
    leave_out_groups,
    resampled,
)
from steelyard.quality.agreement.intraclass import FORMS, Icc, intraclass, one_way_forms
from steelyard.quality.agreement.kappas import NORMAL, cohen_kappa, fleiss_kappa, fleiss_over_items
from steelyard.quality.agreement.krippendorff import affordable_draws, disagreement, krippendorff_alpha
from steelyard.quality.agreement.paired_values import alpha_over_pairs
from steelyard.quality.agreement.ratings import Ratings
from steelyard.quality.agreement.rows import AgreementRow, row, undefined
from steelyard.quality.agreement.source import Source
from steelyard.quality.agreement.split_halves import (
    correlate_splits,
    of_correlations,
    rater_halves,
    rating_halves,
    split_half,
)
from steelyard.quality.agreement.value_counts import count_values
from steelyard.quality.agreement.variance_components import one_way_anova, variance_components
from steelyard.quality.agreement.why_undefined import why_no_alpha, why_no_halves, why_no_pairs, why_no_rest

MOST_MODELLED_RATERS = 250  # in the mixed model; of more raters, a random sample is used
PAIR_WORK = 4_000_000  # pairs of ratings that are correlated; of more, a random sample of raters is used
FEWEST_ITEMS = 1_000  # in a random sample of items
LARGE = 60_000  # ratings, above which intervals of correlations between raters leave out raters only
MANY_RATERS = (
    100  # with so many raters, the standard error over raters replaces the jackknife of large tables
)
MOST_PAIRED_RATERS = 200  # in a random sample of raters
SPLIT_RATINGS = 60_000  # ratings that are split in halves; of more, those of a random sample of items
SPLIT_WORK = 500_000  # ratings times splits in each step of the interval
SPLITS = 200  # random splits of a small table; large ones have fewer
MEANINGS = {
    "alpha": "Agreement beyond chance: 1 is perfect, 0 is what ratings shuffled between items would give.",
    "cohen": "Agreement of the two raters beyond what their use of the categories would give by chance.",
    "fleiss": "Share of the possible agreement beyond chance on the exact category.",
    "ICC(1,1)": "Reliability of one rating if each item is rated by different raters.",
    "ICC(2,1)": "Reliability of one rating by a random rater; differences between raters count as error.",
    "ICC(3,1)": "Reliability of one rating by these raters; constant differences between raters do not count.",
    "ICC(1,k)": "Reliability of the mean of an item's ratings if each item is rated by different raters.",
    "ICC(2,k)": "Reliability of the mean of an item's ratings by random raters; differences between raters count as "
    "error.",
    "ICC(3,k)": "Reliability of the mean of an item's ratings by these raters, without constant differences.",
    "split_half": "Expected correlation of the item means with those of another panel of the same size "
    "(Spearman-Brown).",
    "pairwise": "Mean rank correlation of two raters on the items that both rated.",
    "leave_one_out": "Mean correlation of one rater with the mean of all other raters of the same items.",
    "kendall_w": "Concordance of the raters' rankings: 1 if all are equal, about 1 / raters if unrelated.",
}


def alpha_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield Krippendorff's alpha for each quantity and level."""
    chosen = source.settings.levels
    for name, ratings in source.ratings.items():
        for level in chosen if chosen else ("interval", *(("ordinal",) if source.points else ())):
            yield alpha_row(source, ratings, level, name)


def alpha_row(source: Source, ratings: Ratings, level: str, name: str = "") -> AgreementRow:
    """Return Krippendorff's alpha of some ratings.

    Parameters
    ----------
    source
        Settings and randomness.
    ratings
        Ratings.
    level
        Level of measurement.
    name
        What is rated, if there are several quantities.

    Returns
    -------
    AgreementRow
        The row.
    """
    title = _named(f"Krippendorff's alpha ({level})", name)
    paired = ratings.where(ratings.per_item[ratings.item] > 1)
    of = source.of(paired.words)
    value = krippendorff_alpha(ratings, level)  # type: ignore[arg-type]
    if not np.isfinite(value):
        return undefined(title, of, why_no_alpha(ratings))
    return row(title, value, _alpha_interval(source, ratings, level), of, MEANINGS["alpha"])


def _alpha_interval(source: Source, ratings: Ratings, level: str) -> Interval:
    draws, chosen = source.settings.draws, source.settings.alpha_interval
    if chosen == "pairs":
        return alpha_over_pairs(ratings, level, source.rng, draws).interval  # type: ignore[arg-type]
    if chosen == "items" or not ratings.named:
        counts = count_values(ratings)
        if can_be_grouped(counts, level):
            return alpha_over_item_groups(counts, level, source.rng, draws)
        times = affordable_draws(counts, level, draws)
        return resampled(
            lambda weights: disagreement(counts, level, weights).alpha, counts.items, times, source.rng
        )

    def alpha(keep: Mask) -> Vector:
        return np.array([krippendorff_alpha(ratings.where(keep), level)])  # type: ignore[arg-type]

    return jackknife(alpha, _ways(ratings), source.rng, affordable_groups(len(ratings)))[0]


def kappa_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield kappas if scores are points of a scale: Cohen's for two raters, Fleiss' for equally many ratings."""
    ratings = _first(source)
    if ratings is None or not source.points:
        return
    of = source.of(ratings.words)
    if ratings.named and ratings.raters == 2:
        yield from _cohen_rows(source, ratings)
    try:
        fleiss = fleiss_kappa(ratings)
    except NothingToTest:  # nominal alpha is the same idea for unequal numbers of ratings
        if "nominal" not in source.settings.levels:
            yield alpha_row(source, ratings, "nominal")
        return
    interval = fleiss_over_items(count_values(ratings).table.toarray(), source.rng, source.settings.draws)
    equal = "all ratings are equal."
    yield row("Fleiss' kappa", fleiss.kappa, interval, of, MEANINGS["fleiss"], reason=lambda: equal)


def _cohen_rows(source: Source, ratings: Ratings) -> Iterator[AgreementRow]:
    first, second = ratings.matrix().T.tolist()
    shared = int(np.sum(ratings.per_item == 2))
    alike = "both raters gave all items the same rating." if shared else "no item has two ratings."
    declared = "declared" if source.settings.points else "used"
    for weights in ("none", "linear", "quadratic"):
        result = cohen_kappa(first, second, weights, source.points)
        title = "Cohen's kappa" if weights == "none" else f"Cohen's kappa ({weights} weights)"
        scale = "" if weights == "none" else f", {len(source.points)} points {declared}"
        of = source.of(f"{counted(shared, 'item')}, 2 raters{scale}")
        yield row(title, result.kappa, result.interval, of, MEANINGS["cohen"], reason=lambda: alike)


def icc_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield intraclass correlations: all forms of the first quantity, form 2 of the others."""
    for at, (name, ratings) in enumerate(source.ratings.items()):
        wanted = FORMS if at == 0 else ("ICC(2,1)", "ICC(2,k)")
        used, sampled = _modelled(ratings, source.rng)
        of = source.of(used.words + sampled)
        try:
            forms, method = _icc_forms(used, _harmonic_mean(ratings.per_item))
        except NothingToTest as reason:
            yield undefined(_named("ICC", name), of, str(reason).removeprefix("ICC: "))
            continue
        for form in (each for each in wanted if each in forms):
            icc = forms[form]
            made = Interval(icc.interval.low, icc.interval.high, f"{icc.interval.method}{method}")
            yield row(_named(form, name), icc.value, made, of, MEANINGS[form])


def _modelled(ratings: Ratings, rng: np.random.Generator) -> tuple[Ratings, str]:
    """Return the ratings for the mixed model, of a sample of raters if there are very many, and words for that."""
    if ratings.complete or not ratings.named or ratings.raters <= MOST_MODELLED_RATERS:
        return ratings, ""
    chosen = rng.choice(ratings.raters, MOST_MODELLED_RATERS, replace=False)
    sampled = ratings.where(np.isin(ratings.rater, chosen)).compact()
    return sampled, f" (a random sample of the {ratings.raters:,} raters)"


def _harmonic_mean(sizes: Codes) -> float:
    counted_sizes = sizes[sizes > 0]
    return len(counted_sizes) / float(np.sum(1.0 / counted_sizes))


def _icc_forms(ratings: Ratings, panel: float) -> tuple[dict[str, Icc], str]:
    """Return the forms for one rating and for a panel, and an addition to the words about the interval."""
    if ratings.complete and ratings.named:
        return intraclass(ratings).forms, ""
    if not ratings.named:
        anova, items = one_way_anova(ratings), int(np.sum(ratings.per_item > 0))
        freedom = (items - 1, len(ratings) - items)
        return one_way_forms(anova.between, anova.within, *freedom, anova.per_item, panel=panel), ""
    components = variance_components(ratings, panel)
    doubt = "" if components.converged else ", REML did not converge"
    return components.forms, f", approximate because ratings are missing (mixed model by REML{doubt})"


def split_half_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield split-half reliabilities, stepped up to all raters."""
    every = _first(source)
    if every is None or not len(every):
        return
    ratings, sampled = _some_items(every, source.rng)
    splits = int(np.clip(20_000_000 // len(every), 20, SPLITS))
    half = split_half(ratings, source.rng, "raters" if ratings.named else "ratings", splits)
    pearson, spearman = _split_half_intervals(source, ratings, SPLIT_WORK // len(every))
    splits_used = (
        f"{'all ' if half.exact else ''}{counted(half.splits, 'split')}" if half.splits else "no usable split"
    )
    of = source.of(f"{ratings.words}{sampled}, {splits_used}")
    title = _named("Split-half reliability ({}, Spearman-Brown corrected)", _first_name(source))
    stepped_up = {
        "Pearson": (half.pearson_stepped_up, pearson),
        "Spearman": (half.spearman_stepped_up, spearman),
    }
    for name, (value, interval) in stepped_up.items():
        reason = partial(why_no_halves, ratings)
        yield row(title.format(name), value, interval, of, MEANINGS["split_half"], reason=reason)


def _some_items(ratings: Ratings, rng: np.random.Generator) -> tuple[Ratings, str]:
    """Return the ratings of a random sample of items if there are very many ratings, and words for that."""
    if len(ratings) <= LARGE:
        return ratings, ""
    number = max(FEWEST_ITEMS, ratings.items * SPLIT_RATINGS // len(ratings))
    if number >= ratings.items:
        return ratings, ""
    chosen = np.zeros(ratings.items, dtype=bool)
    chosen[rng.choice(ratings.items, number, replace=False)] = True
    return ratings.where(chosen[ratings.item]).compact(), f" (a random sample of the {ratings.items:,} items)"


def _split_half_intervals(source: Source, ratings: Ratings, affordable: int) -> list[Interval]:
    splits = int(np.clip(affordable, 3, 30))
    if ratings.named:
        sides = [side[ratings.rater] for side in rater_halves(ratings.raters, splits, source.rng)[:splits]]
    else:
        sides = list(rating_halves(ratings, splits, source.rng))

    def statistics(keep: Mask) -> Vector:
        kept = ratings.where(keep)
        half = of_correlations(correlate_splits(kept, (side[keep] for side in sides)))
        return np.array([half.pearson_stepped_up, half.spearman_stepped_up])

    return jackknife(statistics, _ways(ratings), source.rng, affordable_groups(len(ratings) * splits))


def pairwise_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield the mean pairwise Spearman correlation."""
    ratings = _first(source)
    if ratings is None or not ratings.named:
        return
    work = float(np.sum(ratings.per_item.astype(np.float64) ** 2)) / 2.0
    if work <= PAIR_WORK:
        result = spearman_of_pairs(ratings, np.arange(ratings.raters), ordered=True)
        sampled = ""
    else:
        chosen = _some_raters(ratings, 2.0 * work / PAIR_WORK, source.rng)
        result = spearman_of_pairs(ratings, chosen)
        sampled = f" with a random sample of {len(chosen):,} raters"
    of = source.of(f"{ratings.words}, {counted(result.pairs, 'pair')} of raters{sampled}")
    by_rater = [
        result.without(np.flatnonzero(~np.isin(np.arange(ratings.raters), ratings.rater[keep])))
        for keep in leave_out_groups(ratings.rater, source.rng)
    ]
    left_out = {"raters": np.array(by_rater)} if ratings.raters >= FEWEST_GROUPS else {}
    if len(ratings) <= LARGE or not left_out:
        left_out["items"] = _without_items(source, ratings, result.mean)
    interval = jackknife_interval(result.mean, left_out)
    title = _named("Mean pairwise Spearman", _first_name(source))
    yield row(title, result.mean, interval, of, MEANINGS["pairwise"], reason=partial(why_no_pairs, ratings))


def _without_items(source: Source, ratings: Ratings, mean: float) -> Vector:
    """Return the mean pairwise correlation without each group of items, from a sample of raters if need be."""
    work = float(np.sum(ratings.per_item.astype(np.float64) ** 2))
    chosen = _some_raters(ratings, max(work * GROUPS / PAIR_WORK, 1.0), source.rng)
    whole = spearman_of_pairs(ratings, chosen).mean
    masks = leave_out_groups(ratings.item, source.rng)
    return np.array([mean + spearman_of_pairs(ratings.where(keep), chosen).mean - whole for keep in masks])


def _some_raters(ratings: Ratings, fraction: float, rng: np.random.Generator) -> Codes:
    """Return a random sample of about 1 / fraction of the raters."""
    most = ratings.raters if fraction <= 1.0 else min(ratings.raters, MOST_PAIRED_RATERS)
    number = int(np.clip(ratings.raters / fraction, min(10, ratings.raters), most))
    return np.sort(rng.choice(ratings.raters, number, replace=False))


def leave_one_out_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield the mean correlation of each rater with the rest."""
    ratings = _first(source)
    if ratings is None or not ratings.named:
        return

    def statistics(keep: Mask) -> Vector:
        result = leave_one_out(ratings.where(keep))
        both = (result.pearson, result.spearman)
        return np.array([each[np.isfinite(each)].mean() if result.raters else np.nan for each in both])

    result = leave_one_out(ratings)
    of = source.of(f"{ratings.words}, {counted(result.raters, 'rater')} with 3 shared items or more")
    by_rater = [each[np.isfinite(each)] for each in (result.pearson, result.spearman)]
    if len(ratings) > LARGE and result.raters >= MANY_RATERS:
        intervals = [_mean_interval(each) for each in by_rater]
    else:
        intervals = jackknife(statistics, _ways(ratings), source.rng, affordable_groups(len(ratings)))
    for name, each, interval in zip(("Pearson", "Spearman"), by_rater, intervals, strict=True):
        value = float(each.mean()) if len(each) else float("nan")
        title = _named(f"Each rater against the rest ({name})", _first_name(source))
        yield row(title, value, interval, of, MEANINGS["leave_one_out"], reason=partial(why_no_rest, ratings))


def _mean_interval(values: Vector) -> Interval:
    """Return the interval of the mean of many correlations, as if raters were independent."""
    reach = NORMAL * float(values.std(ddof=1)) / np.sqrt(len(values))
    return Interval(float(values.mean() - reach), float(values.mean() + reach), "standard error over raters")


def kendall_w_rows(source: Source) -> Iterator[AgreementRow]:
    """Yield Kendall's W of complete ratings."""
    ratings = _first(source)
    if ratings is not None and ratings.named:
        yield concordance_row(source, ratings, _ways(ratings))


def concordance_row(source: Source, ratings: Ratings, ways: dict[str, Codes]) -> AgreementRow:
    """Return Kendall's W, with an interval from the mean rank correlation that it implies.

    Parameters
    ----------
    source
        Settings and randomness.
    ratings
        Ratings or ranks of the same items by every rater.
    ways
        What the jackknife leaves out, by name.

    Returns
    -------
    AgreementRow
        The row.
    """
    of = source.of(ratings.words)
    try:
        value = kendall_w(ratings).w
    except NothingToTest as reason:
        return undefined("Kendall's W", of, str(reason).removeprefix("Kendall's W: "))

    def implied(keep: Mask) -> Vector:
        kept = ratings.where(keep).compact()
        if not kept.complete or kept.items < 2 or kept.raters < 2:  # without single ratings there is no W
            return np.array([np.nan])
        return np.array([mean_correlation(kendall_w(kept).w, kept.raters)])

    (interval,) = jackknife(implied, ways, source.rng, affordable_groups(len(ratings)))
    low, high = (
        (1.0 + (ratings.raters - 1) * limit) / ratings.raters for limit in (interval.low, interval.high)
    )
    return row(
        "Kendall's W", value, Interval(max(low, 0.0), high, interval.method), of, MEANINGS["kendall_w"]
    )


def _ways(ratings: Ratings) -> dict[str, Codes]:
    """Return what a jackknife leaves out: items, and raters if there are enough of them."""
    by_rater = {"raters": ratings.rater} if ratings.named and ratings.raters >= FEWEST_GROUPS else {}
    return {**by_rater, "items": ratings.item}


def _first(source: Source) -> Ratings | None:
    return next(iter(source.ratings.values()), None)


def _first_name(source: Source) -> str:
    return next(iter(source.ratings), "")


def _named(statistic: str, name: str) -> str:
    return f"{statistic}, {name}" if name else statistic
