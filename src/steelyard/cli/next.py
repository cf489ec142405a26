"""`steelyard next`: write the next tasks to a file, to publish them elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.output import AsJson, Output, progress, remark, write_table, write_text
from steelyard.cli.studies import ConditionName, check_condition, open_session
from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.findings import counted

if TYPE_CHECKING:
    from steelyard.study.collecting.session import Session
    from steelyard.study.collecting.supply import Supply
    from steelyard.study.log.entries import Task

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
    condition: ConditionName = "",
    protocol: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Protocol of the tasks, in a study with several. Default: all, in their shares.",
            show_default=False,
        ),
    ] = "",
    form: Annotated[
        Path | None,
        typer.Option(
            help="With mturk-csv: also write the HTML of the HIT to this file, for a project on MTurk or a template of "
            "Turkle.",
            show_default=False,
        ),
    ] = None,
    release: Annotated[
        bool,
        typer.Option(
            "--release",
            help="First make the unanswered tasks of earlier batches available again. Default: they stay reserved.",
        ),
    ] = False,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Choose the next tasks and write them to a file. The pages of the study no longer offer these tasks."""
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    if form is not None and format != "mturk-csv":
        raise BadSetting("--form", "this option needs --format mturk-csv.")
    from steelyard.study.collecting.files.task_batches import (  # optional dependencies
        long_columns,
        mturk_columns,
    )
    from steelyard.study.collecting.supply import total_supply  # optional dependencies

    session = open_session(folder)
    check_condition(session.study, condition)
    protocols = session.arm(condition).study.definition.asking.protocols
    if protocol and protocol not in protocols:
        raise UnknownName("protocol", protocol, protocols)
    arms = [session.arm(condition).name] if condition else list(session.follower.arms)
    write = mturk_columns if format == "mturk-csv" else long_columns
    with session.transaction():  # if writing fails, the tasks are not assigned
        if release:
            freed = session.release_batches()
            verb = "was" if freed == 1 else "were"
            remark(f"{counted(freed, 'unanswered assignment')} of earlier batches {verb} released.")
        with progress("Choosing tasks"):
            planned = [task for name in arms for task in session.batch(tasks, assignments, name, protocol)]
        write_table(write(planned, session.study.items), output, as_json)
    if form is not None:
        _write_form(session, arms, planned, form)
    supply = total_supply([session.supply(name) for name in arms])
    if planned:
        chosen = planned[0].chosen
        seed = "-".join(str(part) for part in chosen.seed)
        remark(
            f"{chosen.selection} | {counted(len(planned), 'task')} | round {planned[0].round} | seed {seed}"
        )
    checks = sum(bool(task.check) for task in planned)
    asked = len(planned) - checks
    if checks:
        remark(f"{counted(checks, 'check')} with a known answer {'is' if checks == 1 else 'are'} among them.")
    if tasks is not None and asked > tasks * len(arms):
        remark(f"Sequences cannot be split, so there are {counted(asked, 'task')} instead of {tasks:,}.")
    if asked < (1 if tasks is None else tasks):
        remark(_why_fewer(asked, tasks, supply))
    if supply.paused:
        remark("The study is paused. Its pages assign no tasks until you resume it on the owner's page.")


def _write_form(session: Session, arms: list[str], planned: list[Task], path: Path) -> None:
    """Write the HTML of the HIT for the largest task of a batch."""
    from steelyard.crowds.hit_form import batch_form  # optional dependencies
    from steelyard.study.definition.items import FILES, is_remote  # optional dependencies

    if len({session.arm(name).study.definition.asking.protocol for name in arms}) > 1:
        raise BadSetting("--form", "the conditions ask in different ways. Name one of them with --condition.")
    if len({task.protocol for task in planned}) > 1:
        raise BadSetting("--form", "the tasks have several protocols. Name one of them with --protocol.")
    study = session.arm(arms[0]).study.in_way(planned[0].protocol if planned else "")
    size = max((len(task.items) for task in planned), default=study.definition.asking.task_size)
    write_text(batch_form(study.definition, study.items, size), path)
    if any(item.medium in FILES and not is_remote(item.content) for item in study.items.all):
        remark("The batch names files of this study. Upload them, and write their addresses into the batch.")


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
