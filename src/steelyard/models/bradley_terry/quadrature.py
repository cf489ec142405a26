"""Integration rules for several normal effects: Gauss-Hermite grids and importance samples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from steelyard.maths.arrays import Matrix, Vector

MOST_DIMENSIONS = 4  # with more, draws replace the grid
NEGLIGIBLE = 1e-12  # nodes with a weight below this share of the largest weight are omitted
DEGREES = 8.0  # degrees of freedom of the multivariate t proposal distribution
BATCHES = 16  # independent sets of draws, whose variance gives the Monte Carlo error


@dataclass(frozen=True, eq=False)
class Rule:
    """Nodes z (dimensions x nodes) and log-weights. The integral of f is the sum of exp(log_weight) f(z).

    Draws consist of `batches` sets of equal size. A grid has one.
    """

    nodes: Matrix
    log_weight: Vector
    batches: int = 1


def grid(dimensions: int, points: int) -> Rule:
    """Return the product of one-dimensional Gauss-Hermite rules for a standard normal integrand."""
    nodes, weights = np.polynomial.hermite.hermgauss(points)
    places = np.array(list(product(range(points), repeat=dimensions)), dtype=np.int64).reshape(-1, dimensions)
    log_normal = np.log(weights / np.sqrt(np.pi))[places].sum(axis=1)
    kept = log_normal > log_normal.max() + np.log(NEGLIGIBLE)
    z = (np.sqrt(2.0) * nodes)[places[kept]].T
    return Rule(z, log_normal[kept] + 0.5 * (np.sum(z**2, axis=0) + dimensions * np.log(2.0 * np.pi)))


def draws(dimensions: int, count: int, rng: np.random.Generator) -> Rule:
    """Return draws from a multivariate t distribution, whose tails are heavier than those of the posteriors.

    The draws are randomised quasi-Monte Carlo: Sobol points with a random shift in every batch.

    Parameters
    ----------
    dimensions
        Number of dimensions.
    count
        Least number of draws, rounded up to a power of two in each batch.
    rng
        Random numbers.

    Returns
    -------
    Rule
        Draws with importance weights.
    """
    from scipy.special import chdtri, gammaln, ndtri  # SciPy is slow to import
    from scipy.stats.qmc import Sobol  # SciPy is slow to import

    size = 2 ** max(1, int(np.ceil(np.log2(count / BATCHES))))
    points = Sobol(dimensions + 1, scramble=False).random(size)
    shifted = (points[None] + rng.random((BATCHES, 1, dimensions + 1))) % 1.0
    uniform = np.clip(shifted.reshape(-1, dimensions + 1), 1e-12, 1.0 - 1e-12)
    widths = np.sqrt(DEGREES / chdtri(DEGREES, uniform[:, -1]))
    z = (ndtri(uniform[:, :-1]) * widths[:, None]).T
    density = (
        gammaln(0.5 * (DEGREES + dimensions))
        - gammaln(0.5 * DEGREES)
        - 0.5 * dimensions * np.log(DEGREES * np.pi)
        - 0.5 * (DEGREES + dimensions) * np.log1p(np.sum(z**2, axis=0) / DEGREES)
    )
    return Rule(z, -density - np.log(z.shape[1]), BATCHES)
