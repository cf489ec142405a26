"""Summary of a Bradley-Terry fit, in the layout of R's generalised linear models."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        Largest number of coefficients to print.
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
        lines += ["Leading items (positions sum to 0):", *_leading_lines(fit, most)]
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
        f"Test of sd = 0: likelihood ratio {test.chi_square:.4f}, p = {_p(test.p)} (half a chi-square on 1 df)",
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
    columns = zip(
        coefficients.name, coefficients.estimate, coefficients.se, coefficients.z, coefficients.p, strict=True
    )
    for name, estimate, se, z, p in list(columns)[:most]:
        if np.isnan(z):
            shown = (
                "      NA          NA       NA        NA"
                if np.isnan(estimate)
                else f"{estimate:10.5f}          NA       NA        NA"
            )
            lines.append(f"{name:<{width}}{shown}")
        else:
            lines.append(
                f"{name:<{width}}{estimate:10.5f}  {se:10.5f}  {z:7.3f}  {_p(p):>8} {_stars(p)}".rstrip()
            )
    if len(coefficients.name) > most:
        lines.append(f"... and {len(coefficients.name) - most} more coefficients")
    return [*lines, "---", "*** p < 0.001, ** p < 0.01, * p < 0.05, . p < 0.1"]


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
        f"Residual deviance: {fit.deviance:.4f} on {fit.df_residual} degrees of freedom, p = {_p(fit.p_deviance)}",
        f"Pearson chi-square: {fit.pearson:.4f}, p = {_p(p_pearson)}",
        *(
            ["One judgment per row: the deviance is not a test of fit"]
            if "row" in fit.design.table.cells
            else []
        ),
        likelihoods,
        criteria,
        *_independence_lines(fit),
    ]


def _independence_lines(fit: BradleyTerryFit) -> list[str]:
    """Return the assumption behind deviance and AIC if raters answered more than once, and the clustered AIC."""
    if not fit.independence or not isinstance(fit.covariance, DenseCovariance):
        return []
    words = f"The deviance, its p value, AIC and BIC assume {fit.independence.removeprefix('assumes ')}"
    return [f"{words}; AIC clustered by rater: {fit.aic_clustered:.2f}"]


def _ending(fit: BradleyTerryFit) -> str:
    convergence = "converged" if fit.converged else "NOT converged"
    return f"Newton steps: {fit.provenance.iterations}, {convergence} (gradient norm {fit.gradient_norm:.1e})"


def _p(p: float) -> str:
    return "<2e-16" if p < 2e-16 else f"{p:.3g}"


def _stars(p: float) -> str:
    return next((stars for limit, stars in STARS if p < limit), "")
