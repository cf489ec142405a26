"""`steelyard next`: what to ask next, as a file to publish elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.output import AsJson, Output, remark, write_table
from steelyard.cli.studies import open_session
from steelyard.errors import UnknownName
from steelyard.judgments.findings import counted

if TYPE_CHECKING:
    from steelyard.study.collecting.planner import Supply

FORMATS = ("csv", "mturk-csv")


def next_tasks(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    tasks: Annotated[
        int | None, typer.Option(min=1, help="How many tasks; a whole round if not given.")
    ] = None,
    assignments: Annotated[int, typer.Option(min=1, help="How many raters are to answer each task.")] = 1,
    format: Annotated[str, typer.Option(help="csv: a row per item; mturk-csv: a row per task.")] = "csv",
    release: Annotated[
        bool, typer.Option("--release", help="First give up on earlier batches that were not answered.")
    ] = False,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Choose the next tasks and write them as a file; pages will not offer these tasks."""
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    from steelyard.study.collecting.files.task_batches import (  # the study parts are an extra
        long_columns,
        mturk_columns,
    )

    session = open_session(folder)
    write = mturk_columns if format == "mturk-csv" else long_columns
    with session.transaction():  # tasks that could not be written were never given out
        if release:
            freed = session.release_batches()
            verb = "was" if freed == 1 else "were"
            remark(f"{counted(freed, 'place')} of earlier batches {verb} given up.")
        planned = session.batch(tasks, assignments)
        write_table(write(planned, session.study.items), output, as_json)
    supply = session.supply()
    if planned:
        chosen = planned[0].chosen
        seed = "-".join(str(part) for part in chosen.seed)
        remark(
            f"{chosen.selection} | {counted(len(planned), 'task')} | round {planned[0].round} | seed {seed}"
        )
    if tasks is not None and len(planned) > tasks:
        remark(f"Sequences are planned whole: {counted(len(planned), 'task')} instead of {tasks:,}.")
    if len(planned) < (1 if tasks is None else tasks):
        remark(_why_fewer(len(planned), tasks, supply))
    if supply.paused:
        remark("The study is paused: its pages give out no tasks until you resume it on the owner's page.")


def _why_fewer(planned: int, tasks: int | None, supply: Supply) -> str:
    """Why there are fewer tasks than asked for: what the study has, awaits and lacks."""
    asked = "Nothing is left to ask" if not planned else f"{planned:,} of {tasks:,} tasks"
    counts = (
        f"of the {counted(supply.wanted, 'answer')} that the study wants, {supply.answered:,} are in and "
        f"{supply.pending:,} are open in tasks"
    )
    if supply.rule:
        return f"{asked}: {supply.rule}; {counts}."
    if not supply.missing:
        given_up = " --release gives up on open tasks of earlier batches." if supply.pending else ""
        return f"{asked}: {counts}. Raise redundancy in study.toml to ask for more.{given_up}"
    reason = f"no further task can be made for the other {supply.missing:,}"
    return f"{asked}: {counts}; {reason}. Answer, import or release open tasks first (--release)."
