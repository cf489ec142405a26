"""Tables of a study with arms: the tables of its arms, one below the other, with a column `condition`."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.study.results.covariates import TableColumns
from steelyard.study.results.exports import DistributionSettings, distribution_columns, export_columns
from steelyard.study.results.watch import ArmWatch, Watch

BY_ARM = ("judgments", "scale", "distributions", "raters", "answers")
CONDITION = "condition"


def table_of(
    watch: Watch,
    what: str,
    condition: str = "",
    settings: DistributionSettings | None = None,
    identities: bool = False,
) -> tuple[TableColumns, tuple[str, ...]]:
    """Return the columns of a table of one arm, or of all arms, and remarks about them.

    Parameters
    ----------
    watch
        Results of the study.
    what
        Name of the table.
    condition
        Name of the arm. Default: all arms.
    settings
        What to write about distributions. Default: quantiles.
    identities
        Whether the table of raters has their names and their ids on other sites.

    Returns
    -------
    columns : dict
        Values by column. A column that an arm does not have is empty there.
    remarks : tuple of str
        Sentences about the table.
    """
    if not watch.conditions or what not in BY_ARM:
        return _table(watch, what, settings, identities)
    names = [condition] if condition else list(watch.conditions)
    tables = [_table(watch.of_arm(name), what, settings, identities) for name in names]
    columns = [_with_condition(table, name) for name, (table, _) in zip(names, tables, strict=True)]
    return stacked_columns(columns), tuple(dict.fromkeys(each for _, remarks in tables for each in remarks))


def _table(
    watch: Watch | ArmWatch, what: str, settings: DistributionSettings | None, identities: bool
) -> tuple[TableColumns, tuple[str, ...]]:
    if what == "distributions":
        chosen = DistributionSettings() if settings is None else settings
        return distribution_columns(watch.overview(), chosen)
    return export_columns(watch, what, identities), ()


def _with_condition(columns: TableColumns, name: str) -> TableColumns:
    """Return the columns with the name of the arm; judgments and answers have it already."""
    rows = max((len(each) for each in columns.values()), default=0)
    return columns if CONDITION in columns else {CONDITION: [name] * rows, **columns}


def stacked_columns(tables: Sequence[TableColumns]) -> TableColumns:
    """Return tables one below the other; cells of columns that a table does not have are empty.

    >>> stacked_columns([{"item": ["a"], "score": [1.0]}, {"item": ["b"], "low": [0.0]}])
    {'item': ['a', 'b'], 'score': [1.0, None], 'low': [None, 0.0]}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    whole: TableColumns = {name: [] for name in names}
    for table in tables:
        rows = max((len(each) for each in table.values()), default=0)
        for name in names:
            whole[name] += table.get(name, [None] * rows)
    return whole
