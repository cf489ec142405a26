"""Sweeps over all kinds that order items, from the Gaussian of the ratings to that of all judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard.mixed.layers import inverse_of
from steelyard.models.steelyard.mixed.learning import learn_links, learn_variances, learn_widening
from steelyard.models.steelyard.mixed.rater_terms import RaterTerms
from steelyard.models.steelyard.mixed.term import Layers, Term, layers_of
from steelyard.models.steelyard.mixed.term_update import DAMPING, updated

SETTLING = 20  # sweeps after which steps are halved, so that alternating messages settle


@dataclass(frozen=True, slots=True)
class Sweeps:
    """When to stop, and what is estimated.

    Attributes
    ----------
    most
        Largest number of sweeps.
    tolerance
        Root mean square change of positions, in standard deviations, below which the sweeps have converged.
    learn_links
        Whether the parameters of the kinds are estimated.
    learn_discrimination
        Whether discriminations are among them.
    """

    most: int = 60
    least: int = 8
    tolerance: float = 5e-3
    learn_links: bool = True
    learn_discrimination: bool = True


@dataclass(frozen=True, eq=False)
class Base:
    """Gaussian of the positions before the judgments that order items.

    Attributes
    ----------
    mean, precision
        Means and precision matrix.
    variance
        Variance of positions, the unit of other variances.
    answers
        Number of ratings per item. 0 for a prior without ratings.
    """

    mean: Vector
    precision: Matrix
    variance: float
    answers: float

    @property
    def rated(self) -> bool:
        """Whether it comes from ratings. Otherwise it is a prior."""
        return self.answers > 0.0

    def widened(self, factor: float) -> Base:
        """Return the Gaussian with its covariance multiplied by a factor."""
        return replace(self, precision=self.precision / factor)


@dataclass(frozen=True, eq=False)
class JointSolution:
    """Positions given all judgments.

    Attributes
    ----------
    base
        Gaussian before the judgments that order items.
    terms
        The kinds with their messages and parameters.
    raters
        Discrimination and spam of raters.
    mean, covariance
        Posterior of the positions.
    sweeps, converged
        Number of sweeps, and whether positions converged.
    widening
        Factor on the covariance of the ratings' Gaussian, which `base` includes. 1 after `continued`, whose `base`
        includes the factor of the first solution, so that `at` does not widen the Gaussian of other variants.
    """

    base: Base
    terms: tuple[Term, ...]
    raters: RaterTerms
    mean: Vector
    covariance: Matrix
    sweeps: int
    converged: bool
    widening: float = 1.0

    def layers(self) -> tuple[Layers, ...]:
        """Return the layers of each kind."""
        return tuple(layers_of(term) for term in self.terms)

    def at(self, base: Base) -> tuple[Vector, Matrix]:
        """Return mean and covariance with the same messages on another Gaussian of the ratings."""
        return posterior_of(base.widened(self.widening), self.layers())


def posterior_of(base: Base, layers: Sequence[Layers]) -> tuple[Vector, Matrix]:
    """Return mean and covariance of the positions given the messages of all kinds."""
    precision = base.precision + sum(each.kind.precision for each in layers)
    if not layers:
        return base.mean, inverse_of(precision)
    pull = base.precision @ base.mean + sum(each.kind.passed for each in layers)
    covariance = inverse_of(precision)
    covariance = (covariance + covariance.T) / 2.0
    return np.asarray(covariance @ pull), covariance


def solve(base: Base, terms: Sequence[Term], raters: RaterTerms, sweeps: Sweeps) -> JointSolution:
    """Alternate messages of all kinds and updates of their parameters until positions converge.

    Parameters
    ----------
    base
        Gaussian of the positions before these judgments.
    terms
        The kinds, silent or with messages to start from.
    raters
        First values of the raters' terms.
    sweeps
        When to stop and what to estimate.

    Returns
    -------
    JointSolution
        The positions and all parameters.
    """
    now, still, done, plain, widening = tuple(terms), False, 0, base, 1.0
    layers = tuple(layers_of(term) for term in now)
    mean, covariance = posterior_of(base, layers)
    if not now:
        return JointSolution(base, (), raters, mean, covariance, 0, True)
    random_log = np.sum([term.random_log() for term in now], axis=0)
    answered = np.sum([term.answered for term in now], axis=0)
    while done < sweeps.most and not (still and done >= sweeps.least):
        damping = DAMPING if done < SETTLING else DAMPING / 2.0
        now = tuple(
            updated(term, layer, (mean, covariance), raters, damping)
            for term, layer in zip(now, layers, strict=True)
        )
        done += 1
        if done > 1:
            raters = raters.learnt([term.evidence for term in now], random_log, answered)
        if sweeps.learn_links and done > 1:
            now = tuple(learn_links(term, raters, sweeps.learn_discrimination) for term in now)
            if done % 3 == 0 and done <= 30:
                widening = learn_widening(plain, now)
                base = plain.widened(widening)
                now = learn_variances(base, now)
        layers = tuple(layers_of(term) for term in now)
        before, (mean, covariance) = mean, posterior_of(base, layers)
        step = np.sqrt(np.mean((mean - before) ** 2) / np.mean(np.diag(covariance)))
        still = bool(step < sweeps.tolerance)
    return JointSolution(base, now, raters, mean, covariance, done, still, widening)


def continued(solution: JointSolution, base: Base, sweeps: Sweeps) -> JointSolution:
    """Return the solution on another Gaussian of the ratings, from the messages and parameters of this one.

    Parameters
    ----------
    solution
        Solution to start from.
    base
        The other Gaussian.
    sweeps
        When to stop and what to estimate.

    Returns
    -------
    JointSolution
        Positions on the other Gaussian.
    """
    return solve(base.widened(solution.widening), solution.terms, solution.raters, sweeps)
