"""`steelyard new`: create a study."""

from __future__ import annotations

import secrets
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.output import remark
from steelyard.judgments.findings import counted
from steelyard.kinds.known import DEFAULT_PROTOCOL, KINDS, PROTOCOLS
from steelyard.models.known import described_models, item_models
from steelyard.selection.known import OFFERED_WORDS, takes_list_size

if TYPE_CHECKING:
    from steelyard.study.definition.definition import StudyDefinition
    from steelyard.study.definition.study import Study

TASKS, CHOOSING = "Tasks", "Model and selection"  # panels of the help
SELECTIONS_WORDED = "; ".join(f"{name}: {words}" for name, words in OFFERED_WORDS.items())
SIZES = {
    name: protocol.usual_size
    for name, protocol in PROTOCOLS.items()
    if takes_list_size(protocol.size, protocol.selection)
}
SIZES_WORDED = ", ".join(f"{size} for {name}" for name, size in SIZES.items())
PROTOCOLS_WORDED = "; ".join(
    f"{name}: {protocol.instruction or protocol.words}" for name, protocol in PROTOCOLS.items()
)
MODELS_WORDED = ", ".join(
    f"{KINDS[protocol.kind].default_model} for {name}" for name, protocol in PROTOCOLS.items()
)
ANSWERS_WORDED = ", ".join(f"{protocol.usual_answers} for {name}" for name, protocol in PROTOCOLS.items())


def new(
    folder: Annotated[Path, typer.Argument(help="Folder for the study. It is created if it does not exist.")],
    items: Annotated[
        Path,
        typer.Option(
            help="File of items: CSV, JSONL or Parquet. It needs a column id and a column with the content: text, "
            "markdown, image, audio or video. Optional columns: system and segment group the results, and with "
            "segment the items on a page are all of one segment; source, reference and prompt are shown to raters."
        ),
    ],
    protocol: Annotated[
        str,
        typer.Option(
            rich_help_panel=TASKS,
            help=f"What raters do on a page. {PROTOCOLS_WORDED}. Several names separated by commas, such as "
            "list,comparison, ask in several ways for one scale.",
        ),
    ] = DEFAULT_PROTOCOL,
    question: Annotated[
        str,
        typer.Option(
            rich_help_panel=TASKS,
            help="Question that raters answer. Default: a general question that suits the protocol.",
        ),
    ] = "",
    title: Annotated[
        str, typer.Option(rich_help_panel=TASKS, help="Title of the study. Default: the question.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            rich_help_panel=CHOOSING,
            help=f"Model of the scale. {described_models(item_models(built_in=True))}. The page on models in the "
            "documentation compares them. An installed plug-in can add models. "
            f"Default: {MODELS_WORDED}, or the model that the selection needs.",
        ),
    ] = "",
    selection: Annotated[
        str,
        typer.Option(
            rich_help_panel=CHOOSING,
            help=f"How to choose the items of tasks. {SELECTIONS_WORDED}. Default: balanced, or all_pairs with "
            "comparison_list.",
        ),
    ] = "",
    redundancy: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=CHOOSING,
            help="Number of judgments that each item should receive or, with the selection all_pairs, each pair of a "
            f"group. Default: {ANSWERS_WORDED}.",
            show_default=False,
        ),
    ] = None,
    list_size: Annotated[
        int,
        typer.Option(
            rich_help_panel=TASKS,
            help=f"Items per page, for the protocols {', '.join(SIZES)}. Default: {SIZES_WORDED}. The protocol "
            "comparison_list uses groups instead (see all_pairs under --selection).",
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
        items, protocol, title, question, model, selection, redundancy or 0, list_size,
        secrets.randbelow(2**31) if seed is None else seed,
    )  # fmt: skip
    study = create_study(folder, wanted)
    _, key = create_database(folder)
    asked = " and ".join(study.definition.asking.protocols)
    remark(f"{folder / 'study.toml'}: {counted(len(study.items), 'item')}, protocol {asked}.")
    _remark_on_questions(study.definition, question, folder)
    _remark_on_conversion(study.definition)
    _remark_on_size(study)
    shown = study.definition.items.text
    if shown.lower() not in {"", "text"}:
        remark(
            f"Raters will see the column {shown!r}, because {items.name} has no column text. To show another "
            f"column, change text under [items] in {folder / 'study.toml'}."
        )
    remark(f"Owner key, to sign in on the owner's page (shown only once): {key}")
    remark(f"Next: review {folder / 'study.toml'}, then run: steelyard serve {folder}")


def _remark_on_questions(definition: StudyDefinition, question: str, folder: Path) -> None:
    """Print the general questions that raters will see where --question sets none."""
    for way in definition.asked_ways:
        asked, name = way.questions[0].text, way.asking.way.name
        if asked != question:
            where = "[[questions]]"
            if definition.ways and name != definition.asking.way.name:
                where = f"[[protocol_settings.{name}.questions]]"
            remark(
                f'Raters will read the general question "{asked}", because no question was set for the protocol '
                f"{name}. To ask your own, change text under {where} in {folder / 'study.toml'}."
            )


def _remark_on_size(study: Study) -> None:
    """Print a remark on pages that show one item, or fewer items than list_size because there are too few."""
    most = max(Counter(item.segment for item in study.items.all).values())
    for way in study.definition.asked_ways:
        asks, size = way.asking.way, way.asking.task_size
        if not takes_list_size(asks.size, asks.selection):
            continue
        if size == 1:
            remark(
                f"Each page of {asks.name} shows 1 item, because list_size is 1. To show several items on a page, set "
                "--list-size to 2 or more."
            )
        elif size > most:
            where = (
                ""
                if most == len(study.items)
                else " in any one segment, and the items of a page share a segment"
            )
            remark(
                f"Pages of {asks.name} show at most {most} items instead of {size} (list_size), because there are "
                f"only {counted(most, 'item')}{where}."
            )


def _remark_on_conversion(definition: StudyDefinition) -> None:
    """Print a remark if the model uses another kind of judgment than the page collects."""
    model, way = definition.learning.model, definition.asking.way
    used = [kind for kind in way.kinds if kind in item_models()[model].kinds]
    if used and used[0] != way.kind:
        remark(
            f"The model {model} needs {used[0]} judgments. The {way.kind} judgments of raters are converted to "
            f"{used[0]} judgments, and positions are in the unit of the model."
        )
