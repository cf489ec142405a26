"""`steelyard next`: write the next tasks to a file, to publish them elsewhere."""

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
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Number of tasks. Default: all tasks of the current round.")
    ] = None,
    assignments: Annotated[int, typer.Option(min=1, help="Number of raters per task.")] = 1,
    format: Annotated[
        str, typer.Option(help="Format: csv (one row per item) or mturk-csv (one row per task).")
    ] = "csv",
    release: Annotated[
        bool, typer.Option("--release", help="First release the unanswered tasks of earlier batches.")
    ] = False,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Choose the next tasks and write them to a file. The pages of the study no longer offer these tasks."""
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    from steelyard.study.collecting.files.task_batches import (  # optional dependencies
        long_columns,
        mturk_columns,
    )

    session = open_session(folder)
    write = mturk_columns if format == "mturk-csv" else long_columns
    with session.transaction():  # if writing fails, the tasks are not assigned
        if release:
            freed = session.release_batches()
            verb = "was" if freed == 1 else "were"
            remark(f"{counted(freed, 'unanswered assignment')} of earlier batches {verb} released.")
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
        remark(
            f"Sequences cannot be split, so there are {counted(len(planned), 'task')} instead of {tasks:,}."
        )
    if len(planned) < (1 if tasks is None else tasks):
        remark(_why_fewer(len(planned), tasks, supply))
    if supply.paused:
        remark("The study is paused. Its pages assign no tasks until you resume it on the owner's page.")


def _why_fewer(planned: int, tasks: int | None, supply: Supply) -> str:
    """Explain why there are fewer tasks than requested, with the counts of answers."""
    asked = "No tasks are left" if not planned else f"{planned:,} of {tasks:,} tasks"
    counts = (
        f"The study needs {counted(supply.wanted, 'answer')}: {supply.answered:,} were given and "
        f"{supply.pending:,} are pending in open tasks."
    )
    if supply.rule:
        return f"{asked}: {supply.rule}. {counts}"
    if not supply.missing:
        release = " Use --release to release open tasks of earlier batches." if supply.pending else ""
        return f"{asked}. {counts} To collect more, increase redundancy in study.toml.{release}"
    reason = f"No tasks can be made for the other {supply.missing:,} while tasks are open."
    return f"{asked}. {counts} {reason} First import their answers, or release them with --release."
