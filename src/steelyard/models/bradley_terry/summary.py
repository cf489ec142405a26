"""Summary of a Bradley-Terry fit, in the layout of R's generalised linear models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.models.bradley_terry.coefficients import Coefficients
from steelyard.models.bradley_terry.inference import DenseCovariance
from steelyard.models.bradley_terry.quadrature import MOST_DIMENSIONS
from steelyard.models.bradley_terry.rater_variance import FEW_RATERS

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit

TIES = {
    "davidson": "Davidson ties (tie = log nu)",
    "rao_kupper": "Rao-Kupper ties (tie = log theta)",
    "half": "ties counted as half a win each",
    "drop": "ties excluded",
    "kept": "ties included, no tie parameter",
}
PENALTIES = {
    "firth": "Penalty: Jeffreys prior (Firth), multinomial",
    "firth_poisson": "Penalty: Jeffreys prior (Firth), Poisson form",
    "ridge": "Penalty: item effects ~ N(0, {0.prior_sd:g}^2)",
    "pseudo": "Penalty: {0.pseudo:g} wins and losses of every item against a hypothetical item",
}
ERRORS = {
    "rater": "Standard errors: sandwich, clustered by rater (CR0)",
    "rater_cr1": "Standard errors: sandwich, clustered by rater (CR1)",
    "judgment": "Standard errors: sandwich (HC0)",
}
ENOUGH_PER_ROW = 5.0  # judgments per row from which the deviance is about chi-square distributed
BY_RATER = ("rater", "rater_cr1")  # standard errors that need more raters than parameters
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."))
SCALES = {"log_worth": "log-worth (2 x lambda)", "lambda": "lambda (log-worth / 2)"}


def write_summary(fit: BradleyTerryFit, most: int, parametrisation: str) -> str:
    """Return the summary: signature, table, coefficients, goodness of fit and convergence.

    Parameters
    ----------
    fit
        Fitted model.
    most
        Largest number of effects, of items and of differences between groups to print.
    parametrisation
        `log_worth` or `lambda`.

    Returns
    -------
    str
        Several lines of text.
    """
    lines = [fit.signature, "", f"Bradley-Terry model, {TIES[fit.settings.ties]}, link {fit.settings.link}"]
    lines += [f"Table: {fit.describe_table()}", *_remarks(fit), ""]
    if isinstance(fit.covariance, DenseCovariance):
        lines += _coefficient_lines(fit, most, parametrisation)
    else:
        lines += [*_effect_lines(fit), "Leading items (positions sum to 0):", *_leading_lines(fit, most)]
    lines += ["", *_goodness_lines(fit), _ending(fit)]
    return "\n".join(lines)


def _remarks(fit: BradleyTerryFit) -> list[str]:
    settings = fit.settings
    lines = [PENALTIES[settings.penalty].format(settings)] if settings.penalty in PENALTIES else []
    errors = f"Standard errors: {fit.provenance.settings['errors']}"
    lines.append(ERRORS.get(settings.standard_errors, errors))
    if settings.standard_errors in BY_RATER and fit.provenance.raters <= fit.parameters:
        lines.append(
            f"Standard errors are too small: there are {fit.provenance.raters} raters for {fit.parameters} parameters."
        )
    if fit.position_sd is not None:
        points = f"{settings.points()}-point quadrature"
        way = "Laplace" if settings.rater_position == "laplace" else points
        lines.append(f"Random position effect of raters: sd {fit.position_sd:.4f} ({way})")
    if fit.rater_tastes is not None:
        lines += _item_effect_lines(fit)
    if settings.ties == "half":
        lines.append(
            "Ties counted as half wins have no likelihood: deviance and standard errors are approximate."
        )
    return [*lines, *fit.remarks]


def _item_effect_lines(fit: BradleyTerryFit) -> list[str]:
    """Return the standard deviation of random item effects, the method of integration and the test of 0."""
    effects = fit.rater_tastes
    assert effects is not None
    simulated = effects.monte_carlo_error > 0.0
    way = (
        "Laplace"
        if fit.settings.rater_items == "laplace"
        else f"{fit.settings.item_draws:,} draws where a rater compares more than {MOST_DIMENSIONS + 1} items"
        if effects.dimensions > MOST_DIMENSIONS
        else f"{fit.settings.points(effects.dimensions)}-point quadrature in each of {effects.dimensions} dimensions"
    )
    test = fit.random_effect_test()
    error = "" if np.isnan(effects.sd_error) else f", standard error {effects.sd_error:.4f}"
    lines = [
        f"Random effects of raters on items: sd {effects.sd:.4f}{error} ({way})",
        f"Test of sd = 0: likelihood ratio {test.chi_square:.4f}, {_p_equals(test.p)} (half a chi-square on 1 df)",
    ]
    if fit.provenance.raters < FEW_RATERS:
        lines.append(
            f"Only {fit.provenance.raters} raters: the sd is imprecise, and standard errors are too small."
        )
    if simulated:
        lines.append(f"Monte Carlo standard error of the log-likelihood: {effects.monte_carlo_error:.4f}")
    return lines


def _coefficient_lines(fit: BradleyTerryFit, most: int, parametrisation: str) -> list[str]:
    coefficients: Coefficients = fit.coefficients("lambda" if parametrisation == "lambda" else "log_worth")
    origin = "sum to zero" if fit.settings.reference is None else f"reference {fit.settings.reference}"
    width = max(len(name) for name in coefficients.name)
    sign = "z" if coefficients.df is None else "t"
    lines = [
        f"Coefficients, {SCALES[parametrisation]}, {origin}:",
        f"{'':<{width}}  Estimate  Std. Error  {sign} value  Pr(>|{sign}|)",
    ]
    rows = {row["name"]: row for row in coefficients.rows()}
    for names, things in zip(
        _ordered_names(fit, coefficients), ("effects", "items", "items by group"), strict=True
    ):
        lines += [_coefficient_line(rows[name], width) for name in names[:most]]
        if len(names) > most:
            lines.append(f"... and {len(names) - most:,} more coefficients ({things})")
    return [*lines, "---", "*** p < 0.001, ** p < 0.01, * p < 0.05, . p < 0.1"]


def _ordered_names(
    fit: BradleyTerryFit, coefficients: Coefficients
) -> tuple[list[str], list[str], list[str]]:
    """Return the names of effects, of items by worth, and of differences of items between groups of raters."""
    items = {str(item) for item in fit.design.items} if fit.design.size else set()
    grouped = {
        f"{item}:{block.label}" for block in fit.design.blocks if block.label for item in fit.design.items
    }
    estimate = dict(zip(coefficients.name, coefficients.estimate.tolist(), strict=True))
    own = items & estimate.keys()
    effects = [name for name in coefficients.name if name not in own and name not in grouped]
    by_worth = sorted(own, key=lambda name: (-np.nan_to_num(estimate[name], nan=-np.inf), name))
    return effects, by_worth, [name for name in coefficients.name if name in grouped]


def _coefficient_line(row: Mapping[str, Any], width: int) -> str:
    name, estimate, z = f"{row['name']:<{width}}", row["estimate"], row["z"]
    if np.isnan(estimate):
        return f"{name}      NA          NA       NA        NA"
    if np.isnan(z):
        return f"{name}{estimate:10.5f}          NA       NA        NA"
    return (
        f"{name}{estimate:10.5f}  {row['se']:10.5f}  {z:7.3f}  {_p(row['p']):>8} {_stars(row['p'])}".rstrip()
    )


def _effect_lines(fit: BradleyTerryFit) -> list[str]:
    """Return the effects of a model with many items: estimate and standard error."""
    names = list(fit.design.names[fit.design.size :])
    if not names:
        return []
    unit = np.eye(len(fit.design.names))[:, fit.design.size :]
    errors, width = np.sqrt(fit.covariance.variances(unit)), max(map(len, names))
    estimates = fit.theta[fit.design.size :]
    rows = zip(names, estimates, errors, strict=True)
    return ["Effects:", *(f"{name:<{width}}{estimate:10.5f}  {se:10.5f}" for name, estimate, se in rows), ""]


def _leading_lines(fit: BradleyTerryFit, most: int) -> list[str]:
    errors = fit.standard_errors(leading=most)
    position = dict(zip(map(str, fit.item), fit.posterior.position.tolist(), strict=True))
    width = max(len(name) for name in errors)
    return [f"{name:<{width}}{position[name]:10.5f}  {se:10.5f}" for name, se in errors.items()]


def _goodness_lines(fit: BradleyTerryFit) -> list[str]:
    n = fit.goodness.totals.sum()
    likelihoods = (
        f"Log-likelihood: {fit.log_likelihood:.4f} (multinomial), {fit.log_likelihood_poisson:.4f} (Poisson)"
    )
    criteria = f"AIC: {fit.aic:.2f}, BIC: {fit.bic:.2f} (n = {n:g} judgments, {fit.parameters} parameters)"
    null = f"Null deviance: {fit.null_deviance:.4f} on {fit.df_null} degrees of freedom (equal worths)"
    if fit.p_deviance is None:
        return [
            null,
            f"Residual deviance: {fit.deviance:.4f} on 0 degrees of freedom; saturated: no test of fit",
            likelihoods,
            criteria,
            *_independence_lines(fit),
        ]
    p_pearson = fit.p_pearson if fit.p_pearson is not None else float("nan")
    return [
        null,
        f"Residual deviance: {fit.deviance:.4f} on {fit.df_residual} degrees of freedom, {_p_equals(fit.p_deviance)}",
        f"Pearson chi-square: {fit.pearson:.4f}, {_p_equals(p_pearson)}",
        *(
            ["One judgment per row: the deviance is not a test of fit"]
            if "row" in fit.design.table.cells
            else _sparse_lines(fit)
        ),
        likelihoods,
        criteria,
        *_independence_lines(fit),
    ]


def _sparse_lines(fit: BradleyTerryFit) -> list[str]:
    """Return that a numeric covariate leaves too few judgments in each row of the table for a test of fit."""
    settings, cells = fit.settings, fit.design.table.cells
    names = dict.fromkeys((*settings.varying, *settings.contest_covariates))
    numeric = [name for name in names if cells[name].labels is None and name not in settings.categorical]
    per_row = float(fit.goodness.totals.sum()) / max(fit.goodness.rows, 1)
    if not numeric or per_row >= ENOUGH_PER_ROW:
        return []
    return [
        f"The table has a row for each value of {', '.join(numeric)}, with {per_row:.1f} judgments per row: too few "
        "for the deviance to be a test of fit"
    ]


def _independence_lines(fit: BradleyTerryFit) -> list[str]:
    """Return what deviance and AIC assume if raters answered more than once, and which of them can be compared.

    The AIC with a penalty for clusters is shown if standard errors are clustered.
    """
    same_table = "Compare deviances, AIC and BIC only between fits to the same judgments and the same table"
    if not fit.independence or not isinstance(fit.covariance, DenseCovariance):
        return [same_table]
    words = f"The deviance, its p value, AIC and BIC assume {fit.independence.removeprefix('assumes ')}"
    if fit.clustering is None and fit.settings.standard_errors not in BY_RATER:
        return [words, same_table]
    return [f"{words}; AIC with a penalty for clusters of raters: {fit.aic_clustered:.2f}", same_table]


def _ending(fit: BradleyTerryFit) -> str:
    convergence = "converged" if fit.converged else "NOT converged"
    return f"Newton steps: {fit.provenance.iterations}, {convergence} (gradient norm {fit.gradient_norm:.1e})"


def _p(p: float) -> str:
    return "<2e-16" if p < 2e-16 else f"{p:.3g}"


def _stars(p: float) -> str:
    return next((stars for limit, stars in STARS if p < limit), "")


def _p_equals(p: float) -> str:
    """Return a p value with its relation.

    >>> _p_equals(0.0123), _p_equals(0.0)
    ('p = 0.0123', 'p < 2e-16')
    """
    text = _p(p)
    return f"p < {text.removeprefix('<')}" if text.startswith("<") else f"p = {text}"
