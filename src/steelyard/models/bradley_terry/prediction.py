"""Predicted probabilities of outcomes, and the check that two fits can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import DifferentTables, UnknownItem
from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.bradley_terry.coefficients import covariate_profile, item_rows, mean_profile
from steelyard.models.bradley_terry.contrasts import quantile
from steelyard.models.bradley_terry.inference import DenseCovariance
from steelyard.models.bradley_terry.settings import ORDER, TIE
from steelyard.scales.win_matrix import PREFERRED, WinMatrix

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit

STEP = 1e-6
NO_LIKELIHOOD = "half"  # half wins are not an outcome of a comparison, so they have no likelihood


def probabilities(
    fit: BradleyTerryFit, left: str, right: str, level: float, raters: Mapping[str, object]
) -> dict[str, tuple[float, float, float]]:
    """Return predicted probabilities with intervals from the delta method on the logit.

    Parameters
    ----------
    fit
        Fitted model.
    left
        Item on the left.
    right
        Item on the right.
    level
        Coverage of the intervals.
    raters
        Values of rater covariates.

    Returns
    -------
    dict
        Estimate, lower and upper limit of each outcome.
    """
    from scipy.special import expit  # SciPy is slow to import

    rows = _rows(fit, left, right, raters)
    theta = rows @ fit.theta
    covariance = rows @ fit.covariance.product(rows.T)
    here = np.exp(_logs(fit, theta))
    slopes = np.stack(
        [
            (np.exp(_logs(fit, theta + step)) - np.exp(_logs(fit, theta - step))) / (2.0 * STEP)
            for step in STEP * np.eye(2)
        ],
        axis=1,
    )
    se = np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", slopes, covariance, slopes), 0.0)) / (
        here * (1.0 - here)
    )
    logit = np.log(here / (1.0 - here))
    freedom = fit.freedom_of(rows[:1])
    reach = float(quantile(level, None if freedom is None else float(freedom[0]))) * se
    low, high = expit(logit - reach), expit(logit + reach)
    names = ("left", "tie", "right") if len(here) == 3 else ("left", "right")
    return {
        name: (float(p), float(a), float(b)) for name, p, a, b in zip(names, here, low, high, strict=True)
    }


def win_matrix(fit: BradleyTerryFit) -> WinMatrix:
    """Return the predicted probability of a win of every item against every other one.

    An effect of the order is averaged over both orders, and effects of rater covariates over the judgments.
    """
    position = fit.posterior.position
    size, (order, tie) = len(position), _average_effects(fit)
    gap = (position[:, None] - position).ravel()

    def shares(ability: Vector) -> Matrix:
        probability = np.exp(fit.likelihood.log_probabilities(ability, np.full(len(ability), tie)))
        middle = 0.5 * probability[1] if len(probability) == 3 else 0.0
        return np.reshape(probability[0] + middle, (size, size))

    shown_first = shares(gap + order)
    wins = 0.5 * (shown_first + 1.0 - shown_first.T) if order else shown_first
    if fit.part is not None:
        wins = np.where(fit.part[:, None] == fit.part, wins, np.nan)
    return WinMatrix.of(fit.item, position, wins, PREFERRED)


def _average_effects(fit: BradleyTerryFit) -> tuple[float, float]:
    """Return the order effect and the tie parameter, averaged over the judgments."""
    design = fit.design
    profile = mean_profile(design, fit.settings)
    index = {name: at for at, name in enumerate(design.names) if at >= design.size}

    def effect(name: str) -> float:
        own = float(fit.theta[index[name]]) if name in index else 0.0
        varied = ((factor, index.get(f"{name}:{label}")) for label, factor in profile.items())
        return own + sum(factor * float(fit.theta[at]) for factor, at in varied if at is not None)

    return effect(ORDER), effect(TIE)


def _logs(fit: BradleyTerryFit, predictors: Vector) -> Vector:
    return fit.likelihood.log_probabilities(predictors[:1], predictors[1:])[:, 0]


def _rows(fit: BradleyTerryFit, left: str, right: str, raters: Mapping[str, object]) -> Matrix:
    """Return the linear combinations of parameters for the ability and the tie predictor of a comparison."""
    design = fit.design
    places = {str(item): at for at, item in enumerate(design.items)}
    for item in (left, right):
        if item not in places:
            raise UnknownItem(item)
    profile = covariate_profile(design, fit.settings, raters)
    rows = np.zeros((2, len(design.names)))
    if isinstance(fit.covariance, DenseCovariance):
        each = item_rows(design, fit.settings, profile)
        rows[0] = each[places[left]] - each[places[right]]
    else:
        rows[0, places[left]], rows[0, places[right]] = 1.0, -1.0
    index = {name: at for at, name in enumerate(design.names)}
    for name, at_row in ((ORDER, 0), (TIE, 1)):
        if name in index and index[name] >= design.size:
            rows[at_row, index[name]] = 1.0
            for label, factor in profile.items():
                column = index.get(f"{name}:{label}")
                if column is not None:
                    rows[at_row, column] = factor
    return rows


def check_likelihood(fit: BradleyTerryFit) -> None:
    """Raise `DifferentTables` for a fit without a likelihood, or that does not maximise it."""
    if fit.settings.ties == NO_LIKELIHOOD:
        raise DifferentTables("a model with ties='half' has no likelihood. Use ties='davidson'.")
    if fit.settings.penalty != "none":
        raise DifferentTables("a penalised fit does not maximise the likelihood. Use penalty='none'.")


def check_comparable(one: BradleyTerryFit, other: BradleyTerryFit) -> None:
    """Raise `DifferentTables` for fits without a likelihood, penalised fits, and fits to different tables."""
    for fit in (one, other):
        check_likelihood(fit)
    if not _same_table(one, other):
        raise DifferentTables(_why_different(one, other))


def _why_different(one: BradleyTerryFit, other: BradleyTerryFit) -> str:
    """Return why two tables differ, and how to fit both models to one table."""
    if one.goodness.totals.sum() != other.goodness.totals.sum() or set(one.item) != set(other.item):
        return "they were fitted to different judgments. Fit both models to the same judgments."
    return (
        f"their tables differ ({one.describe_table()}; {other.describe_table()}). Use anova(one, other), which tests "
        "both on a common table, or fit both with table='judgments'."
    )


def _same_table(one: BradleyTerryFit, other: BradleyTerryFit) -> bool:
    if one.goodness.observed.shape != other.goodness.observed.shape or len(one.item) != len(other.item):
        return False
    if any(str(a) != str(b) for a, b in zip(one.item, other.item, strict=True)):
        return False
    return bool(np.array_equal(_sorted_rows(one), _sorted_rows(other)))


def _sorted_rows(fit: BradleyTerryFit) -> Matrix:
    """Return the pairs and counts of the table in sorted order."""
    table = fit.design.table
    rows = np.column_stack([table.left, table.right, table.counts.T])
    return rows[np.lexsort(rows.T[::-1])]
