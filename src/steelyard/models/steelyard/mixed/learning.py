"""Estimation of the parameters of the kinds: link, tie width, side preference, taste and discrepancy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.mixed.layers import log_volume
from steelyard.models.steelyard.mixed.rater_terms import RaterTerms, log_shift
from steelyard.models.steelyard.mixed.statements import Link, chance_of
from steelyard.models.steelyard.mixed.term import Layers, Term, layers_of, passed_by

if TYPE_CHECKING:  # that module imports this one
    from steelyard.models.steelyard.mixed.joint import Base

STEP = 0.05  # of central differences
LARGEST_STEP = 0.3
SIDE_DEVIATION = 0.15  # prior standard deviation of the side preference
LOG_TIE_DEVIATION = 1.5  # prior standard deviation of the log tie width around 0.3
FIRST_TIE_WIDTH = 0.3
# Variances of tastes and of discrepancies that are considered, in units of the variance of positions, with log prior.
TASTES = np.array([0.0, 0.03, 0.1, 0.2, 0.4, 0.8, 1.6])
TASTE_PRIOR = np.log(np.array([2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5]))
DISCREPANCIES = np.array([0.0, 0.02, 0.06, 0.15, 0.3, 0.6, 1.2, 2.4, 4.8])
DISCREPANCY_PRIOR = np.log(np.array([4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5]))
# Values of w that are considered, with log prior. 1 + w / n is the factor on the covariance of n ratings per item.
WIDENINGS = np.array([0.0, 0.3, 0.75, 1.5])
WIDENING_PRIOR = np.log(np.array([2.0, 2.0, 1.0, 0.5]))


def learn_links(term: Term, raters: RaterTerms, discrimination: bool = True) -> Term:
    """Return the term with new parameters of its link.

    Parameters
    ----------
    term
        A kind with its messages.
    raters
        Discrimination and spam of raters.
    discrimination
        Whether the discrimination is estimated, besides tie width and side preference.

    Returns
    -------
    Term
        The term with a new link.
    """
    log_link = float(np.log(term.link.discrimination))
    shift = 0.7 * log_shift(term.evidence, raters, log_link, term.prior_link) if discrimination else 0.0
    link = replace(term.link, discrimination=float(np.exp(log_link + shift)))
    if term.opinions.orders.shared:
        return replace(term, link=link)
    now = replace(term, link=link)
    if np.any(term.opinions.orders.is_tie):
        now = replace(now, link=replace(now.link, tie_width=_tie_step(now, raters)))
    if np.any(term.opinions.orders.side):
        now = replace(now, link=replace(now.link, side=_side_step(now, raters)))
    return now


def _fit_of(term: Term, raters: RaterTerms, link: Link) -> float:
    """Return the log probability of all statements at these parameters, weighted by honesty."""
    rater = term.opinions.rater
    factor = link.discrimination * np.exp(raters.mean)[rater]
    chance = chance_of(term.cavity, term.stated, link, factor).value
    return float(np.sum(term.opinions.weight * (1.0 - raters.spam)[rater] * np.log(chance)))


def _newton(low: float, middle: float, high: float) -> float:
    """Return a bounded Newton step from values at -STEP, 0 and STEP."""
    slope, bend = (high - low) / (2.0 * STEP), (high - 2.0 * middle + low) / STEP**2
    step = -slope / bend if bend < -1e-6 else np.sign(slope) * LARGEST_STEP
    return float(np.clip(step, -LARGEST_STEP, LARGEST_STEP))


def _tie_step(term: Term, raters: RaterTerms) -> float:
    width: float = term.link.tie_width

    def height(step: float) -> float:
        log = float(np.log(width / FIRST_TIE_WIDTH)) + step
        prior = -0.5 * (log / LOG_TIE_DEVIATION) ** 2
        return _fit_of(term, raters, replace(term.link, tie_width=width * float(np.exp(step)))) + prior

    return float(width * np.exp(_newton(height(-STEP), height(0.0), height(STEP))))


def _side_step(term: Term, raters: RaterTerms) -> float:
    side = term.link.side

    def height(step: float) -> float:
        prior = -0.5 * ((side + step) / SIDE_DEVIATION) ** 2
        return _fit_of(term, raters, replace(term.link, side=side + step)) + prior

    return side + _newton(height(-STEP), height(0.0), height(STEP))


def learn_variances(base: Base, terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms with new variances of tastes and discrepancies: means over values weighted by their evidence.

    The evidence is that of the Gaussian messages. The discrepancy needs other judgments to compare with, so it stays 0
    if one kind is alone.

    Parameters
    ----------
    base
        Gaussian of the ratings.
    terms
        The kinds with their messages.

    Returns
    -------
    tuple of Term
        The terms with new links.
    """
    unit, now = base.variance, list(terms)
    for at in range(len(now)):
        others = [layers_of(each) for place, each in enumerate(now) if place != at]
        if _repeats(now[at]):
            spread = now[at].link.discrepancy
            passed = (passed_by(now[at], taste=value * unit) for value in TASTES)
            logs = [_evidence(base, others, each.layers(spread)) for each in passed]
            taste = unit * _mean(TASTES, np.array(logs) + TASTE_PRIOR)
            now[at] = replace(now[at], link=replace(now[at].link, taste=taste))
        if others or base.rated:
            logs = discrepancy_evidence(base, others, now[at], unit)
            discrepancy = unit * _mean(DISCREPANCIES, np.array(logs) + DISCREPANCY_PRIOR)
            now[at] = replace(now[at], link=replace(now[at].link, discrepancy=discrepancy))
    return tuple(now)


