"""A study with two arms that simulated raters answer in sequences, as in Chen, Weld & Zhang (2021)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Vector
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import study_with
from steelyard.study.definition.study_file import define
from steelyard.study.log.entries import Answer

RATERS_PER_SEQUENCE = 10
ANCHORS = 7
PLACED = (0.1, 0.9)  # true positions
BIAS_SHARE = 0.5  # share of the variance between raters that is one bias for all items of a rater
ITEM_SPREAD = 0.3  # standard deviation of the log disagreement between items


class Placing(Protocol):
    """Simulated raters who place items on a scale from 0 to 1."""

    @property
    def views(self) -> Views:
        """Return how raters differ about items."""

    def place(self, rater: int, condition: str, item: int, times: int) -> float:
        """Return where a rater in a condition places an item, after `times` earlier answers to it.

        Parameters
        ----------
        rater
            Index of the rater.
        condition
            Name of the arm.
        item
            Index of the item.
        times
            Number of earlier answers of this rater to the item.

        Returns
        -------
        float
            Position, which may be beyond the ends of the scale.
        """


@dataclass(frozen=True, slots=True)
class ArmsDesign:
    """Numbers and settings of a study with arms.

    Attributes
    ----------
    items
        Number of items.
    length
        Number of items in a sequence.
    arms
        Settings of each arm by name, such as its anchors.
    probes
        Distance between repeats of the first item of a sequence; 0 without them.
    """

    items: int
    length: int
    arms: Mapping[str, Mapping[str, Any]]
    probes: int = 0

    @property
    def raters(self) -> int:
        """Number of raters: ten for each sequence in each arm."""
        return RATERS_PER_SEQUENCE * (self.items // self.length) * len(self.arms)


def collect(design: ArmsDesign, raters: Placing, seed: int, make_log: Callable[[], Any]) -> Judgments:
    """Let simulated raters join a study with arms, and answer until each has completed a sequence.

    Parameters
    ----------
    design
        Numbers and settings.
    raters
        Simulated raters. Examples are placed at the true positions of their items.
    seed
        Random seed of the study.
    make_log
        Function that returns an empty log.

    Returns
    -------
    Judgments
        Ratings from 0 to 1 with their condition.
    """
    items = Items(tuple(Item(str(at), "text", "x") for at in range(design.items)))
    with tempfile.TemporaryDirectory() as folder:
        _write_anchors(Path(folder), raters.views.truth)
        log = make_log()
        study = study_with(Path(folder), define(_table(design, seed)), items)
        session = Session(study, log, log, lambda: 0.0)
        for number in range(design.raters):
            _answer_sequence(session, number, raters)
        return Judgments.concat([session.arm(name).ledger.judgments(probes=True) for name in design.arms])


def _table(design: ArmsDesign, seed: int) -> dict[str, Any]:
    probes = {"probes": {"every": design.probes}} if design.probes else {}
    return {
        "title": "reproduction",
        "seed": seed,
        "items": {"file": "none"},
        "questions": [{"text": "How much?"}],
        "scale": {"low": 0.0, "high": 1.0},
        "protocol": "rating",
        "model": "direct_assessment",
        "selection": "sequences",
        "sequence_length": design.length,
        "redundancy": RATERS_PER_SEQUENCE,
        "condition": [{"name": name, **settings} for name, settings in design.arms.items()],
        **probes,
    }


def _write_anchors(folder: Path, truth: Vector) -> None:
    """Write the items that are nearest to seven evenly spaced positions, as examples along the scale."""
    wanted = np.linspace(*PLACED, ANCHORS)
    free = list(range(len(truth)))
    rows = ["item,position"]
    for position in wanted:
        nearest = min(free, key=lambda at: abs(truth[at] - position))
        free.remove(nearest)
        rows.append(f"{nearest},{truth[nearest]:.4f}")
    (folder / "anchors.csv").write_text("\n".join(rows) + "\n")


def _answer_sequence(session: Session, number: int, raters: Placing) -> None:
    """Let one rater join, be assigned to an arm, and answer all tasks of a sequence."""
    rater = session.join(f"Simulated {number}", "simulated").id
    session.note("consented", rater)
    session.arrive(rater)
    condition = session.record(rater).condition
    definition = session.arm(condition).study.definition
    rng = np.random.default_rng([number])
    times: dict[int, int] = {}
    while (assignment := session.next_task(rater).assignment) is not None:
        item = session.study.items.index[assignment.task.items[0]]
        seen = np.array([raters.place(number, condition, item, times.get(item, 0))])
        times[item] = times.get(item, 0) + 1
        cells = tuple(definition.kind.simulate(np.clip(seen, 0.0, 1.0), 0, definition.asked(0), rng))
        session.accept(rater, Answer("", "", assignment.id, cells))


@dataclass(frozen=True, eq=False)
class Views:
    """How raters differ about items.

    Attributes
    ----------
    truth
        True position of each item.
    bias
        Bias of each rater, with variance `BIAS_SHARE`.
    factor
        Factor of the disagreement about each item, with mean square 1.
    rng
        Source of the noise of single answers.
    """

    truth: Vector
    bias: Vector
    factor: Vector
    rng: np.random.Generator

    @staticmethod
    def draw(items: int, raters: int, rng: np.random.Generator) -> Views:
        """Draw items and raters.

        Parameters
        ----------
        items
            Number of items.
        raters
            Number of raters.
        rng
            Source of randomness.

        Returns
        -------
        Views
            Items and raters.
        """
        factor = np.exp(ITEM_SPREAD * rng.standard_normal(items))
        return Views(
            rng.uniform(*PLACED, items),
            np.sqrt(BIAS_SHARE) * rng.standard_normal(raters),
            factor / np.sqrt(np.mean(factor**2)),
            rng,
        )

    def deviation(self, rater: int, item: int) -> float:
        """Return by how many standard deviations a rater deviates on an item, in one answer."""
        own = np.sqrt(1.0 - BIAS_SHARE) * self.rng.standard_normal()
        return float(self.factor[item] * (self.bias[rater] + own))
