"""Bradley-Terry results of `steelyard prefer`: strength of preference and the effect of ties."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.errors import Separated, SteelyardError, Unconnected
from steelyard.judgments.comparison_arrays import TIE, pairs_of
from steelyard.judgments.findings import counted, short_count
from steelyard.judgments.table import Judgments
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.bradley_terry.rater_variance import ClusteredTest
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.report.preference.answers import LEVEL, PreferenceAnswer, holm, p_words
from steelyard.report.preference.odds import Clustered, Odds, PreferenceFit, coefficient_words

STRENGTH = "How strong is the preference?"
TIES = "Is there a tendency to tie?"
LISTED_ODDS, SHORT_LIST = (
    10,
    3,
)  # odds of consecutive items in the sentences: all of up to 10, otherwise the first 3
MOST_ODDS = 300  # odds of consecutive items in the JSON report


@dataclass(frozen=True, slots=True)
class Ratio:
    """A likelihood ratio test."""

    statistic: float
    df: int
    p: float

    def words(self) -> str:
        """Return the test as part of a sentence."""
        return f"likelihood ratio = {self.statistic:.2f} on {self.df} df, {p_words(self.p)}"


@dataclass(frozen=True, eq=False)
class Common:
    """Comparisons and the fit of worths common to all raters; without a fit, `reason` explains why."""

    judgments: Judgments
    answers: float
    tied: float
    fitted: PreferenceFit | None
    reason: str = ""

    @cached_property
    def finite(self) -> PreferenceFit | None:
        """The fit; if an item always wins or always loses, the fit with Firth's penalty."""
        if self.fitted is not None or len(self.judgments.items) > MOST_ODDS:
            return self.fitted
        try:
            return PreferenceFit(preference_model(self.tied, penalty="firth").fit(self.judgments))
        except SteelyardError:
            return None


def common_worths(judgments: Judgments) -> Common:
    """Fit common worths, with Davidson's tie parameter unless there are no ties."""
    pairs = pairs_of(judgments)
    answers, tied = float(pairs.weight.sum()), float(pairs.weight[pairs.outcome == TIE].sum())
    try:
        return Common(judgments, answers, tied, PreferenceFit(preference_model(tied).fit(judgments)))
    except SteelyardError as reason:
        return Common(judgments, answers, tied, None, why_not(reason))


def why_not(reason: SteelyardError) -> str:
    """Return why a model was not fitted, without advice about settings, which this command does not have."""
    if isinstance(reason, Unconnected):
        remedy = (
            "Add comparisons between the groups, or choose the items of one group (steelyard prefer --item)."
        )
        return f"{reason.fact} {remedy}"
    return reason.fact if isinstance(reason, Separated) else str(reason)


def preference_model(tied: float, **settings: Any) -> BradleyTerry:
    """Return the model that `prefer` fits. Errors clustered by rater are computed separately."""
    return BradleyTerry(ties="davidson" if tied else "drop", cluster="none", **settings)


def worth_test(common: Common) -> tuple[list[str], dict[str, Any]]:
    """Return the likelihood ratio test of equal worths: sentences and statistics."""
    items, answers = len(common.judgments.items), counted(common.answers, "answer")
    fitted = common.finite
    if fitted is None or not (common.fitted is not None or fitted.profiled):
        return [f"The likelihood ratio test of {items} items cannot be computed. {common.reason}"], {}
    fit = fitted.fit
    gained = 0.0 if common.fitted is not None else 2.0 * (fit.profile.best[1] - fit.goodness.kernel)
    ratio = ratio_test(fit.null_deviance - fit.deviance + gained, fit.parameters - (common.tied > 0))
    clustered = equal_worths_clustered(fitted, ratio.statistic)
    verdict = (
        "The items are not equally preferred"
        if ratio.p < LEVEL
        else "There is no evidence of a preference among the items"
    )
    model = "Bradley-Terry model with Davidson's tie parameter" if common.tied else "Bradley-Terry model"
    words = f"{verdict}: {ratio.words()}, in the test of equal worths of {items} items ({answers}; {model})"
    return [f"{words}{clustered_words(clustered)}."], {
        "equal_worths": ratio,
        "equal_worths_clustered": clustered,
    }


def equal_worths_clustered(fitted: PreferenceFit, statistic: float) -> ClusteredTest | None:
    """Return the test of equal worths clustered by rater; None if no rater answered more than once."""
    if fitted.clusters is None or fitted.fit.design.component.any():
        return None
    count = len(fitted.fit.item)
    rows = np.eye(len(fitted.fit.theta))[: count - 1] - np.eye(len(fitted.fit.theta))[count - 1]
    return fitted.clusters.joint(rows, statistic)


