"""Messages of answers whose statements share one perception of each item: rankings and best-worst choices.

A perception is the rater's opinion plus noise with variance n = 1 / (2 d²) for each item. Inside an answer, expectation
propagation replaces each statement about two perceptions by a Gaussian message. The sum of these, A (precision) and b
(pull), passes through the noise to the opinions:  A (I + n A)^-1  and  (I + n A)^-1 b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Mask, Vector
from steelyard.maths.gaussian import outcome_probabilities, tie_correction, win_correction
from steelyard.models.steelyard.mixed.layers import Stack, inverse_of

MOST_REMOVED = 0.999  # share of a variance that one statement removes
LEAST_CAVITY = 1e-9
FIRST_PASSES, PASSES = 6, 2
DAMPING = 0.8


@dataclass(frozen=True, eq=False)
class Perceived:
    """Perceptions of the items of answers before their own statements: mean, covariance and statements.

    Attributes
    ----------
    mean
        Answers x items.
    covariance
        Answers x items x items, with the noise.
    signs
        Answers x statements x items.
    is_tie
        Answers x statements.
    margin
        Tie width in units of the scale, by answer.
    """

    mean: Stack
    covariance: Stack
    signs: Stack
    is_tie: Mask
    margin: Vector


@dataclass(frozen=True, eq=False)
class Within:
    """Messages of the statements inside answers, and the log probability of each answer."""

    precision: Stack
    pull: Stack
    log_probability: Vector

    def summed(self, signs: Stack) -> tuple[Stack, Stack]:
        """Return precision matrix and pull of all statements of an answer."""
        matrix = np.einsum("ts,tsi,tsj->tij", self.precision, signs, signs)
        return matrix, np.einsum("ts,tsi->ti", self.pull, signs)


def propagate(perceived: Perceived, start: Within | None) -> Within:
    """Return the messages of the statements inside each answer.

    Parameters
    ----------
    perceived
        Perceptions before the statements.
    start
        Earlier messages to start from; None starts without any.

    Returns
    -------
    Within
        New messages, and log probabilities of the answers by the evidence of expectation propagation.
    """
    signs = perceived.signs
    shape = signs.shape[:2]
    precision = np.zeros(shape) if start is None else start.precision
    pull = np.zeros(shape) if start is None else start.pull
    prior = inverse_of(perceived.covariance)
    level = np.einsum("tij,tj->ti", prior, perceived.mean)
    for _ in range(FIRST_PASSES if start is None else PASSES):
        now = Within(precision, pull, np.empty(0))
        gap, variance = _cavities(prior, level, signs, now)
        new_precision, new_pull = _truncated(gap, variance, perceived)
        precision = precision + DAMPING * (new_precision - precision)
        pull = pull + DAMPING * (new_pull - pull)
    done = Within(precision, pull, np.empty(0))
    return Within(precision, pull, _evidence(perceived, (prior, level), done))


def _cavities(prior: Stack, level: Stack, signs: Stack, now: Within) -> tuple[Stack, Stack]:
    """Return mean and variance of the difference of each statement without its own message."""
    matrix, vector = now.summed(signs)
    covariance = inverse_of(prior + matrix)
    mean = np.einsum("tij,tj->ti", covariance, level + vector)
    gap = np.einsum("tsi,ti->ts", signs, mean)
    variance = np.einsum("tsi,tij,tsj->ts", signs, covariance, signs)
    left = 1.0 / np.maximum(1.0 / variance - now.precision, LEAST_CAVITY)
    return left * (gap / variance - now.pull), left


def _truncated(gap: Stack, variance: Stack, perceived: Perceived) -> tuple[Stack, Stack]:
    """Return the messages that give each difference the moments of its truncated distribution."""
    deviation = np.sqrt(variance)
    margin = perceived.margin[:, None] / deviation
    shift, removed = win_correction(gap / deviation, margin)
    tied = perceived.is_tie
    if tied.any():
        shift[tied], removed[tied] = tie_correction((gap / deviation)[tied], margin[tied])
    removed = np.clip(removed, 1e-9, MOST_REMOVED)
    after = variance * (1.0 - removed)
    return 1.0 / after - 1.0 / variance, (gap + deviation * shift) / after - gap / variance


def _evidence(perceived: Perceived, prior: tuple[Stack, Stack], done: Within) -> Vector:
    """Return the log probability of each answer: heights of its messages and volume of their product."""
    from scipy.special import log_ndtr  # SciPy is slow to import

    matrix, vector = done.summed(perceived.signs)
    gap, variance = _cavities(*prior, perceived.signs, done)
    deviation = np.sqrt(variance)
    margin = perceived.margin[:, None] / deviation
    log_chance = log_ndtr(gap / deviation - margin)
    tied = perceived.is_tie
    if tied.any():
        tie = outcome_probabilities((gap / deviation)[tied], margin[tied])[1]
        log_chance[tied] = np.log(np.maximum(tie, 1e-300))
    gain = (gap / variance + done.pull) ** 2 / (1.0 / variance + done.precision) - gap**2 / variance
    heights = log_chance - 0.5 * gain + 0.5 * np.log1p(variance * done.precision)
    precision, level = prior
    both = level + vector
    solved = np.linalg.solve(precision + matrix, both[..., None])[..., 0]
    size = np.linalg.slogdet(np.eye(matrix.shape[-1]) + perceived.covariance @ matrix)[1]
    volume = 0.5 * np.sum(both * solved, axis=1) - 0.5 * np.sum(level * perceived.mean, axis=1) - 0.5 * size
    return np.asarray(heights.sum(axis=1) + volume)
