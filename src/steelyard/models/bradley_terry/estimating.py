"""Estimation of the parameters and their covariance: maximum likelihood, penalties and random effects."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import BadSetting, Separated
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.logs import ComparisonSource
from steelyard.maths.arrays import Matrix, Vector, sum_by
from steelyard.maths.newton import Optimum, unit_of
from steelyard.maths.sandwich import ErrorType
from steelyard.models.bradley_terry.coefficients import centred_items
from steelyard.models.bradley_terry.connectivity import (
    preferences_of,
    remedy_for_effects,
)
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.inference import (
    LARGEST,
    Covariance,
    DenseCovariance,
    GraphPosterior,
    ImplicitCovariance,
    NormalPosterior,
    by_rater,
    check_raters,
    dense_covariance,
    meat_of,
)
from steelyard.models.bradley_terry.likelihoods import Likelihood, starting_tie
from steelyard.models.bradley_terry.penalties import (
    information_at,
    maximise_firth,
    maximise_poisson_firth,
    ridge_weights,
)
from steelyard.models.bradley_terry.random_effects import (
    OrderEffectModel,
    OrderEffects,
    maximise_order_effects,
)
from steelyard.models.bradley_terry.rater_item_search import (
    Integration,
    ItemEffects,
    item_effect_model,
    maximise_item_effects,
)
from steelyard.models.bradley_terry.residuals import table_of
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.bradley_terry.solve import SMALL, GraphCurvature, Objective, dense_information, maximise
from steelyard.models.clusters import Clustering
from steelyard.scales.fit import Posterior

HUGE = 1e6  # variance of a log-worth, for judgments of weight 1, above which the estimate is infinite


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimates with their covariance and the outcome of the optimisation."""

    theta: Vector
    covariance: Covariance
    posterior: Posterior
    steps: int
    norm: float
    converged: bool
    order_effects: OrderEffects | None = None
    item_effects: ItemEffects | None = None
    without: float | None = None
    raters: tuple[dict[str, object], ...] = ()
    clustering: Clustering | None = None
    errors: str = str(ErrorType())
    notes: tuple[str, ...] = ()


def starting_point(design: Design, settings: Settings) -> Vector:
    """Return starting values: equal items, or with many items the logits of win shares; the observed tie share."""
    theta = np.zeros(len(design.names))
    if design.size > SMALL and settings.penalty == "none":
        theta[: design.size] = _from_shares(design)
    ties = design.kinds[2]
    if settings.has_tie_effect:
        share = float(design.outcomes[1].sum() / design.outcomes.sum())
        theta[ties.start] = starting_tie(settings.ties, settings.link, share)
    return theta


def _from_shares(design: Design) -> Vector:
    """Return the logits of win shares. They equal the log-worths if all opponents are average."""
    gained = design.net(design.outcomes[0] - design.outcomes[-1])
    graph, ones = design.graph(design.totals), np.ones(design.size)
    made = graph @ ones + graph.T @ ones
    share = (0.5 * (made + gained) + 0.5) / (made + 1.0)
    decided = float((design.outcomes[0].sum() + design.outcomes[-1].sum()) / design.outcomes.sum())
    return np.asarray(np.log(share / (1.0 - share)) / decided)  # ties pull shares towards one half


def estimate(
    design: Design, likelihood: Likelihood, settings: Settings, source: ComparisonSource
) -> Estimate:
    """Estimate the parameters and their covariance.

    Parameters
    ----------
    design
        Design of the model.
    likelihood
        Likelihood of one comparison.
    settings
        Settings: penalty, random effects and standard errors.
    source
        Judgments or counts, for sandwich standard errors by rater.

    Returns
    -------
    Estimate
        Estimates with their covariance.

    Raises
    ------
    BadSetting
        If the settings need the full covariance of too many parameters.
    Separated
        If an estimate is infinite.
    """
    _check_size(design, settings)
    start = starting_point(design, settings)
    if settings.rater_position != "none":
        return _with_order_effects(design, likelihood, settings, start)
    if settings.rater_items != "none":
        return _with_item_effects(design, likelihood, settings, start)
    if settings.penalty == "firth":
        best = maximise_firth(design, likelihood, start)
        matrix = dense_covariance(design, _expected(design, likelihood, best.place, design.totals))
        return _estimate(design, settings, best.place, matrix, _ended(best))
    if settings.penalty == "firth_poisson":
        maximum = maximise_poisson_firth(design, likelihood, start)
        matrix = dense_covariance(design, _expected(design, likelihood, maximum.theta, maximum.totals))
        return _estimate(design, settings, maximum.theta, matrix, (maximum.steps, 0.0, maximum.converged))
    ridge = ridge_weights(design, settings)
    best = maximise(Objective(design, likelihood, ridge), start)
    curvature = getattr(best.point, "curvature", None)
    if isinstance(curvature, GraphCurvature) and len(design.names) > LARGEST:
        return _implicit(design, settings, best.place, curvature, _ended(best))
    bread = _bread(design, likelihood, best.place, settings, ridge)
    _refuse_huge(design, settings, np.diag(bread))
    if settings.standard_errors != "information":
        split = _split(design, settings, source)
        bread = bread @ meat_of(design, likelihood, best.place, split, settings) @ bread
    return _estimate(design, settings, best.place, bread, _ended(best))