def learn_widening(base: Base, terms: Sequence[Term]) -> float:
    """Return the factor on the covariance of the ratings' Gaussian: a mean over values weighted by their evidence.

    The Gaussian N(m, C) takes the variances of the rating model as known. With a few ratings per item it is too narrow,
    since variances of items and of noise can be distinguished only by items with several ratings. The factor is
    c = 1 + w / n, with n ratings per item. Its evidence is the integral of N(m, c C) times the messages of all kinds.

    Parameters
    ----------
    base
        Gaussian of the ratings.
    terms
        The kinds with their messages.

    Returns
    -------
    float
        The factor; 1 without ratings.
    """
    if not base.rated:
        return 1.0
    layers = [layers_of(term).kind for term in terms]
    precision, pull = sum(each.precision for each in layers), sum(each.passed for each in layers)
    drawn = base.precision @ base.mean
    within = float(base.mean @ drawn)
    factors = 1.0 + WIDENINGS / max(base.answers, 1.0)
    logs = [
        log_volume(base.precision / factor + precision, drawn / factor + pull)
        - 0.5 * (within / factor + len(drawn) * np.log(factor))
        for factor in factors
    ]
    return _mean(factors, np.array(logs) + WIDENING_PRIOR)


def discrepancy_evidence(base: Base, others: Sequence[Layers], term: Term, unit: float) -> list[float]:
    """Return the log evidence of each value of `DISCREPANCIES` for one kind, given the messages of the others.

    Parameters
    ----------
    base
        Gaussian of the ratings.
    others
        Layers of the other kinds.
    term
        The kind with its messages.
    unit
        Variance of positions.

    Returns
    -------
    list of float
        One value per discrepancy.
    """
    passed = passed_by(term)
    return [_evidence(base, others, passed.layers(value * unit)) for value in DISCREPANCIES]


def _repeats(term: Term) -> bool:
    """Whether raters judge the same item several times, so that their own opinions show."""
    opinions = term.opinions
    held = sum(int(np.sum(group.item < opinions.items)) for group in opinions.groups)
    shown = sum(tasks.place.size for tasks in opinions.tasks) if opinions.tasks else 2 * len(opinions.orders)
    return shown > held


def _evidence(base: Base, others: Sequence[Layers], own: Layers) -> float:
    precision = base.precision + own.kind.precision + sum(each.kind.precision for each in others)
    pull = base.precision @ base.mean + own.kind.passed + sum(each.kind.passed for each in others)
    volume = sum(layer.log_volume for layer in own.groups) + own.kind.log_volume
    return float(volume + log_volume(precision, pull))


def _mean(values: Vector, log: Vector) -> float:
    weight = np.exp(log - log.max())
    return float(weight @ values / weight.sum())
