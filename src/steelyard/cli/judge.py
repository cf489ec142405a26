"""`steelyard judge`: have a program of the user judge items, and keep its answers as those of a machine judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.judge_program import LISTED, BadLine, JudgeTask, Limits, ask_program
from steelyard.cli.judge_tasks import Asked, answered_in, asked_in_file, asked_in_study, judge_tasks
from steelyard.cli.output import progress, remark
from steelyard.cli.studies import open_session
from steelyard.errors import BadSetting, CannotWrite, JudgeStopped, UnknownName
from steelyard.judgments.findings import counted
from steelyard.judgments.table_kinds import kinds_for_machines
from steelyard.kinds.known import KINDS


def judge(
    source: Annotated[str, typer.Argument(help="Folder of a study, or file of items with a column id.")],
    *,
    command: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="Program with its arguments. It reads one task per line from stdin and writes one answer per line to "
            'stdout, as JSON objects: {"task": ..., "score": 4} or {"task": ..., "outcome": "left"}. No shell is used.',
        ),
    ],
    rater: Annotated[
        str,
        typer.Option(metavar="NAME", help="Name of the judge, which its answers have in the column rater."),
    ],
    family: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Family of the judge, such as its base model. Judges of one family make similar errors. Default: "
            "none.",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(name for name, kind in KINDS.built_in.items() if kind.table.for_machines),
            help="Kind of judgment that the program makes. Default: that of the study, or rating for a file.",
        ),
    ] = None,
    pairs_per_item: Annotated[
        int,
        typer.Option(min=1, help="For comparisons: smallest number of pairs in which each item is compared."),
    ] = 4,
    time_limit: Annotated[
        float, typer.Option(min=0.1, help="Longest time to wait for an answer, in seconds.")
    ] = 60.0,
    at_once: Annotated[
        int,
        typer.Option(
            min=1,
            help="Largest number of tasks that the program receives before it has answered the first of them.",
        ),
    ] = 1,
    seed: Annotated[
        int, typer.Option(help="For comparisons: random seed of the pairs, and of which item is on the left.")
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="JSONL file for the answers. If it exists, only tasks without an answer in it are sent, and new "
            "answers are added to it. Default: NAME.jsonl, with the NAME of --rater.",
        ),
    ] = None,
) -> None:
    """Run a program that judges items, and write its answers to a file, marked as those of a machine judge.

    Each answer is written as soon as it arrives. If you run the command again, only tasks without an answer are sent to
    the program. For a study, the answers are also imported. Steelyard itself opens no network connection.
    """
    path = Path(f"{rater}.jsonl") if output is None else output
    if path.suffix != ".jsonl":
        raise BadSetting("--output", f"{path} does not end in .jsonl. Choose a name that does.")
    if kind is not None and kind not in kinds_for_machines():
        raise UnknownName("kind", kind, kinds_for_machines(), where="--kind")
    asked = _asked(Path(source), kind)
    tasks = judge_tasks(asked, rater, family, pairs_per_item, seed)
    done = answered_in(path)
    rest = [task for task in tasks if task.id not in done]
    try:
        _ask(command, rest, Limits(seconds=time_limit, at_once=at_once), path)
    finally:
        if Path(source).is_dir() and path.exists():
            _import(Path(source), path)


def _asked(source: Path, kind: str | None) -> Asked:
    if not source.is_dir():
        return asked_in_file(source, "rating" if kind is None else kind)
    from steelyard.study.definition.study import open_study  # optional dependencies

    return asked_in_study(open_study(source), kind)


def _ask(command: str, tasks: list[JudgeTask], limits: Limits, path: Path) -> None:
    """Ask the tasks and append the answers to the file, and report bad lines and tasks without an answer."""
    bad: list[BadLine] = []
    stored = 0
    try:
        with path.open("a", encoding="utf-8") as file, progress("Judging", len(tasks)) as show:
            for stored, answer in enumerate(ask_program(command, tasks, limits, bad.append), start=1):
                file.write(json.dumps(answer.row, ensure_ascii=False) + "\n")
                file.flush()
                show(stored)
    except OSError as reason:
        raise CannotWrite(str(path), reason.strerror) from None
    except JudgeStopped as reason:
        reason.add_note(
            f"{path} keeps {counted(stored, 'answer')} of this run. Repeat the command to continue with the other "
            "tasks."
        )
        raise
    finally:
        for each in bad[:LISTED]:
            remark(f"The program wrote a line that is no answer: {each}")
        if len(bad) > LISTED:
            remark(f"Lines that are no answers, in all: {len(bad):,}.")
    missing = len(tasks) - stored
    more = (
        f" {counted(missing, 'task')} without an answer: repeat the command to ask again." if missing else ""
    )
    remark(f"Wrote {counted(stored, 'answer')} to {path}.{more}")


def _import(folder: Path, path: Path) -> None:
    """Import the answers of the file that the study does not have yet."""
    from steelyard.study.collecting.files.import_machine import (  # optional dependencies
        import_machine,
        people_and_machine,
    )

    session = open_session(folder)
    if not path.read_text("utf-8").strip():
        return
    machine = people_and_machine(path, session.study.items, {})[1]
    if machine is not None:
        done = import_machine(session, machine)
        remark(f"Imported {counted(done.rows, 'answer')} into {folder}.")
