"""The interface of models, and functions that all of them use to read judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np

from steelyard.errors import BadSetting, LogOfOtherKind, MixedKinds, NothingCounted, NothingToFit, UnknownItem
from steelyard.judgments.counting import count_judgments, count_raters
from steelyard.judgments.logs import HeldJudgments
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import KINDS
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.scales.belief import Belief, BeliefFeature
from steelyard.scales.fit import Fit
from steelyard.scales.provenance import Provenance
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do besides fitting. Studies check these capabilities and never the name of a model.

    Parameters
    ----------
    online
        Has `start` and `update`: can be updated as judgments arrive.
    refits
        Has `believe`: some parameters are estimated only by a refit, which a study runs in the background.
    predicts_answers
        Has `forecast`, which the audit compares with the answers.
    needs_range
        Positions depend on the range of the scores.
    takes_features
        Has the setting `features`: columns of the items.
    systems_only
        Estimates systems but not items.
    counts
        `fit` also takes a log from `steelyard.connect`, of which it reads counts or sums.
    belief
        Optional features of its beliefs, besides positions and variances.
    study_settings
        Default settings in a study that differ from those of a fit.
    remedy
        Setting, as NAME=VALUE, that keeps estimates finite if the judgments alone do not determine them.
    also_fits
        Kinds that `fit` takes besides `kinds`, alone or mixed with them on one scale. Studies with several
        protocols use them, too.
    machine_beside
        Kinds of people's judgments beside which answers of machine judges are used. Other models leave them out.
    """

    online: bool = False
    refits: bool = False
    predicts_answers: bool = False
    needs_range: bool = False
    takes_features: bool = False
    systems_only: bool = False
    counts: bool = False
    belief: frozenset[BeliefFeature] = frozenset()
    study_settings: Mapping[str, Any] = field(default_factory=dict)
    remedy: str = ""
    also_fits: tuple[str, ...] = ()
    machine_beside: tuple[str, ...] = ()

    def uses_machine(self, judgments: Judgments) -> bool:
        """Return whether a fit of these judgments uses answers of machine judges."""
        return judgments.machine is not None and not set(self.machine_beside).isdisjoint(judgments.kinds)


class Model(Protocol):
    """A model is a frozen dataclass of settings, and `fit` returns a new value.

    `name` identifies the model, `kinds` lists the kinds of judgment that it takes, and `capabilities` states what it
    can do besides fitting.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    capabilities: ClassVar[Capabilities]

    @property
    def quantity(self) -> Quantity:
        """Return the meaning of the positions, in words."""

    def fit(self, judgments: Judgments) -> Fit:
        """Return the scale estimated from judgments."""


AnyBelief = TypeVar("AnyBelief", bound=Belief)


class OnlineModel(Model, Protocol[AnyBelief]):
    """A model that can be updated as judgments arrive. Updating equals fitting."""

    def start(self, items: Labels) -> AnyBelief:
        """Return the belief before any judgment."""

    def update(self, belief: AnyBelief, judgments: Judgments) -> AnyBelief:
        """Return the belief after more judgments.

        The judgments must state their range, because a part of the scores does not determine the range of all.
        """


class RefittingModel(OnlineModel[AnyBelief], Protocol[AnyBelief]):
    """An online model that estimates some parameters only by refitting all judgments."""

    def believe(self, items: Labels, judgments: Judgments) -> AnyBelief:
        """Return the belief after a refit on all judgments, over all items of a study."""


class AnswerForecast(Protocol):
    """Predictive distribution of a rater's answers to some items, on the unit scale."""

    @property
    def mean(self) -> Vector:
        """Return the expected answer to each item."""

    def holds(self, score: Vector, levels: Vector) -> Matrix:
        """Return 1 if the central interval contains the score, else 0.

        `score` has one entry per item (columns), `levels` one coverage per row.
        """


class ForecastingModel(OnlineModel[AnyBelief], Protocol[AnyBelief]):
    """An online model that predicts a rater's answers."""

    def forecast(self, belief: AnyBelief, rater: str, at: Codes) -> AnswerForecast:
        """Return the predictive distribution of a rater's answers.

        Parameters
        ----------
        belief
            Current belief.
        rater
            Rater id. A rater unknown to the belief gets average rater effects.
        at
            Indices of the items in the belief.

        Returns
        -------
        AnswerForecast
            Distribution of one answer to each item.
        """


def online(model: Model) -> OnlineModel[Any] | None:
    """Return the model as an online model, or None if it is not one."""
    return cast("OnlineModel[Any]", model) if model.capabilities.online else None


def refitting(model: Model) -> RefittingModel[Any] | None:
    """Return the model as one that is refitted in the background, or None if it is not one."""
    return cast("RefittingModel[Any]", model) if model.capabilities.refits else None


def forecasting(model: Model) -> ForecastingModel[Any] | None:
    """Return the model as one that predicts answers, or None if it cannot."""
    return cast("ForecastingModel[Any]", model) if model.capabilities.predicts_answers else None


