"""Answers of machine judges in the log: events, which are no answers of raters and have no tasks.

They are never counted, paid, flagged or stopped, because the ledger has no rater and no answer for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from steelyard.judgments.coding import code
from steelyard.judgments.frames import to_columns
from steelyard.judgments.sources import FAMILY
from steelyard.judgments.table import MISSING, Judgments
from steelyard.judgments.table_kinds import system_column, vocabulary_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items

ROWS_AT_ONCE = 2000  # rows of one event
KEPT = ("question", "task", "system", "left_system", "right_system", "segment", FAMILY)


@dataclass(frozen=True)
class MachineAnswers:
    """Rows of one kind of judgment by machine judges.

    Attributes
    ----------
    kind
        Kind of judgment.
    columns
        Columns by name, as in a file of judgments.
    """

    kind: str
    columns: Mapping[str, Sequence[Any]]

    def __hash__(self) -> int:  # of the columns that a cache needs; equality compares all cells
        return hash((self.kind, len(self), *self.columns))

    @staticmethod
    def of_facts(facts: Mapping[str, Any]) -> MachineAnswers:
        """Return the answers of an event."""
        return MachineAnswers(str(facts["kind"]), dict(facts["columns"]))

    @property
    def facts(self) -> dict[str, Any]:
        """The answers as facts of an event."""
        return {"kind": self.kind, "columns": {name: list(cells) for name, cells in self.columns.items()}}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def rows(self) -> Iterator[tuple[tuple[str, Any], ...]]:
        """Yield each row as pairs of column and value, without empty cells."""
        for cells in zip(*self.columns.values(), strict=True):
            pairs = zip(self.columns, cells, strict=True)
            yield tuple(sorted((name, cell) for name, cell in pairs if cell is not None))


def machine_answers_of(machine: Judgments) -> list[MachineAnswers]:
    """Return judgments of machine judges for the log, by kind, without columns that no model uses."""
    answers = []
    for kind, table in machine.tables.items():
        wanted = {*table.kind.text, *table.kind.numbers, *KEPT}
        columns = {name: cells for name, cells in to_columns(machine, kind).items() if name in wanted}
        answers.append(MachineAnswers(kind, columns))
    return answers


def new_answers(answers: MachineAnswers, logged: Iterable[MachineAnswers]) -> Iterator[MachineAnswers]:
    """Yield the rows that are not in the log yet, in parts of limited size.

    A row that is logged once and occurs twice in the file is logged once more.

    Parameters
    ----------
    answers
        Rows of a file.
    logged
        Answers in the log.

    Yields
    ------
    MachineAnswers
        Parts of the new rows.
    """
    stored = Counter(row for each in logged if each.kind == answers.kind for row in each.rows())
    fresh = []
    for at, row in enumerate(answers.rows()):
        if stored[row] > 0:
            stored[row] -= 1
        else:
            fresh.append(at)
    for start in range(0, len(fresh), ROWS_AT_ONCE):
        rows = fresh[start : start + ROWS_AT_ONCE]
        columns = {name: [cells[at] for at in rows] for name, cells in answers.columns.items()}
        yield MachineAnswers(answers.kind, columns)


def machine_judgments(
    answers: tuple[MachineAnswers, ...], definition: StudyDefinition, items: Items, question: int | None
) -> Judgments | None:
    """Return the answers of machine judges about one question, or about all, with systems and segments of the items.

    Parameters
    ----------
    answers
        Answers in the log.
    definition
        Settings of the study.
    items
        Items of the study. Rows without a system or segment get those of their item.
    question
        Index of the question; None for all. Answers without a question are about every question.

    Returns
    -------
    Judgments or None
        The answers; None if there are none.
    """
    if not answers:
        return None
    machine = _judgments(answers, None if question is None else definition.questions[question].id)
    return None if machine is None else _described(machine, items)


def _described(machine: Judgments, items: Items) -> Judgments:
    """Return the rows with the systems and segments of their items where they name none."""
    system = {item.id: item.system or None for item in items.all}
    segment = {item.id: item.segment or None for item in items.all}
    for kind, table in machine.tables.items():
        for item in table.kind.items:
            if any(system.values()):
                machine = _filled(machine, kind, item, system_column(item), system)
            if any(segment.values()):
                machine = _filled(machine, kind, item, "segment", segment)
    return machine


def _filled(
    machine: Judgments, kind: str, item: str, column: str, of_item: Mapping[str, str | None]
) -> Judgments:
    """Return the rows with a column in which empty cells have the value of the item."""
    table, family = machine.table(kind), vocabulary_of(column)
    values, vocabulary = code([of_item.get(each) for each in machine.items], machine.vocabularies.get(family))
    theirs = values[table.codes[item]]
    own = table.codes.get(column, theirs)
    filled = replace(table, codes={**table.codes, column: np.where(own == MISSING, theirs, own)})
    return replace(
        machine,
        tables={**machine.tables, kind: filled},
        vocabularies={**machine.vocabularies, family: vocabulary},
    )


@lru_cache(maxsize=16)
def _judgments(answers: tuple[MachineAnswers, ...], question: str | None) -> Judgments | None:
    parts = [Judgments.from_columns(each.kind, dict(each.columns)) for each in answers]
    joined = Judgments.concat(parts)
    if question is None:
        return joined

    def keep(table: Any) -> Any:
        cells = joined.cells(table.kind.name, "question") if "question" in table else [None] * len(table)
        return [at for at, cell in enumerate(cells) if cell is None or cell == question]

    about = joined.where(keep).compact()
    return about if len(about) else None
