"""`steelyard plan`: how many answers, raters and hours a study needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.fit import KindOption, RangeOption, leave_out_probes, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import (
    AsJson,
    Output,
    check_place,
    progress,
    remark,
    remark_on_file,
    table_format,
    write_table,
    write_text,
)
from steelyard.cli.reading_options import ReadingOptions
from steelyard.cli.simulate import DEFAULT_SHAPE, WORDED
from steelyard.cli.studies import open_watch
from steelyard.errors import BadSetting
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments
from steelyard.models.known import default_model, find_model, suited
from steelyard.simulation.scenarios import SHAPES, Shape

if TYPE_CHECKING:
    from steelyard.planning.costs import Pay
    from steelyard.planning.plan import Plan
    from steelyard.planning.targets import Target

TARGET, WORLD, COST, SHOWN = "Target (one of them)", "What is simulated", "Time and cost", "Output"


@with_records
def plan(
    *,
    items: Annotated[
        list[int] | None,
        typer.Option(
            min=2,
            metavar="NUMBER",
            help="Number of items of the study. Can be repeated, to compare several numbers. Required without "
            "--leaderboard.",
        ),
    ] = None,
    raters: Annotated[int, typer.Option(min=2, help="Number of raters.")] = 30,
    reliability: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=TARGET,
            help="Target: the correlation of the estimated with the true positions, such as 0.95.",
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=TARGET,
            help="Target: the mean width of the 95% intervals as a share of the scale, such as 0.1.",
        ),
    ] = None,
    distinguish: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=TARGET,
            help="Target: detect a difference between the means of two systems, as a share of the scale, such as 0.05. "
            "The items are the outputs of two systems for the same segments: 250 items are 125 segments.",
        ),
    ] = None,
    leaderboard: Annotated[
        bool,
        typer.Option(
            "--leaderboard",
            rich_help_panel=TARGET,
            help="Report how many more votes are needed to separate each item from the next one in the ranking. The "
            "votes so far come from --pilot.",
        ),
    ] = False,
    power: Annotated[
        float,
        typer.Option(
            rich_help_panel=TARGET,
            help="For --distinguish and --leaderboard: probability of finding the difference at the 5% level.",
        ),
    ] = 0.8,
    shared: Annotated[
        float,
        typer.Option(
            rich_help_panel=TARGET,
            help="For --distinguish: share of the variance of the positions that comes from the segments, from 0 to 1.",
        ),
    ] = 0.5,
    pilot: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=WORLD,
            help="File of judgments or folder of a study from which raters and items are estimated. Default: none, "
            "--scenario is used.",
        ),
    ] = None,
    kind: KindOption = None,
    range: RangeOption = None,
    reading: ReadingOptions,
    scenario: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=WORLD, help=f"How raters differ, without a pilot. {WORDED}. Default: full."
        ),
    ] = None,
    positions: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=WORLD,
            help=f"Distribution of the true positions, without a pilot: {', '.join(SHAPES)}. Default: {DEFAULT_SHAPE}.",
        ),
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=WORLD,
            help="Protocol to plan. Can be repeated. Default: all that suit the target.",
        ),
    ] = None,
    list_size: Annotated[
        int,
        typer.Option(
            min=0, rich_help_panel=WORLD, help="Items per page. With 0, each protocol has its default number."
        ),
    ] = 0,
    repetitions: Annotated[
        int, typer.Option(min=2, rich_help_panel=WORLD, help="Number of simulated studies per protocol.")
    ] = 8,
    seed: Annotated[
        int, typer.Option(min=0, rich_help_panel=WORLD, help="Random seed of the simulation.")
    ] = 0,
    seconds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROTOCOL=SECONDS",
            rich_help_panel=COST,
            help="Time of one task of a protocol. Can be repeated. Default: the median of the pilot, or an assumed "
            "time; the column time_from states which.",
        ),
    ] = None,
    hourly: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            rich_help_panel=COST,
            help="Pay per hour. Default: the pay of the pilot study, if it sets one. Without pay, no cost is reported.",
        ),
    ] = None,
    per_task: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            rich_help_panel=COST,
            help="Pay per task. Default: the pay of the pilot study, if it sets one. Without pay, no cost is reported.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=SHOWN,
            help="Also draw a chart to this file: .html, .svg, .png or .json. Default: no chart.",
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=SHOWN,
            metavar="FILE",
            help="Also write a study.toml with the plan that needs the fewest hours. Default: none is written.",
        ),
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Plan a study by simulation: answers, tasks, hours and cost for each protocol.

    Choose one target: --reliability, --width, --distinguish or --leaderboard. answers_per_item is the number of answers
    with which a study reaches the target on average, rounded up. A single study needs between low and high with a
    probability of 80%. A number is empty if these raters cannot give so many answers.
    """
    from steelyard.planning.costs import times_of_pilot  # optional dependencies
    from steelyard.planning.pilots import world_of_pilot  # optional dependencies
    from steelyard.planning.plan import Wish, make_plan, planned_designs  # optional dependencies
    from steelyard.planning.search import Searching  # optional dependencies
    from steelyard.planning.worlds import stated_world  # optional dependencies

    table_format(output, as_json)
    _check_files(plot, study)
    target = _target(reliability, width, distinguish, leaderboard, power, shared)
    judged, pay = (None, None) if pilot is None else _pilot(pilot, kind, range, reading)
    if target is None:
        _leaderboard(judged, power, output, as_json)
        return
    if judged is not None and (scenario is not None or positions is not None):
        raise BadSetting(
            "--pilot", "raters and items come from the pilot. Leave out --scenario and --positions."
        )
    if not items:
        raise BadSetting("--items", "is missing. Write the number of items of the study.")
    wish = Wish(
        target, items, raters, protocol or (), list_size, _seconds(seconds), _pay(pay, hourly, per_task),
        Searching(repetitions, seed),
    )  # fmt: skip
    if judged is None:
        world, times = stated_world(scenario or "full", _shape(positions)), None
    else:
        with progress("Fitting the pilot"):
            world, times = world_of_pilot(judged, f"pilot {pilot}"), times_of_pilot(judged)
    with progress("Simulating studies", planned_designs(wish) * repetitions) as show:
        made = make_plan(wish, world, times, show)
    write_table(made.columns(), output, as_json)
    remark(
        f"plan | {target.name} {target.wanted:g} | {world.name} | {repetitions} simulated studies each | seed {seed}"
    )
    for text in made.remarks:
        remark(text)
    _write_files(made, plot, study, seed)


