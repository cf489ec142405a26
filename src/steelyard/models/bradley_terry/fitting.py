"""Fitting a Bradley-Terry model: table, design, estimates and what they are worth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import BadSetting, OnlyTies, Separated, Unconnected, UnknownItem
from steelyard.judgments.counts import TIE, PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.maths.newton import Optimum, unit_of
from steelyard.maths.sandwich import ErrorType
from steelyard.models.bradley_terry.clustering import FittedDesign, clustering_of, embedded, position_rows
from steelyard.models.bradley_terry.coefficients import centred_items
from steelyard.models.bradley_terry.connectivity import (
    FINITE,
    MODEL,
    all_mutual,
    check_counts,
    connect,
    preferences_of,
)
from steelyard.models.bradley_terry.design import Design, make_design
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
from steelyard.models.bradley_terry.likelihoods import Likelihood, likelihood_of, starting_tie
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
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.bradley_terry.solve import SMALL, GraphCurvature, Objective, dense_information, maximise
from steelyard.models.clusters import ClusteredPosterior, Clustering, too_many
from steelyard.models.linking import unlinked_parts
from steelyard.models.model import refuse_other_kinds
from steelyard.scales.fit import Posterior, Provenance, whole_or_short

ERROR_WORDS = {
    "information": str(ErrorType()),
    "rater": "sandwich by rater (CR0)",
    "rater_cr1": "sandwich by rater (CR1)",
    "judgment": "sandwich by judgment (HC0)",
}
HUGE = 1e6  # a variance of a log-worth, of judgments that count 1, that only an infinite estimate has


def fit_model(asked: Settings, name: str, judgments: Judgments | PairCounts) -> BradleyTerryFit:
    """The fit of these comparisons under these settings; an automatic penalty is none where none is needed."""
    if asked.penalty != "auto":
        return _fit(asked, name, judgments)
    try:
        return _fit(replace(asked, penalty="none"), name, judgments)
    except (OnlyTies, Unconnected, Separated):
        if asked.random_effects:
            raise
        return _fit(replace(asked, penalty="pseudo"), name, judgments)


def _fit(asked: Settings, name: str, judgments: Judgments | PairCounts) -> BradleyTerryFit:
    if isinstance(judgments, Judgments):
        refuse_other_kinds(judgments, ("comparison",), name)
    settings, table = _resolved(asked, judgments)
    check_counts(table, settings)
    if settings.reference is not None and settings.reference not in set(map(str, table.items)):
        raise UnknownItem(settings.reference)
    design = connect(make_design(table, settings), settings)
    likelihood = likelihood_of(settings.ties, settings.link)
    estimated = _with_clusters(
        estimate(design, likelihood, settings, judgments), design, likelihood, settings, judgments
    )
    lean, taste = estimated.order_effects, estimated.item_effects
    return BradleyTerryFit(
        item=table.items,
        count=table.by_item,
        posterior=estimated.posterior,
        provenance=_provenance(name, settings, table, estimated, judgments),
        raters=estimated.raters,
        places=table.places,
        part=_unlinked(table, settings),
        notes=(*_notes(settings, design), *estimated.notes),
        clustering=estimated.clustering,
        settings=settings,
        design=design,
        likelihood=likelihood,
        theta=estimated.theta,
        covariance=estimated.covariance,
        source=judgments,
        gradient_norm=estimated.norm,
        position_sd=None if lean is None else lean.sd,
        position_sd_error=None if lean is None else lean.sd_error,
        marginal=lean.log_likelihood if lean is not None else None if taste is None else taste.log_likelihood,
        rater_tastes=taste,
        without_random=estimated.without,
    )


def _provenance(
    name: str, settings: Settings, table: PairCounts, estimated: Estimate, source: Judgments | PairCounts
) -> Provenance:
    return Provenance(
        model=name,
        settings={**settings.changed(), "errors": estimated.errors},
        items=len(table.items),
        judgments=int(table.judgments) if table.judgments.is_integer() else table.judgments,
        raters=_raters(source),
        range=None,
        seed=settings.seed,
        converged=estimated.converged,
        iterations=estimated.steps,
    )


def _unlinked(table: PairCounts, settings: Settings) -> Codes | None:
    """The parts that only a prior or nothing links; covariates place items that were never compared."""
    if not settings.item_effects or all_mutual(table, settings):
        return None
    return unlinked_parts(preferences_of(table, settings).linked())


def _notes(settings: Settings, design: Design) -> tuple[str, ...]:
    """What was left out or could not be estimated."""
    ties = float(design.table.counts[TIE].sum()) if settings.ties == "drop" else 0.0
    left_out = [f"{whole_or_short(ties)} of the comparisons are ties and are left out (ties=drop)."] * bool(
        ties
    )
    aliased = [f"Not estimable beside the other effects, held at 0: {', '.join(design.aliased)}."]
    return (*left_out, *(aliased if design.aliased else []))


def _resolved(asked: Settings, judgments: Judgments | PairCounts) -> tuple[Settings, PairCounts]:
    """The settings with ties as the data have them, and the table that they ask for."""
    settings = asked
    if asked.ties == "auto":
        table = table_of(judgments, asked.columns, asked.ordered)
        ties = table.counts[TIE].sum() > 0
        cumulative = asked.link == "probit"
        settings = replace(asked, ties=("rao_kupper" if cumulative else "davidson") if ties else "drop")
    return settings, table_of(judgments, settings.columns, settings.ordered)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters with their covariance, and how the search for them ended."""

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


