"""Counts of judgments in the answers of a study; `judgments/counting.py` defines what one judgment is."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.kinds.cell import Cell
from steelyard.kinds.known import KINDS
from steelyard.study.definition.definition import StudyDefinition


def judged(cells: Iterable[Cell]) -> int:
    """Return the number of judgments in one answer: cells with a value, or one ranking or choice per question."""
    return _counted(cell for cell in cells if cell.value is not None)


def declined(cells: Iterable[Cell]) -> int:
    """Return how many times an answer is "can't judge": for an item, for a pair, or for the whole task."""
    cells = tuple(cells)
    answered = {cell.question for cell in cells if cell.value is not None and KINDS[cell.kind].per_task}
    return _counted(cell for cell in cells if cell.value is None and cell.question not in answered)


def _counted(cells: Iterable[Cell]) -> int:
    """Return the number of cells; a ranking or best-worst choice counts once per question."""
    kept = tuple(cells)
    if kept and KINDS[kept[0].kind].per_task:
        return len({cell.question for cell in kept})
    return len(kept)


def items_per_judgment(definition: StudyDefinition) -> float:
    """Return the number of items in one judgment; with several protocols, the average over judgments."""
    ways, shares = definition.asked_ways, definition.asking.shares_of_tasks
    items = [share * way.asking.task_size for way, share in zip(ways, shares, strict=True)]
    each = [_items_of_one(way) for way in ways]
    return sum(items) / sum(shown / size for shown, size in zip(items, each, strict=True))


def _items_of_one(definition: StudyDefinition) -> int:
    kind = definition.kind
    return definition.asking.task_size if kind.per_task else len(kind.table.items)
