"""The HTML of a HIT: a form for one task of any protocol, as a template for a batch or filled in for one task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from steelyard.kinds.form_field import FormField
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
TAGS = {  # how a form shows each medium; the value is an address, or the text itself
    "image": '<img src="{}" alt="Item {number}">',
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

    number: int
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
    return CROWD_FORM.format(_form(definition, items[0].medium, shown, _slots_of(definition, size)))


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
    slots = _slots_of(definition, len(task))
    form = Markup(_form(definition, chosen[0].medium, shown, slots))
    return (
        _templates()
        .get_template("hit_question.html")
        .render(title=definition.title, form=form, needed=_needed(slots), receivers=MTURK_RECEIVERS)
    )


def _form(
    definition: StudyDefinition,
    medium: str,
    shown: Sequence[Mapping[str, str]],
    slots: Sequence[tuple[Asked, ...]],
) -> str:
    contents = [_content(medium, each, at) for at, each in enumerate(shown, 1)]
    whole = definition.kind.per_task
    return (
        _templates()
        .get_template("hit_form.html")
        .render(
            title=definition.title,
            instructions=markdown_html(definition.page.instructions) if definition.page.instructions else "",
            slots=[
                Slot(at, content, asked)
                for at, (content, asked) in enumerate(zip(contents, slots, strict=True), 1)
            ],
            refusal=REFUSAL if whole and definition.page.cannot_judge else "",
            comment=definition.page.comment,
        )
    )


def _content(medium: str, shown: Mapping[str, str], number: int) -> Markup:
    """Return an item and its context. Placeholders are filled in by MTurk, and values of the study are escaped."""
    parts = []
    for name, value in shown.items():
        text = value if medium == "html" and name == medium else escape(value)
        tag = TAGS.get(name, "<span>{}</span>") if name == medium else f"{escape(name)}: {{}}"
        parts.append(f"<p>{tag.replace('{number}', str(number)).replace('{}', text)}</p>")
    return Markup("".join(parts))


def _slots_of(definition: StudyDefinition, size: int) -> list[tuple[Asked, ...]]:
    return [
        tuple(_asked(definition, at, slot, size) for at in range(len(definition.questions)))
        for slot in range(1, size + 1)
    ]


def _asked(definition: StudyDefinition, at: int, slot: int, size: int) -> Asked:
    """Return one question about one item; nothing is asked about the item that others are compared with."""
    question, asked = definition.questions[at], definition.asked(at)
    fields = [each for each in definition.kind.form_fields(asked, size) if slot >= each.first]
    named = tuple(_named(field, _prefix(definition, question), slot) for field in fields)
    may_refuse = definition.page.cannot_judge and not definition.kind.per_task and bool(named)
    refusal = f"{_prefix(definition, question)}{REFUSAL}{slot}" if may_refuse else ""
    return Asked(question.text if named else "", named, refusal)


def _named(field: FormField, prefix: str, slot: int) -> FormField:
    if field.is_item:
        return replace(field, name=f"{prefix}{field.name}", choices=((str(slot), f"Item {slot}"),))
    choices = tuple((value, label.replace("{slot}", str(slot))) for value, label in field.choices)
    return replace(field, name=f"{prefix}{field.name}{slot}", choices=choices)


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
