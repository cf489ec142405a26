"""Comparisons: whether there is a preference, its strength, ties, consistency, and the win matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import BadInput
from steelyard.judgments.comparison_arrays import LEFT, TIE, pairs_of
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Vector, sum_by
from steelyard.maths.gaussian import NORMAL_95
from steelyard.models.bradley_terry.contrasts import two_sided
from steelyard.models.bradley_terry.inference import DenseCovariance
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.report.preference.answering import answer_all
from steelyard.report.preference.odds import PreferenceFit
from steelyard.report.preference.positions import POSITION
from steelyard.report.preference.worths import TIES
from steelyard.report.source import ReportSource
from steelyard.scales.fit import Fit

KIND = "comparison"
MATRIX = 24  # largest number of items in the win matrix
ANSWERED = 300  # largest number of items for which the questions are answered
DISPUTED, LEAST_ANSWERS = 5, 3
ANSWERED_EFFECTS = {TIES: ("tie",), POSITION: ("order",)}  # effects that the answer to a question reports
OF_PREFER = (
    "The questions below are answered as by steelyard prefer, with a Bradley-Terry model of items and ties. Standard "
    "errors assume independent answers, unless a sentence states that they are clustered by rater. Options of the "
    "fitted model, such as covariates or other clusters, do not apply to these answers. Effects of ties and of the "
    "position are reported in the answers only. The coefficients of the fitted model are written by steelyard fit "
    "--coefficients."
)
OF_SYSTEMS = (
    "The items of these answers and of the win matrix are the systems, pooled over segments. The statistics of "
    "agreement are about single outputs, so they count other triads and repeated pairs."
)


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A question about the preference, and its answer in sentences."""

    question: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairCount:
    """Answers about one pair.

    Attributes
    ----------
    first, second
        The two items.
    wins, ties, losses
        Number of answers that prefer the first item, that are ties, and that prefer the second item.
    """

    first: str
    second: str
    wins: float
    ties: float
    losses: float

    @property
    def total(self) -> float:
        """Number of answers."""
        return self.wins + self.ties + self.losses


