"""A new study: a folder with study.toml and the items in it."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from steelyard.errors import BadSetting, CannotWrite, StudyExists, UnknownName
from steelyard.kinds.asked import several
from steelyard.kinds.kind import Setting
from steelyard.kinds.known import PROTOCOLS, kind_of
from steelyard.kinds.protocol import Protocol
from steelyard.models.known import item_models
from steelyard.selection.known import traits_of
from steelyard.study.definition.definition import STUDY_FILE, StudyDefinition, define
from steelyard.study.definition.earlier_defaults import default_model_for
from steelyard.study.definition.items import FILES, guess_columns, is_remote, open_sheet
from steelyard.study.definition.private_files import make_private_folder, write_private
from steelyard.study.definition.study import Study, study_in
from steelyard.study.definition.toml_records import check_text

OPTIONAL: tuple[Setting, ...] = (  # what only some protocols take
    ("ties", True, "let items be called equal"),
    ("both_bad", False, 'offer "Both bad" beside "About equal"'),
    ("strength", False, "ask how much more: slightly, clearly, much"),
)
SCALE: list[Setting] = [
    ("low", 0, ""),
    ("high", 100, ""),
    ("labels", ["Not at all", "Moderately", "Extremely"], "evenly along the scale"),
]
PAGE: list[Setting] = [
    ("cannot_judge", True, 'offer "Can\'t judge"'),
    ("comment", False, "offer a comment field"),
    ("instructions", "", "Markdown; what raters read first"),
]
JOINING: list[Setting] = [
    ("consent", "", "Markdown; if written, raters must agree to it"),
    ("completion_code", "", "shown at the end, and sent back to Prolific"),
]
REMARKS_AT = 32  # the column where remarks start in a new study.toml


@dataclass(frozen=True, slots=True)
class NewStudy:
    """What `steelyard new` asks for; the rest is written into study.toml to be changed there."""

    items: Path
    protocol: str = "rating"
    title: str = ""
    question: str = ""
    model: str = ""  # what the protocol usually takes, where none is named; selection likewise
    selection: str = ""
    redundancy: int = 0  # 0: what is usual for the protocol
    list_size: int = 0  # 0: what is usual for the protocol
    seed: int = 0


def create_study(folder: Path, new: NewStudy) -> Study:
    """Write a study's folder; nothing is left behind when something is wrong with the items."""
    with _writing_to(folder):
        if (folder / STUDY_FILE).exists():
            raise StudyExists(str(folder))
        for place in (folder, *folder.parents):
            if place.exists() and not place.is_dir():
                raise BadSetting(str(place), "is a file; name a folder to make.")
    check_text("question", new.question)
    check_text("title", new.title)
    if new.protocol not in PROTOCOLS:
        raise UnknownName("protocol", new.protocol, tuple(PROTOCOLS))
    sheet = open_sheet(new.items, str(new.items))
    table = guess_columns(list(sheet.columns), new.items.name)
    return write_study(folder, _study_text(new, table), new.items)


def _study_text(new: NewStudy, items: dict[str, object]) -> str:
    """A study.toml with a remark beside each setting that one is likely to change."""
    asks, kind = PROTOCOLS[new.protocol], kind_of(new.protocol)
    asked = new.question or asks.question
    top: list[Setting] = [
        ("title", new.title or asked, ""),
        ("seed", new.seed, "of every random choice"),
    ]
    sections = {
        "": top,
        "[items]": [(name, value, "") for name, value in items.items()],
        "[asking]": _asking(new, asks),
        "[[questions]]": [("text", asked, ""), *kind.question_settings],
        "[scale]": [*SCALE, *kind.scale_settings] if kind.placed else [],
        "[learning]": _learning(new, asks),
        "[choosing]": _choosing(new, asks),
        "[page]": PAGE,
        "[joining]": JOINING,
    }
    texts = (f"{heading}\n{_lines(rows)}".strip() for heading, rows in sections.items() if rows)
    return "\n\n".join(texts) + "\n"


