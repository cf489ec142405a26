"""Discrimination and spam of raters, shared by all kinds that order items.

The log discrimination of a rater differs from the average of a kind by epsilon ~ N(0, spread²). Its posterior is kept
on a grid: sums of the log probabilities of the rater's answers, each predicted from all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.mixed.layers import Stack
from steelyard.models.steelyard.weak_priors import SPAM_LIMITS, SPAM_PRIOR

GRID = np.linspace(-1.5, 1.5, 13)
SPREADS = np.array([0.15, 0.25, 0.35, 0.5, 0.7])
SPREAD_PRIOR = np.log(np.array([1.0, 2.0, 2.0, 1.0, 0.5]))
SHIFTS = np.linspace(-0.6, 0.6, 25)
OUTCOME_PRIOR = np.array([2.0, 1.0, 2.0])  # Dirichlet of a spammer's left, tie and right
# Share of the log odds of spam that counts without ratings. Positions then follow from the agreements between raters
# alone, and the sum over raters counts each of these agreements for both.
UNRATED_SHARE = 0.5
LINK_DEVIATION = 1.0  # prior standard deviation of a kind's log discrimination


@dataclass(frozen=True, eq=False)
class RaterTerms:
    """Terms of raters; the last rater stands for answers without a rater.

    Attributes
    ----------
    differ
        Whether raters differ in discrimination and may be spammers.
    evidence
        Log probability of each rater's answers of all kinds at each value of `GRID`, raters x values.
    spread
        Standard deviation of epsilon.
    spam
        Probability that each rater is a spammer.
    odds
        Log odds of spam by the ratings; NaN for raters without ratings.
    share
        Share of spammers.
    counted
        Share of the log odds of spam by answers that order items which counts: 1 with ratings, `UNRATED_SHARE` without.
    """

    differ: bool
    evidence: Stack
    spread: float
    spam: Vector
    odds: Vector
    share: float
    counted: float = 1.0

    @staticmethod
    def before(raters: int, spam: Vector | None, share: float, differ: bool) -> RaterTerms:
        """Return the terms before any answer.

        Parameters
        ----------
        raters
            Number of raters.
        spam
            Probability of spam by the ratings, NaN for raters without ratings. None if there are no ratings.
        share
            Share of spammers.
        differ
            Whether raters differ and may be spammers.

        Returns
        -------
        RaterTerms
            Average raters.
        """
        rated = np.full(raters, np.nan) if spam is None else spam
        spam_by_rater = np.append(rated[:raters], np.nan)
        with np.errstate(divide="ignore"):
            odds = np.log(spam_by_rater) - np.log1p(-spam_by_rater)
        first = np.where(np.isnan(spam_by_rater), share, spam_by_rater) if differ else np.zeros(raters + 1)
        counted = UNRATED_SHARE if spam is None else 1.0
        return RaterTerms(differ, np.zeros((raters + 1, len(GRID))), 0.3, first, odds, share, counted)

    @property
    def log_prior(self) -> Vector:
        """Log probability of the values of epsilon."""
        return _log_normal(0.0, self.spread) if self.differ else np.where(GRID == 0.0, 0.0, -1e9)

    @property
    def log_posterior(self) -> Stack:
        """Log probability of the values of epsilon given the answers, up to a constant, raters x values."""
        return self.log_prior + self.evidence

    @property
    def mean(self) -> Vector:
        """Posterior mean of epsilon of each rater."""
        return np.asarray(_normalised(self.log_posterior) @ GRID)

    @property
    def deviation(self) -> Vector:
        """Posterior standard deviation of epsilon of each rater."""
        share = _normalised(self.log_posterior)
        return np.asarray(np.sqrt(np.maximum(share @ GRID**2 - (share @ GRID) ** 2, 0.0)))

    def shares_without(self, rater: Codes, log_chance: Stack) -> Stack:
        """Return the posterior of epsilon of the rater of each answer without this answer, values x answers."""
        return _normalised(self.log_posterior[rater] - log_chance.T).T

    def learnt(self, evidence: Sequence[Stack], random_log: Vector, answered: Vector) -> RaterTerms:
        """Return the terms after new evidence.

        Parameters
        ----------
        evidence
            Log probability of each rater's answers at each value of epsilon, by kind.
        random_log
            Log probability of each rater's answers if they do not depend on the items.
        answered
            Number of answers of each rater.

        Returns
        -------
        RaterTerms
            New spread, and spam probabilities moved by half a step.
        """
        total = np.sum(evidence, axis=0)
        if not self.differ:
            return replace(self, evidence=total)
        honest = (1.0 - self.spam) * (answered > 0.0)
        fits = np.array([_total_log(total + _log_normal(0.0, each)) for each in SPREADS])
        weight = fits @ honest + SPREAD_PRIOR
        weight = np.exp(weight - weight.max())
        spread = float(weight @ SPREADS / weight.sum())
        now = replace(self, evidence=total, spread=spread)
        gain = random_log - _total_log(now.log_posterior)
        return now._with_spam(now.counted * gain, answered)

    def _with_spam(self, gain: Vector, answered: Vector) -> RaterTerms:
        """Return new spam probabilities; `gain` is the log likelihood ratio of random to honest answers."""
        share_odds = np.log(self.share / (1.0 - self.share))
        odds = np.where(np.isfinite(self.odds), self.odds, share_odds) + gain
        spam = 0.5 * self.spam + 0.5 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
        seen = answered > 0.0
        seen[-1] = False
        share = (spam[seen].sum() + SPAM_PRIOR[0]) / (seen.sum() + SPAM_PRIOR[1])
        spam = np.where(seen, spam, np.where(np.isfinite(self.odds), self.spam, share))
        spam[-1] = 0.0  # answers without a rater come from several people
        return replace(self, spam=spam, share=float(np.clip(share, *SPAM_LIMITS)))


def log_shift(evidence: Stack, terms: RaterTerms, log_link: float, prior_link: float) -> float:
    """Return the change of a kind's log discrimination that makes its answers most probable.

    Parameters
    ----------
    evidence
        Log probability of each rater's answers of this kind, raters x values of epsilon around the present link.
    terms
        Spread and spam of raters.
    log_link
        Present log discrimination.
    prior_link
        Its prior mean.

    Returns
    -------
    float
        The change, at most 0.6.
    """
    honest = 1.0 - terms.spam
    if not terms.differ:
        return _peak(GRID, honest @ evidence - 0.5 * ((log_link + GRID - prior_link) / LINK_DEVIATION) ** 2)
    fits = [float(_total_log(evidence + _log_normal(shift, terms.spread)) @ honest) for shift in SHIFTS]
    return _peak(SHIFTS, np.array(fits) - 0.5 * ((log_link + SHIFTS - prior_link) / LINK_DEVIATION) ** 2)


def log_slope(evidence: Stack, terms: RaterTerms) -> float:
    """Return the slope of the log probability of a kind's answers in its log discrimination.

    Parameters
    ----------
    evidence
        Log probability of each rater's answers of this kind, raters x values of epsilon around the present link.
    terms
        Spread and spam of raters.

    Returns
    -------
    float
        The slope, by central differences over one step of `GRID`.
    """
    step, honest = float(GRID[1] - GRID[0]), 1.0 - terms.spam
    if not terms.differ:
        middle = len(GRID) // 2
        low, high = (float(honest @ evidence[:, middle + at]) for at in (-1, 1))
    else:
        low, high = (
            float(_total_log(evidence + _log_normal(shift, terms.spread)) @ honest) for shift in (-step, step)
        )
    return (high - low) / (2.0 * step)


def _peak(at: Vector, height: Vector) -> float:
    """Return where a function is largest, by a parabola through the largest value and its neighbours."""
    best = int(np.argmax(height))
    if not 0 < best < len(at) - 1:
        return float(at[best])
    low, middle, high = height[best - 1 : best + 2]
    bend = low - 2.0 * middle + high
    step = float(at[1] - at[0])
    return float(at[best] + (0.5 * step * (low - high) / bend if bend < 0.0 else 0.0))


def outcome_log(left: Vector, tie: Vector, right: Vector) -> Vector:
    """Return the log probability of outcomes that do not depend on the items: Dirichlet-multinomial by rater.

    Parameters
    ----------
    left
        Number of answers for the left item, by rater.
    tie
        Number of ties.
    right
        Number of answers for the right item.

    Returns
    -------
    Vector
        One value per rater.
    """
    from scipy.special import gammaln  # SciPy is slow to import

    counts = np.stack([left, tie, right], axis=1)
    total, prior = counts.sum(axis=1), OUTCOME_PRIOR
    each = np.sum(gammaln(counts + prior) - gammaln(prior), axis=1)
    return np.asarray(each + gammaln(prior.sum()) - gammaln(total + prior.sum()))


def _log_normal(mean: float, deviation: float) -> Vector:
    """Return the log probabilities of a normal distribution on the values of `GRID`."""
    log = -0.5 * ((GRID - mean) / deviation) ** 2
    return np.asarray(log - _total_log(log))


def _total_log(log: Stack) -> Vector:
    top = log.max(axis=-1, keepdims=True)
    return np.asarray((top + np.log(np.exp(log - top).sum(axis=-1, keepdims=True)))[..., 0])


def _normalised(log: Stack) -> Stack:
    share = np.exp(log - log.max(axis=-1, keepdims=True))
    return np.asarray(share / share.sum(axis=-1, keepdims=True))
