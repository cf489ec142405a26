"""Time and cost of a planned study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.table import MISSING, Judgments
from steelyard.kinds.known import PROTOCOLS
from steelyard.planning.designs import Design

HOUR = 3600.0
LEAST_TIMED = 10  # tasks of a pilot with a time, for its median to be used


@dataclass(frozen=True, slots=True)
class Timing:
    """The time of one task.

    Attributes
    ----------
    seconds
        Time of a task.
    source
        Where it comes from.
    """

    seconds: float
    source: str


@dataclass(frozen=True, slots=True)
class PilotTimes:
    """Median time that a pilot took for each item of a task, by kind of judgment.

    Attributes
    ----------
    per_item
        Seconds per item.
    tasks
        Number of tasks with a time.
    """

    per_item: Mapping[str, float]
    tasks: Mapping[str, int]


def times_of_pilot(judgments: Judgments) -> PilotTimes:
    """Return the median time per item in the tasks of a pilot, for kinds with at least 10 timed tasks."""
    per_item, tasks = {}, {}
    for name, table in judgments.tables.items():
        time = table.numbers.get("milliseconds")
        if time is None or not len(table):
            continue
        task = table.codes.get("task", np.arange(len(table)))
        task = np.where(task == MISSING, task.max(initial=0) + 1 + np.arange(len(task)), task)
        _, first, size = np.unique(task, return_index=True, return_counts=True)
        items = size * len(table.kind.items)
        timed = np.isfinite(time[first]) & (time[first] > 0.0)
        if timed.sum() >= LEAST_TIMED:
            per_item[name] = float(np.median(time[first][timed] / items[timed])) / 1000.0
            tasks[name] = int(timed.sum())
    return PilotTimes(per_item, tasks)


def timing_of(design: Design, stated: Mapping[str, float], pilot: PilotTimes | None = None) -> Timing:
    """Return the time of one task: stated, measured in the pilot, or assumed for the protocol.

    Parameters
    ----------
    design
        The design.
    stated
        Seconds per task, by name of the protocol.
    pilot
        Times of the pilot, or None.

    Returns
    -------
    Timing
        Seconds and their source.
    """
    if design.name in stated:
        return Timing(stated[design.name], "stated")
    kind = design.definition.kind.name
    if pilot is not None and kind in pilot.per_item:
        return Timing(design.size * pilot.per_item[kind], f"pilot, median of {pilot.tasks[kind]:,} tasks")
    asks = PROTOCOLS[design.name]
    if not asks.seconds:
        raise BadSetting(
            "--seconds", f"the time of a task of {design.name} is unknown. Write {design.name}=SECONDS."
        )
    return Timing(design.size * asks.seconds, asks.timing)


@dataclass(frozen=True, slots=True)
class Pay:
    """What raters are paid.

    Parameters
    ----------
    hourly
        Amount per hour of work. Default 0.
    per_task
        Amount per task. Default 0.
    base
        Amount per rater. Default 0.
    currency
        Currency. Default USD.
    """

    hourly: float = 0.0
    per_task: float = 0.0
    base: float = 0.0
    currency: str = "USD"

    @property
    def is_paid(self) -> bool:
        """Whether raters are paid anything."""
        return bool(self.hourly or self.per_task or self.base)

    def cost(self, tasks: int, hours: float, raters: int) -> float:
        """Return the cost; an hourly rate is a lower limit, as in [pay] of study.toml.

        Parameters
        ----------
        tasks
            Number of tasks.
        hours
            Hours of work.
        raters
            Number of raters.

        Returns
        -------
        float
            Amount in the currency.
        """
        return max(self.base * raters + self.per_task * tasks, self.hourly * hours)