@dataclass(frozen=True, slots=True)
class WinMatrix:
    """Share of wins of each item against each other item; ties count half.

    Attributes
    ----------
    labels
        Items, highest position first. Of more than 24 items, only the first 24.
    share
        Share of wins of the row's item against the column's item; None for pairs that were not compared.
    answers
        Number of answers of each pair.
    left_out
        Number of items that the matrix leaves out.
    """

    labels: tuple[str, ...]
    share: tuple[tuple[float | None, ...], ...]
    answers: tuple[tuple[float, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect of the fitted model that is not an item: ties, order or a covariate.

    Attributes
    ----------
    name
        Name of the coefficient.
    estimate, error, low, high, p
        Estimate, standard error, 95% interval and two-sided p value.
    """

    name: str
    estimate: float
    error: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True)
class ComparisonsPart:
    """Comparisons of one question or group.

    Attributes
    ----------
    effects
        Effects of the fitted model besides the items. Empty for models without coefficients.
    answers
        Questions about the preference with their answers, as `steelyard prefer` reports them.
    matrix
        Shares of wins.
    disputed
        Pairs with at least three answers that divide raters most evenly.
    notes
        Sentences about what was not computed.
    """

    effects: tuple[Effect, ...]
    answers: tuple[QuestionAnswer, ...]
    matrix: WinMatrix
    disputed: tuple[PairCount, ...]
    notes: tuple[str, ...]

    @property
    def shown_effects(self) -> tuple[Effect, ...]:
        """Effects for the table: without those that an answer reports, so that each has one estimate and test."""
        answered = {effect for each in self.answers for effect in ANSWERED_EFFECTS.get(each.question, ())}
        return tuple(each for each in self.effects if each.name not in answered)


def comparisons_part(source: ReportSource) -> ComparisonsPart | None:
    """Return the comparisons; None for other kinds of judgment."""
    if not len(source.judgments.table(KIND)):
        return None
    judgments = source.judgments.only(KIND).at_unit(source.unit).compact()
    counts = _pair_counts(judgments)
    if not len(counts.first):
        return None
    answers, notes = _answers(judgments)
    return ComparisonsPart(
        effects=_effects(source.fit),
        answers=answers,
        matrix=_matrix(source, judgments.items, counts),
        disputed=_disputed(source, judgments.items, counts),
        notes=(
            *notes,
            *((OF_PREFER,) if answers else ()),
            *((OF_SYSTEMS,) if source.unit == "system" else ()),
        ),
    )


def _effects(fit: Fit | None) -> tuple[Effect, ...]:
    """Coefficients of the fitted model that are not items."""
    if not isinstance(fit, BradleyTerryFit):
        return ()
    if not isinstance(fit.covariance, DenseCovariance):
        return effects_beside_many_items(fit)
    coefficients, items = fit.coefficients(), set(map(str, fit.item))
    return tuple(
        Effect(str(row["name"]), *(float(row[key]) for key in ("estimate", "se", "low", "high", "p")))
        for row in coefficients.rows()
        if row["name"] not in items
    )


def effects_beside_many_items(fit: BradleyTerryFit) -> tuple[Effect, ...]:
    """The same coefficients with normal intervals, where the covariance of all parameters is too large."""
    places = np.arange(fit.design.size, len(fit.design.names))
    rows = np.zeros((len(places), len(fit.theta)))
    rows[np.arange(len(places)), places] = 1.0
    estimate, se = fit.theta[places], PreferenceFit(fit).standard_errors(rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = two_sided(estimate / se)
    reach = NORMAL_95 * se
    columns = (estimate, se, estimate - reach, estimate + reach, p)
    return tuple(
        Effect(str(fit.design.names[at]), *map(float, numbers))
        for at, *numbers in zip(places, *columns, strict=True)
    )


def _answers(judgments: Judgments) -> tuple[tuple[QuestionAnswer, ...], tuple[str, ...]]:
    if len(judgments.items) > ANSWERED:
        return (), (
            f"Tests of preference are reported for at most {ANSWERED} items. This scale has "
            f"{len(judgments.items):,}.",
        )
    try:
        answers = answer_all(judgments, np.random.default_rng(0))
    except BadInput as reason:
        return (), (str(reason),)
    return tuple(QuestionAnswer(each.question, tuple(each.sentences)) for each in answers), ()


@dataclass(frozen=True, eq=False)
class _Counts:
    """Answers of every pair that was compared, with the codes of its two items."""

    first: Codes
    second: Codes
    wins: Vector
    ties: Vector
    losses: Vector

    @property
    def total(self) -> Vector:
        return self.wins + self.ties + self.losses


def _pair_counts(judgments: Judgments) -> _Counts:
    pairs, size = pairs_of(judgments), len(judgments.items)
    first, second = np.minimum(pairs.left, pairs.right), np.maximum(pairs.left, pairs.right)
    outcome = np.where(pairs.left > pairs.right, -pairs.outcome, pairs.outcome)
    key, row = np.unique((first * size + second)[pairs.weight > 0], return_inverse=True)
    weight, outcome = pairs.weight[pairs.weight > 0], outcome[pairs.weight > 0]
    counts = [sum_by(row, np.where(outcome == each, weight, 0.0), len(key)) for each in (LEFT, TIE, -LEFT)]
    return _Counts(key // size, key % size, *counts)


def _matrix(source: ReportSource, items: Labels, counts: _Counts) -> WinMatrix:
    """The matrix of the highest items that were compared."""
    code = {str(item): at for at, item in enumerate(items)}
    order = (
        []
        if source.fit is None
        else [code[str(item)] for item in source.fit.scale.ordered().item if item in code]
    )
    shown = (order or list(range(len(items))))[:MATRIX]
    place = np.full(len(items), -1)
    place[shown] = np.arange(len(shown))
    share = np.full((len(shown), len(shown)), np.nan)
    answers = np.zeros((len(shown), len(shown)))
    inside = np.flatnonzero((place[counts.first] >= 0) & (place[counts.second] >= 0))
    one, other, total = place[counts.first[inside]], place[counts.second[inside]], counts.total[inside]
    wins = counts.wins[inside] + counts.ties[inside] / 2.0
    share[one, other], share[other, one] = wins / total, 1.0 - wins / total
    answers[one, other] = answers[other, one] = total
    return WinMatrix(
        tuple(source.label(items[at]) for at in shown),
        tuple(tuple(None if np.isnan(cell) else cell for cell in row) for row in share.tolist()),
        tuple(map(tuple, answers.tolist())),
        len(items) - len(shown),
    )


def _disputed(source: ReportSource, items: Labels, counts: _Counts) -> tuple[PairCount, ...]:
    """Pairs whose answers are divided most evenly; of equal ones, those with most answers first."""
    minority = np.minimum(counts.wins, counts.losses)
    division = np.where(counts.total >= LEAST_ANSWERS, minority / counts.total, 0.0)
    most = min(DISPUTED, -(-len(division) // 3))
    order = np.lexsort((-counts.total, -division))[:most]
    return tuple(
        PairCount(
            source.label(items[counts.first[at]]),
            source.label(items[counts.second[at]]),
            *(float(each[at]) for each in (counts.wins, counts.ties, counts.losses)),
        )
        for at in order
        if division[at] > 0
    )
