"""Answers of people and of machine judges: the columns `source` and `family`, and rows set apart by source.

A metric or a language model that judges items is a machine judge. Its rows have `machine` in the column `source`.
Rows of people have `human` or an empty cell. Judges whose errors are shared, such as models with the same base model,
have the same `family`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.errors import BadRows, MachineRater, RowMistake, UnknownWord
from steelyard.judgments.coded import Coded
from steelyard.judgments.coding import Vocabulary
from steelyard.judgments.faults import Fault, Places, group, rows_where, sound
from steelyard.judgments.sheet import Cells, Sheet, bare, id_cells
from steelyard.judgments.table_kinds import RATER_NAMES
from steelyard.judgments.table_rows import Table, coded_as, numbered_as, without_value
from steelyard.maths.arrays import Codes, Labels, Mask, object_cells

if TYPE_CHECKING:
    from steelyard.judgments.table import Judgments

SOURCE, FAMILY = "source", "family"
HUMAN, MACHINE = "human", "machine"
SOURCES = (HUMAN, MACHINE)
UNNAMED = "unnamed judge"  # rater of machine answers without a rater


@dataclass(frozen=True, eq=False)
class BySource:
    """Rows of a sheet by source, and the number of rows that were left out by reason."""

    people: Sheet
    machine: Sheet | None
    left_out: dict[str, int]


def by_source(sheet: Sheet, machine_raters: Collection[str], drop: bool) -> BySource:
    """Return the rows of people and those of machine judges.

    A column `source` without the words human and machine is a covariate and changes nothing. All rows of a rater
    have one source: an empty cell has the source of the rater's other rows.

    Parameters
    ----------
    sheet
        File or data frame.
    machine_raters
        Raters that are machine judges, whether or not the column exists.
    drop
        Whether to leave out rows with other words, instead of raising `BadRows`.

    Returns
    -------
    BySource
        The rows of each source, without the column. `machine` is None if there are none.
    """
    name = sheet.named(SOURCE)
    cells = None if name is None else id_cells(sheet.columns[name])
    if cells is None or not _names_sources(cells.labels):
        cells, name = None, None
    if cells is None and not machine_raters:
        return BySource(sheet, None, {})
    raters = _raters(sheet)
    machine, faults = _machine_rows(_codes_of_source(cells, len(sheet)), raters, machine_raters)
    if cells is not None:
        faults = [*_other_words(cells), *faults]
    kept, left_out = sound(faults, len(sheet))
    if faults and any(len(fault.rows) for fault in faults) and not drop:
        raise BadRows(sheet.source, group(faults, Places(sheet.place, sheet.unit)))
    plain = sheet if name is None else sheet.without(name)
    if not (machine & kept).any():
        return BySource(plain.where(kept) if left_out else plain, None, left_out)
    theirs = replace(plain.where(machine & kept), ragged=None)
    return BySource(plain.where(~machine & kept), _named_judges(theirs), left_out)


def _names_sources(labels: Labels) -> bool:
    return any(label is not None and label.casefold() in SOURCES for label in labels.tolist())


def _codes_of_source(cells: Coded | None, rows: int) -> Codes:
    """Return 0 for a person, 1 for a machine judge and -1 for an empty cell or another word, per row."""
    if cells is None:
        return np.full(rows, -1)
    words = [None if label is None else label.casefold() for label in cells.labels.tolist()]
    of_label = np.array([SOURCES.index(word) if word in SOURCES else -1 for word in words] + [-1])
    return np.asarray(of_label[cells.codes])


def _other_words(cells: Coded) -> list[Fault]:
    labels = cells.labels.tolist()
    other = np.array([label is not None and label.casefold() not in SOURCES for label in labels] + [False])
    rows = rows_where(other[cells.codes])
    return [Fault(UnknownWord, rows, lambda row: UnknownWord(SOURCE, labels[cells.codes[row]], SOURCES))]


def _raters(sheet: Sheet) -> Coded | None:
    name = sheet.named(*RATER_NAMES)
    return None if name is None else id_cells(sheet.columns[name])


def _machine_rows(
    source: Codes, raters: Coded | None, machine_raters: Collection[str]
) -> tuple[Mask, list[Fault]]:
    """Return which rows are by machine judges, and the rows of raters that have both sources."""
    if raters is None:
        return np.equal(source, 1), []
    marked = np.unique(raters.codes[source == 1])
    judges = {*machine_raters, *(raters.labels[code] for code in marked if code >= 0)} - {None}
    of_rater = raters.where(lambda label: label in judges)
    both = rows_where(of_rater & (source == 0))

    def say(row: int) -> RowMistake:
        return MachineRater(str(raters.labels[raters.codes[row]]))

    return of_rater | (source == 1), [Fault(MachineRater, both, say)]


def _named_judges(sheet: Sheet) -> Sheet:
    """Return rows of machine judges in which each has a rater."""
    name = sheet.named(*RATER_NAMES)
    if name is None:
        return replace(sheet, columns={**sheet.columns, "rater": np.full(len(sheet), UNNAMED, dtype=object)})
    cells = np.array(
        [UNNAMED if cell is None else cell for cell in id_cells(sheet.columns[name]).tolist()], dtype=object
    )
    return replace(sheet, columns={**sheet.columns, name: cells})


def apart(columns: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, Any] | None]:
    """Return the columns of people's rows, and those of machine judges or None; without the column `source`.

    A column `source` with other words than human and machine is kept, and all rows are people's.
    """
    if SOURCE not in columns:
        return columns, None
    cells = [None if each is None else bare(str(each)) for each in _plain(columns[SOURCE])]
    if not {*SOURCES, None} >= set(cells) or set(cells) <= {None}:
        return columns, None
    machine = np.array([each == MACHINE for each in cells], dtype=bool)
    rest = {name: values for name, values in columns.items() if name != SOURCE}
    if not machine.any():
        return rest, None
    return _rows(rest, ~machine), _rows(rest, machine)


def _plain(values: Cells | Sequence[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, Coded | np.ndarray) else list(values)


def _rows(columns: dict[str, Any], keep: Mask) -> dict[str, Any]:
    at = np.flatnonzero(keep)

    def some(values: Any) -> Any:
        return values[at] if isinstance(values, Coded | np.ndarray) else [values[row] for row in at]

    return {name: some(values) for name, values in columns.items()}


def marked(judgments: Judgments, column: str, value: str) -> Judgments:
    """Return the same rows with one value in a text column.

    Parameters
    ----------
    judgments
        Judgments of any kinds.
    column
        Name of the column.
    value
        Value of every row.

    Returns
    -------
    Judgments
        The rows with the column.
    """
    tables = {
        kind: replace(table, codes={**table.codes, column: np.zeros(len(table), dtype=np.int64)})
        for kind, table in judgments.tables.items()
    }
    labels = Vocabulary(object_cells([value]))
    return replace(judgments, tables=tables, vocabularies={**judgments.vocabularies, column: labels})


def machine_part(machine: Judgments | None, column: str, value: str | float) -> Judgments | None:
    """Return the machine answers with this value in a column or without a value; None if there are none.

    Parameters
    ----------
    machine
        Answers of machine judges, or None.
    column
        Name of the column.
    value
        Value; "" for empty cells only.

    Returns
    -------
    Judgments or None
        Their rows.
    """
    if machine is None:
        return None
    named = not isinstance(value, float) and value != ""
    codes = np.flatnonzero(machine.labels(column) == value) if named else np.empty(0, dtype=np.int64)

    def keep(table: Table) -> Mask:
        rows = without_value(column, table)
        if isinstance(value, float):
            return rows | numbered_as(column, value, table)
        return rows | coded_as(column, int(codes[0]), table) if len(codes) else rows

    part = machine.where(keep).compact()
    return part if len(part) else None


def together(judgments: Judgments) -> Judgments:
    """Return all rows in one table, with the column `source`; unchanged if there are no machine answers.

    Use it to write judgments only. Models and statistics would count the rows of machine judges as people's.

    Parameters
    ----------
    judgments
        Judgments of people, with machine answers beside them.

    Returns
    -------
    Judgments
        People's rows followed by those of machine judges.
    """
    if judgments.machine is None:
        return judgments
    people = marked(replace(judgments, machine=None), SOURCE, HUMAN)
    return people + replace(marked(judgments.machine, SOURCE, MACHINE), range=judgments.range)
