"""What `steelyard prefer` says from the Bradley-Terry model: of strength, of ties and of raters who differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.cli.answers import LEVEL, PreferenceAnswer, p_words
from steelyard.cli.prefer_odds import Clustered, PreferenceFit, clustered_of, coefficient_words
from steelyard.errors import Separated, SteelyardError
from steelyard.judgments.comparison_arrays import TIE, pairs_of
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.bradley_terry.rater_variance import ClusteredTest
from steelyard.models.bradley_terry.results import BradleyTerryFit

STRENGTH = "How strong is it?"
TIES = "Do ties carry a tendency?"
SHOWN_ODDS = 10  # steps between items described in sentences
MOST_ODDS = 300  # steps among the numbers


@dataclass(frozen=True, slots=True)
class Ratio:
    """A likelihood ratio test."""

    statistic: float
    df: int
    p: float

    def words(self) -> str:
        """As a sentence without its end."""
        return f"likelihood ratio = {self.statistic:.2f} on {self.df} df, {p_words(self.p)}"


@dataclass(frozen=True, eq=False)
class Common:
    """Comparisons with the worths that all raters share; without a fit the reason why there is none."""

    judgments: Judgments
    answers: float
    tied: float
    fitted: PreferenceFit | None
    reason: str = ""

    @cached_property
    def finite(self) -> PreferenceFit | None:
        """The fit, or where an item always wins or loses the one with Firth's penalty."""
        if self.fitted is not None or len(self.judgments.items) > MOST_ODDS:
            return self.fitted
        try:
            return PreferenceFit(preference_model(self.tied, penalty="firth").fit(self.judgments))
        except SteelyardError:
            return None


def common_worths(judgments: Judgments) -> Common:
    """The fit with Davidson's tie effect (without one where nobody tied)."""
    pairs = pairs_of(judgments)
    answers, tied = float(pairs.weight.sum()), float(pairs.weight[pairs.outcome == TIE].sum())
    try:
        return Common(judgments, answers, tied, PreferenceFit(preference_model(tied).fit(judgments)))
    except SteelyardError as reason:
        return Common(judgments, answers, tied, None, why_not(reason))


def why_not(reason: SteelyardError) -> str:
    """Why a model was not fitted; of estimates without end not the settings of a fit that would help."""
    return f"{str(reason).split('. ')[0]}." if isinstance(reason, Separated) else str(reason)


def preference_model(tied: float, **settings: Any) -> BradleyTerry:
    """The model whose worths the answers are about; `prefer` reports errors clustered by rater beside the model's."""
    return BradleyTerry(ties="davidson" if tied else "drop", cluster="none", **settings)


def worth_test(common: Common) -> tuple[list[str], dict[str, Any]]:
    """Likelihood ratio of the fitted worths against equal ones, in sentences."""
    items, answers = len(common.judgments.items), counted(common.answers, "answer")
    fitted = common.finite
    if fitted is None or not (common.fitted is not None or fitted.profiled):
        return [f"A likelihood ratio test of {items} items cannot be made. {common.reason}"], {}
    fit = fitted.fit
    gained = 0.0 if common.fitted is not None else 2.0 * (fit.profile.best[1] - fit.goodness.kernel)
    ratio = ratio_test(fit.null_deviance - fit.deviance + gained, fit.parameters - (common.tied > 0))
    clustered = equal_worths_clustered(fitted, ratio.statistic)
    verdict = (
        "The items are not equally preferred" if ratio.p < LEVEL else "No preference among the items is shown"
    )
    model = "Bradley-Terry model with Davidson's ties" if common.tied else "Bradley-Terry model"
    words = f"{verdict}: {ratio.words()}, against equal worths of {items} items ({answers}; {model})"
    return [f"{words}{clustered_words(clustered)}."], {
        "equal_worths": ratio,
        "equal_worths_clustered": clustered,
    }