def _learning(new: NewStudy, asks: Protocol) -> list[Setting]:
    """The model, with those that take the judgments of the protocol."""
    suitable = " or ".join(f'"{name}"' for name in _suitable_models(asks))
    default = default_model_for(asks, new.selection or asks.selection)
    return [
        ("model", new.model or default, suitable),
        ("update", "answer", 'selection learns after each "answer", or after a whole "round"'),
    ]


def _suitable_models(asks: Protocol) -> list[str]:
    """The models that take the protocol's kind or, where there is none, what its judgments can be converted to."""
    models = item_models()
    own = [name for name, model in models.items() if asks.kind in model.kinds]
    return own or [name for name, model in models.items() if set(asks.becomes) & set(model.kinds)]


def _choosing(new: NewStudy, asks: Protocol) -> list[Setting]:
    """The selection, and how many answers it collects."""
    selection = new.selection or asks.selection
    return [
        ("selection", selection, _selection_remark(asks)),
        *_selection_settings(selection),
        ("redundancy", new.redundancy or asks.usual_answers, "answers that each item should get"),
    ]


def _asking(new: NewStudy, asks: Protocol) -> list[Setting]:
    """The protocol, and the settings that only some protocols have."""
    settings: list[Setting] = [
        ("protocol", new.protocol, " or ".join(f'"{name}"' for name in PROTOCOLS)),
    ]
    if traits_of(asks.selection).asks_every_pair:
        settings.append(("group_size", 10, "items compared with each other, where they have no segment"))
    elif asks.size is None:
        settings.append(("list_size", new.list_size or asks.usual_size, "items on a page"))
    return [*settings, *(setting for setting in OPTIONAL if setting[0] in asks.takes)]


def _selection_remark(asks: Protocol) -> str:
    """Where selections are described, and which of them is less accurate where several suit the protocol."""
    if asks.against and not traits_of(asks.selection).asks_every_pair:
        return '"match_quality" is less accurate; docs/selection.md lists and compares selections'
    return "docs/selection.md lists all selections"


def _selection_settings(selection: str) -> list[Setting]:
    """What only some selections have: one that stops raters early states its limit where it can be changed."""
    least_worth = traits_of(selection).least_worth
    if not least_worth:
        return []
    remark = (
        "raters whose answers carry less information than this share of an average rater's get no new tasks"
    )
    return [("least_worth", least_worth, f"{remark}; 0 stops nobody")]


def _lines(settings: Sequence[Setting]) -> str:
    lines = [(f"{name} = {_toml(value)}", remark) for name, value, remark in settings]
    return "\n".join(f"{line:<{REMARKS_AT}}  # {remark}" if remark else line for line, remark in lines)


def write_study(folder: Path, text: str, items: Path) -> Study:
    """A folder with this study.toml and a copy of the items, checked before it is written."""
    definition = define(tomllib.loads(text))
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
    """Raise what the system refuses as CannotWrite; a folder that was made meanwhile is removed again."""
    existed = os.path.lexists(folder)
    try:
        yield
    except OSError as error:
        if not existed:
            shutil.rmtree(folder, ignore_errors=True)
        raise CannotWrite(str(folder), error.strerror) from error


def _check_page(study: Study) -> None:
    """Refuse items of which no page can be made: a page takes its items from one segment."""
    asks, file = study.definition.asking.way, study.definition.items.file
    most = max(Counter(item.segment for item in study.items.all).values())
    if most < asks.least:
        where = " in any one segment" if most < len(study.items) else ""
        reason = f"a page needs {asks.least} items, and {file} has {most}{where}."
        raise BadSetting(f"protocol {asks.name}", f"{reason} Add items, or choose another protocol.")


def _further_files(definition: StudyDefinition) -> list[str]:
    """Files beside the items that a study reads: its anchors, and images of its training."""
    training = definition.training
    images = (
        [str(name) for task in training.tasks for name in several(task.image)] if training is not None else []
    )
    return [name for name in (definition.grounding.anchor_settings.file, *images) if name]


def _copy(source: Path, target: Path) -> None:
    if target.resolve() != source.resolve():
        make_private_folder(target.parent)
        write_private(target, source.read_bytes())


def _toml(value: object) -> str:
    """A TOML value: JSON's text, numbers and lists of text are TOML too."""
    return json.dumps(value, ensure_ascii=False)