def _check_files(plot: Path | None, study: Path | None) -> None:
    """Raise an error, before any long computation, if the chart or the study.toml cannot be written."""
    check_place(study)
    if plot is not None:
        from steelyard.report.plots.saving import chart_format  # optional dependencies

        check_place(plot)
        chart_format(plot)


def _target(
    reliability: float | None,
    width: float | None,
    distinguish: float | None,
    leaderboard: bool,
    power: float,
    shared: float,
) -> Target | None:
    """Return the target, or None for a leaderboard; raise BadSetting unless exactly one is set."""
    from steelyard.planning.targets import Distinguish, Reliability, Width  # optional dependencies

    named = {"--reliability": reliability, "--width": width, "--distinguish": distinguish}
    stated = [name for name, value in named.items() if value is not None] + ["--leaderboard"] * leaderboard
    if len(stated) != 1:
        reason = f"{' and '.join(stated)} cannot be combined." if stated else "no target is set."
        raise BadSetting("plan", f"{reason} Choose one of: {', '.join(named)}, --leaderboard.")
    if reliability is not None:
        return Reliability(reliability)
    if width is not None:
        return Width(width)
    return None if distinguish is None else Distinguish(distinguish, power, shared)


def _pilot(
    path: Path, kind: str | None, range: tuple[float, float] | None, reading: ReadingOptions
) -> tuple[Judgments, Pay | None]:
    """Return the judgments of a pilot, and its pay if it is a study that sets one."""
    if not path.is_dir():
        return leave_out_probes(read_judgments(str(path), kind, range, reading)), None
    from steelyard.planning.costs import Pay  # optional dependencies

    watch = open_watch(path)
    if watch.conditions:
        raise BadSetting(
            "--pilot", "this study has conditions. Export the judgments of one, and use the file."
        )
    ledger = watch.ledger()
    if len(ledger.definition.questions) > 1:
        remark(f"The pilot has several questions. The plan uses {ledger.definition.questions[0].id!r}.")
    set_pay = ledger.definition.pay
    paid = Pay(set_pay.hourly, set_pay.per_task, set_pay.base, set_pay.currency) if set_pay.is_paid else None
    return leave_out_probes(ledger.judgments(0)), paid


def _pay(pilot: Pay | None, hourly: float | None, per_task: float | None) -> Pay:
    """Return the pay: as stated, and otherwise that of the pilot."""
    from steelyard.planning.costs import Pay  # optional dependencies

    if hourly is None and per_task is None:
        return Pay() if pilot is None else pilot
    return Pay(hourly or 0.0, per_task or 0.0)


def _seconds(written: Sequence[str] | None) -> dict[str, float]:
    """Return the seconds per task of each protocol; raise BadSetting for a wrong number."""
    stated = {}
    for each in written or ():
        name, _, number = each.rpartition("=")
        try:
            stated[name] = float(number)
        except ValueError:
            stated[name] = 0.0
        if not name or not stated[name] > 0.0:
            raise BadSetting("--seconds", f"{each!r} is not of the form PROTOCOL=SECONDS.")
    return stated


def _shape(positions: str | None) -> Shape:
    for shape in SHAPES:
        if positions in (None, shape):
            return DEFAULT_SHAPE if positions is None else shape
    raise BadSetting("--positions", f"{positions!r} is not one of: {', '.join(SHAPES)}.")


def _leaderboard(judged: Judgments | None, power: float, output: Path | None, as_json: bool) -> None:
    """Write the votes that a leaderboard still needs."""
    from steelyard.planning.leaderboard import votes_needed  # optional dependencies

    if judged is None:
        raise BadSetting("--leaderboard", "needs the votes so far. Write --pilot FILE.")
    model = find_model(default_model(judged.kinds))()
    fit = model.fit(suited(model, judged))
    for text in (fit.signature, *fit.remarks):
        remark(text)
    write_table(
        votes_needed(fit, count_judgments(judged), power).columns(),
        output,
        as_json,
        foreign=("first", "second"),
    )


def _write_files(made: Plan, plot: Path | None, study: Path | None, seed: int) -> None:
    """Write the chart and the study.toml."""
    if plot is not None:
        from steelyard.report.plots.plans import plan_plot  # optional dependencies
        from steelyard.report.plots.saving import save_chart  # optional dependencies

        save_chart(plan_plot(made), plot)
        remark_on_file(plot)
    if study is not None:
        from steelyard.planning.plan import study_toml  # optional dependencies

        if made.best is None:
            raise BadSetting("--study", "no protocol reaches the target, so no study.toml was written.")
        write_text(study_toml(made.best, seed), study)
