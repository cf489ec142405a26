"""Counts of Dras (2015): Figure 1 (preferences for the new system, ties, preferences for the baseline) and Table 1.

The text of the paper prints only a part of the counts of Figure 1. `SinglePair.status` states where each comes from.
"""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments

NEW, BASELINE = "new", "baseline"
SYSTEMS = ("A", "B", "C", "D")
PAIRS = ("AB", "AC", "AD", "BC", "BD", "CD")
DIFFERING_JUDGE = "J3"

# Table 1: for each pair in the order of PAIRS, how often the first is preferred, ties, the second is preferred.
TABLE_1: dict[str, tuple[tuple[int, int, int], ...]] = {
    "J1": ((38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)),
    "J2": ((37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)),
    "J3": ((33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)),
    "J4": ((37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)),
}


@dataclass(frozen=True, slots=True)
class SinglePair:
    """Counts of one comparison of a new system with a baseline.

    Attributes
    ----------
    name
        Name of the data set.
    counts
        Preferences for the new system, ties, preferences for the baseline.
    status
        Where the counts come from.
    stand_in
        Whether the counts only have the pattern that the paper describes.
    """

    name: str
    counts: tuple[int, int, int]
    status: str
    stand_in: bool = False


STAND_IN = "Stand-in: the paper's text gives the pattern, not the counts."
FIGURE_1 = {
    pair.name: pair
    for pair in (
        SinglePair(
            "ModPref",
            (61, 24, 35),
            "Certain: the only counts below 400 that give the four printed estimates and errors.",
        ),
        SinglePair("EqualPref", (40, 40, 40), STAND_IN, True),
        SinglePair("NoPref", (10, 100, 10), STAND_IN, True),
        SinglePair("StrongPref", (55, 10, 55), STAND_IN, True),
        SinglePair(
            "Collins, as fitted",
            (83, 77, 39),
            "Inferred: the only counts of 50 to 400 judgments that give the printed estimate and p values.",
        ),
        SinglePair(
            "Collins, source", (84, 77, 39), "Certain: Collins et al. (2005), Table 2, both annotators."
        ),
        SinglePair("Collins, annotator 1", (40, 40, 20), "Certain: Collins et al. (2005), Table 2."),
        SinglePair("Collins, annotator 2", (44, 37, 19), "Certain: Collins et al. (2005), Table 2."),
        SinglePair(
            "Lewis and Steedman",
            (34, 49, 4),
            "Stand-in of 87 judgments: the paper's text gives their number and the pattern, not the counts.",
            True,
        ),
    )
}


def pair_judgments(pair: SinglePair) -> Judgments:
    """Return the comparisons of one pair."""
    wins, ties, losses = pair.counts
    return read({"left": [NEW], "right": [BASELINE], "wins": [wins], "ties": [ties], "losses": [losses]})


def table_1_rows(exchanged: bool = False) -> dict[str, list[object]]:
    """Return Table 1 as columns of counts.

    Parameters
    ----------
    exchanged
        Whether to exchange the columns AD and BC. The published deviances belong to that table.

    Returns
    -------
    dict
        Columns judge, left, right, wins, ties and losses.
    """
    order = (0, 1, 3, 2, 4, 5) if exchanged else range(len(PAIRS))
    rows = [
        (judge, *pair, *counts[at])
        for judge, counts in TABLE_1.items()
        for pair, at in zip(PAIRS, order, strict=True)
    ]
    names = ("judge", "left", "right", "wins", "ties", "losses")
    return {name: [row[column] for row in rows] for column, name in enumerate(names)}


def table_1(exchanged: bool = False) -> Judgments:
    """Return Table 1 as comparisons, optionally with the columns AD and BC exchanged."""
    return read(table_1_rows(exchanged))
