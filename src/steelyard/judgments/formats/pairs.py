"""Comparisons as arenas, crowd-kit, evalica and published tables of counts write them."""

from __future__ import annotations

import numpy as np

from steelyard.judgments.formats.layout import (
    Answers,
    Layout,
    all_rows,
    blank,
    renamed,
    usual_roles,
    words,
)
from steelyard.judgments.sheet import Cells, Sheet, id_cells
from steelyard.maths.arrays import Labels, object_cells

ARENA_WORDS = {
    "model_a": "left",
    "model_b": "right",
    "tie": "tie",
    "tie (bothbad)": "tie",
    "bothbad": "tie",
    "both_bad": "tie",
}
BOTH_BAD = frozenset({"tie (bothbad)", "bothbad", "both_bad"})
EVALICA_WORDS = {
    "left": "left",
    "x": "left",
    "winner.x": "left",
    "right": "right",
    "y": "right",
    "winner.y": "right",
    "tie": "tie",
    "draw": "tie",
    "winner.draw": "tie",
}
# Tables of counts: what the columns of both items, of wins, losses and ties may be called.
SIDES = {
    "left": ("left", "item1", "obj1", "object1", "first", "player1", "a"),
    "right": ("right", "item2", "obj2", "object2", "second", "player2", "b"),
}
TALLIES = {
    "wins": ("wins", "win1", "left_wins", "wins1", "win"),
    "losses": ("losses", "win2", "right_wins", "wins2", "loss"),
    "ties": ("ties", "tie", "tied", "draws"),
}
TALLY_OUTCOMES = {"wins": "left", "ties": "tie", "losses": "right"}
EVALICA_IGNORED = frozenset({"ignore", "winner.ignore"})  # evalica's word for a row that does not count


def _arena(sheet: Sheet) -> Answers:
    """Votes on two models: question_id is the prompt, hence the segment; tstamp is the time.

    A "tie (bothbad)" is a tie; where there are any, the column both_bad says yes or no.
    """
    roles = {
        **usual_roles(),
        "left": ("model_a",),
        "right": ("model_b",),
        "outcome": ("winner",),
        "segment": ("segment", "question_id"),
        "at": ("at", "tstamp"),
    }
    columns = renamed(sheet, roles)
    winner = words(columns["outcome"])
    columns["outcome"] = _translated(winner, ARENA_WORDS)
    if any(word in BOTH_BAD for word in winner):
        columns["both_bad"] = object_cells(["yes" if word in BOTH_BAD else "no" for word in winner])
    return Answers("comparison", columns, all_rows(sheet))


def _crowd_kit(sheet: Sheet) -> Answers:
    """crowd-kit's pairs: label is the chosen item itself."""
    columns = renamed(sheet, {**usual_roles("left", "right"), "outcome": ("label",)})
    columns["outcome"] = _chosen(columns)
    return Answers("comparison", columns, all_rows(sheet))


def _evalica(sheet: Sheet) -> Answers:
    """evalica's pairs: winner is left, right or tie, or X, Y, Draw; rows to ignore are left out."""
    columns = renamed(sheet, {**usual_roles("left", "right"), "outcome": ("winner",)})
    columns["outcome"] = _translated(_chosen(columns), EVALICA_WORDS)
    counted = [word not in EVALICA_IGNORED for word in words(columns["outcome"])]
    return Answers("comparison", columns, all_rows(sheet)).where(object_cells(counted).astype(bool))


def _chosen(columns: dict[str, Cells]) -> Labels:
    """left or right where the outcome names that side's item; any other word as it stands."""
    cells = (id_cells(columns[name]).tolist() for name in ("outcome", "left", "right"))
    sides = [
        choice if choice is None else "left" if choice == left else "right" if choice == right else choice
        for choice, left, right in zip(*cells, strict=True)
    ]
    return object_cells(sides)


def _translated(cells: Cells, known: dict[str, str]) -> Labels:
    """Known words in Steelyard's terms; a word that is not known stays, for the checks to name."""
    plain = cells.tolist()
    meaning = {word: known.get(word.strip().casefold(), word) for word in set(plain) if word is not None}
    return object_cells([None if word is None else meaning[word] for word in plain])


def _counts(sheet: Sheet) -> Answers:
    """Published tables: a row names both items and counts how often each was preferred and neither was.

    Each row becomes up to three, with their counts; cells without a number are left out. Pairs are always named by
    their two item columns, never taken from the order of rows or columns.
    """
    columns = renamed(sheet, {**usual_roles(), **SIDES, **TALLIES})
    tallies = [(outcome, columns.pop(role)) for role, outcome in TALLY_OUTCOMES.items() if role in columns]
    rows = all_rows(sheet)
    repeated = {name: np.tile(cells, len(tallies)) for name, cells in columns.items() if name != "count"}
    outcome = np.repeat(object_cells([outcome for outcome, _ in tallies]), len(rows))
    count = np.concatenate([cells.astype(object) for _, cells in tallies])
    answers = Answers(
        "comparison", {**repeated, "outcome": outcome, "count": count}, np.tile(rows, len(tallies))
    )
    return answers.where(~blank(count))


PAIRS = (
    Layout("arena votes", "comparison", ("model_a", "model_b", "winner"), _arena),
    Layout("crowd-kit", "comparison", ("worker", "task", "left", "right", "label"), _crowd_kit),
    Layout("evalica", "comparison", ("left", "right", "winner"), _evalica),
    *(
        Layout("table of counts", "comparison", (*sides, *tallies), _counts)
        for sides in zip(*SIDES.values(), strict=True)
        for tallies in zip(TALLIES["wins"], TALLIES["losses"], strict=True)
    ),
)