def equal_worths_clustered(fitted: PreferenceFit, statistic: float) -> ClusteredTest | None:
    """The test of equal worths that allows for raters; None where raters did not answer more than once."""
    if fitted.clusters is None or fitted.fit.design.component.any():
        return None
    count = len(fitted.fit.item)
    rows = np.eye(len(fitted.fit.theta))[: count - 1] - np.eye(len(fitted.fit.theta))[count - 1]
    return fitted.clusters.joint(rows, statistic)


def clustered_words(joint_test: ClusteredTest | None) -> str:
    """A joint test that allows for raters, to follow another test."""
    if joint_test is None:
        return ""
    freedom = f"{joint_test.df:.1f} and {joint_test.df_within:.1f} df"
    test = f"F = {joint_test.statistic:.2f} on {freedom}, {p_words(joint_test.p)}"
    return f"; clustered by rater ({counted(joint_test.raters, 'rater')}): {test}"


def ratio_test(statistic: float, df: int) -> Ratio:
    """The test of twice a difference of log-likelihoods."""
    from scipy.special import chdtrc  # SciPy is slow to import

    return Ratio(max(statistic, 0.0), df, float(chdtrc(df, max(statistic, 0.0))))


def strength_answer(common: Common, parametrisation: str = "odds") -> PreferenceAnswer:
    """The odds of each item over the next, from the most to the least preferred."""
    fitted = common.finite
    if fitted is None:
        return PreferenceAnswer(STRENGTH, [f"Odds cannot be given. {common.reason}"])
    before = [] if common.fitted is not None else [_penalty_words(common, fitted)]
    order = fitted.order
    steps = fitted.odds(list(pairwise(order))[:MOST_ODDS])
    whole = steps[0] if len(order) == 2 else fitted.odds([(order[0], order[-1])])[0]
    more = f"; and {len(order) - 1 - SHOWN_ODDS:,} more steps" if len(order) - 1 > SHOWN_ODDS else ""
    words = [f"Odds of {'; '.join(step.words() for step in steps[:SHOWN_ODDS])}{more}."]
    if len(steps) > 1:
        words.append(f"From the most to the least preferred: {whole.words()}.")
    coefficients = fitted.coefficients(parametrisation)
    shown = [] if parametrisation == "odds" else coefficient_words(coefficients)
    numbers = {"order": order, "steps": steps, "most_to_least": whole, "penalty": fitted.fit.settings.penalty}
    fit_sentences, fits = _fit_words(fitted.fit)
    return PreferenceAnswer(
        STRENGTH, [*before, *words, *shown, *fit_sentences], {**numbers, **coefficients, **fits}
    )


def _penalty_words(common: Common, fitted: PreferenceFit) -> str:
    """What keeps odds finite where an item always wins or loses, and what the intervals are."""
    limits = " Intervals are those of the likelihood without it." if fitted.profiled else ""
    return f"{common.reason} Odds are finite only by Firth's penalty, as follows.{limits}"


def _fit_words(fit: BradleyTerryFit) -> tuple[list[str], dict[str, Any]]:
    """Whether the model describes the answers that the odds come from."""
    words = [] if fit.converged else ["The fit did NOT converge: do not use these odds."]
    null = {"null_deviance": fit.null_deviance, "df_null": fit.df_null, "converged": fit.converged}
    p = fit.p_deviance
    if p is None or fit.settings.penalty != "none":
        return words, null
    equal = f"null deviance = {fit.null_deviance:.2f} on {fit.df_null} df for equal items"
    evidence = f"deviance = {fit.deviance:.2f} on {fit.df_residual} df, {p_words(p)}; {equal}"
    if p < LEVEL:
        words.append(
            f"One worth per item does not describe all pairs ({evidence}), so these odds are averages."
        )
    else:
        words.append(f"That one worth per item describes all pairs is not ruled out ({evidence}).")
    return words, {**null, "deviance": fit.deviance, "df_residual": fit.df_residual, "p_deviance": p}


