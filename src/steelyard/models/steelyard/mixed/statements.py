"""Probabilities of single statements, and the Gaussian messages that they send (expectation propagation, Minka 2001).

Let x be the difference of a rater's opinions of two items, N(m, V) without this statement, and d the rater's
discrimination. With  s² = 1 + d² V  and the side preference o (with the sign of the side),

    P(first has more) = Phi((d m + o - nu) / s)
    P(tie)            = Phi((nu - d m - o) / s) - Phi((-nu - d m - o) / s)

nu is the tie width. The noise of a difference is the unit, so 1/d is this noise in units of the scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.maths.arrays import Mask, Vector
from steelyard.models.steelyard.mixed.layers import Stack

LEAST = 1e-300  # probability
LEAST_PRECISION = 1e-8


@dataclass(frozen=True, slots=True)
class Link:
    """How answers of one kind depend on the latent scale.

    Attributes
    ----------
    discrimination
        Inverse of the noise of a difference, in units of the latent scale, of an average rater.
    tie_width
        Differences below it are ties, in units of the noise. 0 if there are no ties.
    side
        Preference for the left side, in units of the noise.
    taste
        Variance of raters' own opinions of an item.
    discrepancy
        Variance of the difference between this kind's quality and the common scale.
    """

    discrimination: float
    tie_width: float = 0.0
    side: float = 0.0
    taste: float = 0.0
    discrepancy: float = 0.0


class Cavity(NamedTuple):
    """Mean and variance of the difference that each statement is about, without this statement."""

    mean: Vector
    variance: Vector


class Stated(NamedTuple):
    """Whether each statement is a tie, and the side of its first item."""

    is_tie: Mask
    side: Vector


class Chance(NamedTuple):
    """Probability of statements and its first two derivatives by the mean of the difference."""

    value: Stack
    slope: Stack
    curvature: Stack


def chance_of(cavity: Cavity, stated: Stated, link: Link, discrimination: Stack) -> Chance:
    """Return the probability of each statement and its derivatives.

    Parameters
    ----------
    cavity
        Differences without the statements.
    stated
        The statements.
    link
        Tie width and side preference.
    discrimination
        Discrimination of the rater, by statement, with any axes in front.

    Returns
    -------
    Chance
        Arrays of the shape of `discrimination`.
    """
    from scipy.special import ndtr  # SciPy is slow to import

    scale = np.sqrt(1.0 + discrimination**2 * cavity.variance)
    middle = discrimination * cavity.mean + stated.side * link.side
    upper = (middle - link.tie_width) / scale
    per_unit = discrimination / scale
    value, density = ndtr(upper), _density(upper)
    slope, curvature = per_unit * density, -(per_unit**2) * upper * density
    tied = stated.is_tie
    if tied.any():
        high = (link.tie_width - middle[..., tied]) / scale[..., tied]
        low = (-link.tie_width - middle[..., tied]) / scale[..., tied]
        unit = per_unit[..., tied]
        value[..., tied] = ndtr(high) - ndtr(low)
        slope[..., tied] = -unit * (_density(high) - _density(low))
        curvature[..., tied] = -(unit**2) * (high * _density(high) - low * _density(low))
    return Chance(np.maximum(value, LEAST), slope, curvature)


def _density(z: Stack) -> Stack:
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))


def mixed_chance(chance: Chance, share: Stack, spam: Vector, random: Vector) -> Chance:
    """Return the chance averaged over discriminations, and over honest raters and spammers.

    Parameters
    ----------
    chance
        Discriminations x statements.
    share
        Probability of each discrimination, of the same shape.
    spam
        Probability that the rater is a spammer, by statement.
    random
        Probability of the statement if the rater is a spammer.

    Returns
    -------
    Chance
        One entry per statement.
    """
    value, slope, curvature = (np.sum(share * each, axis=0) * (1.0 - spam) for each in chance)
    return Chance(value + spam * random, slope, curvature)


def message_of(chance: Chance, cavity: Cavity) -> tuple[Vector, Vector]:
    """Return precision and pull of the Gaussian message that gives the difference its new mean and variance."""
    first = chance.slope / chance.value
    second = chance.curvature / chance.value - first**2
    room = np.maximum(1.0 + cavity.variance * second, 1e-6)
    precision = np.maximum(-second / room, LEAST_PRECISION)
    return precision, first + precision * (cavity.mean + cavity.variance * first)
