"""`steelyard plan`: how many answers, raters and hours a study needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.cli.fit import KindOption, RangeOption, leave_out_probes, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import AsJson, Output, progress, remark, table_format, write_table
from steelyard.cli.plan_options import (
    CostOptions,
    Items,
    Pilot,
    PlanFiles,
    Raters,
    SameRaters,
    TargetOptions,
    WorldOptions,
    refuse_for_leaderboard,
)
from steelyard.cli.reading_options import ReadingOptions
from steelyard.cli.studies import open_watch
from steelyard.errors import BadSetting
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments
from steelyard.models.known import default_model, find_model, suited

if TYPE_CHECKING:
    from steelyard.planning.costs import Pay


@with_records
def plan(
    *,
    items: Items = None,
    raters: Raters = 30,
    aim: TargetOptions,
    pilot: Pilot = None,
    same_raters: SameRaters = False,
    kind: KindOption = None,
    range: RangeOption = None,
    reading: ReadingOptions,
    simulated: WorldOptions,
    cost: CostOptions,
    files: PlanFiles,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Plan a study by simulation: answers, tasks, hours and cost for each protocol.

    Choose one target: --reliability, --width, --distinguish or --leaderboard. answers_per_item is the number of answers
    with which a study reaches the target on average, rounded up. Single studies
    differ: 80% of them need between low and high. A cell is empty if this number of raters cannot
    give enough answers.
    """
    from steelyard.planning.costs import times_of_pilot  # optional dependencies
    from steelyard.planning.pilots import world_of_pilot  # optional dependencies
    from steelyard.planning.plan import Wish, make_plan, planned_designs  # optional dependencies
    from steelyard.planning.search import Searching  # optional dependencies
    from steelyard.planning.worlds import stated_world  # optional dependencies

    table_format(output, as_json)
    files.check()
    target = aim.target()
    judged, pay = (None, None) if pilot is None else _pilot(pilot, kind, range, reading)
    if target is None:
        refuse_for_leaderboard(cost, files)
        _leaderboard(judged, aim.power, output, as_json)
        return
    simulated.check(judged is not None)
    if not items:
        raise BadSetting("--items", "is missing. Write the number of items of the study.")
    repetitions, seed = simulated.repetitions, simulated.seed
    wish = Wish(
        target, items, raters, simulated.protocol or (), simulated.list_size, cost.seconds_by_protocol(),
        cost.pay(pay), Searching(repetitions, seed),
    )  # fmt: skip
    if judged is None:
        if same_raters:
            raise BadSetting("--same-raters", "needs a pilot with these raters. Write --pilot FILE.")
        world, times = stated_world(simulated.scenario or "full", simulated.shape), None
    else:
        with progress("Fitting the pilot"):
            world, times = world_of_pilot(judged, f"pilot {pilot}", same_raters), times_of_pilot(judged)
    with progress("Simulating studies", planned_designs(wish) * repetitions) as show:
        made = make_plan(wish, world, times, show)
    write_table(made.columns(), output, as_json)
    remark(
        f"plan | {target.name} {target.wanted:g} | {world.name} | {repetitions} simulated studies each | seed {seed}"
    )
    for text in made.remarks:
        remark(text)
    files.write(made, seed)


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
