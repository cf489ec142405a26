"""What `steelyard prefer` says from the Bradley-Terry model: of strength, of ties and of raters who differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.cli.answers import LEVEL, Answer, counted, p_words
from steelyard.errors import Separated, SteelyardError
from steelyard.judgments.pairs import TIE, pairs_of
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.bradley_terry.results import BradleyTerryFit

STRENGTH = "How strong is it?"
TIES = "Do ties carry a tendency?"
SHOWN_ODDS = 10  # steps between items told in sentences
MOST_ODDS = 300  # steps among the numbers
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Ratio:
    """A likelihood ratio test."""

    statistic: float
    df: int
    p: float

    def words(self) -> str:
        """As a sentence without its end."""
        return f"likelihood ratio = {self.statistic:.2f} on {self.df} df, {p_words(self.p)}"


@dataclass(frozen=True, slots=True)
class Odds:
    """How much more often `first` is preferred to `second` than the other way, with its 95% interval."""

    first: str
    second: str
    odds: float
    low: float
    high: float

    def words(self) -> str:
        """As a sentence without its end."""
        interval = f"95% interval {self.low:.2f} to {self.high:.2f}"
        return f"{self.first} over {self.second} {self.odds:.2f} to 1 ({interval})"


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit of comparisons, and what the answers need of it."""

    fit: BradleyTerryFit

    @property
    def log_worth(self) -> dict[str, float]:
        """By item."""
        return dict(zip(map(str, self.fit.item), self.fit.posterior.position.tolist(), strict=True))

    @property
    def tie(self) -> tuple[float, float] | None:
        """The tie effect and its standard error; None without ties."""
        if not self.fit.settings.has_tie_effect:
            return None
        last = np.eye(
            1, len(self.fit.theta), len(self.fit.theta) - 1
        )  # effects of ties come after all others
        return float(self.fit.theta[-1]), float(self._standard_errors(last)[0])

    def odds(self, pairs: list[tuple[str, str]]) -> list[Odds]:
        """exp(difference of log-worths) of each pair, with its interval."""
        place = {str(item): at for at, item in enumerate(self.fit.item)}
        rows = np.zeros((len(pairs), len(self.fit.theta)))
        for row, (first, second) in zip(rows, pairs, strict=True):
            row[place[first]], row[place[second]] = 1.0, -1.0
        estimate, reach = rows @ self.fit.theta, NORMAL_95 * self._standard_errors(rows)
        ends = (np.exp(estimate + sign * reach).tolist() for sign in (0.0, -1.0, 1.0))
        return [Odds(*pair, *numbers) for pair, *numbers in zip(pairs, *ends, strict=True)]

    def _standard_errors(self, rows: Matrix) -> Vector:
        """Of combinations of the parameters, one per row."""
        variance = np.einsum("ij,ji->i", rows, self.fit.covariance.product(rows.T))
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


@dataclass(frozen=True, eq=False)
class Common:
    """Comparisons with the worths that all raters share; without a fit the reason why there is none."""

    judgments: Judgments
    answers: float
    tied: float
    fitted: Fitted | None
    reason: str = ""


def common_worths(judgments: Judgments) -> Common:
    """The fit with Davidson's tie effect (without one where nobody tied)."""
    pairs = pairs_of(judgments)
    answers, tied = float(pairs.weight.sum()), float(pairs.weight[pairs.outcome == TIE].sum())
    try:
        return Common(judgments, answers, tied, Fitted(preference_model(tied).fit(judgments)))
    except SteelyardError as reason:
        return Common(judgments, answers, tied, None, why_not(reason))


def why_not(reason: SteelyardError) -> str:
    """Why a model was not fitted; of estimates without end not the settings of a fit that would help."""
    return f"{str(reason).split('. ')[0]}." if isinstance(reason, Separated) else str(reason)


def preference_model(tied: float, **settings: Any) -> BradleyTerry:
    """The model whose worths the answers are about."""
    return BradleyTerry(ties="davidson" if tied else "drop", **settings)