def clustered_words(joint_test: ClusteredTest | None) -> str:
    """Return a joint test clustered by rater, as the continuation of a sentence."""
    if joint_test is None:
        return ""
    freedom = f"{joint_test.df:.1f} and {joint_test.df_within:.1f} df"
    test = f"F = {joint_test.statistic:.2f} on {freedom}, {p_words(joint_test.p)}"
    return f"; clustered by rater ({counted(joint_test.raters, 'rater')}): {test}"


def ratio_test(statistic: float, df: int) -> Ratio:
    """Return the chi-square test of twice a difference of log-likelihoods."""
    from scipy.special import chdtrc  # SciPy is slow to import

    return Ratio(max(statistic, 0.0), df, float(chdtrc(df, max(statistic, 0.0))))


def strength_answer(common: Common, parametrisation: str = "odds") -> PreferenceAnswer:
    """Report the odds of each item over the next one, from the most to the least preferred."""
    fitted = common.finite
    if fitted is None:
        return PreferenceAnswer(STRENGTH, [f"Odds cannot be estimated. {common.reason}"])
    before = [] if common.fitted is not None else [_penalty_words(common, fitted)]
    order = fitted.order
    steps = fitted.odds(list(pairwise(order))[:MOST_ODDS])
    whole = steps[0] if len(order) == 2 else fitted.odds([(order[0], order[-1])])[0]
    words = _step_words(steps, len(order) - 1)
    if len(steps) > 1:
        words.append(f"Odds of the most preferred item over the least preferred: {whole.words()}.")
    coefficients = fitted.coefficients(parametrisation)
    shown = [] if parametrisation == "odds" else coefficient_words(coefficients)
    numbers = {"order": order, "steps": steps, "most_to_least": whole, "penalty": fitted.fit.settings.penalty}
    fit_sentences, fits = _fit_words(fitted.fit)
    return PreferenceAnswer(
        STRENGTH, [*before, *words, *shown, *fit_sentences], {**numbers, **coefficients, **fits}
    )


def _step_words(steps: Sequence[Odds], number: int) -> list[str]:
    """Return the odds of consecutive items; of many, the first few and a summary of all."""
    if number <= LISTED_ODDS:
        return [f"Odds of {'; '.join(step.words() for step in steps)}."]
    first = "; ".join(step.words() for step in steps[:SHORT_LIST])
    p = [step.p if step.clustered is None else step.clustered.p for step in steps]
    significant, adjusted = sum(each < LEVEL for each in p), sum(each < LEVEL for each in holm(p))
    clustered = ", clustered by rater" if any(step.clustered is not None for step in steps) else ""
    return [
        f"Odds of the first items: {first}.",
        f"Each item against the next one: {significant:,} of {counted(len(steps), 'pair')} have p < {LEVEL:g}"
        f"{clustered}, and {adjusted:,} after Holm's adjustment. steelyard fit --differences writes all pairs, and "
        "--clusters groups of items that differ.",
    ]


def _penalty_words(common: Common, fitted: PreferenceFit) -> str:
    """Explain that odds are penalised, and which likelihood the intervals use."""
    limits = " Intervals come from the profile likelihood without the penalty." if fitted.profiled else ""
    return f"{common.reason} The odds below are finite because they use Firth's penalty.{limits}"


def _fit_words(fit: BradleyTerryFit) -> tuple[list[str], dict[str, Any]]:
    """Return the goodness of fit of the model that the odds are estimated with."""
    words = [] if fit.converged else ["The fit did NOT converge. Do not use these odds."]
    null = {"null_deviance": fit.null_deviance, "df_null": fit.df_null, "converged": fit.converged}
    p = fit.p_deviance
    if p is None or fit.settings.penalty != "none":
        return words, null
    equal = f"null deviance = {fit.null_deviance:.2f} on {fit.df_null} df, for equal worths"
    table = fit.describe_table().partition(" x ")[0]
    residual = f"residual deviance = {fit.deviance:.2f} on {fit.df_residual} df, {p_words(p)}"
    evidence = f"table of {table}: {residual}; {equal}"
    if p < LEVEL:
        words.append(
            f"Lack of fit: one worth per item does not explain all pairs ({evidence}). Read the odds as averages."
        )
    else:
        words.append(f"There is no evidence of lack of fit ({evidence}).")
    return words, {**null, "deviance": fit.deviance, "df_residual": fit.df_residual, "p_deviance": p}


