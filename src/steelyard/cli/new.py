"""`steelyard new`: a folder with a study in it."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import remark
from steelyard.judgments.findings import counted
from steelyard.kinds.known import PROTOCOLS
from steelyard.models.known import item_models
from steelyard.selection.known import SELECTIONS


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make.")],
    items: Annotated[Path, typer.Option(help="CSV, JSONL or Parquet file with id and text, image, ...")],
    protocol: Annotated[str, typer.Option(help=f"One of: {', '.join(PROTOCOLS)}.")] = "rating",
    question: Annotated[str, typer.Option(help="What is asked of an item.")] = "",
    title: Annotated[str, typer.Option(help="What the study is called.")] = "",
    model: Annotated[
        str,
        typer.Option(
            help=f"One of: {', '.join(item_models(built_in=True))}, or a model of an installed package. "
            "Default: the selection's, or else that of the protocol's kind of judgment."
        ),
    ] = "",
    selection: Annotated[
        str,
        typer.Option(
            help=f"One of: {', '.join(SELECTIONS.built_in)}. Default: balanced; all_pairs with comparison_list."
        ),
    ] = "",
    redundancy: Annotated[
        int, typer.Option(help="Answers that each item should get; as usual for the protocol.")
    ] = 0,
    list_size: Annotated[int, typer.Option(help="Items on a page, where the protocol leaves it open.")] = 0,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of every random choice; drawn if not given.")
    ] = None,
) -> None:
    """Make a study from a file of items."""
    from steelyard.storage.database import create_database  # the study parts are an extra
    from steelyard.study.definition.create import NewStudy, create_study  # the study parts are an extra

    wanted = NewStudy(
        items, protocol, title, question, model, selection, redundancy, list_size,
        secrets.randbelow(2**31) if seed is None else seed,
    )  # fmt: skip
    study = create_study(folder, wanted)
    _, key = create_database(folder)
    remark(
        f"{folder / 'study.toml'}: {counted(len(study.items), 'item')}, protocol {study.definition.asking.protocol}."
    )
    remark(f"Owner's key, shown this once: {key}")
    remark(f"Next: look through {folder / 'study.toml'}, then: steelyard serve {folder}")
