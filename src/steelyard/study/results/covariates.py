"""Columns of raters and items that join exported judgments: answers to the survey, and columns of the items file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS
from steelyard.study.log.ledger import Ledger

SURVEY = "survey_"  # prefix of the columns with answers to the survey, where a name would be used twice
TableColumns = dict[str, list[Any]]


def with_covariates(ledgers: Sequence[Ledger], columns: TableColumns, kind: Kind[Any]) -> TableColumns:
    """Return judgments with the answers of their raters to the survey, and with columns of their items.

    Parameters
    ----------
    ledgers
        Ledger of the study, or of each of its arms.
    columns
        Exported judgments.
    kind
        Kind of the judgments.

    Returns
    -------
    dict
        The columns. A question of the survey has its id as name, or `survey_` and its id if files of judgments use this
        name. A column of two items has the side at the end of its name.
    """
    return {**columns, **_of_raters(ledgers, columns), **item_columns(ledgers[0], columns, kind)}


def survey_names(ledgers: Sequence[Ledger], columns: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of the column of each question of the survey, by its id."""
    ids = dict.fromkeys(question.id for ledger in ledgers for question in ledger.definition.joining.survey)
    taken = set(columns).union(*((*kind.table.text, *kind.table.numbers) for kind in KINDS.values()))
    return {each: f"{SURVEY}{each}" if each in taken else each for each in ids}


def _of_raters(ledgers: Sequence[Ledger], columns: TableColumns) -> TableColumns:
    surveys: dict[str, Mapping[str, Any]] = {}
    for ledger in ledgers:
        for rater, record in ledger.raters.items():
            surveys[rater] = {**surveys.get(rater, {}), **(record.survey or {})}
    return {
        name: [surveys.get(rater, {}).get(question) for rater in columns["rater"]]
        for question, name in survey_names(ledgers, columns).items()
    }


def item_columns(ledger: Ledger, columns: TableColumns, kind: Kind[Any]) -> TableColumns:
    """Return the columns of the items of exported judgments.

    Parameters
    ----------
    ledger
        Ledger with the items.
    columns
        Exported judgments.
    kind
        Kind of the judgments.

    Returns
    -------
    dict
        Values by column. A column of two items has the side at the end of its name.
    """
    return {
        column: [ledger.items.covariates[name].get(item) for item in columns[side]]
        for column, (name, side) in item_column_names(ledger, columns, kind).items()
    }


def item_column_names(
    ledger: Ledger, columns: Mapping[str, Any], kind: Kind[Any]
) -> dict[str, tuple[str, str]]:
    """Return the covariate and the column of items that each column of `item_columns` belongs to.

    Parameters
    ----------
    ledger
        Ledger with the items.
    columns
        Exported judgments.
    kind
        Kind of the judgments.

    Returns
    -------
    dict
        Name of the covariate and of the column of items, by the name of the new column.
    """
    sides = kind.table.items
    names: dict[str, tuple[str, str]] = {}
    for name in ledger.items.covariates:
        for side in sides:
            column = name if len(sides) == 1 else f"{name}_{side}"
            names[f"item_{column}" if column in columns else column] = (name, side)
    return names
