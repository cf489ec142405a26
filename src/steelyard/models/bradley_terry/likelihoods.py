"""Likelihoods of one comparison, by treatment of ties and link, as functions of two linear predictors.

`ability` is the difference of log-worths, with order effect and covariates. `tie` is the tie predictor. All arrays have
one entry per row of the table. `counts` has one row per outcome: first, tie (if the model has ties) and second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from steelyard.maths.arrays import Matrix, Vector

STEP = 1e-5  # step of central differences; rounding and truncation errors are then both about 1e-10
LEAST = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Derivatives of the log-likelihood by both predictors, and the information (negative second derivatives).

    `tie`, `ability_tie` and `tie_tie` are None in models without a tie predictor.
    """

    ability: Vector
    ability_ability: Vector
    tie: Vector | None = None
    ability_tie: Vector | None = None
    tie_tie: Vector | None = None


class Likelihood(Protocol):
    """Probabilities of the outcomes of one comparison."""

    outcomes: int

    def log_probabilities(self, ability: Vector, tie: Vector) -> Matrix:
        """Return the log-probability of each outcome, in the order of the counts."""

    def evaluate(self, ability: Vector, tie: Vector, counts: Matrix) -> tuple[float, Slopes]:
        """Return the log-likelihood and its derivatives.

        Parameters
        ----------
        ability
            Ability predictor of each row.
        tie
            Tie predictor of each row.
        counts
            Counts, outcomes x rows.

        Returns
        -------
        tuple
            Log-likelihood without multinomial coefficients, and its derivatives by row.
        """

    def expected(self, ability: Vector, tie: Vector, totals: Vector) -> Slopes:
        """Return the expected information; the scores are 0.

        Parameters
        ----------
        ability
            Ability predictor of each row.
        tie
            Tie predictor of each row.
        totals
            Number of comparisons in each row.

        Returns
        -------
        Slopes
            Expected information of each row.
        """


class Davidson:
    """P(first) : P(tie) : P(second) = exp(a/2) : exp(g) : exp(-a/2), g = log nu (Davidson 1970; Dras 2015, Eq. 1)."""

    outcomes = 3

    def log_probabilities(self, ability: Vector, tie: Vector) -> Matrix:
        """Return the log-probabilities of first, tie and second."""
        half = 0.5 * ability
        logs = np.stack([half, np.broadcast_to(tie, half.shape), -half])
        top = logs.max(axis=0)
        return np.asarray(logs - top - np.log(np.sum(np.exp(logs - top), axis=0)))

    def evaluate(self, ability: Vector, tie: Vector, counts: Matrix) -> tuple[float, Slopes]:
        """Return log-likelihood and derivatives, with one exponential and one logarithm per row."""
        half = 0.5 * ability
        totals = counts[0] + counts[1] + counts[2]
        lower = np.exp(-np.abs(half))
        even = lower * _exp(tie)
        rest = 1.0 + lower * lower + even
        won = (counts[0] - counts[2]) * half + counts[1] * tie
        value = float(np.sum(won - totals * (np.abs(half) + np.log(rest))))
        even /= rest
        lead = np.copysign((1.0 - lower * lower) / rest, half)
        return value, self._slopes(lead, even, totals, counts)

    def expected(self, ability: Vector, tie: Vector, totals: Vector) -> Slopes:
        """Return the expected information, which equals the observed one."""
        first, even, second = np.exp(self.log_probabilities(ability, tie))
        return self._slopes(first - second, even, totals, None)

    @staticmethod
    def _slopes(lead: Vector, even: Vector, totals: Vector, counts: Matrix | None) -> Slopes:
        """Return the derivatives from P(first) - P(second) and P(tie)."""
        decided = 0.25 * totals * (1.0 - even - lead * lead)
        score = np.zeros_like(lead) if counts is None else 0.5 * (counts[0] - counts[2] - totals * lead)
        tied = totals * even
        tie_score = np.zeros_like(lead) if counts is None else counts[1] - tied
        return Slopes(score, decided, tie_score, -0.5 * tied * lead, tied * (1.0 - even))


