"""Differences of preference between groups of raters, for `steelyard prefer --rater-covariate`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.errors import Separated, SteelyardError, UnknownName
from steelyard.judgments.findings import counted
from steelyard.models.bradley_terry.rater_variance import ClusteredEstimate, ClusteredTest, repeating_raters
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.report.preference.answers import LEVEL, PreferenceAnswer, listed, p_words
from steelyard.report.preference.odds import Clustered, PreferenceFit, clustered_of
from steelyard.report.preference.worths import (
    Common,
    Ratio,
    clustered_words,
    preference_model,
    ratio_test,
    why_not,
)

SHOWN_EFFECTS = 10


@dataclass(frozen=True, slots=True)
class GroupEffect:
    """Interaction of an item with a rater covariate.

    It is the difference between two groups of raters, or per unit of a numeric covariate, in the item's log-worth
    (or lambda) relative to the reference item.
    """

    name: str
    estimate: float
    se: float
    z: float
    p: float
    low: float
    high: float
    clustered: Clustered | None

    def words(self) -> str:
        """Return the effect as part of a sentence."""
        clustered_test = "" if self.clustered is None else f"; {self.clustered.test_words()}"
        test = f"z = {self.z:.2f}, {p_words(self.p)}"
        return f"{self.name} {self.estimate:+.3f} (SE {self.se:.3f}, {test}{clustered_test})"


def group_answer(common: Common, column: str, parametrisation: str) -> PreferenceAnswer:
    """Test whether the preference differs by a rater covariate: the joint test and every effect.

    Parameters
    ----------
    common
        Comparisons with the fit of common worths.
    column
        Column of the judgments with the covariate: groups or numbers.
    parametrisation
        `odds` or `log_worth` report effects on the log-odds, `lambda` on half the log-odds.

    Returns
    -------
    PreferenceAnswer
        Sentences and statistics; if the test cannot be computed, the reason.

    Raises
    ------
    UnknownName
        If the judgments have no such column.
    """
    question = f"Does the preference differ by {column}?"
    try:
        own, shared, before = _fits(common, column)
    except UnknownName:
        raise
    except SteelyardError as reason:
        return PreferenceAnswer(
            question, [f"The test cannot be computed. {why_not(reason)}"], {"column": column}
        )
    ratio, clustered = _ratio(own, shared)
    effects = _effects(own, parametrisation)
    scale = "lambda" if parametrisation == "lambda" else "log-odds"
    verdict = (
        f"The preference differs by {column}"
        if (ratio.p if clustered is None else clustered.p) < LEVEL
        else f"There is no evidence that the preference differs by {column}"
    )
    joint = f"{verdict}: {ratio.words()} ({counted(common.answers, 'answer')}){clustered_words(clustered)}."
    reference = str(own.item[-1])
    each = listed([effect.words() for effect in effects], SHOWN_EFFECTS)
    words = [
        *before,
        joint,
        f"Differences in {scale} relative to {reference}: {each}.",
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
    """Explain why no joint test clustered by rater is reported, where raters answered more than once."""
    if clustered is not None or own.settings.penalty != "none" or not repeating_raters(own):
        return []
    return ["A test clustered by rater cannot be computed: one group has a single rater."]


def _fits(common: Common, column: str) -> tuple[BradleyTerryFit, BradleyTerryFit, list[str]]:
    """Fit with and without effects of the column, on the same table; with Firth's penalty if effects are infinite."""
    last = max(map(str, common.judgments.items))  # items of a fit are sorted
    varied: dict[str, Any] = {"rater_covariates": [column], "reference": last}
    same: dict[str, Any] = {"rater_covariates": {column: []}}
    try:
        own = preference_model(common.tied, **varied).fit(common.judgments)
        return own, preference_model(common.tied, **same).fit(common.judgments), []
    except Separated:
        own = preference_model(common.tied, penalty="firth", **varied).fit(common.judgments)
        shared = preference_model(common.tied, penalty="firth", **same).fit(common.judgments)
        words = "In at least one group an item always wins or always loses. The effects below use Firth's penalty."
        return own, shared, [words]


def _ratio(own: BradleyTerryFit, shared: BradleyTerryFit) -> tuple[Ratio, ClusteredTest | None]:
    """Return the likelihood ratio test of the two fits; with a penalty, that of the suprema of the likelihoods."""
    if own.settings.penalty == "none":
        comparison = own.compare(shared)
        return ratio_test(comparison.chi_square, comparison.df), comparison.clustered
    df = own.parameters - shared.parameters
    return ratio_test(2.0 * (own.profile.best[1] - shared.profile.best[1]), df), None


def _effects(own: BradleyTerryFit, parametrisation: str) -> list[GroupEffect]:
    """Return every interaction of an item with the covariate."""
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
        clustered_test = None if clusters is None else clustered_of(_scaled(clusters.estimate(row), scale))
        effects.append(GroupEffect(name=name, clustered=clustered_test, **coefficients[name]))
    return effects


def _scaled(estimate: ClusteredEstimate | None, scale: float) -> ClusteredEstimate | None:
    """Return a clustered estimate multiplied by `scale`."""
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
