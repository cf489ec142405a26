"""`steelyard simulate`: answer a study with simulated raters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from steelyard.cli.acting import record_act
from steelyard.cli.output import progress, remark
from steelyard.cli.studies import open_session
from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.findings import counted
from steelyard.simulation.scenarios import SCENARIO_WORDS, SCENARIOS, SHAPES, Shape

if TYPE_CHECKING:
    from steelyard.study.collecting.session import Session
    from steelyard.study.collecting.supply import Supply

MOST_FACTOR = 10.0
DEFAULT_SHAPE: Shape = "uniform"
WORDED = "; ".join(f"{name}: {words}" for name, words in SCENARIO_WORDS.items())


def simulate(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    raters: Annotated[int, typer.Option(min=1, help="Number of simulated raters.")] = 30,
    scenario: Annotated[
        str, typer.Option(help=f"How raters differ. {WORDED}. Quote names with a space.")
    ] = "full",
    positions: Annotated[
        str | None,
        typer.Option(
            help=f"Distribution from which the true positions of the items are drawn: {', '.join(SHAPES)}. "
            f"Default: {DEFAULT_SHAPE}."
        ),
    ] = None,
    items: Annotated[str | None, typer.Option(hidden=True, help="Earlier name of --positions.")] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the items file with the true positions, instead of --positions. For comparisons, rankings "
            "and best-worst choices its values are rescaled so that the smallest becomes 0 and the largest 1.",
        ),
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of tasks to answer. Default: no limit.")
    ] = None,
    factor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION=FACTOR",
            help="For studies that compare several ways of asking (conditions): multiply all differences between "
            "raters in a condition by a factor, such as plain=0.75 for a quarter less disagreement. Can be repeated. "
            "Default: no difference between conditions.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of raters, true positions and answers.")] = 0,
) -> None:
    """Fill a study with answers of simulated raters, to try it before real raters take part.

    The answers are stored in the study and use up its tasks, so run this command on a copy of the study. Simulated
    raters receive the same tasks as real raters, but do not read the items. Their answers depend on true positions,
    which are drawn at random or taken from a column of the items file.
    """
    from steelyard.simulation.crowd_at_work import Crowd  # optional dependencies
    from steelyard.simulation.crowd_at_work import simulate as run  # optional dependencies
    from steelyard.simulation.truth_column import read_truth  # optional dependencies
    from steelyard.study.collecting.supply import total_supply  # optional dependencies

    if scenario not in SCENARIOS:
        raise UnknownName("scenario", scenario, tuple(SCENARIOS))
    shape = _shape(positions, items, truth)
    session = open_session(folder)
    earlier = {each.id for each in session.roster.all()}
    rng = np.random.default_rng(seed)
    crowd = Crowd.draw(session, SCENARIOS[scenario], raters, shape, rng)
    if truth is not None:
        crowd = replace(crowd, truth=read_truth(session.study, truth))
    crowd = replace(crowd, factors=_factors(factor, tuple(session.follower.arms)))
    # Before, so that an interrupted simulation is recorded too.
    record_act(session.log, "simulated", raters=raters, scenario=scenario, seed=seed)
    with progress("Answering", tasks) as show:
        done = run(session, crowd, rng, tasks, show)
    counts = f"{counted(done, 'task')} answered{_by_whom(_active(session, earlier), raters)}"
    drawn = f"positions {shape}" if truth is None else f"positions of column {truth}"
    remark(f"{counts} | scenario {scenario} | {drawn} | seed {seed}")
    for name, arm in session.follower.arms.items() if session.study.arms else ():
        active = sum(bool(record.answers) for record in arm.ledger.raters.values())
        remark(f"condition {name} | {counted(len(arm.ledger.answers), 'task')} | {counted(active, 'rater')}")
    _warn_of_people(session)
    supplies = [session.supply(name) for name in session.follower.arms]
    remark(_why_ended(done, tasks, total_supply(supplies), held=session.need() == "held"))
    if any(arm.definition.training is not None for arm in session.study.asked):
        records = [each for arm in session.follower.arms.values() for each in arm.ledger.raters.values()]
        failed = sum(record.attempts > 0 and not record.trained for record in records)
        remark(f"{counted(failed, 'rater')} did not pass the training and got no tasks.")


def _warn_of_people(session: Session) -> None:
    """Print a warning if people have already answered this study."""
    people = {each.id for each in session.roster.all() if each.source != "simulated"}
    answers = sum(
        len(record.answers)
        for arm in session.follower.arms.values()
        for rater, record in arm.ledger.raters.items()
        if rater in people
    )
    if answers:
        remark(
            f"Warning: this study has {counted(answers, 'answer')} of people. Simulated answers are now stored beside "
            "them and used in its results. Column source of `steelyard export --what raters` marks their raters."
        )


def _active(session: Session, earlier: Collection[str]) -> int:
    """Return the number of raters who answered tasks, without those who joined earlier."""
    records = [item for arm in session.follower.arms.values() for item in arm.ledger.raters.items()]
    return len({rater for rater, record in records if record.answers and rater not in earlier})


def _by_whom(active: int, raters: int) -> str:
    """Return how many of the simulated raters answered, as the end of a sentence."""
    if active == raters:
        return f" by {counted(raters, 'rater')}"
    return f" by {active:,} of {counted(raters, 'rater')}"


def _factors(written: list[str] | None, conditions: tuple[str, ...]) -> dict[str, float]:
    """Return the factor of each condition; raise an error for an unknown condition or a wrong number."""
    factors = {}
    for each in written or ():
        name, _, number = each.rpartition("=")
        if name not in conditions:
            raise UnknownName("condition", name, conditions, "--factor")
        try:
            factors[name] = float(number)
        except ValueError:
            factors[name] = -1.0
        if not 0.0 <= factors[name] <= MOST_FACTOR:
            raise BadSetting("--factor", f"{number!r} is not a number from 0 to {MOST_FACTOR:g}.")
    return factors


def _shape(positions: str | None, items: str | None, truth: str | None) -> Shape:
    """Return the distribution of true positions; raise BadSetting if options contradict each other."""
    named = {"--positions": positions, "--items": items}
    stated = {option: value for option, value in named.items() if value is not None}
    if truth is not None and stated:
        option = next(iter(stated))
        raise BadSetting(f"{option} and --truth", "both set the true positions. Use one of them.")
    if len(stated) > 1:
        raise BadSetting("--items", "is the earlier name of --positions. Use --positions only.")
    for option, value in stated.items():
        for shape in SHAPES:
            if value == shape:
                return shape
        reason = f"{value!r} is not a distribution of true positions. Choose one of: {', '.join(SHAPES)}."
        raise BadSetting(option, f"{reason} The items are those of the study.")
    return DEFAULT_SHAPE


def _why_ended(done: int, tasks: int | None, supply: Supply, held: bool) -> str:
    """Return why the simulation ended, in a sentence or two; `held` if all remaining tasks are open elsewhere."""
    if tasks is not None and done >= tasks:
        return f"Stopped at the limit of --tasks {tasks:,}."
    if supply.paused:
        return "The study is paused. Resume it on the owner's page to collect more answers."
    if supply.rule:
        return f"The study stopped: {supply.rule}."
    if not supply.missing and not supply.pending:
        return "The study is complete." if done else "The study is complete; nothing to answer."
    missing = f"{counted(supply.missing + supply.pending, 'answer')} of {supply.wanted:,}"
    if held:
        return (
            f"{missing} are missing. Their tasks are open: people have them, or `steelyard next` wrote them. Import "
            "those answers, or release the tasks with `steelyard next --release`."
        )
    return f"No tasks are left for these raters, and {missing} are missing. Use more raters (--raters)."
