"""`steelyard new`: create a study."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import remark
from steelyard.judgments.findings import counted
from steelyard.kinds.known import PROTOCOLS
from steelyard.models.known import item_models
from steelyard.selection.known import OFFERED

TASKS, CHOOSING = "Tasks", "Model and selection"  # panels of the help


def new(
    folder: Annotated[Path, typer.Argument(help="Folder to create for the study.")],
    items: Annotated[
        Path,
        typer.Option(
            help="File of items: CSV, JSONL or Parquet, with columns id and text, image, audio, ..."
        ),
    ],
    protocol: Annotated[
        str,
        typer.Option(rich_help_panel=TASKS, help=f"Protocol of the tasks. One of: {', '.join(PROTOCOLS)}."),
    ] = "rating",
    question: Annotated[
        str,
        typer.Option(
            rich_help_panel=TASKS, help="Question that raters answer. Default: the question of the protocol."
        ),
    ] = "",
    title: Annotated[
        str, typer.Option(rich_help_panel=TASKS, help="Title of the study. Default: the question.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            rich_help_panel=CHOOSING,
            help=f"Model of the scale. One of: {', '.join(item_models(built_in=True))}, or a model of an installed "
            "package. Default: the model that the selection needs, or the default of the protocol.",
        ),
    ] = "",
    selection: Annotated[
        str,
        typer.Option(
            rich_help_panel=CHOOSING,
            help=f"How to choose the items of tasks. One of: {', '.join(OFFERED)}. Default: balanced, or "
            "all_pairs with comparison_list.",
        ),
    ] = "",
    redundancy: Annotated[
        int,
        typer.Option(
            rich_help_panel=CHOOSING,
            help="Answers per item. Default: depends on the protocol.",
            show_default=False,
        ),
    ] = 0,
    list_size: Annotated[
        int,
        typer.Option(
            rich_help_panel=TASKS,
            help="Items per page, for protocols with several items. Default: depends on the protocol.",
            show_default=False,
        ),
    ] = 0,
    seed: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=CHOOSING, min=0, help="Random seed of the study. Default: a random number."
        ),
    ] = None,
) -> None:
    """Create a study from a file of items."""
    from steelyard.storage.database import create_database  # optional dependencies
    from steelyard.study.definition.create import NewStudy, create_study  # optional dependencies

    wanted = NewStudy(
        items, protocol, title, question, model, selection, redundancy, list_size,
        secrets.randbelow(2**31) if seed is None else seed,
    )  # fmt: skip
    study = create_study(folder, wanted)
    _, key = create_database(folder)
    remark(
        f"{folder / 'study.toml'}: {counted(len(study.items), 'item')}, protocol {study.definition.asking.protocol}."
    )
    remark(f"Owner key (shown only once): {key}")
    remark(f"Next: review {folder / 'study.toml'}, then run: steelyard serve {folder}")