class Binary:
    """P(first) = F(a): the Bradley-Terry model for a logistic F, Thurstone's case V for a normal F.

    The information is the expected one, as in a generalised linear model.
    """

    outcomes = 2

    def __init__(self, link: Link) -> None:
        self.link = link

    def log_probabilities(self, ability: Vector, tie: Vector) -> Matrix:
        """Return the log-probability of each outcome."""
        return np.stack([self.link.log_share(ability), self.link.log_share(-ability)])

    def evaluate(self, ability: Vector, tie: Vector, counts: Matrix) -> tuple[float, Slopes]:
        """Return log-likelihood and derivatives."""
        logs = self.log_probabilities(ability, tie)
        value = float(np.sum(counts * logs))
        density = self.link.log_density(ability)
        score = counts[0] * np.exp(density - logs[0]) - counts[1] * np.exp(density - logs[1])
        return value, Slopes(score, counts.sum(axis=0) * np.exp(2.0 * density - logs[0] - logs[1]))

    def expected(self, ability: Vector, tie: Vector, totals: Vector) -> Slopes:
        """Return the information with expected instead of observed counts."""
        logs = self.log_probabilities(ability, tie)
        density = self.link.log_density(ability)
        return Slopes(np.zeros_like(ability), totals * np.exp(2.0 * density - logs[0] - logs[1]))


class Cumulative:
    """P(first) = F(a - t), P(second) = F(-a - t), and ties have the remaining probability, t > 0.

    A logistic F gives the model of Rao & Kupper (1967), t = log theta. A normal F gives that of Glenn & David (1960).
    The information is the observed one.
    """

    outcomes = 3

    def __init__(self, link: Link) -> None:
        self.link = link

    def log_probabilities(self, ability: Vector, tie: Vector) -> Matrix:
        """Return the log-probability of each outcome."""
        first, second = self.link.log_share(ability - tie), self.link.log_share(-ability - tie)
        # Computed in the tail where both probabilities are small, because near 1 their difference loses precision.
        near = self.link.log_share(tie - np.abs(ability))
        far = self.link.log_share(-tie - np.abs(ability))
        even = np.where(
            tie > 0.0, near + np.log(np.maximum(-np.expm1(np.minimum(far - near, 0.0)), LEAST)), -np.inf
        )
        return np.stack([first, even, second])

    def evaluate(self, ability: Vector, tie: Vector, counts: Matrix) -> tuple[float, Slopes]:
        """Return log-likelihood and derivatives."""
        if np.any(tie <= 0.0):
            zero = np.zeros_like(ability)
            return -np.inf, Slopes(zero, zero, zero, zero, zero)
        logs = self.log_probabilities(ability, tie)
        value = float(np.sum(counts * logs))
        return value, self._slopes(ability, tie, counts, np.exp(logs))

    def expected(self, ability: Vector, tie: Vector, totals: Vector) -> Slopes:
        """Return the information with expected instead of observed counts."""
        shares = np.exp(self.log_probabilities(ability, tie))
        return self._slopes(ability, tie, totals * shares, shares)

    def _slopes(self, ability: Vector, tie: Vector, counts: Matrix, shares: Matrix) -> Slopes:
        """Return the derivatives of log P of each outcome, weighted by its counts."""
        up, down = ability - tie, -ability - tie
        f, g = np.exp(self.link.log_density(up)), np.exp(self.link.log_density(down))
        df, dg = f * self.link.density_slope(up), g * self.link.density_slope(down)
        ratio = counts / np.maximum(shares, LEAST)
        by_ability, by_tie = (f, g - f, -g), (-f, f + g, -g)
        second = {"aa": (df, -(df + dg), dg), "at": (-df, df - dg, dg), "tt": (df, -(df + dg), dg)}
        first = {"a": by_ability, "t": by_tie}
        score = {name: sum(r * d for r, d in zip(ratio, each, strict=True)) for name, each in first.items()}
        information: dict[str, Any] = {}
        for name, each in second.items():
            left, right = first[name[0]], first[name[1]]
            parts = zip(ratio, left, right, each, shares, strict=True)
            information[name] = sum(r * (u * v / np.maximum(p, LEAST) - w) for r, u, v, w, p in parts)
        return Slopes(
            np.asarray(score["a"]),
            information["aa"],
            np.asarray(score["t"]),
            information["at"],
            information["tt"],
        )


