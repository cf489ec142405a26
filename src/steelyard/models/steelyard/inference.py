"""Sweeps of message passing and updates of the parameters, until positions converge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.arrays import Messages, Ratings, Sums, Terms, resummed, silent
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.learn import learn, learn_spam
from steelyard.models.steelyard.parameters import Learnt, Parts, cold_start
from steelyard.models.steelyard.spam import own_log_likelihood

DAMPED_AFTER = 40  # sweeps; slopes and positions of crowded scales may alternate until the stretch is damped
RESUM_EVERY = 8  # sweeps, in which a rounding error grows less than fiftyfold


@dataclass(frozen=True, slots=True)
class Schedule:
    """When updates start, and when to stop: root mean square step below `tolerance` standard deviations."""

    quiet: int = 3  # sweeps before variances are estimated
    spam_after: int = 3  # sweeps before spam probabilities are estimated
    least: int = 6
    most: int = 60
    tolerance: float = 1e-2


@dataclass(frozen=True, eq=False)
class Solution:
    """One fitted variant of the model."""

    ratings: Ratings
    parts: Parts
    learnt: Learnt
    messages: Messages
    sums: Sums
    sweeps: int
    converged: bool
    cuts: Vector | None = None  # cut-points of ordered levels; None if scores are numbers

    @property
    def has_ends(self) -> bool:
        """Whether answers at the ends are treated as censored, or levels as ordered categories."""
        return bool(np.isfinite(self.ratings.low)) or self.cuts is not None

    @property
    def is_sound(self) -> bool:
        """Whether all positions are finite and all variances positive."""
        return bool(np.all(self.precision > 0.0) and np.isfinite(self.latent).all())

    @property
    def precision(self) -> Vector:
        """Posterior precision of each item, given the fixed parameters."""
        return 1.0 / self.learnt.prior_variance + self.messages.item_precision

    @property
    def latent(self) -> Vector:
        """Posterior mean of each item's latent position on the unit scale."""
        return _latent(self.learnt, self.messages)

    @property
    def latent_variance(self) -> Vector:
        """Posterior variance of each item's latent position, given the fixed parameters."""
        return 1.0 / self.precision


def _latent(learnt: Learnt, messages: Messages) -> Vector:
    prior = 1.0 / learnt.prior_variance
    pull = learnt.regression.mean * prior + messages.item_pull
    return learnt.centre + pull / (prior + messages.item_precision)


def infer(
    layout: Layout, features: Features, parts: Parts, schedule: Schedule, start: Solution | None = None
) -> Solution:
    """Fit one variant: alternate sweeps and updates until positions converge.

    Parameters
    ----------
    layout
        Ratings in lists.
    features
        Features of the items.
    parts
        Effects that the variant includes.
    schedule
        When updates start and when to stop.
    start
        Solution of another variant to start from. None starts from default values.

    Returns
    -------
    Solution
        The fitted variant, with the number of sweeps and whether it converged.
    """
    from steelyard.models.steelyard.kernel import sweep  # numba is slow to import

    ratings = layout.ratings
    own_log = own_log_likelihood(ratings, layout.rater, layout.raters) if parts.spam else np.empty(0)
    passes = Passes(
        sweep=lambda terms, messages, honest: sweep(ratings, terms, messages, honest),
        resum=lambda messages: resummed(ratings, messages),
        own_log=own_log,
        ratings=ratings,
    )
    begin = _begin(layout, features, parts) if start is None else (start.learnt, start.messages)
    return alternated(passes, features, parts, schedule, begin)


@dataclass(frozen=True, eq=False)
class Passes:
    """Passes through the ratings, which may be in memory or in files.

    Attributes
    ----------
    sweep
        Returns the messages after one pass, and the sums for the next update. Its last argument is whether the sums for
        spam probabilities are needed.
    resum
        Returns messages whose sums over items have no rounding errors.
    own_log
        Log-likelihood of each rater's answers under a Gaussian of their own.
    ratings
        Ratings of the solution.
    """

    sweep: Callable[[Terms, Messages, bool], tuple[Messages, Sums]]
    resum: Callable[[Messages], Messages]
    own_log: Vector
    ratings: Ratings


def alternated(
    passes: Passes, features: Features, parts: Parts, schedule: Schedule, begin: tuple[Learnt, Messages]
) -> Solution:
    """Alternate passes and updates of the parameters until positions converge.

    Parameters
    ----------
    passes
        Passes through the ratings.
    features
        Features of the items.
    parts
        Effects that the variant includes.
    schedule
        When updates start and when to stop.
    begin
        Parameters and messages to start from.

    Returns
    -------
    Solution
        The fitted variant.
    """
    learnt, messages = begin
    still, done = False, 0
    while done < schedule.most and not (still and done >= schedule.least):
        swept, before = learnt, _latent(learnt, messages)
        looks_for_spam = parts.spam and done >= schedule.spam_after and (done - schedule.spam_after) % 2 == 0
        messages, sums = passes.sweep(learnt.terms(), messages, looks_for_spam)
        done += 1
        if done > DAMPED_AFTER:
            learnt = replace(learnt, is_damped=True)
        if done > schedule.quiet:
            learnt, messages = learn(learnt, messages, sums, features, parts)
        if done % RESUM_EVERY == 0:
            messages = passes.resum(messages)
        if looks_for_spam:
            learnt = learn_spam(learnt, swept, sums, passes.own_log)
        still = _step(before, learnt, messages) < schedule.tolerance
    return Solution(passes.ratings, parts, learnt, messages, sums, done, still)


def _begin(layout: Layout, features: Features, parts: Parts) -> tuple[Learnt, Messages]:
    learnt = cold_start(layout.ratings, features, layout.raters, parts)
    return learnt, silent(layout.ratings, layout.items, layout.raters)


def _step(before: Vector, learnt: Learnt, messages: Messages) -> float:
    """Return the root mean square change of positions, in standard deviations."""
    variance = np.mean(1.0 / (1.0 / learnt.prior_variance + messages.item_precision))
    return float(np.sqrt(np.mean((_latent(learnt, messages) - before) ** 2) / variance))
