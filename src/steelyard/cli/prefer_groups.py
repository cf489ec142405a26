"""What `steelyard prefer --rater-covariate` says of groups of raters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.cli.answers import LEVEL, PreferenceAnswer, listed, p_words
from steelyard.cli.prefer_model import Common, Ratio, clustered_words, preference_model, ratio_test
from steelyard.cli.prefer_odds import Clustered, PreferenceFit, clustered_of
from steelyard.errors import Separated, SteelyardError, UnknownName
from steelyard.judgments.findings import counted
from steelyard.models.bradley_terry.rater_variance import ClusteredEstimate, ClusteredTest, repeating_raters
from steelyard.models.bradley_terry.results import BradleyTerryFit

SHOWN_EFFECTS = 10


@dataclass(frozen=True, slots=True)
class GroupEffect:
    """How an item's log-worth (or lambda), against the reference item, differs in one group of raters from another."""

    name: str
    estimate: float
    se: float
    z: float
    p: float
    low: float
    high: float
    clustered: Clustered | None

    def words(self) -> str:
        """As a part of a sentence."""
        beside = "" if self.clustered is None else f"; {self.clustered.test_words()}"
        test = f"z = {self.z:.2f}, {p_words(self.p)}"
        return f"{self.name} {self.estimate:+.3f} (se {self.se:.3f}, {test}{beside})"


def group_answer(common: Common, column: str, parametrisation: str) -> PreferenceAnswer:
    """Whether the preference differs by a column of the raters: a joint test, and each effect."""
    question = f"Does the preference differ by {column}?"
    try:
        own, shared, before = _fits(common, column)
    except UnknownName:
        raise
    except SteelyardError as reason:
        return PreferenceAnswer(question, [f"This cannot be tested. {reason}"], {"column": column})
    ratio, clustered = _ratio(own, shared)
    effects = _effects(own, parametrisation)
    scale = "lambda" if parametrisation == "lambda" else "log-odds"
    verdict = "It differs" if ratio.p < LEVEL else "That it differs is not shown"
    joint = f"{verdict}: {ratio.words()} ({counted(common.answers, 'answer')}){clustered_words(clustered)}."
    reference = str(own.item[-1])
    each = listed([effect.words() for effect in effects], SHOWN_EFFECTS)
    words = [
        *before,
        joint,
        f"Difference of {scale} against {reference}: {each}.",
        *_single_words(own, clustered),
    ]
    numbers: dict[str, Any] = {
        "column": column,
        "reference": reference,
        "ratio": ratio,
        "clustered": clustered,
    }
    return PreferenceAnswer(question, words, {**numbers, "parametrisation": scale, "effects": effects})


def _single_words(own: BradleyTerryFit, clustered: ClusteredTest | None) -> list[str]:
    """Why a joint test that allows for raters is missing where raters answered more than once."""
    if clustered is not None or own.settings.penalty != "none" or not repeating_raters(own):
        return []
    return ["A test clustered by rater cannot be made: in one group the answers are those of a single rater."]


def _fits(common: Common, column: str) -> tuple[BradleyTerryFit, BradleyTerryFit, list[str]]:
    """With and without effects of the column, on the same table; by Firth's penalty where effects are infinite."""
    last = max(map(str, common.judgments.items))  # items of a fit are sorted
    varied: dict[str, Any] = {"rater_covariates": [column], "reference": last}
    same: dict[str, Any] = {"rater_covariates": {column: []}}
    try:
        own = preference_model(common.tied, **varied).fit(common.judgments)
        return own, preference_model(common.tied, **same).fit(common.judgments), []
    except Separated:
        own = preference_model(common.tied, penalty="firth", **varied).fit(common.judgments)
        shared = preference_model(common.tied, penalty="firth", **same).fit(common.judgments)
        words = "In some group an item always wins or loses. Effects are finite only by Firth's penalty, as follows."
        return own, shared, [words]


def _ratio(own: BradleyTerryFit, shared: BradleyTerryFit) -> tuple[Ratio, ClusteredTest | None]:
    """The likelihood ratio of both, of their highest likelihoods where a penalty keeps estimates finite."""
    if own.settings.penalty == "none":
        comparison = own.compare(shared)
        return ratio_test(comparison.chi_square, comparison.df), comparison.clustered
    df = own.parameters - shared.parameters
    return ratio_test(2.0 * (own.profile.best[1] - shared.profile.best[1]), df), None


def _effects(own: BradleyTerryFit, parametrisation: str) -> list[GroupEffect]:
    """Every effect of the column on an item."""
    scale = 0.5 if parametrisation == "lambda" else 1.0
    coefficients = own.coefficients("lambda" if parametrisation == "lambda" else "log_worth")
    fitted = PreferenceFit(own)
    main_effects = {str(item) for item in own.item} | {"tie", "order"}
    effects = []
    for name in (
        name for name in coefficients.name if name not in main_effects and coefficients[name]["se"] > 0.0
    ):
        row = np.array([float(each == name) for each in own.design.names])
        clusters = fitted.clusters
        beside = None if clusters is None else clustered_of(_scaled(clusters.estimate(row), scale))
        effects.append(GroupEffect(name=name, clustered=beside, **coefficients[name]))
    return effects


def _scaled(estimate: ClusteredEstimate | None, scale: float) -> ClusteredEstimate | None:
    """A clustered estimate on the lambda scale."""
    if estimate is None:
        return None
    return replace(
        estimate,
        estimate=scale * estimate.estimate,
        se=scale * estimate.se,
        clustered_se=scale * estimate.clustered_se,
        model_se=scale * estimate.model_se,
        low=scale * estimate.low,
        high=scale * estimate.high,
    )
