"""The checks of a study: tasks with a reference answer, degraded copies, and hidden items of lists.

A check is a task with a name in `Task.check`, or an item in `Task.hidden`. `collecting/checking.py` decides when a
rater receives one, `log/check_results.py` compares the answer with the reference, and `collecting/check_rules.py`
applies the rules. Items that are only shown are in `Items.unasked`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.kinds.asked import several
from steelyard.kinds.cell import Cell
from steelyard.kinds.known import PROTOCOLS, kind_of
from steelyard.kinds.protocol import Protocol
from steelyard.study.definition.checks_file import read_check_tasks
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.definition.sections.checks import CheckTask, CheckType, HiddenItems

REPEAT = "repeat:"  # start of the name of a check that repeats the task named after it
HIDDEN = "hidden:"  # start of the name of a hidden item's check
DEFAULT_SHARE = 0.1  # of the scale: the default tolerance


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a study.

    Attributes
    ----------
    name
        Name in the log, made from the type and the items.
    type
        Attention check, gold item or degraded copy.
    items
        Ids of the items that the page shows; of a degraded copy, only the copy.
    question
        Index of the question that is checked.
    right
        Cells of the reference answer; empty for a degraded copy.
    original
        Id of the original of a degraded copy, or "".
    tolerance
        Largest accepted difference from the reference; for a degraded copy, the smallest difference to the original.
    ask
        Whether the items are also asked outside of checks.
    """

    name: str
    type: CheckType
    items: tuple[str, ...]
    question: int
    right: tuple[Cell, ...] = ()
    original: str = ""
    tolerance: float = 0.0
    ask: bool = False


@dataclass(frozen=True, eq=False)
class Checks:
    """All checks of a study, and the hidden items by segment.

    Attributes
    ----------
    all
        Checks with a reference answer, and degraded copies.
    hidden
        Settings of the hidden items, by id of the item.
    """

    all: tuple[Check, ...] = ()
    hidden: Mapping[str, HiddenItems] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, Check]:
        """The checks by their name in the log."""
        return {check.name: check for check in self.all}

    @property
    def items(self) -> frozenset[str]:
        """Ids of the items that are shown only in checks."""
        return frozenset(self.hidden).union(*(check.items for check in self.all if not check.ask))


def read_checks(folder: Path, definition: StudyDefinition, items: Items) -> Checks:
    """Read the checks of a study from study.toml and the file of checks.

    Parameters
    ----------
    folder
        Folder of the study.
    definition
        Settings of the study.
    items
        Items of the study. Checks show some of them.

    Returns
    -------
    Checks
        The checks, with their reference answers.
    """
    settings = definition.checks
    tasks = [(f"checks, tasks[{at}]", task) for at, task in enumerate(settings.tasks)]
    if settings.file:
        tasks += read_check_tasks(folder, settings.file)
    checks = tuple(_check(task, where, definition, items) for where, task in tasks)
    names = [check.name for check in checks]
    for name in names:
        if names.count(name) > 1:
            raise BadSetting("checks", f"the check {name!r} exists twice. Delete one of them.")
    return Checks(checks, dict(_hidden(definition, items)))


def _check(task: CheckTask, where: str, definition: StudyDefinition, items: Items) -> Check:
    shown = tuple(str(item) for item in several(task.item))
    for item in (*shown, *((task.below,) if task.below else ())):
        if item not in items.index:
            raise BadSetting(where, f"item {item!r} is not in the items file. Add it, or correct the id.")
    question = _question(task, where, definition)
    if task.below:
        return _degraded(task, where, shown, question, definition)
    way, asked = definition.asking.way, definition.asked(question)
    if (way.size is not None and len(shown) != way.size) or len(shown) < way.least:
        wanted = way.size if way.size is not None else f"at least {way.least}"
        raise BadSetting(where, f"needs {wanted} items for the protocol {way.name!r}, but has {len(shown)}.")
    right = definition.kind.reference_cells(task, len(shown), asked)
    if right is None:
        reason = f"has no valid reference answer for the protocol {way.name!r}. Write {way.reference}."
        raise BadSetting(where, reason)
    tolerance = task.tolerance or DEFAULT_SHARE * (asked.scale.high - asked.scale.low)
    name = f"{task.type}:{'|'.join(shown)}"
    return Check(name, task.type, shown, question, right, "", tolerance, task.ask)


def _degraded(
    task: CheckTask, where: str, shown: Sequence[str], question: int, definition: StudyDefinition
) -> Check:
    way = definition.asking.way
    if _has_reference(task):
        raise BadSetting(where, "has both below and a reference answer. Keep one of them.")
    if len(shown) != 1 or shown[0] == task.below:
        raise BadSetting(where, "a degraded copy is one item, and its original is another one.")
    if way.least > 1 + way.against:
        raise BadSetting(
            where,
            f"the protocol {way.name!r} needs {way.least} items on a page, so it cannot show a degraded copy with its "
            "original only. Write a reference answer.",
        )
    name = f"degraded:{shown[0]}"
    return Check(name, "degraded", tuple(shown), question, (), task.below, task.tolerance, task.ask)


def _has_reference(task: CheckTask) -> bool:
    return any((task.answer is not None, task.low is not None, task.high is not None, task.ranks, task.best))


def _question(task: CheckTask, where: str, definition: StudyDefinition) -> int:
    ids = [question.id for question in definition.questions]
    if task.question and task.question not in ids:
        raise UnknownName("question", task.question, ids, where)
    return ids.index(task.question) if task.question else 0


def _can_hide(way: Protocol) -> bool:
    """Whether a page has a score for each of any number of items."""
    kind = kind_of(way.name)
    return kind.pointed and not kind.per_task and not way.against and way.size is None


def _hidden(definition: StudyDefinition, items: Items) -> Iterator[tuple[str, HiddenItems]]:
    """Yield the hidden items, or raise BadSetting if the study cannot hide items in lists."""
    settings = definition.checks.hidden
    if not settings:
        return
    way = definition.asking.way
    if not _can_hide(way):
        able = " or ".join(f'protocol = "{each.name}"' for each in PROTOCOLS.values() if _can_hide(each))
        raise BadSetting("checks, hidden", f"the protocol {way.name!r} cannot hide items. Set {able}.")
    if not any(item.segment for item in items.all):
        raise BadSetting(
            "checks, hidden",
            "hidden items are shown with the items of their segment. Set segment in [items].",
        )
    systems = {item.system for item in items.all}
    named = {each.system for each in settings}
    for each in settings:
        if each.system not in systems:
            raise UnknownName("system", each.system, sorted(systems), "checks, hidden")
        if each.below and each.below not in named:
            raise UnknownName("hidden system", each.below, sorted(named), "checks, hidden, below")
    by_system: dict[str, Any] = {each.system: each for each in settings}
    for item in items.all:
        if item.system in by_system:
            yield item.id, by_system[item.system]