def learn_all(model: OnlineModel[Any], items: Labels, judgments: Judgments) -> Belief:
    """Return the belief after all judgments, by a refit if the model makes refits.

    Parameters
    ----------
    model
        Online model.
    items
        Ids of all items of the study.
    judgments
        All judgments.

    Returns
    -------
    Belief
        Belief about `items`, in their order.
    """
    start: Belief = model.start(items)
    if not len(judgments):
        return start
    refitted = refitting(model)
    learned: Belief = (
        model.update(start, judgments) if refitted is None else refitted.believe(items, judgments)
    )
    return learned


def rows_of(judgments: Judgments, kind: str, model: str) -> Table:
    """Return the rows of one kind of judgment, and raise an error if the model cannot be fitted to them.

    Parameters
    ----------
    judgments
        Judgments of any kinds.
    kind
        Kind that the model takes.
    model
        Name of the model, for error messages.

    Returns
    -------
    Table
        Rows of this kind.

    Raises
    ------
    NothingToFit
        If there are no rows of this kind. The message names the kinds in the file.
    MixedKinds
        If there are rows of other kinds too.
    NothingCounted
        If all counts are 0.
    """
    refuse_log(judgments, (kind,), model)
    table = judgments.table(kind)
    if not len(table):
        instead = (
            f"these are {' and '.join(judgments.kinds)} judgments" if len(judgments) else "there are none"
        )
        if judgments.machine is not None and not len(judgments):
            instead = "all answers are by machine judges. Fit `judgments.machine` for a scale of these"
        raise NothingToFit(model, (kind,), instead)
    refuse_other_kinds(judgments, (kind,), model)
    if not table.weights.any():
        raise NothingCounted(model)
    return table


def refuse_log(judgments: object, kinds: Sequence[str], model: str) -> None:
    """Raise an error if the input is a log whose judgments the model does not take, instead of a table.

    Parameters
    ----------
    judgments
        Judgments in memory, counts, or a log from `steelyard.connect`.
    kinds
        Kinds that the model takes.
    model
        Name of the model, for the error message.
    """
    if isinstance(judgments, HeldJudgments):
        raise LogOfOtherKind(model, kinds, " and ".join(judgments.kinds))


def refuse_other_kinds(judgments: Judgments, kinds: Sequence[str], model: str) -> None:
    """Raise an error if some judgments are of kinds that the model does not take.

    Parameters
    ----------
    judgments
        Judgments of any kinds.
    kinds
        Kinds that the model takes.
    model
        Name of the model, for the error message.
    """
    refuse_log(judgments, kinds, model)
    rows = {kind: len(table) for kind, table in judgments.tables.items() if len(table)}
    usable = [kind for kind in kinds if kind in rows]
    if usable and len(usable) < len(rows):
        raise MixedKinds(model, rows, usable)


def stated_range(judgments: Judgments) -> tuple[float, float]:
    """Return the range of the scores, and raise an error if the judgments do not state it.

    A range inferred from some of the scores may differ from the range of all.
    """
    if judgments.range is None:
        raise BadSetting(
            "range",
            "updating a belief needs the range of the scores. "
            "State it: Judgments.of(records, range=(0, 100)) or read(file, range=(0, 100)).",
        )
    return judgments.range


def in_sorted_order(judgments: Judgments) -> tuple[Judgments, Codes]:
    """Return the judgments in sorted order, and the index of each of their items in that order.

    Sorting makes results independent of the order of a file.
    """
    _, places = (
        judgments.vocabularies["item"].in_order() if len(judgments.items) else (None, np.empty(0, np.int64))
    )
    return judgments.canonical(), places


def places_of(named: Labels, items: Labels) -> Codes:
    """Return the index of each named item among `items`."""
    if named is items:  # judgments of a study use the coding of its items
        return np.arange(len(items))
    index = {label: at for at, label in enumerate(items)}
    for label in named:
        if label not in index:
            raise UnknownItem(label)
    return np.array([index[label] for label in named], dtype=np.int64)


def unit_scores(scores: Vector, range: tuple[float, float]) -> Vector:
    """Return scores rescaled from the range of the study to [0, 1]."""
    low, high = range
    return (scores - low) / (high - low)


def provenance_of(
    model: str, settings: dict[str, Any], judgments: Judgments, seed: int, kind: str = "rating"
) -> Provenance:
    """Return the provenance of a fit to one kind of judgment.

    Parameters
    ----------
    model
        Name of the model.
    settings
        Settings to show in the signature.
    judgments
        Judgments that were fitted.
    seed
        Seed of random draws.
    kind
        Kind of judgment to count.

    Returns
    -------
    Provenance
        Model, settings and size of the data.
    """
    return Provenance(
        model=model,
        settings=settings,
        items=len(judgments.items),
        judgments=count_judgments(judgments, (kind,)),
        raters=count_raters(judgments),
        range=judgments.score_range if KINDS[kind].placed else None,
        seed=seed,
    )
