"""`steelyard judge`: have a program of the user judge items, and keep its answers as those of a machine judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.judge_program import LISTED, BadLine, JudgeTask, Limits, ask_program
from steelyard.cli.judge_tasks import KINDS, Asked, answered_in, asked_in_file, asked_in_study, judge_tasks
from steelyard.cli.output import progress, remark
from steelyard.cli.studies import open_session
from steelyard.errors import BadSetting, CannotWrite, JudgeStopped, UnknownName
from steelyard.judgments.findings import counted


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
    rater: Annotated[str, typer.Option(metavar="NAME", help="Name of the judge in the judgments.")],
    family: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Family of judges whose errors are shared, such as the base model. Default: none.",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(KINDS),
            help="What the program answers. Default: the kind of the study; rating for a file.",
        ),
    ] = None,
    pairs_per_item: Annotated[
        int, typer.Option(min=1, help="For comparisons: number of pairs that each item is in, at least.")
    ] = 4,
    time_limit: Annotated[
        float, typer.Option(min=0.1, help="Longest time to wait for an answer, in seconds.")
    ] = 60.0,
    at_once: Annotated[
        int, typer.Option(min=1, help="Number of tasks that are sent before their answers arrive.")
    ] = 1,
    seed: Annotated[int, typer.Option(help="Seed of pairs and sides.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File of answers (JSONL), which is continued if it exists. Default: NAME.jsonl.",
        ),
    ] = None,
) -> None:
    """Have a program judge all items, and write its answers as those of a machine judge.

    Answers are written as they arrive, and a run that is repeated asks only what has no answer. For a study, they are
    also imported. Steelyard opens no network connection; the program may.
    """
    path = Path(f"{rater}.jsonl") if output is None else output
    if path.suffix != ".jsonl":
        raise BadSetting("--output", f"{path} does not end in .jsonl.")
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS, where="--kind")
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
            f"{counted(stored, 'answer')} of this run are in {path}. Repeat the command to continue."
        )
        raise
    finally:
        for each in bad[:LISTED]:
            remark(f"Bad answer of the program, {each}")
        if len(bad) > LISTED:
            remark(f"Bad lines in all: {len(bad):,}.")
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