def ties_answer(common: Common) -> PreferenceAnswer:
    """Report the tie parameter with its interval, and the effect of excluding ties."""
    share = f"{common.tied / common.answers:.0%}"
    share_of_ties = f"{short_count(common.tied)} of {counted(common.answers, 'answer')} ({share}) are ties."
    if not common.tied:
        return PreferenceAnswer(
            TIES, [f"There are no ties among the {counted(common.answers, 'answer')}."], {"tied": 0.0}
        )
    tie = None if common.fitted is None else common.fitted.tie
    if common.fitted is None or tie is None:
        return PreferenceAnswer(
            TIES,
            [share_of_ties, f"The tie parameter cannot be estimated. {common.reason}"],
            {"tied": common.tied},
        )
    interval = common.fitted.interval(common.fitted.tie_row)
    ratio = Ratio(interval.chi_square, 1, interval.p)
    clustered = common.fitted.coefficient_clustered(common.fitted.tie_row)
    words = [
        share_of_ties,
        tendency_words(tie[0], interval.low, interval.high, clustered),
        _tie_test_words(common.fitted, ratio, clustered),
    ]
    numbers = {"tied": common.tied, "tie": tie[0], "se": tie[1], "low": interval.low, "high": interval.high}
    dropped, more = _dropped(common)
    return PreferenceAnswer(
        TIES, [*words, *dropped], {**numbers, "no_tie_effect": ratio, "clustered": clustered, **more}
    )


def _tie_test_words(fitted: PreferenceFit, ratio: Ratio, clustered: Clustered | None) -> str:
    """Return the test that the tie parameter is 0. Ties remain in the table."""
    name = "Likelihood ratio test" if fitted.profiled else "Wald test"
    clustered_test = "" if clustered is None else f"; {clustered.test_words()}"
    test = f"{ratio.statistic:.2f} on 1 df, {p_words(ratio.p)}{clustered_test}"
    return (
        f"{name} of a tie parameter of 0, where ties are as frequent as the geometric mean of the wins: "
        f"chi-square = {test}."
    )


def tendency_words(estimate: float, low: float, high: float, clustered: Clustered | None) -> str:
    """Return the tie parameter with its interval and a verdict, by the test clustered by rater if there is one.

    Parameters
    ----------
    estimate
        Tie parameter.
    low, high
        Ends of its 95% interval.
    clustered
        Interval and test clustered by rater, or None.

    Returns
    -------
    str
        Two sentences.
    """
    limits = (low, high) if clustered is None else (clustered.low, clustered.high)
    if limits[0] > 0.0:
        verdict = "Raters tend to tie rather than to choose"
    else:
        verdict = (
            "Raters tend to choose rather than to tie"
            if limits[1] < 0.0
            else "There is no evidence of a tendency to tie or to choose"
        )
    inside = "" if clustered is None else f"; clustered by rater: {clustered.low:.3f} to {clustered.high:.3f}"
    factor, least, most = (math.exp(value) for value in (estimate, low, high))
    return (
        f"Tie parameter = {estimate:.3f} (95% interval {low:.3f} to {high:.3f}{inside}). Between two items of equal "
        f"worth, a tie is {factor:.2f} times as likely as a win of either item ({least:.2f} to {most:.2f}). {verdict}."
    )


def _dropped(common: Common) -> tuple[list[str], dict[str, Any]]:
    """Return the effect of excluding ties on the odds and on the order of the items."""
    if len(common.judgments.items) == 2:
        return [
            "With a single pair, excluding ties does not change the odds, but it hides how many answers report no "
            "difference."
        ], {}
    if common.fitted is None or len(common.judgments.items) > MOST_ODDS:
        return [], {}
    try:
        without = preference_model(0.0).fit(common.judgments)
    except SteelyardError as reason:
        return [f"Do not exclude ties: without them the model cannot be fitted. {why_not(reason)}"], {}
    factor, errors = _moved(common.fitted.fit, without)
    before, after = (each.posterior.position.argsort().tolist() for each in (common.fitted.fit, without))
    order = "would not change" if before == after else "would change"
    words = (
        f"Excluding ties would change the odds between two items by a factor of at most {factor:.2f} (at most "
        f"{errors:.1f} standard errors). The order of the items {order}."
    )
    return [words], {
        "dropped_factor": factor,
        "dropped_standard_errors": errors,
        "dropped_same_order": before == after,
    }


def _moved(fit: BradleyTerryFit, other: BradleyTerryFit) -> tuple[float, float]:
    """Return the largest change of odds between two fits: as a factor, and in standard errors of the first fit."""
    shift = other.posterior.position - fit.posterior.position
    variance = np.diag(fit.item_covariance)
    both = np.sqrt(np.maximum(variance[:, None] + variance - 2.0 * fit.item_covariance, 0.0))
    gap = np.abs(shift[:, None] - shift)
    return math.exp(float(gap.max())), float(np.max(gap[both > 0] / both[both > 0]))
