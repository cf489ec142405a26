"""`plan`: answers, tasks, hours and cost of a target, for several protocols side by side."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.errors import BadSetting
from steelyard.planning.costs import HOUR, Pay, PilotTimes, Timing, timing_of
from steelyard.planning.designs import ITEMS_FILE, Design, make_design, plannable
from steelyard.planning.search import Search, Searching, search
from steelyard.planning.targets import Target
from steelyard.planning.worlds import World
from steelyard.scales.tables import Tabular
from steelyard.study.definition.create import NewStudy, study_text
from steelyard.study.definition.study_file import define


@dataclass(frozen=True, eq=False)
class Wish:
    """What is to be planned.

    Attributes
    ----------
    target
        What the study is to reach.
    items
        Numbers of items; each is planned on its own.
    raters
        Number of raters.
    protocols
        Names of the protocols. Empty for all that suit the target.
    size
        Items per page; 0 for the default of each protocol.
    seconds
        Seconds per task by protocol, instead of measured or assumed ones.
    pay
        What raters are paid.
    searching
        How much is simulated.
    """

    target: Target
    items: Sequence[int]
    raters: int
    protocols: Sequence[str] = ()
    size: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    pay: Pay = field(default_factory=Pay)
    searching: Searching = field(default_factory=Searching)


@dataclass(frozen=True, eq=False)
class ProtocolPlan:
    """The plan of one protocol.

    Attributes
    ----------
    design
        Protocol, items and raters.
    target
        What is to be reached.
    search
        Simulated curve, and answers per item.
    timing
        Time of one task.
    pay
        What raters are paid.
    """

    design: Design
    target: Target
    search: Search
    timing: Timing
    pay: Pay

    @property
    def is_reached(self) -> bool:
        """Whether the target can be reached with these items and raters."""
        return math.isfinite(self.search.needed)

    @property
    def answers(self) -> int | None:
        """Answers per item, rounded up; None if the target is not reached."""
        return math.ceil(self.search.needed) if self.is_reached else None

    @property
    def expected(self) -> float:
        """Expected value of the target with these answers, or with the most that are possible."""
        answers = self.search.curve.answers[-1] if self.answers is None else self.answers
        return self.target.value(self.search.curve.level_at(float(answers)))

    def row(self) -> dict[str, Any]:
        """Return the plan as a row of a table."""
        answers, found = self.answers, self.search
        tasks = None if answers is None else self.design.tasks(answers)
        hours = None if tasks is None else tasks * self.timing.seconds / HOUR
        cost = None
        if tasks is not None and hours is not None and self.pay.is_paid:
            cost = self.pay.cost(tasks, hours, self.design.raters)
        return {
            "protocol": self.design.name,
            "items": self.design.items,
            "raters": self.design.raters,
            "answers_per_item": answers,
            "low": _whole(found.low, math.floor),
            "high": _whole(found.high, math.ceil),
            "tasks": tasks,
            "tasks_per_rater": None if tasks is None else math.ceil(tasks / self.design.raters),
            "hours": hours,
            "cost": cost,
            self.target.name: self.expected,
            "seconds_per_task": self.timing.seconds,
            "time_from": self.timing.source,
        }

    def curve_rows(self) -> list[dict[str, Any]]:
        """Return one row per number of answers: expected value of the target and its 80% interval."""
        curve = self.search.curve
        ends = zip(curve.answers.tolist(), curve.middle.tolist(), *curve.band(), strict=True)
        return [
            {
                "protocol": self.design.name,
                "items": self.design.items,
                "answers_per_item": answers,
                "hours": self.design.tasks(answers) * self.timing.seconds / HOUR,
                "value": self.target.value(middle),
                "low": self.target.value(float(low)),
                "high": self.target.value(float(high)),
            }
            for answers, middle, low, high in ends
        ]


@dataclass(frozen=True, eq=False)
class Plan(Tabular):
    """Plans of several protocols for one target.

    Attributes
    ----------
    plans
        One plan per protocol and number of items, in order of the hours that they need.
    world
        What the studies were simulated from.
    remarks
        What a reader must know: targets that are not reached, and protocols that were left out.
    """

    plans: tuple[ProtocolPlan, ...]
    world: World
    remarks: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """Return the columns of the table, without costs if raters are not paid."""
        rows = [each.row() for each in self.plans]
        names = [name for name in rows[0] if name != "cost" or any(row["cost"] is not None for row in rows)]
        return {name: [row[name] for row in rows] for name in names}

    @property
    def best(self) -> ProtocolPlan | None:
        """The plan that needs the fewest hours; None if no protocol reaches the target."""
        return next((each for each in self.plans if each.is_reached), None)


def make_plan(
    wish: Wish,
    world: World,
    times: PilotTimes | None = None,
    on_study: Callable[[int], None] = lambda done: None,
) -> Plan:
    """Plan a study by simulation, for each protocol and number of items.

    Parameters
    ----------
    wish
        Target, numbers and protocols.
    world
        What studies are simulated from.
    times
        Times of the pilot, or None.
    on_study
        Function that receives the number of simulated studies after each one.

    Returns
    -------
    Plan
        Plans in order of their hours, those that reach the target first.
    """
    designs, left_out = _designs(wish)
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        on_study(done)

    timings = [timing_of(design, wish.seconds, times) for design in designs]  # before long computations
    plans = [
        ProtocolPlan(
            design, wish.target, search(design, world, wish.target, wish.searching, count), timing, wish.pay
        )
        for design, timing in zip(designs, timings, strict=True)
    ]
    ordered = sorted(plans, key=lambda each: each.row()["hours"] if each.is_reached else math.inf)
    unit = () if world.has_unit or wish.target.name == "reliability" else (NO_UNIT,)
    return Plan(tuple(ordered), world, (*world.remarks, *left_out, *unit, *_remarks(plans)))


NO_UNIT = (
    "The pilot has no ratings, so its scale has no unit. A share of the scale assumes that the standard deviation of "
    "the items is a fifth of it."
)


def planned_designs(wish: Wish) -> int:
    """Return the number of designs that a plan simulates."""
    return len(_designs(wish)[0])


def _designs(wish: Wish) -> tuple[list[Design], list[str]]:
    """Return the designs of a plan, and why protocols that were not named are left out."""
    designs, left_out = [], []
    for protocol in wish.protocols or plannable():
        for items in wish.items:
            try:
                designs.append(make_design(protocol, items, wish.raters, wish.size, wish.target.systems))
            except BadSetting as reason:
                if wish.protocols:
                    raise
                left_out.append(f"{protocol} is left out. {reason}")
    if not designs:
        raise BadSetting("--items", left_out[0] if left_out else "no protocol can be planned.")
    return designs, left_out


def _remarks(plans: Sequence[ProtocolPlan]) -> list[str]:
    remarks = []
    for each in plans:
        if not each.is_reached:
            remarks.append(
                f"{each.design.name}, {each.design.items:,} items: not reached. With {each.search.curve.answers[-1]:g} "
                f"answers per item, the expected {each.target.name} is {each.expected:.3g}. Use more raters or items."
            )
        if each.search.unasked > 0.01:
            remarks.append(
                f"{each.design.name}: for {each.search.unasked:.0%} of the tasks of the largest simulated studies no "
                "rater was left who had not seen the items."
            )
    return remarks


def study_toml(plan: ProtocolPlan, seed: int = 0) -> str:
    """Return the study.toml of a plan, with its answers per item and, where there is one, the rule that stops it.

    Parameters
    ----------
    plan
        Plan that reaches its target.
    seed
        Seed of the study.

    Returns
    -------
    str
        Text for the file, checked like any study.toml.
    """
    asking = plan.design.definition.asking
    size = asking.list_size if asking.way.size is None else 0
    new = NewStudy(ITEMS_FILE, plan.design.name, redundancy=plan.answers or 0, list_size=size, seed=seed)
    text = study_text(new, {"file": ITEMS_FILE.name})
    capable = "intervals" in plan.design.definition.learning.capabilities.belief
    if plan.target.stop and capable:
        lines = "\n".join(f"{name} = {value:g}" for name, value in plan.target.stop.items())
        text += (
            f"\n[stop]                            # the study ends when it has reached the target\n{lines}\n"
        )
    define(tomllib.loads(text))
    return text


def _whole(answers: float, rounded: Callable[[float], int]) -> int | None:
    return rounded(answers) if math.isfinite(answers) else None
