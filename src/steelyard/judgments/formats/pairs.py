"""Comparisons in the layouts of arenas, crowd-kit, evalica and published tables of counts."""

from __future__ import annotations

import numpy as np

from steelyard.judgments.coded import Coded
from steelyard.judgments.coding import code
from steelyard.judgments.formats.layout import (
    Answers,
    FileLayout,
    OutcomeColumn,
    all_rows,
    blank,
    displaced,
    pair_roles,
    renamed,
    words,
)
from steelyard.judgments.sheet import Cells, Sheet, id_cells
from steelyard.judgments.table_kinds import OUTCOMES
from steelyard.maths.arrays import Labels, object_cells

BOTH_BAD = ("tie (bothbad)", "tie (both bad)", "bothbad", "both_bad", "both-bad", "both bad")
ARENA_WORDS = {
    "model_a": "left",
    "model_b": "right",
    "tie": "tie",
    **dict.fromkeys(BOTH_BAD, "tie"),
}
ARENA_SEGMENT_NAMES = ("segment", "question_id", "prompt_id", "prompt")
ARENA_TIME_NAMES = ("at", "tstamp")
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
# Tables of counts: possible names of the columns with items, wins, losses and ties.
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
EVALICA_IGNORED = frozenset({"ignore", "winner.ignore"})  # evalica's words for a row that does not count


def _arena(sheet: Sheet) -> Answers:
    """Return votes on two models: question_id is the prompt, hence the segment; tstamp is the time.

    A "tie (bothbad)" is a tie, for which the column both_bad is yes. For other votes it is no.
    """
    roles = {
        **pair_roles(),
        "left": ("model_a",),
        "right": ("model_b",),
        "outcome": ("winner",),
        "segment": ARENA_SEGMENT_NAMES,
        "at": ARENA_TIME_NAMES,
    }
    columns = renamed(sheet, roles)
    both_bad = words(columns["outcome"]).where(BOTH_BAD.__contains__)
    columns["outcome"] = _translated(id_cells(columns["outcome"]), ARENA_WORDS)
    if both_bad.any() or "both_bad" not in columns:
        columns["both_bad"] = Coded(both_bad.astype(np.int64), object_cells(["no", "yes"]))
    return Answers(
        "comparison",
        columns,
        all_rows(sheet),
        ignored=displaced(sheet, roles),
        outcome=OutcomeColumn(str(sheet.named("winner")), ("model_a", "model_b", "tie", "tie (bothbad)")),
        systems=True,
    )


def _crowd_kit(sheet: Sheet) -> Answers:
    """Return crowd-kit's pairs, in which label is the chosen item."""
    roles = {**pair_roles("left", "right"), "outcome": ("label",)}
    columns = renamed(sheet, roles)
    columns["outcome"] = _chosen(columns)
    outcome = OutcomeColumn(str(sheet.named("label")), OUTCOMES, names_items=True)
    return Answers("comparison", columns, all_rows(sheet), ignored=displaced(sheet, roles), outcome=outcome)


def _evalica(sheet: Sheet) -> Answers:
    """Return evalica's pairs: winner is left, right or tie, or X, Y, Draw; rows to ignore are omitted."""
    roles = {**pair_roles("left", "right"), "outcome": ("winner",)}
    columns = renamed(sheet, roles)
    columns["outcome"] = _translated(_chosen(columns), EVALICA_WORDS)
    ignored = words(columns["outcome"]).where(EVALICA_IGNORED.__contains__)
    outcome = OutcomeColumn(str(sheet.named("winner")), OUTCOMES, names_items=True)
    answers = Answers(
        "comparison", columns, all_rows(sheet), ignored=displaced(sheet, roles), outcome=outcome
    )
    return answers.where(~ignored, "marked to be ignored")


def _chosen(columns: dict[str, Cells]) -> Coded:
    """Return left or right if the outcome names that side's item; other words stay unchanged."""
    choice, vocabulary = code(id_cells(columns["outcome"]))
    left, vocabulary = code(id_cells(columns["left"]), vocabulary)
    right, vocabulary = code(id_cells(columns["right"]), vocabulary)
    sides = len(vocabulary) + np.arange(2)
    chosen = np.select([choice < 0, choice == left, choice == right], [-1, *sides], choice)
    return Coded(chosen, object_cells([*vocabulary.labels, "left", "right"]))


def _translated(cells: Coded, translations: dict[str, str]) -> Coded:
    """Return known words in Steelyard's terms; unknown words stay, so that the checks report them."""

    def translate(labels: Labels) -> Labels:
        plain = labels.tolist()
        return object_cells([None if w is None else translations.get(w.strip().casefold(), w) for w in plain])

    return cells.mapped(translate)


def _counts(sheet: Sheet) -> Answers:
    """Return published counts: a row names both items and counts the preferences for each and the ties.

    Each row becomes up to three rows with counts; empty cells are omitted. Pairs are always identified by their two
    item columns, never by the order of rows or columns.
    """
    roles = {**pair_roles(), **SIDES, **TALLIES}
    columns = renamed(sheet, roles)
    tallies = [(outcome, columns.pop(role)) for role, outcome in TALLY_OUTCOMES.items() if role in columns]
    rows = all_rows(sheet)
    repeated = {name: np.tile(cells, len(tallies)) for name, cells in columns.items() if name != "count"}
    outcome = np.repeat(object_cells([outcome for outcome, _ in tallies]), len(rows))
    count = np.concatenate([np.asarray(cells).astype(object) for _, cells in tallies])
    answers = Answers(
        "comparison",
        {**repeated, "outcome": outcome, "count": count},
        np.tile(rows, len(tallies)),
        ignored=(*displaced(sheet, roles), *(["count"] if "count" in columns else [])),
    )
    return answers.where(~blank(count))


PAIRS = (
    FileLayout("arena votes", "comparison", ("model_a", "model_b", "winner"), _arena),
    FileLayout("crowd-kit", "comparison", ("worker", "task", "left", "right", "label"), _crowd_kit),
    FileLayout("evalica", "comparison", ("left", "right", "winner"), _evalica),
    *(
        FileLayout("table of counts", "comparison", (*sides, *tallies), _counts)
        for sides in zip(*SIDES.values(), strict=True)
        for tallies in zip(TALLIES["wins"], TALLIES["losses"], strict=True)
    ),
)
