"""Columns of the design other than items: order, contest covariates, item and rater covariates, ties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, TooFewLevels, UnknownName
from steelyard.judgments.counts import Covariate, PairCounts
from steelyard.maths.arrays import Codes, Vector
from steelyard.models.bradley_terry.settings import ITEMS, ORDER, TIE, Settings


@dataclass(frozen=True, eq=False)
class DesignColumns:
    """Sparse columns of the ability predictor and of the tie predictor.

    `blocks` lists the complete sets of item columns, each with its label and first column.
    """

    others: Any
    other_names: tuple[str, ...]
    ties: Any
    tie_names: tuple[str, ...]
    blocks: tuple[tuple[str, int], ...]

    def at(self, rows: Codes) -> DesignColumns:
        """Return the columns with rows in another order."""
        return replace(self, others=self.others[rows], ties=self.ties[rows])


@dataclass(frozen=True, eq=False)
class Carrier:
    """Columns of an effect that can differ between raters, with their names."""

    columns: Any
    names: tuple[str, ...]


def make_columns(table: PairCounts, settings: Settings, ghosts: int) -> DesignColumns:
    """Return every column except the main effects of items.

    Parameters
    ----------
    table
        Counts of comparisons.
    settings
        Settings of the model.
    ghosts
        Number of pseudo-comparisons, which are empty rows at the end.

    Returns
    -------
    DesignColumns
        Columns of the ability predictor and of the tie predictor.
    """
    from scipy import sparse  # SciPy is slow to import

    effects, tie = _effects(table, settings), _tie_effect(table)
    carriers = _item_carriers(table, settings) | effects | {TIE: tie}
    parts: list[Carrier] = list(effects.values())
    ties: list[Carrier] = [tie] if settings.has_tie_effect else []
    blocks: list[tuple[str, int]] = []
    for covariate, targets in settings.varying.items():
        for label, factor in factors(covariate, _cell(table, covariate), settings):
            for target in targets:
                part = _varied(_carrier(carriers, target, covariate), factor, label)
                if target == ITEMS:
                    blocks.append((label, sum(len(each.names) for each in parts)))
                (ties if target == TIE else parts).append(part)
    others, other_names = _joined(parts, len(table))
    tie_columns, tie_names = _joined(ties, len(table))
    if ghosts:
        others = sparse.vstack([others, sparse.csr_array((ghosts, len(other_names)))], format="csr")
        plain = sparse.csr_array(np.tile(np.arange(len(tie_names)) == 0, (ghosts, 1)).astype(float))
        tie_columns = sparse.vstack([tie_columns, plain], format="csr")
    return DesignColumns(others, other_names, tie_columns, tie_names, tuple(blocks))


def reference_level(name: str, column: Covariate, settings: Settings) -> str:
    """Return the level of a rater covariate that item coefficients describe.

    Parameters
    ----------
    name
        Name of the covariate.
    column
        Its values.
    settings
        Settings with `categorical` and `reference_levels`.

    Returns
    -------
    str
        Reference level of a category; 0 for a number.
    """
    if column.labels is None and name not in settings.categorical:
        return "0"
    return settings.reference_levels.get(name, words_of(column)[0][0])


def factors(name: str, column: Covariate, settings: Settings) -> list[tuple[str, Vector]]:
    """Return the columns that code a rater covariate: treatment contrasts of a category, or the number itself.

    Parameters
    ----------
    name
        Name of the covariate.
    column
        Its values.
    settings
        Settings with `categorical` and `reference_levels`.

    Returns
    -------
    list of tuple
        Label and values of each column.

    Raises
    ------
    TooFewLevels
        If a category has a single level.
    """
    if column.labels is None and name not in settings.categorical:
        return [(name, np.asarray(column.values, dtype=np.float64))]
    words, codes = words_of(column)
    if len(words) < 2:
        raise TooFewLevels(name, words[0] if words else "nothing")
    reference = reference_level(name, column, settings)
    if reference not in words:
        raise UnknownName(f"level of {name}", reference, words)
    return [
        (f"{name}={word}", (codes == at).astype(np.float64))
        for at, word in enumerate(words)
        if word != reference
    ]


def words_of(column: Covariate) -> tuple[list[str], Codes]:
    """Return the levels of a column in sorted order, and the level of each row."""
    values, codes = np.unique(column.values, return_inverse=True)
    labels = column.labels
    return [f"{value:g}" if labels is None else str(labels[value]) for value in values], codes


def _cell(table: PairCounts, name: str) -> Covariate:
    if name not in table.cells:
        raise UnknownName("column", name, tuple(table.cells))
    column = table.cells[name]
    if column.labels is None and not np.isfinite(column.values).all():
        raise BadSetting(name, "some values are not finite numbers. Correct or remove these rows.")
    return column


def _tie_effect(table: PairCounts) -> Carrier:
    from scipy import sparse  # SciPy is slow to import

    return Carrier(sparse.csr_array(np.ones((len(table), 1))), (TIE,))


def _effects(table: PairCounts, settings: Settings) -> dict[str, Carrier]:
    """Return the effects on ability other than items, by name: order, contest covariates, item covariates."""
    from scipy import sparse  # SciPy is slow to import

    carriers: dict[str, Carrier] = {}
    if settings.order:
        carriers[ORDER] = Carrier(sparse.csr_array(np.ones((len(table), 1))), (ORDER,))
    for name in settings.contest_covariates:
        column = _cell(table, name)
        if column.labels is not None:
            raise BadSetting(
                name, "a contest covariate must be numeric. Name a text column in rater_covariates instead."
            )
        carriers[name] = Carrier(
            sparse.csr_array(np.asarray(column.values, dtype=np.float64)[:, None]), (name,)
        )
    for name, values in settings.item_covariates.items():
        each = item_values(name, values, table)
        carriers[name] = Carrier(sparse.csr_array((each[table.left] - each[table.right])[:, None]), (name,))
    return carriers


def _item_carriers(table: PairCounts, settings: Settings) -> dict[str, Carrier]:
    """Return the item effects that can differ between raters: all items, and each item that the settings name."""
    if not settings.varying:
        return {}
    from scipy import sparse  # SciPy is slow to import

    rows, size = len(table), len(table.items)
    at = np.stack([table.left, table.right], axis=1).ravel()
    signs = np.tile([1.0, -1.0], rows)
    incidence = sparse.csr_array((signs, at, np.arange(0, 2 * rows + 1, 2)), shape=(rows, size))
    names = tuple(map(str, table.items))
    carriers = {ITEMS: Carrier(incidence, names)}
    wanted = {target for targets in settings.varying.values() for target in targets}
    columns = incidence.tocsc()
    for at_item, name in enumerate(names):
        if name in wanted:
            carriers[name] = Carrier(columns[:, [at_item]].tocsr(), (name,))
    return carriers


def item_values(name: str, values: Mapping[str, float], table: PairCounts) -> Vector:
    """Return the covariate of each item.

    Parameters
    ----------
    name
        Name of the covariate.
    values
        Value of each item.
    table
        Counts with the items.

    Returns
    -------
    Vector
        One value per item.

    Raises
    ------
    BadSetting
        If an item has no value, or one that is not finite.
    """
    missing = [str(item) for item in table.items if item not in values]
    if missing:
        raise BadSetting(
            name,
            f"item {missing[0]!r} has no value ({len(missing):,} items have none). Add a value for every item.",
        )
    covariate = np.array([float(values[item]) for item in table.items])
    if not np.isfinite(covariate).all():
        item = table.items[int(np.flatnonzero(~np.isfinite(covariate))[0])]
        raise BadSetting(name, f"the value for item {item!r} is not a finite number. Correct it.")
    return covariate


def _carrier(carriers: Mapping[str, Carrier], target: str, covariate: str) -> Carrier:
    if target not in carriers:
        raise UnknownName(f"effect that can differ by {covariate}", target, tuple(carriers))
    return carriers[target]


def _varied(carrier: Carrier, factor: Vector, label: str) -> Carrier:
    from scipy import sparse  # SciPy is slow to import

    columns = sparse.csr_array(sparse.diags_array(factor) @ carrier.columns)
    columns.eliminate_zeros()
    return Carrier(columns, tuple(f"{name}:{label}" for name in carrier.names))


def _joined(parts: list[Carrier], rows: int) -> tuple[Any, tuple[str, ...]]:
    from scipy import sparse  # SciPy is slow to import

    if not parts:
        return sparse.csr_array((rows, 0)), ()
    names = tuple(name for part in parts for name in part.names)
    return sparse.hstack([part.columns for part in parts], format="csr"), names
