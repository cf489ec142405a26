"""A new study: a folder with study.toml and the items in it."""

from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import StudyExists
from steelyard.judgments.files import read_file
from steelyard.study.definition import STUDY_FILE, define
from steelyard.study.items import guess_columns, read_items
from steelyard.study.study import Study

PLAIN = """\
title = {title}
protocol = {protocol}            # "rating": one item a page; "list": several, a slider each
list_size = {list_size}
model = {model}        # "direct_assessment" or "easl"
selection = {selection}         # "balanced", "easl" (needs model = "easl") or "sequences"
update = "answer"              # when selection learns: after each "answer", or after a whole "round"
redundancy = {redundancy}                 # answers that each item should get
seed = {seed}
cannot_judge = true            # offer "Can't judge"
comment = false                # offer a comment field
instructions = ""              # Markdown; what raters read first
consent = ""                   # Markdown; if written, raters must agree to it
completion_code = ""           # shown at the end, and sent back to Prolific

[items]
{items}

[scale]
low = 0
high = 100
step = 1
labels = ["Not at all", "Moderately", "Extremely"]   # evenly along the scale
levels = 0                     # 5 gives five labelled steps instead of a slider

[[questions]]
text = {question}
"""


@dataclass(frozen=True, slots=True)
class NewStudy:
    """What `steelyard new` asks for; the rest is written into study.toml to be changed there."""

    items: Path
    protocol: str = "rating"
    title: str = ""
    question: str = "How much of it is there?"
    model: str = "direct_assessment"
    selection: str = "balanced"
    redundancy: int = 3
    list_size: int = 5
    seed: int = 0


def create_study(folder: Path, new: NewStudy) -> Study:
    """Write a study's folder; nothing is left behind when something is wrong with the items."""
    if (folder / STUDY_FILE).exists():
        raise StudyExists(str(folder))
    sheet = read_file(new.items)
    table = guess_columns(list(sheet.columns), new.items.name)
    text = PLAIN.format(
        title=_toml(new.title or new.question),
        protocol=_toml(new.protocol),
        list_size=new.list_size,
        model=_toml(new.model),
        selection=_toml(new.selection),
        redundancy=new.redundancy,
        seed=new.seed,
        items="\n".join(f"{name} = {_toml(value)}" for name, value in table.items()),
        question=_toml(new.question),
    )
    return write_study(folder, text, new.items)


def write_study(folder: Path, text: str, items: Path) -> Study:
    """A folder with this study.toml and a copy of the items, checked before it is written."""
    definition = define(tomllib.loads(text))
    items_there = read_items(items.parent, definition.items)
    study = Study(folder, definition, items_there)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / definition.items.file
    if target.resolve() != items.resolve():
        shutil.copyfile(items, target)
    (folder / STUDY_FILE).write_text(text, encoding="utf-8")
    return study


def _toml(value: object) -> str:
    """A TOML value: JSON's text, numbers and lists of text are TOML too."""
    return json.dumps(value, ensure_ascii=False)