def _with_clusters(
    estimated: Estimate,
    design: Design,
    likelihood: Likelihood,
    settings: Settings,
    source: Judgments | PairCounts,
) -> Estimate:
    """The estimate with clustered errors where the settings and the comparisons give reason for them."""
    if not settings.clustered:
        return replace(estimated, errors=_error_words(settings))
    many = too_many(len(design.names), settings.cluster)
    if many or not isinstance(estimated.covariance, DenseCovariance):
        return replace(estimated, notes=many)
    bread = estimated.covariance.matrix
    clustering = clustering_of(FittedDesign(design, likelihood, estimated.theta, bread), settings, source)
    if clustering is None:
        return estimated
    rows = position_rows(design, settings, bread)
    return replace(
        estimated,
        covariance=DenseCovariance(embedded(clustering.covariance, bread)),
        posterior=ClusteredPosterior(estimated.posterior.position, rows, clustering),
        clustering=clustering,
        errors=str(clustering.errors),
        notes=clustering.notes,
    )


def _error_words(settings: Settings) -> str:
    """The error type of a fit that `cluster` does not decide on."""
    if settings.random_effects:
        return "model with random rater effects"
    return ERROR_WORDS[settings.standard_errors]


def starting_point(design: Design, settings: Settings) -> Vector:
    """Equal items, or where there are many as their shares of wins say; the tie effect as ties are frequent."""
    theta = np.zeros(len(design.names))
    if design.size > SMALL and settings.penalty == "none":
        theta[: design.size] = _from_shares(design)
    ties = design.kinds[2]
    if settings.has_tie_effect:
        share = float(design.outcomes[1].sum() / design.outcomes.sum())
        theta[ties.start] = starting_tie(settings.ties, settings.link, share)
    return theta


def _from_shares(design: Design) -> Vector:
    """The logits of the items' shares of wins, which is what log-worths are when partners are average."""
    gained = design.net(design.outcomes[0] - design.outcomes[-1])
    graph, ones = design.graph(design.totals), np.ones(design.size)
    made = graph @ ones + graph.T @ ones
    share = (0.5 * (made + gained) + 0.5) / (made + 1.0)
    decided = float((design.outcomes[0].sum() + design.outcomes[-1].sum()) / design.outcomes.sum())
    return np.asarray(np.log(share / (1.0 - share)) / decided)  # ties pull shares towards one half


def estimate(
    design: Design, likelihood: Likelihood, settings: Settings, source: Judgments | PairCounts
) -> Estimate:
    """Estimates and their covariance, by the way that the settings ask for."""
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
    """Refuse what needs the covariance of very many parameters written out."""
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
                f"{getattr(settings, name)!r} needs the covariance of all {len(design.names):,} parameters, and more "
                f"than {LARGEST:,} are too many. Use {alternatives}, or fewer items.",
            )


def _ended(best: Optimum) -> tuple[int, float, bool]:
    return best.steps, best.norm, best.converged


def _split(design: Design, settings: Settings, source: Judgments | PairCounts) -> PairCounts:
    """The counts by which scores are squared: one by one, or rater by rater."""
    if settings.standard_errors == "judgment":
        return design.table
    return table_of(source, tuple(dict.fromkeys((*settings.columns, "rater"))), settings.ordered)


def _refuse_huge(design: Design, settings: Settings, variances: Vector) -> None:
    """Separation that the checks before fitting did not look for shows in variances without bounds."""
    huge = np.flatnonzero(variances * unit_of(design.totals) > HUGE)
    if settings.penalty == "none" and len(huge):
        raise Separated.by_effects(MODEL, [design.names[at] for at in huge], FINITE)


def _bread(
    design: Design, likelihood: Likelihood, theta: Vector, settings: Settings, ridge: Vector
) -> Matrix:
    """The inverse information of the observed comparisons; pseudo-comparisons count where only they connect items."""
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
    """With the covariance written out; positions are centred within each connected group of items."""
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
    """Fixed effects first, as a start; then the raters' effects integrated out."""
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
    """Fixed effects first, as a start; then every rater's effects on the items integrated out."""
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


def _raters(source: Judgments | PairCounts) -> int:
    if isinstance(source, PairCounts):
        column = source.cells.get("rater")
        return 0 if column is None else len(np.unique(column.values))
    return len(source.raters)
