"""Create the folder of a new study, with study.toml and the items."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from steelyard.errors import BadSetting, CannotWrite, StudyExists, UnknownName
from steelyard.judgments.sheet import Sheet, text_cells
from steelyard.kinds.asked import several
from steelyard.kinds.kind import Setting
from steelyard.kinds.known import DEFAULT_PROTOCOL, PROTOCOLS
from steelyard.kinds.protocol import Protocol
from steelyard.models.known import item_models
from steelyard.selection.known import takes_list_size, traits_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.earlier_defaults import default_model_for
from steelyard.study.definition.items import FILES, guess_columns, is_remote, open_sheet
from steelyard.study.definition.mixing import kinds_of, model_for, models_of_all
from steelyard.study.definition.private_files import make_private_folder, write_private
from steelyard.study.definition.sections.asking import AskingSettings
from steelyard.study.definition.study import Study, study_in
from steelyard.study.definition.study_file import STUDY_FILE, define
from steelyard.study.definition.toml_files import parse_toml
from steelyard.study.definition.toml_records import check_text

OPTIONAL: tuple[Setting, ...] = (  # settings of some protocols only
    ("ties", True, "allow ties"),
    ("both_bad", False, 'offer "Both bad" in addition to "About equal"'),
    ("strength", False, "ask how large the difference is: slightly, clearly, much"),
)
SCALE: list[Setting] = [
    ("low", 0, ""),
    ("high", 100, ""),
    ("labels", ["Not at all", "Moderately", "Extremely"], "evenly spaced along the scale"),
]
PAGE: list[Setting] = [
    ("cannot_judge", True, 'offer "Can\'t judge"'),
    ("comment", False, "offer a comment field"),
    ("instructions", "", "Markdown; shown to raters before the first task"),
]
JOINING: list[Setting] = [
    ("consent", "", "Markdown; if not empty, raters must agree to it"),
    ("completion_code", "", "shown at the end, and sent to Prolific"),
]
REMARKS_AT = 32  # column at which comments start in a new study.toml


@dataclass(frozen=True, slots=True)
class NewStudy:
    """Options of `steelyard new`; all other settings are edited in study.toml.

    Attributes
    ----------
    items
        Items file.
    protocol
        Name of the protocol, or several names separated by commas.
    title
        Title of the study; by default the question.
    question
        Question that raters answer; by default that of the protocol.
    model, selection
        Names; by default those of the protocol.
    redundancy
        Answers that each item should receive; 0 for the default of the protocol.
    list_size
        Items on a page; 0 for the default of the protocol.
    seed
        Seed of every random choice.
    """

    items: Path
    protocol: str = DEFAULT_PROTOCOL
    title: str = ""
    question: str = ""
    model: str = ""
    selection: str = ""
    redundancy: int = 0
    list_size: int = 0
    seed: int = 0

    @property
    def asking(self) -> AskingSettings:
        """The protocol, or several of them, as a study has it."""
        names = tuple(name.strip() for name in self.protocol.split(","))
        for name in names:
            if name not in PROTOCOLS:
                raise UnknownName("protocol", name, tuple(PROTOCOLS))
        return AskingSettings(names[0] if len(names) == 1 else names)


def create_study(folder: Path, new: NewStudy) -> Study:
    """Create the folder of a new study; if the items contain a mistake, nothing is written."""
    with _writing_to(folder):
        if (folder / STUDY_FILE).exists():
            raise StudyExists(str(folder))
        for place in (folder, *folder.parents):
            if place.exists() and not place.is_dir():
                raise BadSetting(
                    str(place), "is a file, not a folder. Choose another path for the new study."
                )
    check_text("question", new.question)
    check_text("title", new.title)
    _check_list_size(new)
    sheet = open_sheet(new.items, str(new.items))
    table = guess_columns(list(sheet.columns), new.items.name)
    _check_items_on_page(new, sheet, str(table.get("segment", "")))
    return write_study(folder, study_text(new, table), new.items)


def _check_list_size(new: NewStudy) -> None:
    """Raise BadSetting if the number of items on a page is set although no protocol uses it."""
    asks = new.asking.way
    if not new.list_size or any(map(_takes_list_size, new.asking.protocols)):
        return
    sized = ", ".join(filter(_takes_list_size, PROTOCOLS))
    shows = "group_size in study.toml sets the number of items on its pages"
    if asks.size is not None:
        shows = f"its pages always show {asks.size} {'item' if asks.size == 1 else 'items'}"
    raise BadSetting(
        "list_size",
        f"the protocol {asks.name!r} does not use it: {shows}. Leave out list_size (--list-size), or choose one of "
        f"the protocols {sized}.",
    )


def _takes_list_size(protocol: str) -> bool:
    asks = PROTOCOLS[protocol]
    return takes_list_size(asks.size, asks.selection)


def _check_items_on_page(new: NewStudy, sheet: Sheet, segment: str) -> None:
    """Raise BadSetting if a page would have more items than there are; all items of a page share a segment."""
    sizes = Counter(text_cells(sheet.columns[segment]).tolist()).values() if segment else [len(sheet)]
    most = max(sizes, default=0)
    if not most or new.list_size <= most:
        return
    where = " in any one segment, and the items of a page share a segment" if most < len(sheet) else ""
    raise BadSetting(
        "list_size",
        f"a page of {new.list_size} items cannot be made: {new.items.name} has only {most}{where}. Set list_size "
        f"(--list-size) to at most {most}, or add items.",
    )


def study_text(new: NewStudy, items: dict[str, object]) -> str:
    """Return the text of a new study.toml, with comments on the settings that owners change most often.

    `items` has the lines of its section [items].
    """
    asks, kind = new.asking.way, new.asking.kind
    asked = new.question or asks.question
    top: list[Setting] = [
        ("title", new.title or asked, ""),
        ("seed", new.seed, "seed of every random choice"),
    ]
    sections = {
        "": top,
        "[items]": [(name, value, "") for name, value in items.items()],
        "[asking]": _asking(new),
        "[[questions]]": [("text", asked, ""), *kind.question_settings],
        **_questions_of_protocols(new.asking),
        "[scale]": [*SCALE, *kind.scale_settings] if kind.placed else [],
        "[learning]": _learning(new, asks),
        "[choosing]": _choosing(new, asks),
        "[page]": PAGE,
        "[joining]": JOINING,
    }
    texts = (f"{heading}\n{_lines(rows)}".strip() for heading, rows in sections.items() if rows)
    return "\n\n".join(texts) + "\n"


def _questions_of_protocols(asking: AskingSettings) -> dict[str, list[Setting]]:
    """Return the sections with the question as the other protocols of the study ask it."""
    others = [PROTOCOLS[name] for name in asking.protocols if name != asking.way.name]
    return {
        f"[[protocol_settings.{other.name}.questions]]": [
            ("text", other.question, f"the question on the pages of {other.name}")
        ]
        for other in others
    }


def _learning(new: NewStudy, asks: Protocol) -> list[Setting]:
    """Return the lines of [learning], with a comment that lists the models for the protocol."""
    model = new.model or _default_model(new, asks)
    suitable = _suitable_models(new, asks)
    suitable = suitable if model in suitable else [model, *suitable]  # a model of converted answers
    return [
        ("model", model, " or ".join(f'"{name}"' for name in suitable)),
        ("update", "answer", 'update the model after each "answer", or after a whole "round"'),
    ]


def _default_model(new: NewStudy, asks: Protocol) -> str:
    if len(new.asking.protocols) > 1:
        return model_for(new.asking.protocols)
    return default_model_for(asks, new.selection or asks.selection)


def _suitable_models(new: NewStudy, asks: Protocol) -> list[str]:
    """Return the models for the kind of the protocol or, if there are none, for the kinds it converts to."""
    models = item_models()
    if len(new.asking.protocols) > 1:
        return models_of_all(kinds_of(new.asking.protocols))
    own = [name for name, model in models.items() if asks.kind in model.kinds]
    return own or [name for name, model in models.items() if set(asks.becomes) & set(model.kinds)]


def _choosing(new: NewStudy, asks: Protocol) -> list[Setting]:
    """Return the lines of [choosing]: the selection and the number of answers."""
    selection = new.selection or asks.selection
    answers = max(PROTOCOLS[name].usual_answers for name in new.asking.protocols)
    judged = "pair" if traits_of(selection).asks_every_pair else "item"
    return [
        ("selection", selection, _selection_remark(asks, selection)),
        *_selection_settings(selection, new.model or _default_model(new, asks)),
        ("redundancy", new.redundancy or answers, f"judgments that each {judged} should receive"),
    ]


def _asking(new: NewStudy) -> list[Setting]:
    """Return the lines of [asking]: the protocols and the settings that apply to them."""
    asking = new.asking
    ways = [PROTOCOLS[name] for name in asking.protocols]
    sized = [way.usual_size for way in ways if _takes_list_size(way.name)]
    remark = " or ".join(f'"{name}"' for name in PROTOCOLS)
    settings: list[Setting] = [("protocol", asking.protocol, remark if len(ways) == 1 else "")]
    if len(ways) > 1:
        shares = [round(share, 3) for share in asking.shares_of_tasks]
        settings.append(("shares", shares, "share of the tasks of each protocol"))
    if sized:
        settings.append(("list_size", new.list_size or sized[0], "items on a page"))
    elif len(ways) == 1 and ways[0].size is None:
        settings.append(("group_size", 10, "items compared with each other, if items have no segments"))
    taken = {option for way in ways for option in way.takes}
    return [*settings, *(setting for setting in OPTIONAL if setting[0] in taken)]


def _selection_remark(asks: Protocol, selection: str) -> str:
    """Return the comment on the selection: where selections are described, and whether another is more accurate."""
    chosen = (asks.against and traits_of(selection).stand_in) or selection
    better = traits_of(chosen).more_accurate
    if better:
        return f'"{better}" is more accurate; see "Choosing tasks and stopping" in the documentation'
    return 'see "Choosing tasks and stopping" in the documentation'


def _selection_settings(selection: str, model: str) -> list[Setting]:
    """Return the lines that apply to some selections only: the limit at which raters are stopped early."""
    least_worth = traits_of(selection).least_worth
    models = item_models()
    if not least_worth or model not in models or "rater_worth" not in models[model].capabilities.belief:
        return []
    remark = "raters whose answers carry less than this fraction of the average information get no new tasks"
    return [("least_worth", least_worth, f"{remark}; 0 turns this off")]


def _lines(settings: Sequence[Setting]) -> str:
    lines = [(f"{name} = {_toml(value)}", remark) for name, value, remark in settings]
    return "\n".join(f"{line:<{REMARKS_AT}}  # {remark}" if remark else line for line, remark in lines)


def write_study(folder: Path, text: str, items: Path) -> Study:
    """Write a folder with study.toml and copies of the items and other files, after checking them.

    Parameters
    ----------
    folder
        Folder to create.
    text
        Content of study.toml, with or without a byte order mark.
    items
        Items file. Media, anchors and training images are copied from its folder.

    Returns
    -------
    Study
        The study in the new folder.
    """
    definition = define(parse_toml(text, STUDY_FILE))
    study = study_in(items.parent, definition)
    _check_page(study)
    media = [item.content for item in study.items.all if item.medium in FILES and not is_remote(item.content)]
    with _writing_to(folder):
        make_private_folder(folder)
        for name in dict.fromkeys([definition.items.file, *media, *_further_files(definition)]):
            _copy(items.parent / name, folder / name)
        write_private(folder / STUDY_FILE, text.encode())
    return replace(study, folder=folder)


@contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    """Raise CannotWrite for errors of the operating system, and remove a folder that was created before."""
    existed = os.path.lexists(folder)
    try:
        yield
    except OSError as error:
        if not existed:
            shutil.rmtree(folder, ignore_errors=True)
        raise CannotWrite(str(folder), error.strerror) from error


def _check_page(study: Study) -> None:
    """Raise BadSetting if no segment has enough items for a page; all items of a page share a segment."""
    ways, file = [way.asking.way for way in study.definition.asked_ways], study.definition.items.file
    asks = max(ways, key=lambda way: way.least)
    most = max(Counter(item.segment for item in study.items.all).values())
    if most < asks.least:
        where = " in any one segment" if most < len(study.items) else ""
        reason = f"a page needs at least {asks.least} items, but {file} has only {most}{where}."
        raise BadSetting(f"protocol {asks.name}", f"{reason} Add items, or choose another protocol.")


def _further_files(definition: StudyDefinition) -> list[str]:
    """Return the other files that a study reads: its anchors file and the images of its training."""
    trainings = [way.training for way in definition.asked_ways if way.training is not None]
    images = [str(name) for each in trainings for task in each.tasks for name in several(task.image)]
    return [name for name in (definition.grounding.anchor_settings.file, *images) if name]


def _copy(source: Path, target: Path) -> None:
    if target.resolve() != source.resolve():
        make_private_folder(target.parent)
        write_private(target, source.read_bytes())


def _toml(value: object) -> str:
    """Return a value in TOML; JSON strings, numbers and lists of strings are valid TOML."""
    return json.dumps(value, ensure_ascii=False)