def _exp(tie: Vector) -> Any:
    """Return exp(tie), computed once if it is the same for all rows."""
    return np.exp(tie[0]) if tie.strides == (0,) and len(tie) else np.exp(tie)


class Link(Protocol):
    """A symmetric distribution with cumulative distribution function F and density f."""

    def log_share(self, x: Vector) -> Vector:
        """Return log F(x)."""

    def log_density(self, x: Vector) -> Vector:
        """Return log f(x)."""

    def density_slope(self, x: Vector) -> Vector:
        """Return the derivative of log f at x."""

    def quantile(self, share: float) -> float:
        """Return the value at which F equals the share."""


class Logit:
    """The logistic distribution."""

    def log_share(self, x: Vector) -> Vector:
        """Return log F(x)."""
        return -np.logaddexp(0.0, -x)

    def log_density(self, x: Vector) -> Vector:
        """Return log f(x)."""
        return self.log_share(x) + self.log_share(-x)

    def density_slope(self, x: Vector) -> Vector:
        """Return the derivative of log f at x."""
        return np.exp(self.log_share(-x)) - np.exp(self.log_share(x))

    def quantile(self, share: float) -> float:
        """Return the value at which F equals the share."""
        return float(np.log(share) - np.log1p(-share))


class Probit:
    """The normal distribution."""

    def log_share(self, x: Vector) -> Vector:
        """Return log F(x)."""
        from scipy.special import log_ndtr  # SciPy is slow to import

        return np.asarray(log_ndtr(x))

    def log_density(self, x: Vector) -> Vector:
        """Return log f(x)."""
        return np.asarray(-0.5 * x**2 - 0.5 * np.log(2.0 * np.pi))

    def density_slope(self, x: Vector) -> Vector:
        """Return the derivative of log f at x."""
        return -x

    def quantile(self, share: float) -> float:
        """Return the value at which F equals the share."""
        from scipy.special import ndtri  # SciPy is slow to import

        return float(ndtri(share))


LINKS: dict[str, Link] = {"logit": Logit(), "probit": Probit()}


def likelihood_of(ties: str, link: str) -> Likelihood:
    """Return the likelihood for a treatment of ties and a link."""
    if ties in ("davidson", "kept"):
        return Davidson()
    return Cumulative(LINKS[link]) if ties == "rao_kupper" else Binary(LINKS[link])


def starting_tie(ties: str, link: str, share: float) -> float:
    """Return the tie predictor at which equal items tie with a given probability.

    Parameters
    ----------
    ties
        Model of ties.
    link
        `logit` or `probit`.
    share
        Probability of a tie.

    Returns
    -------
    float
        Tie predictor.
    """
    inside = float(np.clip(share, 1e-6, 1.0 - 1e-6))
    if ties == "rao_kupper":
        return LINKS[link].quantile(0.5 + 0.5 * inside)
    return float(np.log(2.0 * inside / (1.0 - inside)))


@dataclass(frozen=True, slots=True, eq=False)
class Bend:
    """Derivatives of the information of each row by one predictor."""

    ability_ability: Vector
    ability_tie: Vector
    tie_tie: Vector


def bends(likelihood: Likelihood, ability: Vector, tie: Vector, totals: Vector) -> tuple[Bend, Bend]:
    """Return the derivatives of the expected information by both predictors, from central differences.

    Parameters
    ----------
    likelihood
        Likelihood of one comparison.
    ability
        Ability predictor of each row.
    tie
        Tie predictor of each row.
    totals
        Number of comparisons in each row.

    Returns
    -------
    tuple of Bend
        Derivatives by the ability predictor and by the tie predictor.
    """

    def around(by_ability: float, by_tie: float) -> Bend:
        up = likelihood.expected(ability + by_ability, tie + by_tie, totals)
        down = likelihood.expected(ability - by_ability, tie - by_tie, totals)
        zero = np.zeros_like(ability)
        pairs = (
            (up.ability_ability, down.ability_ability),
            (up.ability_tie, down.ability_tie),
            (up.tie_tie, down.tie_tie),
        )
        return Bend(*(zero if a is None or b is None else (a - b) / (2.0 * STEP) for a, b in pairs))

    return around(STEP, 0.0), around(0.0, STEP)