def worth_test(common: Common) -> tuple[list[str], dict[str, Any]]:
    """Likelihood ratio of the fitted worths against equal ones, in sentences."""
    items, answers = len(common.judgments.items), counted(common.answers, "answer")
    if common.fitted is None:
        return [f"A likelihood ratio test of {items} items cannot be made. {common.reason}"], {}
    fit = common.fitted.fit
    ratio = ratio_test(fit.null_deviance - fit.deviance, fit.parameters - (common.tied > 0))
    verdict = (
        "The items are not equally preferred" if ratio.p < LEVEL else "No preference among the items is shown"
    )
    model = "Bradley-Terry model with Davidson's ties" if common.tied else "Bradley-Terry model"
    words = f"{verdict}: {ratio.words()}, against equal worths of {items} items ({answers}; {model})."
    return [words], {"equal_worths": ratio}


def ratio_test(statistic: float, df: int) -> Ratio:
    """The test of twice a difference of log-likelihoods."""
    from scipy.special import chdtrc  # late: SciPy slows the start of every command

    return Ratio(max(statistic, 0.0), df, float(chdtrc(df, max(statistic, 0.0))))


def strength_answer(common: Common) -> Answer:
    """The odds of each item over the next, from the most to the least preferred."""
    fitted, before = (common.fitted, []) if common.fitted is not None else _penalised(common)
    if fitted is None:
        return Answer(STRENGTH, before)
    worth = fitted.log_worth
    order = sorted(worth, key=lambda item: (-worth[item], item))
    steps = fitted.odds(list(pairwise(order))[:MOST_ODDS])
    whole = fitted.odds([(order[0], order[-1])])[0]
    more = f"; and {len(order) - 1 - SHOWN_ODDS:,} more steps" if len(order) - 1 > SHOWN_ODDS else ""
    words = [f"Odds of {'; '.join(step.words() for step in steps[:SHOWN_ODDS])}{more}."]
    if len(steps) > 1:
        words.append(f"From the most to the least preferred: {whole.words()}.")
    numbers = {"order": order, "steps": steps, "most_to_least": whole, "penalty": fitted.fit.settings.penalty}
    told, fits = _fit_words(fitted.fit)
    return Answer(STRENGTH, [*before, *words, *told], {**numbers, **fits})


def _penalised(common: Common) -> tuple[Fitted | None, list[str]]:
    """Finite odds where an item always wins or loses, and what was done for it; why there are none elsewhere."""
    if len(common.judgments.items) <= MOST_ODDS:
        try:
            fit = preference_model(common.tied, penalty="firth").fit(common.judgments)
        except SteelyardError:
            return None, [f"Odds cannot be given. {common.reason}"]
        return Fitted(fit), [f"{common.reason} Odds are finite only by Firth's penalty, as follows."]
    return None, [f"Odds cannot be given. {common.reason}"]


def _fit_words(fit: BradleyTerryFit) -> tuple[list[str], dict[str, Any]]:
    """Whether the model describes the answers that the odds come from."""
    words = [] if fit.converged else ["The fit did NOT converge: do not use these odds."]
    p = fit.p_deviance
    if p is None or fit.settings.penalty != "none":
        return words, {"converged": fit.converged}
    told = f"deviance = {fit.deviance:.2f} on {fit.df_residual} df, {p_words(p)}"
    if p < LEVEL:
        words.append(f"One worth per item does not describe all pairs ({told}), so these odds are averages.")
    else:
        words.append(f"That one worth per item describes all pairs is not ruled out ({told}).")
    numbers = {"deviance": fit.deviance, "df_residual": fit.df_residual, "p_deviance": p}
    return words, {**numbers, "converged": fit.converged}


def ties_answer(common: Common) -> Answer:
    """The tie effect with its interval, and what leaving the ties out would change."""
    told = f"{common.tied:,g} of {counted(common.answers, 'answer')} ({common.tied / common.answers:.0%}) are ties."
    if not common.tied:
        return Answer(TIES, [f"None of {counted(common.answers, 'answer')} is a tie."], {"tied": 0.0})
    tie = None if common.fitted is None else common.fitted.tie
    if tie is None:
        return Answer(
            TIES, [told, f"Their tendency cannot be estimated. {common.reason}"], {"tied": common.tied}
        )
    estimate, se = tie
    low, high = estimate - NORMAL_95 * se, estimate + NORMAL_95 * se
    words = [told, _tendency_words(estimate, low, high)]
    numbers = {"tied": common.tied, "tie": estimate, "se": se, "low": low, "high": high}
    dropped, more = _dropped(common)
    return Answer(TIES, [*words, *dropped], {**numbers, **more})


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
