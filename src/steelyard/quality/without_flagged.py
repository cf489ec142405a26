"""Differences with all raters, and without flagged raters.

A flag is not a reason to exclude a rater. It is a reason to check how much a result depends on this rater.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Mask
from steelyard.quality.raters import describe_raters, spam_by_rater
from steelyard.scales.differences import Adjust, Differences
from steelyard.scales.fit import Fit

ALPHA = 0.05
NOT_JUDGED = "not judged by the others"
NOT_FITTED = "no fit without them"
BESIDE = ("estimate", "error", "p")


def flagged_raters(
    judgments: Judgments, rows: Iterable[Mapping[str, Any]] = ()
) -> dict[str, tuple[str, ...]]:
    """Return the flagged raters with the reasons.

    Parameters
    ----------
    judgments
        Judgments of one kind.
    rows
        Rows of `Fit.raters`. High probabilities in a column `spam` are a reason. Default: none.

    Returns
    -------
    dict
        Reasons of each flagged rater, as text.
    """
    described = describe_raters(judgments, spam=spam_by_rater(rows))
    return {habits.rater: habits.flags for habits in described if habits.flags}


def without_raters(judgments: Judgments, flagged: Collection[str]) -> Judgments:
    """Return the judgments of all other raters, including judgments without a rater."""
    gone = np.append(np.isin(judgments.raters.astype(str), list(flagged)), False)  # last: no rater

    def others(table: Table) -> Mask:
        rater = table.codes.get("rater", np.full(len(table), MISSING))
        return np.asarray(~gone[rater])

    return judgments.where(others).compact()


def with_and_without(
    fit_of: Callable[[Judgments], Fit],
    judgments: Judgments,
    flagged: Collection[str],
    adjust: Adjust = "none",
) -> list[dict[str, Any]]:
    """Return the differences with all raters, and without the flagged ones.

    Parameters
    ----------
    fit_of
        Function that fits judgments, for items or for systems.
    judgments
        Judgments of all raters.
    flagged
        Raters to exclude in the second fit.
    adjust
        Adjustment of p values. Default: none.

    Returns
    -------
    list of dict
        One row per difference: estimate, error and p with all raters, and the same in columns that end in `_without`.
        These are None for pairs that only flagged raters judged. `changed` states whether the sign or the significance
        at the 5% level differs.

    Raises
    ------
    NothingToTest
        If every rater is flagged.
    """
    everyone = fit_of(judgments).differences(adjust=adjust)
    if not flagged:
        return beside(everyone, everyone)
    rest = without_raters(judgments, flagged)
    if not len(rest):
        raise NothingToTest(
            "Differences without flagged raters",
            "every judgment is by a flagged rater.",
            "Name fewer raters to exclude.",
        )
    return beside(everyone, fit_of(rest).differences(adjust=adjust))


def beside(everyone: Differences, others: Differences | None) -> list[dict[str, Any]]:
    """Return the rows of all raters with the columns of the other raters; `others` is None without a fit."""
    other_rows = {} if others is None else {(row["left"], row["right"]): row for row in others.rows()}
    other_rows |= {(right, left): _turned(row) for (left, right), row in other_rows.items()}
    rows = []
    for row in everyone.rows():
        other = other_rows.get((row["left"], row["right"]))
        more = {f"{name}_without": None if other is None else other[name] for name in BESIDE}
        changed = NOT_FITTED if others is None else _changed(row, other)
        rows.append({**row, **more, "changed": changed})
    return rows


def _turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the difference with the two items exchanged."""
    return {**row, "estimate": -row["estimate"]}


def _changed(row: Mapping[str, Any], other: Mapping[str, Any] | None) -> str:
    """Return what differs between the two rows, as text; empty if nothing does."""
    if other is None or np.isnan(other["estimate"]):
        return "" if np.isnan(row["estimate"]) else NOT_JUDGED
    changes = []
    if row["estimate"] * other["estimate"] < 0.0:
        changes.append("sign")
    if (row["p"] < ALPHA) != (other["p"] < ALPHA):
        changes.append("significance")
    return " and ".join(changes)
