"""The work behind a study: time, training attempts and anchors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.ledger import Ledger


@dataclass(frozen=True, slots=True)
class AnchorRange:
    """An item shown as an example along the scale, with the range at which it is shown."""

    item: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ProtocolWork:
    """The tasks of one of several protocols that were answered.

    Attributes
    ----------
    protocol
        Name of the protocol.
    size
        Number of items in a task.
    answers
        Number of answers.
    milliseconds
        Median time of an answer, or None.
    """

    protocol: str
    size: int
    answers: int
    milliseconds: float | None


@dataclass(frozen=True, slots=True)
class Effort:
    """Time and training of the raters, and the anchors that they were shown.

    Attributes
    ----------
    timed
        Number of answers with a time.
    milliseconds
        Total time of these answers.
    trained
        Number of raters who completed the training.
    in_training
        Number of raters who attempted an exercise, but did not complete the training.
    attempts
        Number of attempts at exercises, by all raters.
    wrong_attempts
        Number of these attempts that were wrong.
    anchors
        Anchors of the current round.
    protocols
        Work on each protocol of a study with several; empty if it has one.
    """

    timed: int = 0
    milliseconds: float = 0.0
    trained: int = 0
    in_training: int = 0
    attempts: int = 0
    wrong_attempts: int = 0
    anchors: tuple[AnchorRange, ...] = ()
    protocols: tuple[ProtocolWork, ...] = ()


def effort_of(ledger: Ledger) -> Effort:
    """Return the work of all raters up to the position of the ledger, including excluded raters and probes."""
    times = [each.milliseconds for each in ledger.answers.values() if each.milliseconds is not None]
    records = ledger.raters.values()
    return Effort(
        timed=len(times),
        milliseconds=float(sum(times)),
        trained=sum(record.trained for record in records),
        in_training=sum(bool(record.attempts) and not record.trained for record in records),
        attempts=sum(record.attempts for record in records),
        wrong_attempts=sum(record.wrong_attempts for record in records),
        anchors=tuple(
            AnchorRange(each.item, each.low, each.high) for each in ledger.ground.anchors_in(ledger.round)
        ),
        protocols=tuple(_work_on(ledger, way) for way in ledger.definition.ways),
    )


def _work_on(ledger: Ledger, way: StudyDefinition) -> ProtocolWork:
    """Return the work on one protocol of a study with several."""
    name = way.asking.way.name
    answers = [each for each in ledger.answers.values() if ledger.tasks[each.task].protocol == name]
    times = [each.milliseconds for each in answers if each.milliseconds is not None]
    return ProtocolWork(name, way.asking.task_size, len(answers), float(np.median(times)) if times else None)
