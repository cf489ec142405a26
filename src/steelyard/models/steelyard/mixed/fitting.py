"""Fits of all kinds of judgment that order items, on the Gaussian of the ratings or alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steelyard.judgments.orders import Orders, orders_of
from steelyard.judgments.table import Judgments
from steelyard.models.steelyard.mixed.base import rated_base, unrated_base
from steelyard.models.steelyard.mixed.joint import Base, JointSolution, Sweeps, solve
from steelyard.models.steelyard.mixed.learning import FIRST_TIE_WIDTH
from steelyard.models.steelyard.mixed.opinions import group_opinions
from steelyard.models.steelyard.mixed.rater_terms import RaterTerms
from steelyard.models.steelyard.mixed.statements import Link
from steelyard.models.steelyard.mixed.term import Term
from steelyard.models.steelyard.variant import Variant

LEAST_RATERS = 2  # for terms of raters; with one rater, opinions and positions are the same
FIRST_SPAM_SHARE = 0.05
UNRATED_LINK = 1.5  # first discrimination without ratings, in units of the standard deviation of positions


def ordering_kinds(judgments: Judgments) -> tuple[str, ...]:
    """Return the kinds of these judgments that order items."""
    tables = judgments.tables.items()
    return tuple(kind for kind, table in tables if len(table) and table.kind.orders is not None)


def orders_by_kind(judgments: Judgments) -> dict[str, Orders]:
    """Return the statements of each kind that orders items."""
    made = {kind: orders_of(judgments, kind) for kind in ordering_kinds(judgments)}
    return {kind: orders for kind, orders in made.items() if orders is not None and len(orders)}


def solve_rated(
    variant: Variant, orders: Mapping[str, Orders], raters: int, sweeps: Sweeps | None = None
) -> JointSolution:
    """Return the positions from ratings and from judgments that order items.

    Parameters
    ----------
    variant
        Variant of the rating model, with spam and noise of raters.
    orders
        Statements by kind.
    raters
        Number of raters.
    sweeps
        When to stop. None for the default.

    Returns
    -------
    JointSolution
        Positions relative to the centre of the variant.
    """
    learnt, named = variant.solution.learnt, slice(0, raters)
    rated = variant.solution.sums.noise_weight[named] > 0.0
    spam = np.where(rated, np.clip(learnt.spam[named], 1e-6, 1.0 - 1e-6), np.nan)
    terms = RaterTerms.before(raters, spam, learnt.spam_share, differ=raters >= LEAST_RATERS)
    link = 1.0 / float(np.sqrt(2.0 * learnt.noise_variance))
    return _solved(rated_base(variant), orders, terms, link, Sweeps() if sweeps is None else sweeps)


def solve_unrated(
    items: int,
    orders: Mapping[str, Orders],
    raters: int,
    *,
    differ: bool = True,
    sweeps: Sweeps | None = None,
    link: float = UNRATED_LINK,
) -> JointSolution:
    """Return the positions from judgments that order items, without ratings.

    The prior of positions has mean 0 and variance 1, and the discrimination carries the unit.

    Parameters
    ----------
    items
        Number of items.
    orders
        Statements by kind.
    raters
        Number of raters.
    differ
        Whether raters may differ and be spammers.
    sweeps
        When to stop and what to estimate. None for the default.
    link
        First discrimination.

    Returns
    -------
    JointSolution
        Positions in units of their prior standard deviation.
    """
    terms = RaterTerms.before(raters, None, FIRST_SPAM_SHARE, differ=differ and raters >= LEAST_RATERS)
    return _solved(unrated_base(items), orders, terms, link, Sweeps() if sweeps is None else sweeps)


def _solved(
    base: Base, orders: Mapping[str, Orders], raters: RaterTerms, link: float, sweeps: Sweeps
) -> JointSolution:
    count, items = len(raters.spam) - 1, len(base.mean)
    terms = []
    for kind, each in orders.items():
        width = FIRST_TIE_WIDTH if np.any(each.is_tie) else 0.0
        opinions = group_opinions(each, items, count, by_rater=raters.differ)
        terms.append(Term.silent(kind, opinions, Link(link, width), count))
    return solve(base, terms, raters, sweeps)
