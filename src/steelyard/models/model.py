"""The shape that every model has, and what all of them need from judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np

from steelyard.errors import BadSetting, MixedKinds, NothingCounted, NothingToFit, UnknownItem
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import KINDS
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.scales.belief import Belief, BeliefFeature
from steelyard.scales.fit import Fit
from steelyard.scales.provenance import Provenance
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do besides fitting. A study asks for these, and never for a model by its name."""

    online: bool = False  # has `start` and `update`: learns as judgments arrive
    refits: bool = False  # has `believe`: some of its terms wait for a refit, made in the background
    predicts_answers: bool = False  # has `forecast`, which the audit compares with the answers
    needs_range: bool = False  # its positions depend on the range that scores were given on
    takes_features: bool = False  # has the setting `features`: columns of the items
    systems_only: bool = False  # scales systems, and no items
    belief: frozenset[BeliefFeature] = frozenset()  # what its beliefs state besides positions and variances
    # Defaults in a study, where they differ from those of a fit.
    study_settings: Mapping[str, Any] = field(default_factory=dict)
    remedy: str = ""  # NAME=VALUE of the setting that keeps estimates finite where judgments do not


class Model(Protocol):
    """A method is its settings; fitting returns a value."""

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    capabilities: ClassVar[Capabilities]

    @property
    def quantity(self) -> Quantity:
        """What its positions are, in words."""

    def fit(self, judgments: Judgments) -> Fit:
        """The scale that these judgments give."""


AnyBelief = TypeVar("AnyBelief", bound=Belief)


class OnlineModel(Model, Protocol[AnyBelief]):
    """A model that can learn as judgments arrive: folding equals fitting."""

    def start(self, items: Labels) -> AnyBelief:
        """The belief before any judgment."""

    def update(self, belief: AnyBelief, judgments: Judgments) -> AnyBelief:
        """The belief after these judgments, whose range must be stated: a part cannot tell that of the whole."""


class RefittingModel(OnlineModel[AnyBelief], Protocol[AnyBelief]):
    """An online model that learns some of its terms only when all judgments are fitted again."""

    def believe(self, items: Labels, judgments: Judgments) -> AnyBelief:
        """The belief that a refit on all judgments gives, over all items of a study, judged or not."""


class AnswerForecast(Protocol):
    """What one rater is expected to answer to some items, on the unit scale."""

    @property
    def mean(self) -> Vector:
        """Expected answer to each item."""

    def holds(self, score: Vector, levels: Vector) -> Matrix:
        """1 where the central interval of a level (rows) contains the score of an item (columns), else 0."""


class ForecastingModel(OnlineModel[AnyBelief], Protocol[AnyBelief]):
    """An online model that predicts a rater's answers before they are given."""

    def forecast(self, belief: AnyBelief, rater: str, at: Codes) -> AnswerForecast:
        """What this rater, known to the belief or new, will answer to the items at these places of the belief."""


def online(model: Model) -> OnlineModel[Any] | None:
    """The model as one that learns as judgments arrive; None where it cannot."""
    return cast("OnlineModel[Any]", model) if model.capabilities.online else None


def refitting(model: Model) -> RefittingModel[Any] | None:
    """The model as one that a study fits again in the background; None where it has no need of that."""
    return cast("RefittingModel[Any]", model) if model.capabilities.refits else None


def forecasting(model: Model) -> ForecastingModel[Any] | None:
    """The model as one that predicts answers; None where it cannot."""
    return cast("ForecastingModel[Any]", model) if model.capabilities.predicts_answers else None


def learn_all(model: OnlineModel[Any], items: Labels, judgments: Judgments) -> Belief:
    """The belief over these items from all judgments at once: by a refit where the model makes one."""
    start: Belief = model.start(items)
    if not len(judgments):
        return start
    refitted = refitting(model)
    learned: Belief = (
        model.update(start, judgments) if refitted is None else refitted.believe(items, judgments)
    )
    return learned


def rows_of(judgments: Judgments, kind: str, model: str) -> Table:
    """The rows of this kind to fit; an error that names the other kinds where there are none, or none that count."""
    table = judgments.table(kind)
    if not len(table):
        instead = f"these are {', '.join(judgments.kinds)}" if len(judgments) else "there are none"
        raise NothingToFit(model, (kind,), instead)
    refuse_other_kinds(judgments, (kind,), model)
    if not table.weights.any():
        raise NothingCounted(model)
    return table


def refuse_other_kinds(judgments: Judgments, kinds: Sequence[str], model: str) -> None:
    """Raise an error where some judgments are of kinds that the model does not take: none is ignored in silence."""
    rows = {kind: len(table) for kind, table in judgments.tables.items() if len(table)}
    usable = [kind for kind in kinds if kind in rows]
    if usable and len(usable) < len(rows):
        raise MixedKinds(model, rows, usable)


def stated_range(judgments: Judgments) -> tuple[float, float]:
    """The range that the judgments were given on; an error where it is not stated.

    A range inferred from some of the scores may be another than that of all of them.
    """
    if judgments.range is None:
        raise BadSetting(
            "range",
            "updating a belief needs the range that scores were given on. "
            "State it: Judgments.of(records, range=(0, 100)) or read(file, range=(0, 100)).",
        )
    return judgments.range


def in_sorted_order(judgments: Judgments) -> tuple[Judgments, Codes]:
    """The judgments in sorted order, and the place of each of their items in it: the order of a file has no effect."""
    _, places = (
        judgments.vocabularies["item"].in_order() if len(judgments.items) else (None, np.empty(0, np.int64))
    )
    return judgments.canonical(), places


def places_of(named: Labels, items: Labels) -> Codes:
    """The place of each of the named items among these items."""
    if named is items:  # a study codes its judgments by its own items
        return np.arange(len(items))
    index = {label: at for at, label in enumerate(items)}
    for label in named:
        if label not in index:
            raise UnknownItem(label)
    return np.array([index[label] for label in named], dtype=np.int64)


def unit_scores(scores: Vector, range: tuple[float, float]) -> Vector:
    """Scores mapped from the study's range to [0, 1]."""
    low, high = range
    return (scores - low) / (high - low)


def provenance_of(
    model: str, settings: dict[str, Any], judgments: Judgments, seed: int, kind: str = "rating"
) -> Provenance:
    """Where a fit of one kind of judgment comes from."""
    return Provenance(
        model=model,
        settings=settings,
        items=len(judgments.items),
        judgments=count_judgments(judgments, (kind,)),
        raters=len(judgments.raters),
        range=judgments.score_range if KINDS[kind].placed else None,
        seed=seed,
    )
