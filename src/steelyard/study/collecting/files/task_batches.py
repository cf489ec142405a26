"""Write a batch of tasks as columns: one row per item, or one row per task for MTurk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.study.definition.items import Item, Items
from steelyard.study.log.entries import Task

BatchColumns = dict[str, list[Any]]


def long_columns(tasks: Sequence[Task], items: Items) -> BatchColumns:
    """Return columns with one row per item of each task."""
    rows = [
        (task, slot, items[items.index[item]]) for task in tasks for slot, item in enumerate(task.items, 1)
    ]
    columns: BatchColumns = {
        "task": [task.id for task, _, _ in rows],
        "slot": [slot for _, slot, _ in rows],
        "item": [item.id for _, _, item in rows],
    }
    if len({task.condition for task in tasks}) > 1:
        columns["condition"] = [task.condition for task, _, _ in rows]
    if len({task.protocol for task in tasks}) > 1:
        columns["protocol"] = [task.protocol for task, _, _ in rows]
    for name in _shown(items):
        columns[name] = [_cell(item, name) for _, _, item in rows]
    return columns


def mturk_columns(tasks: Sequence[Task], items: Items) -> BatchColumns:
    """Return columns with one row per task for MTurk templates: id1 to idn, text1 to textn and so on, and task."""
    most = max((len(task.items) for task in tasks), default=0)
    columns: BatchColumns = {}
    for name in ("id", *_shown(items)):
        for slot in range(most):
            columns[f"{name}{slot + 1}"] = [_slot(task, slot, name, items) for task in tasks]
    columns["task"] = [task.id for task in tasks]
    if len({task.condition for task in tasks}) > 1:
        columns["condition"] = [task.condition for task in tasks]
    if len({task.protocol for task in tasks}) > 1:
        columns["protocol"] = [task.protocol for task in tasks]
    return columns


def _shown(items: Items) -> tuple[str, ...]:
    """Return the names of the shown columns: the medium, and the context of the items."""
    beside = dict.fromkeys(name for item in items.all for name, _ in item.context)
    return (items[0].medium, *beside)


def _cell(item: Item, name: str) -> str:
    return item.content if name == item.medium else dict(item.context).get(name, "")


def _slot(task: Task, slot: int, name: str, items: Items) -> str:
    if slot >= len(task.items):
        return ""
    item = items[items.index[task.items[slot]]]
    return item.id if name == "id" else _cell(item, name)
