"""How many judgments answers of a study hold, and how many it wants: `judgments/counting.py` says what one is."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.kinds.cell import Cell
from steelyard.kinds.known import KINDS
from steelyard.study.definition.definition import StudyDefinition


def judged(cells: Iterable[Cell]) -> int:
    """Judgments in the cells of one answer: each cell with a value, or one ranking or choice for each question."""
    return _counted(cell for cell in cells if cell.value is not None)


def declined(cells: Iterable[Cell]) -> int:
    """How often an answer says "can't judge": of an item, of a pair, or of the whole task."""
    cells = tuple(cells)
    answered = {cell.question for cell in cells if cell.value is not None and KINDS[cell.kind].per_task}
    return _counted(cell for cell in cells if cell.value is None and cell.question not in answered)


def _counted(cells: Iterable[Cell]) -> int:
    """Cells, those of one question of a ranking or a best-worst choice counted once."""
    kept = tuple(cells)
    if kept and KINDS[kept[0].kind].per_task:
        return len({cell.question for cell in kept})
    return len(kept)


def items_per_judgment(definition: StudyDefinition) -> int:
    """How many items one judgment is about."""
    kind = definition.kind
    return definition.asking.task_size if kind.per_task else len(kind.table.items)