def _check_size(design: Design, settings: Settings) -> None:
    """Raise `BadSetting` for settings that need the full covariance of too many parameters."""
    if len(design.names) <= LARGEST:
        return
    alternatives_by_name = {
        "penalty": ("none", "ridge", "pseudo"),
        "standard_errors": ("information",),
        "rater_position": ("none",),
        "rater_items": ("none",),
    }
    for name, good in alternatives_by_name.items():
        if getattr(settings, name) not in good:
            alternatives = " or ".join(repr(each) for each in good)
            raise BadSetting(
                name,
                f"{getattr(settings, name)!r} needs the full covariance, and {len(design.names):,} parameters are too "
                f"many (at most {LARGEST:,}). Use {alternatives}, or fewer items.",
            )


def _ended(best: Optimum) -> tuple[int, float, bool]:
    return best.steps, best.norm, best.converged


def _split(design: Design, settings: Settings, source: ComparisonSource) -> PairCounts:
    """Return the counts whose scores are squared: by judgment or by rater."""
    if settings.standard_errors == "judgment":
        return design.table
    return table_of(source, tuple(dict.fromkeys((*settings.columns, "rater"))), settings.ordered)


def _refuse_huge(design: Design, settings: Settings, variances: Vector) -> None:
    """Raise `Separated` for unbounded variances: separation that the checks before fitting do not cover."""
    huge = np.flatnonzero(variances * unit_of(design.totals) > HUGE)
    if settings.penalty == "none" and len(huge):
        raise Separated.by_effects([design.names[at] for at in huge], remedy_for_effects(settings))


def _bread(
    design: Design, likelihood: Likelihood, theta: Vector, settings: Settings, ridge: Vector
) -> Matrix:
    """Return the inverse information of the observed comparisons.

    Pseudo-comparisons are included only if no observed comparison connects some items.
    """
    if design.real.all() or preferences_of(design.table, settings).linked().any():
        return dense_covariance(design, information_at(design, likelihood, theta, ridge))
    observed = replace(design, outcomes=design.outcomes * design.real)
    free = design.free.copy()
    free[len(design.items) : design.size] = False
    return dense_covariance(replace(observed, free=free), information_at(observed, likelihood, theta, ridge))


def _expected(design: Design, likelihood: Likelihood, theta: Vector, totals: Vector) -> Matrix:
    ability, tie = design.predictors(theta)
    return dense_information(design, likelihood.expected(ability, tie, totals), np.zeros(len(theta)))


def _estimate(
    design: Design, settings: Settings, theta: Vector, matrix: Matrix, ended: tuple[int, float, bool]
) -> Estimate:
    """Return an estimate with the full covariance. Positions are centred within each connected group."""
    position, spread = centred_items(design, settings, theta, matrix)
    return Estimate(theta, DenseCovariance(matrix), NormalPosterior(position, spread), *ended)


def _implicit(
    design: Design,
    settings: Settings,
    theta: Vector,
    curvature: GraphCurvature,
    ended: tuple[int, float, bool],
) -> Estimate:
    count = len(design.items)
    _refuse_huge(design, settings, 1.0 / np.concatenate([curvature.degree, np.diag(curvature.corner)]))
    component = design.component
    middle = sum_by(component, theta[:count]) / np.bincount(component)
    posterior = GraphPosterior(theta[:count] - middle[component], curvature, settings.seed, component)
    centred = theta.copy()
    centred[: design.size] -= theta[:count].mean()
    return Estimate(centred, ImplicitCovariance(curvature), posterior, *ended)


def _with_order_effects(
    design: Design, likelihood: Likelihood, settings: Settings, start: Vector
) -> Estimate:
    """Estimate the model with random position effects, starting from the fixed effects."""
    codes, raters, split = by_rater(design.table, settings)
    check_raters(raters)
    plain = maximise(Objective(design, likelihood, np.zeros(len(start))), start)
    points = 1 if settings.rater_position == "laplace" else settings.points()
    joined = replace(split, free=design.free, rank=design.rank, component=design.component)
    model = OrderEffectModel(joined, likelihood, codes, len(raters), points)
    maximum = maximise_order_effects(model, plain.place)
    rows = tuple(
        {"rater": str(name), "position": float(effect), "position_sd": float(sd)}
        for name, effect, sd in zip(raters, maximum.effect, maximum.effect_sd, strict=True)
    )
    made = _estimate(
        design, settings, maximum.theta, maximum.covariance, (maximum.steps, 0.0, maximum.converged)
    )
    return replace(made, order_effects=maximum, without=-plain.point.value, raters=rows)


def _with_item_effects(design: Design, likelihood: Likelihood, settings: Settings, start: Vector) -> Estimate:
    """Estimate the model with random item effects, starting from the fixed effects."""
    codes, raters, split = by_rater(design.table, settings)
    check_raters(raters)
    plain = maximise(Objective(design, likelihood, np.zeros(len(start))), start)
    joined = replace(split, free=design.free, rank=design.rank, component=design.component)
    laplace = settings.rater_items == "laplace"
    way = Integration(laplace, settings.points, settings.item_draws, settings.seed)
    model = item_effect_model(joined, likelihood, codes, list(map(str, raters)), way)
    maximum = maximise_item_effects(model, plain.place, laplace)
    rows = tuple(
        {"rater": str(rater), "item": str(item), "taste": float(mean), "taste_sd": float(sd)}
        for rater, means, sds in zip(raters, maximum.tastes.mean, maximum.tastes.sd, strict=True)
        for item, mean, sd in zip(design.items, means, sds, strict=True)
    )
    made = _estimate(
        design, settings, maximum.theta, maximum.covariance, (maximum.steps, 0.0, maximum.converged)
    )
    return replace(made, item_effects=maximum, without=maximum.without, raters=rows)
