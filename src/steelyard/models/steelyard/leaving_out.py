"""Predictions of the answers of raters whom a variant has not seen.

Raters are divided into folds. Each variant is refitted without the raters of a fold, and predicts their answers from
the positions of the items. What the variant would learn about these raters is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.arrays import Messages, Ratings
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.inference import Schedule, Solution, infer
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.sums import sums_by


def folds_of(layout: Layout, most: int) -> Codes:
    """Return the fold of each rater, -1 for raters who are never left out.

    Raters with many answers come first, and each goes to the fold with the fewest answers. Ties are resolved by the
    mean score, so that folds do not depend on the order of the rows. Ratings without a rater are never left out.
    """
    answers = np.bincount(layout.rater, minlength=layout.raters)
    mean = sums_by(layout.rater, layout.ratings.score, layout.raters) / np.maximum(answers, 1)
    named = layout.raters - layout.unnamed
    order = [at for at in np.lexsort((mean, -answers)).tolist() if at < named and answers[at] > 0]
    fold = np.full(layout.raters, -1, dtype=np.int64)
    load = np.zeros(min(most, len(order)))
    for at in order:
        lightest = int(np.argmin(load))
        fold[at] = lightest
        load[lightest] += answers[at]
    return fold


@dataclass(frozen=True, slots=True)
class Refit:
    """How a variant is refitted without some raters.

    It starts from its own solution with these raters if `after` is None, otherwise from the refit with this index.
    Variants with slopes and noise of raters start from a refit. These effects move slowly, so a start from the own
    solution would retain information about the answers that are predicted.
    """

    variant: Solution
    schedule: Schedule
    after: int | None = None


def predictions_without(
    refits: Sequence[Refit], layout: Layout, features: Features, fold: Codes
) -> tuple[Vector, ...]:
    """Return the predicted answer for each rating, by variant, from a refit without the fold of its rater.

    Parameters
    ----------
    refits
        The variants, each after those from which it starts.
    layout
        Ratings in lists.
    features
        Features of the items.
    fold
        Fold of each rater, -1 for raters who are never left out.

    Returns
    -------
    tuple of Vector
        Predictions of each variant. NaN for raters outside all folds.
    """
    predicted = tuple(np.full(len(layout.ratings.score), np.nan) for _ in refits)
    for at in range(int(fold.max(initial=-1)) + 1):
        out = fold == at
        rows = out[layout.rater]
        for variant, without in zip(predicted, _all_without(refits, layout, features, out), strict=True):
            variant[rows] = answer_of(without, without.latent)[layout.ratings.item[rows]]
    return predicted


def _all_without(
    refits: Sequence[Refit], layout: Layout, features: Features, out: Mask
) -> Iterator[Solution]:
    """Yield every variant refitted without some raters."""
    rows, lists = ~out[layout.rater], ~out[layout.ratings.rater]
    done: list[Solution] = []
    for refit in refits:
        ratings = _ratings_of(refit.variant.ratings, rows, lists)
        messages = _messages_of(refit.variant, ratings, rows, lists, out)
        start = replace(refit.variant, messages=messages) if refit.after is None else done[refit.after]
        some = replace(layout, ratings=ratings)
        done.append(infer(some, features, refit.variant.parts, refit.schedule, start))
        yield done[-1]


def _ratings_of(ratings: Ratings, rows: Mask, lists: Mask) -> Ratings:
    size = np.diff(ratings.start)[lists]
    return ratings._replace(
        score=ratings.score[rows],
        weight=ratings.weight[rows],
        item=ratings.item[rows],
        ends=ratings.ends[rows],
        start=np.append(0, np.cumsum(size)).astype(np.int64),
        rater=ratings.rater[lists],
    )


def _messages_of(solution: Solution, ratings: Ratings, rows: Mask, lists: Mask, out: Mask) -> Messages:
    old, items = solution.messages, len(solution.messages.item_precision)
    precision, pull = old.rating_precision[rows], old.rating_pull[rows]
    return Messages(
        rating_precision=precision,
        rating_pull=pull,
        item_precision=sums_by(ratings.item, precision, items),
        item_pull=sums_by(ratings.item, pull, items),
        list_precision=old.list_precision[lists],
        list_pull=old.list_pull[lists],
        rater_precision=np.where(out, 0.0, old.rater_precision),
        rater_pull=np.where(out, 0.0, old.rater_pull),
        answer=old.answer[rows],
        blur=old.blur[rows],
    )
