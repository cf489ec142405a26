"""The answers of a simulated study: a protocol asked in balanced tasks, and the judgments that result."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.coding import Vocabulary, code
from steelyard.judgments.conversions import judgments_as
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import vocabulary_of
from steelyard.kinds.cell import Cell
from steelyard.kinds.known import PROTOCOLS
from steelyard.maths.arrays import Codes, Labels
from steelyard.planning.worlds import DrawnWorld
from steelyard.selection.known import takes_list_size, traits_of
from steelyard.simulation.scenarios import answer_task
from steelyard.study.definition.create import NewStudy, study_text
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.study_file import define

ITEMS_FILE = Path("items.csv")
SEED = 1


@dataclass(frozen=True, eq=False)
class Design:
    """A way to collect answers.

    Attributes
    ----------
    definition
        Settings of the study, which determine protocol, task size and model.
    items, raters
        Numbers of items and raters.
    systems
        Number of systems that produced the items, which then share segments; 0 if items stand for themselves.
    """

    definition: StudyDefinition
    items: int
    raters: int
    systems: int = 0

    @property
    def name(self) -> str:
        """Name of the protocol."""
        return self.definition.asking.way.name

    @property
    def size(self) -> int:
        """Number of items on a page."""
        return min(self.definition.asking.task_size, self.systems if self.systems else self.items)

    @property
    def outputs(self) -> tuple[Codes, Codes]:
        """Segment and system of each item."""
        at = np.arange(self.items)
        return (at // self.systems, at % self.systems) if self.systems else (at, np.zeros_like(at))

    @property
    def most_answers(self) -> int:
        """Largest number of answers per item: a rater sees no item twice or, where items are compared, no pair."""
        asks = self.definition.asking.way
        partners = (self.systems if self.systems else self.items) - 1
        return self.raters * partners // max(self.size - 1, 1) if asks.against else self.raters

    def tasks(self, answers: float) -> int:
        """Return the number of tasks for a number of answers per item."""
        return math.ceil(answers * self.items / self.size)


def plannable() -> tuple[str, ...]:
    """Return the protocols that can be planned: those that do not need every pair of a group."""
    return tuple(name for name, each in PROTOCOLS.items() if not traits_of(each.selection).asks_every_pair)


def make_design(protocol: str, items: int, raters: int, size: int = 0, systems: int = 0) -> Design:
    """Return the design of a protocol with its default model and selection.

    Parameters
    ----------
    protocol
        Name of the protocol.
    items, raters
        Numbers of items and raters.
    size
        Number of items on a page; 0 for the default of the protocol.
    systems
        Number of systems that produced the items; pages then show outputs of one segment. 0 for none.

    Returns
    -------
    Design
        The design. The number of items is rounded down to whole segments.
    """
    if protocol not in plannable():
        raise UnknownName("protocol", protocol, plannable())
    asks = PROTOCOLS[protocol]
    if items < max(asks.least, 2 * systems, 2):
        raise BadSetting("--items", f"{protocol} needs at least {max(asks.least, 2 * systems, 2)} items.")
    if systems and asks.least > systems:
        raise BadSetting(
            "--protocol", f"{protocol} shows {asks.least} items or more, not {systems} outputs of a segment."
        )
    sized = takes_list_size(asks.size, asks.selection)
    new = NewStudy(ITEMS_FILE, protocol, list_size=size if sized else 0, seed=SEED)
    definition = define(tomllib.loads(study_text(new, {"file": ITEMS_FILE.name})))
    return Design(definition, items - items % systems if systems else items, raters, systems)


@dataclass(frozen=True, eq=False)
class Collected:
    """Simulated answers, in the order in which they were given.

    Attributes
    ----------
    judgments
        All judgments.
    turn
        Pass over the items, from 1, in which each judgment was given.
    unasked
        Number of tasks for which no rater was left.
    """

    judgments: Judgments
    turn: Codes
    unasked: int

    def first(self, turns: int) -> Judgments:
        """Return the judgments of the first passes."""
        return self.judgments.where(lambda table: self.turn <= turns)


@dataclass(frozen=True, eq=False)
class _Answered:
    """One answered task."""

    turn: int
    rater: int
    items: Codes
    cells: list[Cell]


def collect(design: Design, drawn: DrawnWorld, turns: int, rng: np.random.Generator) -> Collected:
    """Simulate a study with a number of answers per item.

    Parameters
    ----------
    design
        Protocol and numbers.
    drawn
        Items and raters.
    turns
        Answers per item.
    rng
        Source of randomness.

    Returns
    -------
    Collected
        The answers, of which the first passes are a smaller study.
    """
    asked, kind = design.definition.asked(0), design.definition.kind
    mean, answered, unasked = float(drawn.truth.mean()), [], 0
    for turn, rater, items in _assigned(design, drawn, turns, rng):
        if rater is None:
            unasked += 1
            continue
        seen = answer_task(drawn.raters[rater], drawn.scenario, drawn.truth[items], mean, rng)
        answered.append(_Answered(turn, rater, items, list(kind.simulate(seen, 0, asked, rng))))
    judgments, turn_of = _judgments(design, answered)
    return Collected(judgments, turn_of, unasked)


def _assigned(
    design: Design, drawn: DrawnWorld, turns: int, rng: np.random.Generator
) -> Iterator[tuple[int, int | None, Codes]]:
    """Yield pass, rater and items of each task; the rater is None if every rater has seen the items."""
    against = design.definition.asking.way.against
    seen: list[set[Any]] = [set() for _ in drawn.raters]
    weight = np.log(np.maximum(drawn.weight, 1e-9))
    for turn in range(1, turns + 1):
        for items in _tasks(design, rng):
            order = np.argsort(-(weight + rng.gumbel(size=len(weight))))
            codes = sorted(items.tolist())
            parts = _pairs(codes) if against else codes
            chosen = next((at for at in order.tolist() if seen[at].isdisjoint(parts)), None)
            if chosen is not None:
                seen[chosen].update(parts)
            yield turn, chosen, items


def _pairs(items: list[int]) -> list[tuple[int, int]]:
    return [(one, other) for at, one in enumerate(items) for other in items[at + 1 :]]


def _tasks(design: Design, rng: np.random.Generator) -> list[Codes]:
    """Return the tasks of one pass over the items; a last task that is too small gets further items."""
    if design.systems:
        return [
            task
            for segment in rng.permutation(design.items // design.systems)
            for task in _of_segment(design, int(segment), rng)
        ]
    order, size = rng.permutation(design.items), design.size
    tasks = [order[start : start + size] for start in range(0, design.items, size)]
    least = max(design.definition.asking.way.least, 1)
    if len(tasks[-1]) < least:
        tasks[-1] = np.concatenate([tasks[-1], order[: least - len(tasks[-1])]])
    return tasks


def _of_segment(design: Design, segment: int, rng: np.random.Generator) -> list[Codes]:
    """Return the tasks about the outputs of one segment."""
    outputs = segment * design.systems + rng.permutation(design.systems)
    return [outputs[start : start + design.size] for start in range(0, design.systems, design.size)]


def _judgments(design: Design, answered: list[_Answered]) -> tuple[Judgments, Codes]:
    """Return the answers as judgments, and the pass of each row."""
    kind, asked = design.definition.kind, design.definition.asked(0)
    rows = [(each, cell, at) for at, each in enumerate(answered) for cell in each.cells]
    rows = [row for row in rows if row[1].value is not None]
    text, numbers = kind.columns([cell for _, cell, _ in rows], asked)
    text |= {
        "rater": [f"rater{each.rater + 1}" for each, _, _ in rows],
        "task": [str(at) for _, _, at in rows],
    }
    about = [int(each.items[cell.item]) for each, cell, _ in rows]
    first = [int(each.items[0]) for each, _, _ in rows]
    sides = (first, about)[-len(kind.table.items) :]
    codes: dict[str, Codes] = {
        name: np.array(at, dtype=np.int64) for name, at in zip(kind.table.items, sides, strict=True)
    }
    if design.systems:
        segment, system = design.outputs
        text["segment"] = [str(segment[at]) for at in about]
        for name, at in zip(kind.table.systems, sides, strict=True):
            text[name] = [f"system{system[item] + 1}" for item in at]
    vocabularies = {"item": Vocabulary(item_names(design.items))}
    for name, values in text.items():
        family = vocabulary_of(name)
        codes[name], vocabularies[family] = code(values, vocabularies.get(family))
    table = Table(kind.table, codes, {name: np.array(each, dtype=float) for name, each in numbers.items()})
    scale = asked.scale
    span = (scale.low, scale.high) if kind.placed else None
    turn = np.array([each.turn for each, _, _ in rows], dtype=np.int64)
    return Judgments({kind.name: table}, vocabularies, span), turn


def item_names(count: int) -> Labels:
    """Return names of simulated items."""
    names = np.empty(count, dtype=object)
    names[:] = [f"item{at}" for at in range(count)]
    return names


def to_fit(design: Design, judgments: Judgments) -> Judgments:
    """Return the judgments in the kind that the model of the study is fitted to."""
    fitted = design.definition.fitted_kind
    return judgments if fitted == design.definition.kind.name else judgments_as(judgments, fitted)
