"""Fitting a Bradley-Terry model: table, design, estimates and standard errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.errors import OnlyTies, Separated, Unconnected, UnknownItem
from steelyard.judgments.counting import count_raters
from steelyard.judgments.counts import TIE, PairCounts
from steelyard.judgments.logs import ComparisonSource, CountedComparisons
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes
from steelyard.maths.sandwich import ErrorType
from steelyard.models.bradley_terry.clustering import FittedDesign, clustering_of, embedded, position_rows
from steelyard.models.bradley_terry.columns import reference_level
from steelyard.models.bradley_terry.connectivity import (
    all_mutual,
    check_counts,
    connect,
    preferences_of,
)
from steelyard.models.bradley_terry.design import Design, make_design
from steelyard.models.bradley_terry.estimating import Estimate, estimate
from steelyard.models.bradley_terry.inference import DenseCovariance
from steelyard.models.bradley_terry.likelihoods import Likelihood, likelihood_of
from steelyard.models.bradley_terry.residuals import table_of
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.models.bradley_terry.settings import ITEMS, Settings
from steelyard.models.clusters import ClusteredPosterior, too_many
from steelyard.models.linking import unlinked_parts
from steelyard.models.model import refuse_log, refuse_other_kinds
from steelyard.scales.fit import Provenance, whole_or_short
from steelyard.scales.tables import Rows

ERROR_WORDS = {
    "information": str(ErrorType()),
    "rater": "sandwich by rater (CR0)",
    "rater_cr1": "sandwich by rater (CR1)",
    "judgment": "sandwich by judgment (HC0)",
}


def fit_model(asked: Settings, name: str, judgments: ComparisonSource) -> BradleyTerryFit:
    """Fit the model. `penalty="auto"` uses a penalty only if estimates would otherwise be infinite.

    Parameters
    ----------
    asked
        Settings of the model.
    name
        Name of the model, for the signature.
    judgments
        Comparisons or counts.

    Returns
    -------
    BradleyTerryFit
        The fitted model.
    """
    if asked.penalty != "auto":
        return _fit(asked, name, judgments)
    try:
        return _fit(replace(asked, penalty="none"), name, judgments)
    except (OnlyTies, Unconnected, Separated):
        if asked.random_effects:
            raise
        return _fit(replace(asked, penalty="pseudo"), name, judgments)


def _fit(asked: Settings, name: str, judgments: ComparisonSource) -> BradleyTerryFit:
    if isinstance(judgments, Judgments):
        refuse_other_kinds(judgments, ("comparison",), name)
    elif not isinstance(judgments, (PairCounts, CountedComparisons)):
        refuse_log(judgments, ("comparison",), name)
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
        raters=Rows(estimated.raters),
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
    name: str, settings: Settings, table: PairCounts, estimated: Estimate, source: ComparisonSource
) -> Provenance:
    return Provenance(
        model=name,
        settings={**settings.changed(), "errors": estimated.errors},
        items=len(table.items),
        judgments=table.whole_judgments,
        raters=_raters(source),
        range=None,
        seed=settings.seed,
        converged=estimated.converged,
        iterations=estimated.steps,
    )


def _unlinked(table: PairCounts, settings: Settings) -> Codes | None:
    """Return the parts that no comparison connects; None with item covariates only, which connect all items."""
    if not settings.item_effects or all_mutual(table, settings):
        return None
    return unlinked_parts(preferences_of(table, settings).linked())


def _notes(settings: Settings, design: Design) -> tuple[str, ...]:
    """Return remarks about excluded ties, aliased effects and the raters that coefficients describe."""
    ties = float(design.table.counts[TIE].sum()) if settings.ties == "drop" else 0.0
    excluded = [f"{whole_or_short(ties)} of the comparisons are ties and are excluded (ties=drop)."] * bool(
        ties
    )
    aliased = [f"Aliased with other effects and fixed at 0: {', '.join(design.aliased)}."]
    return (*excluded, *(aliased if design.aliased else []), *_described_raters(settings, design))


def _described_raters(settings: Settings, design: Design) -> tuple[str, ...]:
    """Return which raters the item coefficients describe if log-worths differ by rater covariates."""
    levels = [
        f"{name}={reference_level(name, design.table.cells[name], settings)}"
        for name, targets in settings.varying.items()
        if ITEMS in targets
    ]
    if not levels:
        return ()
    return (
        f"The scale averages over the raters of the judgments. Coefficients of items, worths() and probabilities() are "
        f"those of {', '.join(levels)} unless you state other values.",
    )


def _resolved(asked: Settings, judgments: ComparisonSource) -> tuple[Settings, PairCounts]:
    """Return the settings with `ties="auto"` resolved, and the table of counts."""
    settings = asked
    if asked.ties == "auto":
        table = table_of(judgments, asked.columns, asked.ordered)
        ties = table.counts[TIE].sum() > 0
        cumulative = asked.link == "probit"
        settings = replace(asked, ties=("rao_kupper" if cumulative else "davidson") if ties else "drop")
    return settings, table_of(judgments, settings.columns, settings.ordered)


def _with_clusters(
    estimated: Estimate,
    design: Design,
    likelihood: Likelihood,
    settings: Settings,
    source: ComparisonSource,
) -> Estimate:
    """Return the estimate with clustered standard errors, if the settings and comparisons call for them."""
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
    """Return the error type of a fit whose standard errors are not clustered by `cluster`."""
    if settings.random_effects:
        return "model with random rater effects"
    return ERROR_WORDS[settings.standard_errors]


def _raters(source: ComparisonSource) -> int:
    if isinstance(source, CountedComparisons):
        return source.rater_count
    if isinstance(source, PairCounts):
        column = source.cells.get("rater")
        return 0 if column is None else len(np.unique(column.values))
    return count_raters(source)
