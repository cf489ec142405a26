"""Joint errors of all positions, which items share through biases and task offsets.

Given all shifts, items are independent. Item i has precision 1/tau² + sum k²/noise =: 1/C_i, and its position
changes by -C_i sum (k/noise) shift. If there are few shifts they are solved for exactly. Otherwise they are taken
from the messages, which underestimate the variance by some percent if there are few raters.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.lists import Shifts, noise_of
from steelyard.models.steelyard.sums import sums_by

MOST_SHIFTS = 600  # largest number of biases and offsets for the exact solution
MOST_CELLS = 2_000_000  # largest number of items x shifts for the exact solution
LEAST_OWN_SHARE = 0.05  # smallest share of an item's variance that is not due to shifts


class PositionErrors(Protocol):
    """Errors of positions on the latent scale."""

    @property
    def variance(self) -> Vector:
        """Return the variance of each item."""

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` joint draws of the errors, one row each."""


def joint_of(solution: Solution, layout: Layout, shifts: Shifts) -> PositionErrors:
    """Return the joint errors, exact for small problems and from the messages otherwise.

    Parameters
    ----------
    solution
        Fitted variant.
    layout
        Ratings in lists.
    shifts
        Estimated biases and task offsets.

    Returns
    -------
    PositionErrors
        Variances and draws.
    """
    count = layout.raters + (len(layout.ratings.rater) if layout.shared_tasks else 0)
    if count <= MOST_SHIFTS and count * layout.items <= MOST_CELLS:
        with suppress(np.linalg.LinAlgError):  # rounding, if variances differ by orders of magnitude
            return _exact(solution, layout, shifts)
    return _from_messages(solution, layout, shifts)


@dataclass(frozen=True, eq=False)
class ExactJoint:
    """Errors from the exact precision S of the shifts: theta = -C Q w + sqrt(C) z, w ~ N(0, 1/S)."""

    own: Vector  # C
    coupling: Matrix  # Q, items x shifts
    root: Matrix  # lower Cholesky factor of S
    variance: Vector  # C + C² q' S^-1 q for each item

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Draw the shifts, then each item given the shifts."""
        from scipy.linalg import solve_triangular  # SciPy is slow to import

        white = rng.standard_normal((self.root.shape[0], n))
        shifts = solve_triangular(self.root, white, lower=True, trans="T")
        own = rng.standard_normal((n, len(self.own))) * np.sqrt(self.own)
        return np.asarray(own - (self.own[:, None] * (self.coupling @ shifts)).T)


def _exact(solution: Solution, layout: Layout, shifts: Shifts) -> ExactJoint:
    from scipy.linalg import solve_triangular  # SciPy is slow to import

    ratings, learnt, noise = layout.ratings, solution.learnt, noise_of(solution, layout)
    slope, rater, raters = learnt.slope[layout.rater], layout.rater, layout.raters
    groups = [rater, raters + shifts.at] if layout.shared_tasks else [rater]
    size = raters + (len(ratings.rater) if layout.shared_tasks else 0)
    coupling, among = np.zeros((layout.items, size)), np.zeros((size, size))
    for one in groups:
        np.add.at(coupling, (ratings.item, one), slope / noise)
        for other in groups:
            np.add.at(among, (one, other), 1.0 / noise)
    prior = np.full(size, 1.0 / learnt.offset_variance)
    prior[:raters] = 1.0 / learnt.bias_variance
    own = 1.0 / (1.0 / learnt.prior_variance + sums_by(ratings.item, slope**2 / noise, layout.items))
    precision = among + np.diag(prior) - coupling.T @ (own[:, None] * coupling)
    root = np.asarray(np.linalg.cholesky(precision), dtype=np.float64)
    reached = solve_triangular(root, coupling.T, lower=True)
    return ExactJoint(own, coupling, root, own + own**2 * np.sum(reached**2, axis=0))


@dataclass(frozen=True, eq=False)
class MessageJoint:
    """Errors from the messages: independent biases, offsets given biases, items given both."""

    layout: Layout
    shifts: Shifts
    variance: Vector
    follow: Vector  # by rating: change of its item per change of the shift
    own_deviation: Vector

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Draw the shifts, then each item given the shifts."""
        drawn = rng.standard_normal((n, self.layout.items)) * self.own_deviation
        for row in range(n):
            drawn[row] += self._shift_draw(rng)
        return drawn

    def _shift_draw(self, rng: np.random.Generator) -> Vector:
        shifts, ratings = self.shifts, self.layout.ratings
        bias = rng.standard_normal(len(shifts.bias)) * np.sqrt(shifts.bias_variance)
        own = rng.standard_normal(len(shifts.mean)) * np.sqrt(shifts.own_variance)
        moved = shifts.follow * bias[ratings.rater] + own
        return sums_by(ratings.item, self.follow * moved[shifts.at], self.layout.items)


def _from_messages(solution: Solution, layout: Layout, shifts: Shifts) -> MessageJoint:
    """Use the variances of the messages. The part that shifts do not explain is independent per item."""
    at, variance = shifts.at, solution.latent_variance
    shift = shifts.follow[at] ** 2 * shifts.bias_variance[layout.rater] + shifts.own_variance[at]
    shared = sums_by(layout.ratings.item, shifts.pull**2 * shift, layout.items)
    most = (1.0 - LEAST_OWN_SHARE) * variance
    scale = np.sqrt(np.minimum(1.0, most / np.maximum(shared, 1e-300)))
    own = np.sqrt(np.maximum(variance - shared * scale**2, 0.0))
    return MessageJoint(layout, shifts, variance, shifts.pull * scale[layout.ratings.item], own)
