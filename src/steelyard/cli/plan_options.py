"""Options of `steelyard plan`, in records: the target, what is simulated, time and cost, and files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from steelyard.cli.output import check_place, remark_on_file, write_text
from steelyard.cli.simulate import DEFAULT_SHAPE, WORDED
from steelyard.errors import BadSetting, UnknownName
from steelyard.simulation.scenarios import SHAPES, Shape

if TYPE_CHECKING:
    from steelyard.planning.costs import Pay
    from steelyard.planning.plan import Plan
    from steelyard.planning.targets import Target

# Panels of the help.
TARGET, WORLD, COST, SHOWN = "Target (one of them)", "What is simulated", "Time and cost", "Output"
Items = Annotated[
    list[int] | None,
    typer.Option(
        min=2,
        metavar="NUMBER",
        help="Number of items of the study. Can be repeated, to compare several numbers. Required without "
        "--leaderboard.",
    ),
]
Raters = Annotated[int, typer.Option(min=2, help="Number of raters.")]
Pilot = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=WORLD,
        help="File of judgments or folder of a study from which raters and items are estimated. Default: none, "
        "--scenario is used.",
    ),
]
SameRaters = Annotated[
    bool,
    typer.Option(
        "--same-raters",
        rich_help_panel=WORLD,
        help="The raters of the pilot also take part in the study, each with about the same share of the tasks. If "
        "--raters is larger than their number, the others are new raters like them. Default: all raters are new.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """The target of the plan, and what it needs."""

    panel: ClassVar[str] = TARGET
    reliability: Annotated[
        float | None,
        typer.Option(
            help="Target: the correlation of the estimated with the true positions, such as 0.95.",
        ),
    ] = None
    width: Annotated[
        float | None,
        typer.Option(
            help="Target: the mean width of the 95% intervals as a share of the scale, such as 0.1.",
        ),
    ] = None
    distinguish: Annotated[
        float | None,
        typer.Option(
            help="Target: detect a difference between the means of two systems, as a share of the scale, such as 0.05. "
            "The items are the outputs of two systems for the same segments: 250 items are 125 segments.",
        ),
    ] = None
    leaderboard: Annotated[
        bool,
        typer.Option(
            "--leaderboard",
            help="Report how many more votes are needed to separate each item from the next one in the ranking. The "
            "votes so far come from --pilot.",
        ),
    ] = False
    power: Annotated[
        float,
        typer.Option(
            help="For --distinguish and --leaderboard: probability of finding the difference at the 5% level.",
        ),
    ] = 0.8
    shared: Annotated[
        float,
        typer.Option(
            help="For --distinguish: share of the variance of the positions that comes from the segments, from 0 to 1.",
        ),
    ] = 0.5

    def target(self) -> Target | None:
        """Return the target, or None for a leaderboard; raise BadSetting unless exactly one is set."""
        from steelyard.planning.targets import Distinguish, Reliability, Width  # optional dependencies

        named = {"--reliability": self.reliability, "--width": self.width, "--distinguish": self.distinguish}
        stated = [name for name, value in named.items() if value is not None]
        stated += ["--leaderboard"] * self.leaderboard
        if len(stated) != 1:
            reason = f"{' and '.join(stated)} cannot be combined." if stated else "no target is set."
            raise BadSetting("plan", f"{reason} Choose one of: {', '.join(named)}, --leaderboard.")
        if self.reliability is not None:
            return Reliability(self.reliability)
        if self.width is not None:
            return Width(self.width)
        return None if self.distinguish is None else Distinguish(self.distinguish, self.power, self.shared)


@dataclass(frozen=True, kw_only=True)
class WorldOptions:
    """What is simulated."""

    panel: ClassVar[str] = WORLD
    scenario: Annotated[
        str | None,
        typer.Option(help=f"How raters differ, without a pilot. {WORDED}. Default: full."),
    ] = None
    positions: Annotated[
        str | None,
        typer.Option(
            help=f"Distribution of the true positions, without a pilot: {', '.join(SHAPES)}. Default: {DEFAULT_SHAPE}.",
        ),
    ] = None
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="Protocol to plan. Can be repeated. Default: all that suit the target.",
        ),
    ] = None
    list_size: Annotated[
        int,
        typer.Option(min=0, help="Items per page. With 0, each protocol has its default number."),
    ] = 0
    repetitions: Annotated[int, typer.Option(min=2, help="Number of simulated studies per protocol.")] = 16
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the simulation.")] = 0

    @property
    def shape(self) -> Shape:
        """Distribution of the true positions; BadSetting if it does not exist."""
        for shape in SHAPES:
            if self.positions in (None, shape):
                return DEFAULT_SHAPE if self.positions is None else shape
        raise BadSetting("--positions", f"{self.positions!r} is not one of: {', '.join(SHAPES)}.")

    def check(self, has_pilot: bool) -> None:
        """Raise BadSetting if raters or positions are described and come from a pilot."""
        if has_pilot and (self.scenario is not None or self.positions is not None):
            raise BadSetting(
                "--pilot", "raters and items come from the pilot. Leave out --scenario and --positions."
            )


@dataclass(frozen=True, kw_only=True)
class CostOptions:
    """Time of tasks and pay."""

    panel: ClassVar[str] = COST
    seconds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROTOCOL=SECONDS",
            help="Time of one task of a protocol. Can be repeated. Default: the median of the pilot, or an assumed "
            "time; the column time_from states which.",
        ),
    ] = None
    hourly: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Pay per hour. Default: the pay of the pilot study, if it sets one. Without pay, no cost is reported.",
        ),
    ] = None
    per_task: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Pay per task. Default: the pay of the pilot study, if it sets one. Without pay, no cost is reported.",
        ),
    ] = None

    def pay(self, pilot: Pay | None) -> Pay:
        """Return the pay: as stated, and otherwise that of the pilot."""
        from steelyard.planning.costs import Pay  # optional dependencies

        if self.hourly is None and self.per_task is None:
            return Pay() if pilot is None else pilot
        return Pay(self.hourly or 0.0, self.per_task or 0.0)

    def seconds_by_protocol(self) -> dict[str, float]:
        """Return the seconds per task of each protocol; raise an error for a wrong number or an unknown protocol."""
        from steelyard.planning.designs import plannable  # optional dependencies

        stated = {}
        for each in self.seconds or ():
            name, _, number = each.rpartition("=")
            try:
                stated[name] = float(number)
            except ValueError:
                stated[name] = 0.0
            if not name or not stated[name] > 0.0:
                raise BadSetting("--seconds", f"{each!r} is not of the form PROTOCOL=SECONDS.")
            if name not in plannable():
                raise UnknownName("protocol", name, plannable(), where="--seconds")
        return stated


@dataclass(frozen=True, kw_only=True)
class PlanFiles:
    """Files that are written besides the table."""

    panel: ClassVar[str] = SHOWN
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Also draw a chart to this file: .html, .svg, .png or .json. Default: no chart.",
        ),
    ] = None
    study: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a study.toml with the plan that needs the fewest hours. Default: none is written.",
        ),
    ] = None

    def check(self) -> None:
        """Raise an error, before any long computation, if the chart or the study.toml cannot be written."""
        check_place(self.study)
        if self.plot is not None:
            from steelyard.report.plots.saving import chart_format  # optional dependencies

            check_place(self.plot)
            chart_format(self.plot)

    def write(self, made: Plan, seed: int) -> None:
        """Write the chart and the study.toml."""
        if self.plot is not None:
            from steelyard.report.plots.plans import plan_plot  # optional dependencies
            from steelyard.report.plots.saving import save_chart  # optional dependencies

            save_chart(plan_plot(made), self.plot)
            remark_on_file(self.plot)
        if self.study is not None:
            from steelyard.planning.plan import study_toml  # optional dependencies

            if made.best is None:
                raise BadSetting("--study", "no protocol reaches the target, so no study.toml was written.")
            write_text(study_toml(made.best, seed), self.study)


def refuse_for_leaderboard(cost: CostOptions, files: PlanFiles) -> None:
    """Raise BadSetting if time, pay, a chart or a study.toml is set for the votes that a leaderboard needs."""
    options = {
        "--seconds": cost.seconds,
        "--hourly": cost.hourly,
        "--per-task": cost.per_task,
        "--plot": files.plot,
        "--study": files.study,
    }
    stated = [name for name, value in options.items() if value is not None]
    if stated:
        raise BadSetting(
            "--leaderboard", f"reports votes only, and cannot be combined with {' and '.join(stated)}."
        )
