"""The shape that every model has, and what all of them need from judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from steelyard.errors import BadSetting, MixedKinds, NothingCounted, NothingToFit, UnknownItem
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.scales.belief import Belief
from steelyard.scales.fit import Fit, Provenance
from steelyard.scales.quantity import Quantity

SCORED = ("rating", "range")  # kinds whose answers stand on a scale with ends


class Model(Protocol):
    """A method is its settings; fitting returns a value."""

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]

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


def rows_of(judgments: Judgments, kind: str, model: str) -> Table:
    """The rows of this kind to fit; an error that names what was given when there are none, or none that count."""
    table = judgments.table(kind)
    if not len(table):
        given = f"these are {', '.join(judgments.kinds)}" if len(judgments) else "there are none"
        raise NothingToFit(model, (kind,), given)
    refuse_other_kinds(judgments, (kind,), model)
    if not table.weights.any():
        raise NothingCounted(model)
    return table


def refuse_other_kinds(judgments: Judgments, kinds: Sequence[str], model: str) -> None:
    """An error where judgments of other kinds stand beside those that the model takes: none is ignored in silence."""
    rows = {kind: len(table) for kind, table in judgments.tables.items() if len(table)}
    usable = [kind for kind in kinds if kind in rows]
    if usable and len(usable) < len(rows):
        raise MixedKinds(model, rows, usable)


def stated_range(judgments: Judgments) -> tuple[float, float]:
    """The range that the judgments were given on; an error where nobody said it.

    A range inferred from some of the scores may be another than that of all of them.
    """
    if judgments.range is None:
        raise BadSetting(
            "range",
            "updating a belief needs the range that scores were given on. "
            "Say it: Judgments.of(records, range=(0, 100)) or read(file, range=(0, 100)).",
        )
    return judgments.range


def in_sorted_order(judgments: Judgments) -> tuple[Judgments, Codes]:
    """The judgments in sorted order, and where each of their items stands then: a fit takes no notice of files."""
    _, places = (
        judgments.vocabularies["item"].in_order() if len(judgments.items) else (None, np.empty(0, np.int64))
    )
    return judgments.canonical(), places


def places_of(named: Labels, known: Labels) -> Codes:
    """Where each of the named items stands among the known ones."""
    if named is known:  # a study codes its judgments by its own items
        return np.arange(len(known))
    index = {label: at for at, label in enumerate(known)}
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
        range=judgments.score_range if kind in SCORED else None,
        seed=seed,
    )
