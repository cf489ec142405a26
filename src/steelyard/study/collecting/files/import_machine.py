"""Import answers of machine judges into the log, beside people's."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.judgments.files import read_file
from steelyard.judgments.read import read
from steelyard.judgments.sheet import Sheet
from steelyard.judgments.sources import MACHINE, SOURCE, by_source
from steelyard.judgments.table import Judgments
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Items
from steelyard.study.log.machine_answers import machine_answers_of, new_answers


@dataclass(frozen=True, slots=True)
class MachineImport:
    """The result of an import of machine answers.

    Attributes
    ----------
    rows
        Number of new rows.
    repeated
        Number of rows that were in the log.
    judges
        Names of the judges in the file.
    """

    rows: int
    repeated: int
    judges: tuple[str, ...]


def people_and_machine(
    path: str | os.PathLike[str], items: Items, reading: Mapping[str, Any], all_machine: bool = False
) -> tuple[Sheet, Judgments | None]:
    """Return the rows of people in a file, and the checked judgments of machine judges.

    Parameters
    ----------
    path
        The file.
    items
        Items of the study. Every item in the file must be one of them.
    reading
        Arguments of `steelyard.read`.
    all_machine
        Whether all rows are by machine judges.

    Returns
    -------
    tuple of Sheet and Judgments
        People's rows, of which there may be none, and machine answers or None.
    """
    sheet = read_file(path)
    if all_machine:
        return sheet.where(np.zeros(len(sheet), dtype=bool)), _machine_of(sheet, items, reading)
    named: Collection[str] = reading.get("machine_raters", ())
    rows = by_source(sheet, named, reading.get("bad_rows") == "drop")
    return rows.people, None if rows.machine is None else _machine_of(rows.machine, items, reading)


def _machine_of(sheet: Sheet, items: Items, reading: Mapping[str, Any]) -> Judgments | None:
    name = sheet.named(SOURCE)
    plain = sheet if name is None else sheet.without(name)
    marked = replace(plain, columns={**plain.columns, SOURCE: np.full(len(sheet), MACHINE, dtype=object)})
    settings = {each: reading[each] for each in ("item_key", "bad_rows") if each in reading}
    return read(marked, items=set(items.index), **settings).machine


def import_machine(session: Session, machine: Judgments) -> MachineImport:
    """Log answers of machine judges; rows that are in the log are skipped.

    Parameters
    ----------
    session
        Session of the study.
    machine
        Their judgments, of any kinds.

    Returns
    -------
    MachineImport
        What was imported.
    """
    rows = 0
    with session.transaction() as transaction:
        logged = transaction.ledger.machine
        for answers in machine_answers_of(machine):
            for part in new_answers(answers, logged):
                transaction.note("machine_answers", facts=part.facts)
                rows += len(part)
    return MachineImport(rows, len(machine) - rows, tuple(str(each) for each in machine.raters))
