"""Groups of judgments (`--by`) and selection of rows (`--where`) for `steelyard fit`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.sheet import bare
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import COLUMN_ROLES
from steelyard.maths.arrays import Mask
from steelyard.scales.fit import Fit

EMPTY = "(empty)"  # shown for a cell without a value


@dataclass(frozen=True, eq=False)
class Group:
    """Judgments or a log with the same values in the columns of `--by`; without `--by` there are no columns."""

    columns: tuple[str, ...]
    values: tuple[str, ...]
    judgments: Any  # `Judgments`, or a log in place

    @property
    def label(self) -> str:
        """Name of the group, such as `question=warm, round=2`; empty for all judgments."""
        pairs = zip(self.columns, self.values, strict=True)
        return ", ".join(f"{column}={value if value else EMPTY}" for column, value in pairs)

    def named(self, text: str) -> str:
        """Return a message about the group, preceded by its name."""
        return f"{self.label} | {text}" if self.label else text


@dataclass(frozen=True, eq=False)
class GroupFit:
    """A group with its fit."""

    group: Group
    fit: Fit


def groups_by(judgments: Judgments, by: str | None) -> list[Group]:
    """Return the judgments for each combination of values of these columns, given as comma-separated names."""
    if by is None:
        return [Group((), (), judgments)]
    columns = columns_named(judgments, by, "--by")
    return [Group(columns, values, part) for values, part in _split(judgments, columns)]


def columns_named(judgments: Judgments, by: str, option: str) -> tuple[str, ...]:
    """Return the columns named by the value of an option. A comma separates names, unless a column name contains it.

    Parameters
    ----------
    judgments
        Judgments whose columns can be named.
    by
        Value of the option: a column, or several names separated by commas.
    option
        Name of the option in error messages.

    Returns
    -------
    tuple of str
        Columns of the judgments, without repetitions.
    """
    present = sorted({name for table in judgments.tables.values() for name in table.columns})
    named = (by,) if by in present else tuple(dict.fromkeys(each.strip() for each in by.split(",")))
    columns = tuple(dict.fromkeys(_column_read(name, present) for name in named))
    for column in columns:
        if column not in present:
            raise UnknownName("column", column, present, option)
    return columns


def _column_read(name: str, present: Sequence[str]) -> str:
    """Return the column that a name of the file was read as: `prompt_id` is read as `segment`."""
    if name in present:
        return name
    roles = (role for role, names in COLUMN_ROLES.items() if bare(name) in map(bare, names))
    return next((role for role in roles if role in present), name)


def columns_read(judgments: Judgments, names: Sequence[str]) -> list[str]:
    """Return the columns that names of the file were read as. Other names stay as they are."""
    present = sorted({name for table in judgments.tables.values() for name in table.columns})
    return [_column_read(name, present) for name in names]


def _split(judgments: Judgments, columns: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Judgments]]:
    if not columns:
        yield (), judgments
        return
    for value, part in judgments.by(columns[0]):
        name = f"{value:g}" if isinstance(value, float) else str(value)
        for others, inside in _split(part, columns[1:]):
            yield (name, *others), inside


def rows_where(judgments: Judgments, conditions: Sequence[str]) -> tuple[Judgments, int]:
    """Return the rows that meet the conditions COLUMN=VALUE, and the number of other rows.

    Values of the same column are alternatives. Conditions on different columns must all hold.
    """
    wanted: dict[str, list[str]] = {}
    for each in conditions:
        column, equals, value = each.partition("=")
        if not equals or not column.strip():
            raise BadSetting("--where", f"{each!r} does not have the form COLUMN=VALUE.")
        (name,) = columns_named(judgments, column.strip(), "--where")[:1]
        wanted.setdefault(name, []).append(value.strip())
    for column, values in wanted.items():
        _check_values(judgments, column, values)
    whole = _ranged(judgments) if judgments.placed else judgments
    kept = whole.where(lambda table: _meets(judgments, table, wanted)).compact()
    kept = replace(kept, machine=_machine_meeting(judgments.machine, wanted))
    if not len(kept):
        unmet = ", ".join(conditions)
        raise BadSetting("--where", f"no row meets all of these conditions: {unmet}. Change or remove one.")
    return kept, len(judgments) - len(kept)


def _machine_meeting(machine: Judgments | None, wanted: dict[str, list[str]]) -> Judgments | None:
    """Return the machine answers that meet the conditions; an empty cell meets every condition."""
    if machine is None:
        return None
    open_too = {column: [*values, ""] for column, values in wanted.items()}
    part = machine.where(lambda table: _meets(machine, table, open_too)).compact()
    return part if len(part) else None


def _ranged(judgments: Judgments) -> Judgments:
    """Keep the range of all scores, which the selected rows may not cover."""
    return replace(judgments, range=judgments.score_range)


def _meets(judgments: Judgments, table: Table, wanted: dict[str, list[str]]) -> Mask:
    met = np.ones(len(table), dtype=bool)
    for column, values in wanted.items():
        met &= np.logical_or.reduce([_has(judgments, table, column, value) for value in values])
    return met


def _has(judgments: Judgments, table: Table, column: str, value: str) -> Mask:
    """Which rows have this value in the column; an empty value selects rows without a value."""
    if column in table.numbers:
        numbers = table.numbers[column]
        number = _number(value)
        return np.isnan(numbers) if not value else np.equal(numbers, np.nan if number is None else number)
    if column not in table.codes:
        return np.full(len(table), not value)
    labels = np.array([str(label) == value for label in judgments.labels(column)] + [not value], dtype=bool)
    return np.asarray(labels[table.codes[column]])


def _check_values(judgments: Judgments, column: str, values: Sequence[str]) -> None:
    """Raise an error for a value that no row has, with the closest existing value."""
    tables = judgments.tables.values()
    for value in values:
        if not any(_has(judgments, table, column, value).any() for table in tables):
            numbers = [table.numbers[column] for table in tables if column in table.numbers]
            numerals = [f"{each:g}" for each in np.unique(np.concatenate(numbers))] if numbers else []
            present = [*map(str, judgments.labels(column)), *numerals]
            raise UnknownName("value", value, present, f"column {column}")


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
