"""The answers of one arm as a table of raters by items, on the unit scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from steelyard.judgments.conversions import judgments_as
from steelyard.judgments.keys import row_key
from steelyard.judgments.opinions import named_raters, opinions_of, placed_kinds
from steelyard.judgments.probes import probe_rows, without_probes
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by

COMPARED = "comparison"
OUTCOMES = {"left": 1.0, "tie": 0.5, "right": 0.0}  # of a pair, as a position
Key = str | tuple[str, str]  # an item, or a pair of items that is compared


@dataclass(frozen=True, eq=False)
class ArmAnswers:
    """The answers of one arm. Answers without a named rater are left out.

    Attributes
    ----------
    name
        Name of the condition.
    kind
        Kind of judgment: one with positions, or "comparison" for all kinds that are converted to it.
    raters
        Names of the raters.
    keys
        Items, or pairs of items if they are compared.
    judged
        Whether each rater (row) judged each item (column), as 0 or 1.
    position
        Position of the item in the rater's answer, on the unit scale; 0 where there is none.
    repeats
        Sum of squared differences between a repeated answer and the first one, and their number, by rater.
    seconds
        Median time per judgment by rater, in seconds; NaN if unknown.
    cost
        Pay per judgment by rater; NaN if unknown.
    strata
        Stratum of each rater, by name; empty without strata.
    """

    name: str
    kind: str
    raters: tuple[str, ...]
    keys: tuple[Key, ...]
    judged: Matrix
    position: Matrix
    repeats: Matrix
    seconds: Vector
    cost: Vector
    strata: Mapping[str, str] = field(default_factory=dict)

    def at(self, keys: tuple[Key, ...]) -> ArmAnswers:
        """Return the answers about these items only."""
        index = {key: at for at, key in enumerate(self.keys)}
        columns = [index[key] for key in keys]
        return ArmAnswers(
            self.name,
            self.kind,
            self.raters,
            keys,
            self.judged[:, columns],
            self.position[:, columns],
            self.repeats,
            self.seconds,
            self.cost,
            self.strata,
        )


def arms_in(judgments: Judgments) -> dict[str, Judgments]:
    """Return the judgments of each condition, by its name; rows without a condition are left out."""
    return {str(name): part for name, part in judgments.by("condition") if name}


def arm_answers(
    name: str,
    judgments: Judgments,
    *,
    strata: Mapping[str, str] | None = None,
    pay: Mapping[str, float] | None = None,
) -> ArmAnswers:
    """Return the answers of one arm as a table.

    Parameters
    ----------
    name
        Name of the condition.
    judgments
        Judgments of one question in this condition, with their probes. Their range sets the unit scale.
    strata
        Stratum of each rater. Default: all raters are in one stratum.
    pay
        Pay of each rater for all of their judgments, in any currency. Default: unknown.

    Returns
    -------
    ArmAnswers
        The table.
    """
    counted, _ = without_probes(judgments)
    kind = next(iter(placed_kinds(counted)), COMPARED)
    rows = _placed(counted, kind) if kind != COMPARED else _compared(counted)
    raters = sorted({rater for rater, _, _ in rows})
    keys = sorted({key for _, key, _ in rows}, key=str)
    at_rater, at_key = ({each: at for at, each in enumerate(some)} for some in (raters, keys))
    judged, position = np.zeros((len(raters), len(keys))), np.zeros((len(raters), len(keys)))
    for rater, key, value in rows:
        judged[at_rater[rater], at_key[key]] += 1.0
        position[at_rater[rater], at_key[key]] += value
    position = np.divide(position, judged, out=np.zeros_like(position), where=judged > 0)
    times = _seconds(counted)
    counts = {rater: int(judged[at].sum()) for rater, at in at_rater.items()}
    paid = {} if pay is None else pay
    return ArmAnswers(
        name,
        kind,
        tuple(raters),
        tuple(keys),
        np.minimum(judged, 1.0),
        position,
        _repeats(judgments, kind, raters),
        np.array([times.get(rater, np.nan) for rater in raters]),
        np.array([paid.get(rater, np.nan) / max(counts[rater], 1) for rater in raters]),
        {} if strata is None else strata,
    )


def _placed(judgments: Judgments, kind: str) -> list[tuple[str, Key, float]]:
    """Return rater, item and unit position of each opinion."""
    opinions, (low, high) = opinions_of(judgments, kind), judgments.score_range
    width = high - low if high > low else 1.0
    unit = (opinions.position - low) / width
    named = opinions.rater >= 0
    return [
        (str(judgments.raters[rater]), str(judgments.items[item]), float(value))
        for rater, item, value in zip(opinions.rater[named], opinions.item[named], unit[named], strict=True)
    ]


def _compared(judgments: Judgments) -> list[tuple[str, Key, float]]:
    """Return rater, pair and outcome of each comparison; lists, rankings and choices are converted."""
    if not len(judgments):
        return []
    pairs = judgments if judgments.kinds == (COMPARED,) else judgments_as(judgments, COMPARED)
    table = pairs.table(COMPARED)
    named, labels = named_raters(pairs, table), [str(each) for each in pairs.labels("outcome")]
    rows: list[tuple[str, Key, float]] = []
    for at in np.flatnonzero(named):
        left, right = (str(pairs.items[table.codes[side][at]]) for side in ("left", "right"))
        value = OUTCOMES[labels[table.codes["outcome"][at]]]
        rater = str(pairs.raters[table.codes["rater"][at]])
        key = (left, right) if left < right else (right, left)
        rows.append((rater, key, value if left < right else 1.0 - value))
    return rows


def _repeats(judgments: Judgments, kind: str, raters: list[str]) -> Matrix:
    """Return the sum of squared differences of probes and their number, by rater."""
    sums = {rater: [0.0, 0.0] for rater in raters}
    if kind != COMPARED:
        table, (low, high) = judgments.table(kind), judgments.score_range
        marked = probe_rows(judgments, table)
        values = np.column_stack([table.numbers[name] for name in table.kind.positions]).mean(axis=1)
        unit = (values - low) / (high - low if high > low else 1.0)
        first = _first_answers(table, marked, unit)
        for at in np.flatnonzero(marked):
            rater = str(judgments.raters[table.codes["rater"][at]])
            before = first.get((int(table.codes["rater"][at]), int(table.codes["item"][at])))
            if before is not None and rater in sums:
                sums[rater][0] += (unit[at] - before) ** 2
                sums[rater][1] += 1.0
    return np.array([sums[rater] for rater in raters]).reshape(len(raters), 2)


def _first_answers(table: Table, marked: Mask, unit: Vector) -> dict[tuple[int, int], float]:
    """Return the first answer that is not a probe, by rater and item code."""
    first: dict[tuple[int, int], float] = {}
    for at in np.flatnonzero(~marked):
        first.setdefault((int(table.codes["rater"][at]), int(table.codes["item"][at])), float(unit[at]))
    return first


def _seconds(judgments: Judgments) -> dict[str, float]:
    """Return the median time per judgment of each rater; equal times within a task are the time of the task."""
    times: dict[str, list[float]] = {}
    for table in judgments.tables.values():
        if "milliseconds" not in table.numbers or "rater" not in table.codes:
            continue
        timed = ~np.isnan(table.numbers["milliseconds"]) & (table.codes["rater"] != MISSING)
        rows = table.where(timed)
        group, sizes = _tasks(rows)
        for at in np.unique(group, return_index=True)[1]:
            rater = str(judgments.raters[rows.codes["rater"][at]])
            times.setdefault(rater, []).append(rows.numbers["milliseconds"][at] / 1000.0 / sizes[group[at]])
    return {rater: float(np.median(each)) for rater, each in times.items()}


def _tasks(rows: Table) -> tuple[Codes, Vector]:
    """Return a number per row that is equal within the answer to one task, and the rows of each."""
    tasks = rows.codes.get("task", np.full(len(rows), MISSING))
    shared = row_key(rows, ("rater", "task", "round", "milliseconds"))
    key = np.where(tasks == MISSING, -1 - np.arange(len(rows)), shared)
    _, group = np.unique(key, return_inverse=True)
    return group, sum_by(group, np.ones(len(rows)), int(group.max()) + 1 if len(rows) else 0)
