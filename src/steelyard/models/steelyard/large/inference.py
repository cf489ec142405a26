"""Variants of the model fitted in passes through blocks of ratings, with the sweep and the updates used in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.arrays import Messages, Sums, Terms, silent
from steelyard.models.steelyard.averaging import (
    ENDS,
    FIRST,
    PILE_UP,
    RICH,
    Average,
    best_mix,
    honesty,
    mix_sums,
    predictions,
    share_of_gains,
    slopes_show,
    without_bias,
)
from steelyard.models.steelyard.features import Features, Regression
from steelyard.models.steelyard.inference import Passes, Schedule, Solution, alternated
from steelyard.models.steelyard.large.filling import Filled
from steelyard.models.steelyard.large.store import Blocks, probe, sides
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.parameters import Learnt, Parts, starting_values
from steelyard.models.steelyard.spam import own_log_likelihood
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class Variant:
    """A fitted variant: its solution, whose messages are those of items and raters, and the name of its files."""

    name: str
    solution: Solution
    blocks: Blocks

    def at(self, block: int, layout: Layout) -> Solution:
        """Return the solution with the ratings and messages of one block."""
        messages = self.blocks.read(self.name, block, layout.ratings, self.solution.messages)
        return replace(self.solution, ratings=layout.ratings, messages=messages)


def average_of(files: Filled, features: Features) -> tuple[Average, tuple[Variant, ...]]:
    """Fit the variants of `averaging.average_variants` for large data, and return them with their weights.

    Parameters
    ----------
    files
        Ratings in files.
    features
        Features of the items, without columns.

    Returns
    -------
    tuple
        The average, and its variants with their files.
    """
    blocks = files.blocks
    simple = Parts(slope=False, noise=False, spam=False, offset=blocks.shared_tasks)
    bias_only = _fitted("bias", files, features, (simple, FIRST), None)
    parts = Parts(slope=slopes_show(files.rows), noise=True, spam=True, offset=blocks.shared_tasks)
    rich = _fitted("rich", files, features, (parts, RICH), bias_only)
    effects, part = [rich], 0.0
    if PILE_UP[0] <= files.at_ends <= PILE_UP[1]:
        effects.append(_fitted("ends", files, features, (parts, ENDS), rich))
        part = _share_of_ends(bias_only, rich, effects[1])
    shares = [1.0 - part, part][: len(effects)]
    share = _share_of_effects(bias_only, effects, shares, files)
    variants = (bias_only, *effects)
    weights = (1.0 - share, *(share * each for each in shares))
    return Average(tuple(each.solution for each in variants), weights), variants


def _fitted(
    name: str, files: Filled, features: Features, how: tuple[Parts, Schedule], start: Variant | None
) -> Variant:
    parts, schedule = how
    blocks = files.censored if name == "ends" else files.blocks
    earlier = None if start is None else start.solution
    begin = _begin(files, features, parts) if earlier is None else (earlier.learnt, earlier.messages)
    passes = _FilePasses(blocks, name, "" if start is None else start.name)
    own_log = _own_log(blocks, files) if parts.spam else np.empty(0)
    steps = Passes(passes.sweep, passes.resummed, own_log, blocks.empty.ratings)
    return Variant(name, alternated(steps, features, parts, schedule, begin), blocks)


def _begin(files: Filled, features: Features, parts: Parts) -> tuple[Learnt, Messages]:
    blocks = files.blocks
    flat = Regression.flat(features, files.scores.variance)
    learnt = starting_values(files.scores, flat, blocks.raters, parts)
    return learnt, probe(silent(blocks.empty.ratings, blocks.items, blocks.raters))


def _own_log(blocks: Blocks, files: Filled) -> Vector:
    overall = (files.scores.mean, files.scores.variance)
    total = np.zeros(blocks.raters)
    for _, layout in blocks.layouts():
        rater, here = layout.rater, np.unique(layout.ratings.rater)
        total[here] = own_log_likelihood(layout.ratings, rater, layout.raters, overall)[here]
    return total


class _FilePasses:
    """Passes through the blocks. The first one reads the messages of the variant that the fit starts from."""

    def __init__(self, blocks: Blocks, name: str, start: str) -> None:
        self._blocks, self._name, self._read = blocks, name, start

    def sweep(self, terms: Terms, messages: Messages, honest: bool) -> tuple[Messages, Sums]:
        """Return the messages of items and raters after one pass, and the sums for the next update."""
        from steelyard.models.steelyard.kernel import sweep  # numba is slow to import

        now, total = messages, None
        for block, layout in self._blocks.layouts():
            old = self._blocks.read(self._read, block, layout.ratings, now)
            new, sums = sweep(layout.ratings, terms, old, honest)
            self._blocks.write(self._name, block, layout.ratings, new)
            now = now._replace(
                item_precision=new.item_precision,
                item_pull=new.item_pull,
                rater_precision=new.rater_precision,
                rater_pull=new.rater_pull,
            )
            total = sums if total is None else Sums(*(a + b for a, b in zip(total, sums, strict=True)))
        assert total is not None  # there is at least one block
        self._read = self._name
        return probe(now), total

    def resummed(self, messages: Messages) -> Messages:
        """Return the messages with sums over items recomputed, see `arrays.resummed`."""
        precision, pull = (np.zeros(self._blocks.items) for _ in range(2))
        store, size = self._blocks.store, self._blocks.items
        for block in range(self._blocks.count):
            item = store.again("item", block, np.int32, np.int64)
            each = self._blocks.scaled(self._name, block, messages)
            precision += sums_by(item, each[0], size)
            pull += sums_by(item, each[1], size)
        return messages._replace(item_precision=precision, item_pull=pull)


def _share_of_ends(bias_only: Variant, rich: Variant, ends: Variant) -> float:
    """Return the share of the variant with ends among those with rater effects."""
    sums = np.zeros(2)
    for block, layout in rich.blocks.layouts():
        one = rich.at(block, layout)
        predicted = predictions(one)
        beyond = predictions(_censored(ends, block, layout)) if ends.solution.is_sound else predicted
        answered = without_bias(bias_only.at(block, layout), layout)
        sums += mix_sums(answered, predicted, beyond, honesty(one, layout))
    return best_mix(sums)


def _censored(ends: Variant, block: int, layout: Layout) -> Solution:
    """Return the block of a variant with ends. Its predictions do not depend on which answers are censored."""
    low, high = ends.blocks.ends
    ratings = layout.ratings._replace(ends=sides(layout.ratings.score), low=low, high=high)
    return ends.at(block, replace(layout, ratings=ratings))


def _share_of_effects(
    bias_only: Variant, effects: list[Variant], shares: list[float], files: Filled
) -> float:
    """Return the weight of the variants with rater effects, from the gains of raters in squared error."""
    gain = np.zeros(files.blocks.raters)
    for block, layout in files.blocks.layouts():
        simple = bias_only.at(block, layout)
        answered, plain = without_bias(simple, layout), predictions(simple)
        some = [effects[0].at(block, layout), *(_censored(each, block, layout) for each in effects[1:])]
        mixed = np.sum([s * predictions(one) for s, one in zip(shares, some, strict=True) if s > 0.0], axis=0)
        gains = honesty(some[0], layout) * ((answered - plain) ** 2 - (answered - mixed) ** 2)
        gain += sums_by(layout.rater, gains, layout.raters)
    return share_of_gains(gain[files.rows > 0])
