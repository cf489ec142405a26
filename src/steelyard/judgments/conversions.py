"""Conversion of judgments from one kind to another, with a sentence on the information that is lost.

The pairs of one task are dependent. The n (n - 1) / 2 comparisons made from one ranking carry less information than
the same number of single comparisons, and standard errors that assume independence are too small. The task column is
kept, so that standard errors can be clustered by task.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import BadSetting, NothingToConvert, UnknownName
from steelyard.judgments.coding import Vocabulary
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.table_kinds import KINDS, OUTCOMES, known_kind
from steelyard.judgments.tasks import answers_of, by_size
from steelyard.maths.arrays import Codes, Vector, object_cells
from steelyard.registry import Registry

KEPT_TEXT = ("rater", "question", "segment", "task", "condition", "family")
DEPENDENT = "The pairs of one task are dependent, so standard errors that assume independence are too small."


@dataclass(frozen=True, slots=True)
class Conversion:
    """Conversion of one kind of judgment to another, and the information that it loses.

    Parameters
    ----------
    name
        Name of the conversion.
    source
        Kind of judgment that is converted.
    target
        Kind of judgment that results.
    function
        Takes the judgments and a tie width, and returns judgments of the target kind only.
    lost
        Sentence that says what information is lost.
    """

    name: str
    source: str
    target: str
    function: Callable[[Judgments, float], Judgments]
    lost: str


CONVERSIONS: Registry[Conversion] = Registry("conversion")  # filled by `steelyard.kinds`


def _conversions() -> list[Conversion]:
    """Return all conversions, sorted by target."""
    return sorted(CONVERSIONS.values(), key=lambda each: each.target)


def convert(judgments: Judgments, to: str = "comparison", tie_width: float = 0.0) -> Judgments:
    """Convert judgments to another kind.

    Judgments that already are of this kind stay unchanged. Judgments without a conversion are omitted. Answers of
    machine judges are converted, too, and stay apart.

    Parameters
    ----------
    judgments
        Rankings, best-worst choices, comparisons, or ratings with a task column.
    to
        Kind of judgment to convert to, "comparison" (default) or "ranking".
    tie_width
        Largest difference between two scores of a task that counts as a tie, in units of the scale. Default 0.

    Returns
    -------
    Judgments
        The converted judgments. In comparisons, the item whose id sorts first is on the left, so that sides carry
        no information.

    Raises
    ------
    NothingToConvert
        If no judgment can be converted.

    Notes
    -----
    The comparisons of one task are dependent. Standard errors that assume independence are too small; cluster them
    by task.

    Examples
    --------
    >>> from steelyard import Judgments, Ranking, convert
    >>> ranked = Judgments.of([Ranking("ann", "t1", {"tea": 1, "milk": 2, "soup": 2})])
    >>> converted = convert(ranked, "comparison")
    >>> list(zip(*(converted.cells("comparison", name).tolist() for name in ("left", "right", "outcome"))))
    [('milk', 'tea', 'right'), ('soup', 'tea', 'right'), ('milk', 'soup', 'tie')]
    """
    kind = known_kind(to)
    if not 0.0 <= tie_width < np.inf:
        raise BadSetting("tie_width", f"{tie_width} is not a finite number of 0 or more.")
    parts = _converted(judgments, kind, tie_width)
    if not parts:
        possible = [f"{each.source} to {each.target}" for each in _conversions()]
        raise NothingToConvert(judgments.kinds, kind, possible)
    joined = replace(Judgments.concat(parts), machine=_machine_converted(judgments, kind, tie_width))
    return joined if KINDS[kind].placed else replace(joined, range=None)


def _machine_converted(judgments: Judgments, kind: str, tie_width: float) -> Judgments | None:
    """Return the machine answers that can be converted; None if there are none."""
    parts = [] if judgments.machine is None else _converted(judgments.machine, kind, tie_width)
    return replace(Judgments.concat(parts), range=None) if parts else None


def comparisons_in(judgments: Judgments) -> Judgments:
    """Return all judgments as comparisons; the result is empty if no task has two judged items.

    Examples
    --------
    >>> from steelyard import Judgments, Ranking
    >>> from steelyard.judgments.conversions import comparisons_in
    >>> len(comparisons_in(Judgments.of([Ranking("ann", "t1", {"tea": 1})])))
    0
    """
    return judgments_as(judgments, "comparison")


def judgments_as(judgments: Judgments, kind: str) -> Judgments:
    """Return all judgments that can be converted to this kind; the result may be empty."""
    parts = _converted(judgments, kind, 0.0)
    if not parts:
        return Judgments({}, {}, machine=judgments.machine)
    joined = replace(Judgments.concat(parts), machine=judgments.machine)
    return joined if KINDS[kind].placed else replace(joined, range=None)


def _converted(judgments: Judgments, kind: str, tie_width: float) -> list[Judgments]:
    """Return the result of each conversion to this kind, and the judgments that already are of this kind."""
    parts = [each.function(judgments, tie_width) for each in conversions_of(judgments, kind)]
    if kind in judgments.tables:
        parts.append(replace(judgments, tables={kind: judgments.tables[kind]}))
    return [part.compact() for part in parts if len(part)]


def conversions_of(judgments: Judgments, to: str) -> list[Conversion]:
    """Return the conversions of these judgments to this kind."""
    kind = known_kind(to)
    targets = {each.target for each in _conversions()}
    if kind not in targets:
        raise UnknownName("kind to convert to", to, sorted(targets))
    return [each for each in _conversions() if each.target == kind and each.source in judgments.tables]


def losses(judgments: Judgments, to: str = "comparison") -> list[str]:
    """Return, for each kind that is converted, what information is lost."""
    return [f"{each.source} to {each.target}: {each.lost}" for each in conversions_of(judgments, to)]


def pairs_within(judgments: Judgments, kind: str) -> tuple[Codes, Codes]:
    """Return the rows of every two different items of one answer, the item whose id sorts first as first."""
    table = judgments.table(kind)
    if not len(table):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    place = judgments.vocabularies["item"].in_order()[1][table.codes["item"]]
    parts = []
    for rows in by_size(answers_of(judgments, kind)):
        sorted_rows = np.take_along_axis(rows, np.argsort(place[rows], axis=1, kind="stable"), axis=1)
        one, other = np.triu_indices(rows.shape[1], 1)
        parts.append(np.stack([sorted_rows[:, one].ravel(), sorted_rows[:, other].ravel()]))
    first, second = np.concatenate(parts, axis=1)
    order = np.lexsort((np.maximum(first, second), np.minimum(first, second)))  # in the order of the file
    first, second = first[order], second[order]
    different = place[first] != place[second]
    return first[different], second[different]


def comparisons_between(
    judgments: Judgments, kind: str, rows: tuple[Codes, Codes], sign: Vector
) -> Judgments:
    """Return comparisons of the items in two lists of rows, with the values that both rows share.

    Parameters
    ----------
    judgments
        Judgments with one row per item.
    kind
        Kind of judgment of the rows.
    rows
        Rows of the left items, and rows of the right items.
    sign
        1 where the left item has more, -1 where the right item has more, 0 for a tie.

    Returns
    -------
    Judgments
        One comparison per pair of rows.
    """
    table, (first, second) = judgments.table(kind), rows
    codes = {"left": table.codes["item"][first], "right": table.codes["item"][second]}
    vocabularies = dict(judgments.vocabularies)
    for name in KEPT_TEXT:
        if name in table.codes:
            one, other = table.codes[name][first], table.codes[name][second]
            codes[name] = np.where(one == other, one, MISSING)
    if "system" in table.codes:
        for side, at in (("left_system", first), ("right_system", second)):
            codes[side] = table.codes["system"][at]
    codes["outcome"] = np.select([sign > 0, sign < 0], [0, 1], 2)  # in the order of OUTCOMES
    vocabularies["outcome"] = Vocabulary(object_cells(OUTCOMES))
    compared = Table(KINDS["comparison"], codes, _numbers(table, first, second))
    return Judgments({"comparison": compared}, vocabularies)


def _numbers(table: Table, first: Codes, second: Codes) -> dict[str, Vector]:
    """Return the round if both rows share it, the later time, and the smaller count."""
    joined: dict[str, Callable[[Vector, Vector], Vector]] = {
        "round": lambda one, other: np.where(one == other, one, np.nan),
        "at": np.maximum,
        "count": np.minimum,
    }
    return {
        name: join(table.numbers[name][first], table.numbers[name][second])
        for name, join in joined.items()
        if name in table.numbers
    }
