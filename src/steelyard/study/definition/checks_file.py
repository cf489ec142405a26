"""The file of checks that study.toml names: one check per row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import BadRows, BadSetting, EmptyFile, MissingColumn, UnknownName
from steelyard.judgments.formats.mturk import TICKED
from steelyard.judgments.sheet import text_cells
from steelyard.study.definition.items import open_sheet
from steelyard.study.definition.sections.checks import CheckTask
from steelyard.study.definition.toml_records import make_record

APART = "|"  # between several ids, answers or ranks in one cell
COLUMNS = (
    "item",
    "ask",
    "type",
    "question",
    "below",
    "answer",
    "low",
    "high",
    "ranks",
    "best",
    "worst",
    "tolerance",
)
NUMBERS = ("low", "high", "tolerance")
WHOLE = ("best", "worst")


def read_check_tasks(folder: Path, file: str) -> list[tuple[str, CheckTask]]:
    """Return the checks of a file, each with its place in messages.

    Parameters
    ----------
    folder
        Folder of the study.
    file
        Name of the file.

    Returns
    -------
    list of tuple
        Place and check of each row.
    """
    sheet = open_sheet(folder / file, file)
    if sheet.ragged is not None:
        raise BadRows(file, [sheet.ragged])
    if not len(sheet):
        raise EmptyFile(file, sheet.header_line)
    names = list(sheet.columns)
    if "item" not in names:
        raise MissingColumn(file, ["item"], names, "a file of checks")
    for name in names:
        if name not in COLUMNS:
            raise UnknownName("column", name, COLUMNS, file)
    columns = {name: text_cells(column).tolist() for name, column in sheet.columns.items()}
    tasks = []
    for row in range(len(sheet)):
        cells = {
            name: str(values[row]).strip() for name, values in columns.items() if values[row] is not None
        }
        where = f"{file}, line {sheet.place(row)}"
        tasks.append((where, make_record(CheckTask, _table(cells, where), where)))
    return tasks


def _table(cells: Mapping[str, str], where: str) -> dict[str, Any]:
    """Return the cells of a row that are not empty as values of study.toml."""
    table: dict[str, Any] = {}
    for name, text in cells.items():
        if not text:
            continue
        if name in NUMBERS or name in WHOLE:
            table[name] = _number(text, name, where)
        elif name == "ranks":
            table[name] = [int(_number(each, name, where)) for each in text.split(APART)]
        elif name == "answer":
            table[name] = _answer(text)
        elif name == "ask":
            table[name] = text.casefold() in TICKED
        else:
            parts = [each.strip() for each in text.split(APART)]
            table[name] = parts if name == "item" and len(parts) > 1 else text
    for name in WHOLE:
        if name in table:
            table[name] = int(table[name])
    return table


def _answer(text: str) -> object:
    """Return an answer as a number or a text, or as a list of several.

    >>> _answer("40"), _answer("left|tie"), _answer("20|70")
    (40.0, ['left', 'tie'], [20.0, 70.0])
    """
    parts: list[object] = []
    for part in text.split(APART):
        try:
            parts.append(float(part))
        except ValueError:
            parts.append(part.strip())
    return parts if len(parts) > 1 else parts[0]


def _number(text: str, name: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadSetting(f"{where}, {name}", f"{text!r} is not a number. Correct the cell.") from None
