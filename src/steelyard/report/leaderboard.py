"""A leaderboard as one self-contained HTML page: the scale of each slice, its effects and its win matrix."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import SteelyardError
from steelyard.report.page import environment
from steelyard.scales.fit import Fit
from steelyard.version import VERSION

MOST_SHOWN = 500  # items in a table
MOST_IN_MATRIX = 40  # items in a win matrix
HEAT = 10  # shades of a win matrix


@dataclass(frozen=True)
class Board:
    """The leaderboard of one slice.

    Attributes
    ----------
    title
        Name of the slice; empty for all judgments.
    rows
        Rows of the scale, highest position first.
    left_out
        Number of items below those rows.
    effects
        Coefficients other than items, such as the position bias and covariates.
    heading
        What the effects are.
    bias
        Sentence that the position bias was not estimated, and how to add it; empty otherwise.
    matrix
        Item, and win probability against each shown item as text with its shade.
    meaning
        What the win probability is.
    signature, remarks
        Those of the fit.
    """

    title: str
    rows: Sequence[dict[str, Any]]
    left_out: int
    effects: Sequence[dict[str, Any]]
    heading: str
    bias: str
    matrix: Sequence[tuple[str, Sequence[tuple[str, int]]]]
    meaning: str
    signature: str
    remarks: Sequence[str]


def board_of(fit: Fit, title: str) -> Board:
    """Return the leaderboard of a fit.

    Parameters
    ----------
    fit
        Fit of one slice.
    title
        Name of the slice.

    Returns
    -------
    Board
        Tables of the page. Parts that the model does not have are empty.
    """
    rows = fit.scale.ordered().rows()
    effects: list[dict[str, Any]] = []
    with suppress(SteelyardError):  # models without coefficients
        items = set(map(str, fit.item))
        effects = [dict(row) for row in fit.coefficients().rows() if str(row["name"]) not in items]
    matrix, meaning = _matrix(fit)
    left_out = max(len(rows) - MOST_SHOWN, 0)
    remarks = tuple(fit.remarks)
    return Board(
        title,
        rows[:MOST_SHOWN],
        left_out,
        effects,
        heading_of(effects),
        bias_of(fit),
        matrix,
        meaning,
        fit.signature,
        remarks,
    )


def heading_of(effects: Sequence[dict[str, Any]]) -> str:
    """Return a heading that names the effects in a table.

    >>> heading_of([{"name": "tie"}]), heading_of([{"name": "order"}, {"name": "tie"}, {"name": "length"}])
    ('Ties', 'Position bias, ties and covariates')
    """
    names = [str(row["name"]) for row in effects]
    parts = ["position bias"] * any(map(_is_bias, names)) + ["ties"] * any(map(_is_tie, names))
    if not all(_is_bias(name) or _is_tie(name) for name in names):
        parts.append("covariates")
    text = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return text[:1].upper() + text[1:]


def _is_bias(name: str) -> bool:
    return name.startswith("order")


def _is_tie(name: str) -> bool:
    return name.startswith("tie")


def bias_of(fit: Fit) -> str:
    """Return a sentence that the position bias was not estimated, for models that can estimate it."""
    estimated = getattr(getattr(fit, "settings", None), "order", True)
    return "" if estimated else "The position bias was not estimated; the option --order adds it."


def _matrix(fit: Fit) -> tuple[list[tuple[str, list[tuple[str, int]]]], str]:
    """Return the win matrix of the highest items as text, and its meaning; empty if the model has none."""
    if not 2 <= len(fit.item) <= MOST_SHOWN:
        return [], ""
    try:
        matrix = fit.win_matrix()
    except SteelyardError:
        return [], ""
    labels = [str(item) for item in matrix.item[:MOST_IN_MATRIX]]
    shown = matrix.probability[:MOST_IN_MATRIX, :MOST_IN_MATRIX]
    return [
        (item, [_cell(value) for value in row]) for item, row in zip(labels, shown, strict=True)
    ], matrix.meaning


def _cell(value: float) -> tuple[str, int]:
    return ("", 0) if np.isnan(value) else (f"{value:.2f}", min(int(value * HEAT) + 1, HEAT))


def render_leaderboard(boards: Sequence[Board], title: str, notes: Sequence[str]) -> str:
    """Return the page.

    Parameters
    ----------
    boards
        One leaderboard per slice.
    title
        Title of the page.
    notes
        Sentences about all judgments, such as rows that were left out.

    Returns
    -------
    str
        HTML without scripts or network access.
    """
    template = environment().get_template("leaderboard.html")
    return template.render(boards=boards, title=title, notes=notes, version=VERSION)
