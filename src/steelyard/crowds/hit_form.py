"""The HTML of a HIT: a form for one task of any protocol, as a template for a batch or filled in for one task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from steelyard.kinds.form_field import FormField
from steelyard.messages.catalogue import AUTO, SOURCE
from steelyard.messages.words import Words, words_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.definition.sections.asking import Question
from steelyard.web.crowds import MTURK_RECEIVERS
from steelyard.web.markup import markdown_html

TEMPLATES = Path(__file__).parent / "templates"
CROWD_FORM = (
    '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>\n'
    '<crowd-form answer-format="flatten-objects">\n{}\n</crowd-form>\n'
)
REFUSAL = "na"
SLOT = re.compile(r"Item (\d+|\{slot\})")  # how kinds name an item in a choice
TAGS = {  # how a form shows each medium; the value is an address, or the text itself
    "image": '<img src="{}" alt="{name}">',
    "audio": '<audio src="{}" controls></audio>',
    "video": '<video src="{}" controls></video>',
    "html": "{}",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about one item, with its fields and the name of the field for "can't judge"."""

    text: str
    fields: tuple[FormField, ...]
    refusal: str


@dataclass(frozen=True, slots=True)
class Slot:
    """One item of the form."""

    name: str
    content: Markup
    asked: tuple[Asked, ...]


def batch_form(definition: StudyDefinition, items: Items, size: int) -> str:
    """Return the HTML of a HIT with placeholders such as `${text1}`, for a batch of `next --format mturk-csv`.

    Parameters
    ----------
    definition
        Settings of the study, or of one of its arms.
    items
        Items of the study, which determine the medium and the shown columns.
    size
        Number of items in a task.

    Returns
    -------
    str
        The form inside `<crowd-form>`, for the HTML of a project on MTurk or a template of Turkle.
    """
    names = (items[0].medium, *dict.fromkeys(name for item in items.all for name, _ in item.context))
    shown = [{name: f"${{{name}{at}}}" for name in names} for at in range(1, size + 1)]
    slots = _slots_of(definition, size, _words(definition))
    return CROWD_FORM.format(_form(definition, items[0].medium, shown, slots))


def task_question(definition: StudyDefinition, items: Items, task: Sequence[str]) -> str:
    """Return a whole page for one task, which sends its answers to MTurk without scripts of other hosts.

    Parameters
    ----------
    definition
        Settings of the study, or of one of its arms.
    items
        Items of the study.
    task
        Ids of the items, in the order shown.

    Returns
    -------
    str
        HTML for an HTMLQuestion of MTurk.
    """
    chosen = [items[items.index[each]] for each in task]
    shown = [{item.medium: item.content, **dict(item.context)} for item in chosen]
    words = _words(definition)
    slots = _slots_of(definition, len(task), words)
    form = Markup(_form(definition, chosen[0].medium, shown, slots))
    return (
        _templates()
        .get_template("hit_question.html")
        .render(
            title=definition.title,
            form=form,
            needed=_needed(slots),
            receivers=MTURK_RECEIVERS,
            messages=words,
        )
    )


def _words(definition: StudyDefinition) -> Words:
    """Return the words of a form. It is the same for all workers, so it is in English if pages follow the browser."""
    language = definition.page.language
    return words_of(
        SOURCE if language == AUTO else language, definition.words, definition.asking.message_folders
    )


def _form(
    definition: StudyDefinition,
    medium: str,
    shown: Sequence[Mapping[str, str]],
    slots: Sequence[tuple[Asked, ...]],
) -> str:
    words, whole = _words(definition), definition.kind.per_task
    names = [words.say("item_letter", letter=str(at)) for at in range(1, len(shown) + 1)]
    contents = [_content(medium, each, name) for each, name in zip(shown, names, strict=True)]
    return (
        _templates()
        .get_template("hit_form.html")
        .render(
            title=definition.title,
            instructions=markdown_html(definition.page.instructions) if definition.page.instructions else "",
            slots=[Slot(*each) for each in zip(names, contents, slots, strict=True)],
            messages=words,
            refusal=REFUSAL if whole and definition.page.cannot_judge else "",
            comment=definition.page.comment,
        )
    )


def _content(medium: str, shown: Mapping[str, str], item: str) -> Markup:
    """Return an item and its context. Placeholders are filled in by MTurk, and values of the study are escaped."""
    parts = []
    for name, value in shown.items():
        text = value if medium == "html" and name == medium else escape(value)
        tag = TAGS.get(name, "<span>{}</span>") if name == medium else f"{escape(name)}: {{}}"
        parts.append(f"<p>{tag.replace('{name}', escape(item)).replace('{}', text)}</p>")
    return Markup("".join(parts))


def _slots_of(definition: StudyDefinition, size: int, words: Words) -> list[tuple[Asked, ...]]:
    return [
        tuple(_asked(definition, at, slot, size, words) for at in range(len(definition.questions)))
        for slot in range(1, size + 1)
    ]


def _asked(definition: StudyDefinition, at: int, slot: int, size: int, words: Words) -> Asked:
    """Return one question about one item; nothing is asked about the item that others are compared with."""
    question, asked = definition.questions[at], definition.asked(at)
    fields = [each for each in definition.kind.form_fields(asked, size) if slot >= each.first]
    named = tuple(_named(field, _prefix(definition, question), slot, words) for field in fields)
    may_refuse = definition.page.cannot_judge and not definition.kind.per_task and bool(named)
    refusal = f"{_prefix(definition, question)}{REFUSAL}{slot}" if may_refuse else ""
    return Asked(question.text if named else "", named, refusal)


def _named(field: FormField, prefix: str, slot: int, words: Words) -> FormField:
    """Return a field with its name in the form, and with its texts in the language of the form."""
    label = words.translated(field.label)
    if field.is_item:
        choices: tuple[tuple[str, str], ...] = ((str(slot), words.say("item_letter", letter=str(slot))),)
        return replace(field, name=f"{prefix}{field.name}", label=label, choices=choices)
    if field.low is not None and field.high is not None:
        label = words.say("form_limits", label=label, low=field.low, high=field.high)
    choices = tuple((value, _choice(text, slot, words)) for value, text in field.choices)
    return replace(field, name=f"{prefix}{field.name}{slot}", label=label, choices=choices)


def _choice(text: str, slot: int, words: Words) -> str:
    item = SLOT.fullmatch(text)
    if item is None:
        return words.translated(text)
    return words.say("item_letter", letter=str(slot) if item[1] == "{slot}" else item[1])


def _prefix(definition: StudyDefinition, question: Question) -> str:
    return f"{question.id}_" if len(definition.questions) > 1 else ""


def _needed(slots: Sequence[tuple[Asked, ...]]) -> list[dict[str, Any]]:
    """Return which fields must be filled in, and which boxes make them unnecessary."""
    return [
        {
            "names": [field.name for field in asked.fields if field.required],
            "refusals": [name for name in (asked.refusal, REFUSAL) if name],
        }
        for slot in slots
        for asked in slot
        if asked.fields
    ]


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