def ties_answer(common: Common) -> PreferenceAnswer:
    """The tie effect with its interval, and what leaving the ties out would change."""
    share = f"{common.tied / common.answers:.0%}"
    share_of_ties = f"{common.tied:,g} of {counted(common.answers, 'answer')} ({share}) are ties."
    if not common.tied:
        return PreferenceAnswer(
            TIES, [f"None of {counted(common.answers, 'answer')} is a tie."], {"tied": 0.0}
        )
    tie = None if common.fitted is None else common.fitted.tie
    if common.fitted is None or tie is None:
        return PreferenceAnswer(
            TIES,
            [share_of_ties, f"Their tendency cannot be estimated. {common.reason}"],
            {"tied": common.tied},
        )
    interval = common.fitted.interval(common.fitted.tie_row)
    ratio = Ratio(interval.chi_square, 1, interval.p)
    clusters = common.fitted.clusters
    clustered = None if clusters is None else clustered_of(clusters.estimate(common.fitted.tie_row))
    words = [
        share_of_ties,
        _tendency_words(tie[0], interval.low, interval.high),
        _tie_test_words(common.fitted, ratio, clustered),
    ]
    numbers = {"tied": common.tied, "tie": tie[0], "se": tie[1], "low": interval.low, "high": interval.high}
    dropped, more = _dropped(common)
    return PreferenceAnswer(
        TIES, [*words, *dropped], {**numbers, "no_tie_effect": ratio, "clustered": clustered, **more}
    )


def _tie_test_words(fitted: PreferenceFit, ratio: Ratio, clustered: Clustered | None) -> str:
    """The test of a model without a tie effect, tie cells kept."""
    name = "Likelihood ratio" if fitted.profiled else "Wald test"
    beside = "" if clustered is None else f"; {clustered.test_words()}"
    test = f"{ratio.statistic:.2f} on 1 df, {p_words(ratio.p)}{beside}"
    return (
        f"{name} of the tie parameter against 0 (ties as frequent as the geometric mean of the wins): {test}."
    )


def _tendency_words(estimate: float, low: float, high: float) -> str:
    if low > 0.0:
        verdict = "a tendency not to choose"
    else:
        verdict = "a tendency to choose" if high < 0.0 else "no tendency either way is shown"
    factor, least, most = (math.exp(value) for value in (estimate, low, high))
    return (
        f"Tie parameter = {estimate:.3f} (95% interval {low:.3f} to {high:.3f}): between items of equal worth a tie "
        f"is {factor:.2f} times as likely as a win of one of them ({least:.2f} to {most:.2f}), {verdict}."
    )


def _dropped(common: Common) -> tuple[list[str], dict[str, Any]]:
    """What changes when ties are left out."""
    if len(common.judgments.items) == 2:
        return ["Leaving ties out changes no odds of a single pair; it hides how many saw no difference."], {}
    if common.fitted is None or len(common.judgments.items) > MOST_ODDS:
        return [], {}
    try:
        without = preference_model(0.0).fit(common.judgments)
    except SteelyardError as reason:
        return [f"Leaving ties out is not safe: the model could not be fitted then. {reason}"], {}
    factor, errors = _moved(common.fitted.fit, without)
    before, after = (each.posterior.position.argsort().tolist() for each in (common.fitted.fit, without))
    order = "leave the order of the items as it is" if before == after else "change the order of the items"
    words = (
        f"Leaving ties out would change the odds of two items by a factor of up to {factor:.2f} (at most {errors:.1f} "
        f"standard errors) and would {order}."
    )
    return [words], {
        "dropped_factor": factor,
        "dropped_standard_errors": errors,
        "dropped_same_order": before == after,
    }


def _moved(fit: BradleyTerryFit, other: BradleyTerryFit) -> tuple[float, float]:
    """How far the odds of any two items lie apart in two fits: the largest factor, and in standard errors."""
    shift = other.posterior.position - fit.posterior.position
    variance = np.diag(fit.item_covariance)
    both = np.sqrt(np.maximum(variance[:, None] + variance - 2.0 * fit.item_covariance, 0.0))
    gap = np.abs(shift[:, None] - shift)
    return math.exp(float(gap.max())), float(np.max(gap[both > 0] / both[both > 0]))
