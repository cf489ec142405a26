"""Predictions of the answers of raters whom a variant has not seen.

Raters are divided into folds. Each variant is refitted without the raters of a fold, and predicts their answers from
the positions of the items. What the variant would learn about these raters is not used.
"""

from __future__ import annotations

from dataclasses import replace

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


def predictions_without(
    solution: Solution, layout: Layout, features: Features, fold: Codes, schedule: Schedule
) -> Vector:
    """Return the predicted answer for each rating from a refit without its rater's fold; NaN outside all folds."""
    predicted = np.full(len(layout.ratings.score), np.nan)
    for at in range(int(fold.max(initial=-1)) + 1):
        out = fold == at
        without = _without(solution, layout, features, out, schedule)
        rows = out[layout.rater]
        predicted[rows] = answer_of(without, without.latent)[layout.ratings.item[rows]]
    return predicted


def _without(
    solution: Solution, layout: Layout, features: Features, out: Mask, schedule: Schedule
) -> Solution:
    """Return the variant refitted without some raters, started from the solution with them."""
    rows, lists = ~out[layout.rater], ~out[solution.ratings.rater]
    ratings = _ratings_of(solution.ratings, rows, lists)
    start = replace(solution, ratings=ratings, messages=_messages_of(solution, ratings, rows, lists, out))
    return infer(replace(layout, ratings=ratings), features, solution.parts, schedule, start)


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
