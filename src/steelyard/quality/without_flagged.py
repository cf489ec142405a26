"""Differences with all raters, beside those without the raters who were flagged.

Flags are no reason to leave raters out. They are a reason to look at how much a result depends on these raters.
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
    """Raters with the reasons why they were flagged, in words.

    Parameters: `rows` are those of `Fit.raters`; where they have a column `spam`, high probabilities are a reason.
    """
    described = describe_raters(judgments, spam=spam_by_rater(rows))
    return {habits.rater: habits.flags for habits in described if habits.flags}


def without_raters(judgments: Judgments, flagged: Collection[str]) -> Judgments:
    """The judgments of everybody else; those that name no rater stay."""
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
    """One row per difference: estimate, error and p with all raters, and the same without the flagged ones.

    Parameters: `fit_of` makes the scale whose differences are wanted, of items or of systems.
    Returns: `changed` says in words whether the sign or the significance at 5% differs. Columns that end in `_without`
    are None for pairs that only flagged raters judged.
    """
    everyone = fit_of(judgments).differences(adjust=adjust)
    if not flagged:
        return beside(everyone, everyone)
    rest = without_raters(judgments, flagged)
    if not len(rest):
        raise NothingToTest(
            "Differences without flagged raters", "Every judgment is by a flagged rater.", "Keep some raters."
        )
    return beside(everyone, fit_of(rest).differences(adjust=adjust))


def beside(everyone: Differences, others: Differences | None) -> list[dict[str, Any]]:
    """Rows of the one with three columns of the other, and what changed; None where the other has no fit."""
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
    """The difference the other way round."""
    return {**row, "estimate": -row["estimate"]}


def _changed(row: Mapping[str, Any], other: Mapping[str, Any] | None) -> str:
    """What differs between the two, in words; empty where nothing does."""
    if other is None or np.isnan(other["estimate"]):
        return "" if np.isnan(row["estimate"]) else NOT_JUDGED
    changes = []
    if row["estimate"] * other["estimate"] < 0.0:
        changes.append("sign")
    if (row["p"] < ALPHA) != (other["p"] < ALPHA):
        changes.append("significance")
    return " and ".join(changes)
