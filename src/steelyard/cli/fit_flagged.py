"""`steelyard fit --differences --without-flagged`: differences with and without flagged raters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.cli.fit_groups import Group, GroupFit
from steelyard.cli.output import remark
from steelyard.errors import SteelyardError
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments
from steelyard.quality.without_flagged import beside, flagged_raters, without_raters
from steelyard.scales.differences import Adjust, Differences
from steelyard.scales.fit import Fit

FitOf = Callable[[Judgments], Fit]


def beside_unflagged(
    fitted: GroupFit, differences: Differences, fit_of: FitOf, adjust: Adjust
) -> list[dict[str, Any]]:
    """Return the differences with added columns for the fit without flagged raters, who are named on stderr.

    Parameters
    ----------
    fitted
        A group with its fit.
    differences
        Differences of the fit to all judgments.
    fit_of
        Fits the same model to other judgments.
    adjust
        Adjustment of p values for multiple comparisons.

    Returns
    -------
    list of dict
        One row per pair of items.
    """
    group, judgments = fitted.group, fitted.group.judgments
    reasons = flagged_raters(judgments, fitted.fit.raters)
    others: Differences | None = differences
    if reasons:
        rest = without_raters(judgments, reasons)
        _remark_on_flagged(group, reasons, len(judgments) - len(rest), len(judgments))
        others = _refitted(group, rest, fit_of, adjust)
    else:
        remark(group.named("No rater is flagged, so the columns without flagged raters equal the others."))
    rows = beside(differences, others)
    _remark_on_changes(group, rows)
    return rows


def _remark_on_flagged(
    group: Group, reasons: Mapping[str, Sequence[str]], left_out: int, judgments: int
) -> None:
    for rater, flags in sorted(reasons.items()):
        remark(
            group.named(
                f"Flagged rater: {rater} ({'; '.join(each[0].lower() + each[1:] for each in flags)})."
            )
        )
    who = counted(len(reasons), "flagged rater")
    remark(
        group.named(
            f"{who} gave {left_out:,} of {judgments:,} judgments. Columns that end in _without leave them out."
        )
    )


def _refitted(group: Group, rest: Judgments, fit_of: FitOf, adjust: Adjust) -> Differences | None:
    """Differences without flagged raters; None, with the reason on stderr, if the fit is not possible."""
    try:
        fit = fit_of(rest)
    except SteelyardError as reason:
        remark(group.named(f"Not fitted without flagged raters: {reason}"))
        return None
    for text in fit.remarks:
        remark(group.named(f"Without flagged raters: {text}"))
    return fit.differences(adjust=adjust)


def _remark_on_changes(group: Group, rows: Sequence[Mapping[str, Any]]) -> None:
    changed = [row for row in rows if row["changed"]]
    if changed:
        verb = "changes" if len(changed) == 1 else "change"
        differences = counted(len(changed), "difference")
        remark(
            group.named(
                f"{differences} of {len(rows):,} {verb} without flagged raters. See the column changed."
            )
        )
