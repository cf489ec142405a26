"""Messages about cells, in the column names and words of the file."""

from __future__ import annotations

from dataclasses import replace

from steelyard.errors import RowMistake, UnknownOutcome
from steelyard.judgments.faults import Fault
from steelyard.judgments.formats.layout import OutcomeColumn
from steelyard.judgments.table import MISSING, Judgments


def worded(fault: Fault, judgments: Judgments, outcome: OutcomeColumn | None) -> Fault:
    """Return a fault about an outcome with the name and the words of its column; other faults unchanged.

    Parameters
    ----------
    fault
        Rows with one class of mistake.
    judgments
        Comparisons that contain the rows.
    outcome
        The column of outcomes in the file; None if it is Steelyard's.

    Returns
    -------
    Fault
        The same rows.
    """
    if fault.mistake is not UnknownOutcome or outcome is None:
        return fault
    codes = judgments.table("comparison").codes
    words, items = judgments.labels("outcome"), judgments.items

    def say(row: int) -> RowMistake:
        sides = [int(codes[side][row]) for side in ("left", "right")] if outcome.names_items else []
        named = [str(items[code]) for code in sides if code != MISSING]
        return UnknownOutcome.in_column(outcome.name, words[codes["outcome"][row]], named, outcome.words)

    return replace(fault, say=say)
