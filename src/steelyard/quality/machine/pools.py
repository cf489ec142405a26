"""`Pool`: units that machine judges scored, and people's answers about some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.errors import BadSetting, NothingToTest, UnknownName
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.table_kinds import KINDS, system_column
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector, object_cells, sum_by

EVERYTHING = "all items"  # name of the group if there are no systems


@dataclass(frozen=True, eq=False)
class Pool:
    """Units with the scores of machine judges, and people's answers about some of them.

    A unit is an item or, for comparisons, a pair of items seen from one side. Pairs are two units.

    Attributes
    ----------
    groups
        Names of the groups whose means are estimated: systems, or all items.
    group
        Group of each unit.
    cluster
        Cluster of each unit: its segment, or its item or pair. Units of a cluster may be correlated.
    judges
        Names of the machine judges.
    families
        Family of each judge, its own name if it has none.
    scores
        Mean score of each judge for each unit, units x judges; NaN if the judge did not score it.
    left
        Share of the judge's comparisons of the pair that showed the item of the unit on the left, units x judges; NaN
        for ratings.
    unit
        Unit of each answer of a person.
    answer
        Value of each answer: a score, or 1, 0.5 or 0 for a win, tie or loss.
    rater
        Rater of each answer.
    weight
        Weight of each answer: the inverse of the probability of being chosen, or 1 divided by the number of answers
        about its unit.
    names
        Name of each unit: its item or pair.
    """

    groups: Labels
    group: Codes
    cluster: Codes
    judges: Labels
    families: Labels
    scores: Matrix
    left: Matrix
    unit: Codes
    answer: Vector
    rater: Codes
    weight: Vector
    names: Labels

    def __len__(self) -> int:
        return len(self.group)

    @property
    def raters(self) -> int:
        """Number of people who answered."""
        return len(np.unique(self.rater))

    @cached_property
    def labelled(self) -> Mask:
        """Whether people answered about each unit."""
        return np.asarray(np.bincount(self.unit, minlength=len(self)) > 0)

    @cached_property
    def mean_answer(self) -> Vector:
        """Weighted mean of people's answers about each unit; NaN without answers."""
        total = sum_by(self.unit, self.weight, len(self))
        sums = sum_by(self.unit, self.weight * self.answer, len(self))
        return np.asarray(np.divide(sums, total, out=np.full(len(self), np.nan), where=total > 0.0))

    @cached_property
    def filled(self) -> Matrix:
        """Scores of the judges, with the mean of the group where a judge gave none."""
        return np.column_stack([_filled(column, self.group, len(self.groups)) for column in self.scores.T])


@dataclass(frozen=True, kw_only=True)
class PoolSettings:
    """Which answers of people are used, and how they were chosen.

    Parameters
    ----------
    probability
        Column with the probability that the answer's task was chosen. Default: every unit was as likely as others.
    audit
        Column that marks answers of the audit slice with yes, true or 1. Only these are used. Default: all answers.
    """

    probability: str | None = None
    audit: str | None = None


def pool_of(judgments: Judgments, settings: PoolSettings | None = None) -> Pool:
    """Return the pool of ratings or comparisons with machine answers beside them.

    Parameters
    ----------
    judgments
        Judgments of people of one kind, ratings or comparisons, with machine answers of the same kind.
    settings
        Which answers of people are used. Default: `PoolSettings()`.

    Returns
    -------
    Pool
        All units that a person or a machine judged.

    Raises
    ------
    NothingToTest
        If there are no answers of machine judges, or none of the same kind as people's.
    """
    chosen = PoolSettings() if settings is None else settings
    kind = _kind(judgments)
    people = _audited(judgments, kind, chosen.audit)
    machine = judgments.machine
    assert machine is not None  # `_kind` has checked it
    probability = _probability(people.table(kind), chosen.probability)
    described = _Described.of((judgments, machine))
    answers, scored = _cells(people, kind, described), _cells(machine, kind, described)
    names, groups, clusters = (
        np.concatenate([getattr(answers, each), getattr(scored, each)]) for each in _SHARED
    )
    unit_names, first, unit = np.unique(names.astype(str), return_index=True, return_inverse=True)
    group_names, group = np.unique(groups[first].astype(str), return_inverse=True)
    judges, families, scores, left = _scores(machine, kind, scored, unit[len(answers.value) :], len(first))
    answered = unit[: len(answers.value)]
    weight = _weights(answered, people.table(kind).weights[answers.row], answers.row, probability)
    used = weight > 0.0
    return Pool(
        groups=object_cells(group_names),
        group=np.asarray(group, dtype=np.int64),
        cluster=np.unique(clusters[first].astype(str), return_inverse=True)[1],
        judges=judges,
        families=families,
        scores=scores,
        left=left,
        unit=answered[used],
        answer=answers.value[used],
        rater=_raters(people.table(kind))[answers.row][used],
        weight=weight[used],
        names=object_cells(unit_names),
    )


_SHARED = ("name", "group", "cluster")


@dataclass(frozen=True, eq=False)
class _Cells:
    """Answers by unit: name, group and cluster of the unit, value, whether it is on the left, and row of the table."""

    name: Labels
    group: Labels
    cluster: Labels
    value: Vector
    left: Vector
    row: Codes


def _kind(judgments: Judgments) -> str:
    present = [name for name, table in judgments.tables.items() if len(table)]
    machine = () if judgments.machine is None else judgments.machine.kinds
    if not machine:
        raise NothingToTest(
            "Machine judges",
            "no answers are marked as those of a machine judge.",
            "Write machine in the column source of their rows, or name them with --machine-raters. Import them into a "
            "study with steelyard import --source machine.",
        )
    usable = [name for name in present if name in machine and KINDS[name].for_machines]
    if len(usable) != 1:
        raise NothingToTest(
            "Machine judges",
            f"people gave {' and '.join(present) or 'no'} judgments, machine judges {' and '.join(machine)} judgments.",
            "Both need ratings, or both comparisons. Choose one kind with --kind.",
        )
    return usable[0]


def _audited(judgments: Judgments, kind: str, column: str | None) -> Judgments:
    """Return the answers of people that a column marks, or all of them."""
    if column is None:
        return judgments
    table = judgments.table(kind)
    if column not in table:
        raise UnknownName("column", column, table.columns)
    cells = [str(cell).strip().casefold() for cell in judgments.cells(kind, column).tolist()]
    keep = np.array([cell in ("yes", "true", "1", "1.0") for cell in cells], dtype=bool)
    if not keep.any():
        raise NothingToTest(
            "Machine judges", f"column {column} marks no answer.", "Mark answers with yes or 1."
        )
    return judgments.where(lambda each: keep if each.kind.name == kind else np.zeros(len(each), dtype=bool))


def _probability(table: Table, column: str | None) -> Vector | None:
    if column is None:
        return None
    if column not in table.numbers:
        raise UnknownName("numeric column", column, tuple(table.numbers))
    values = table.numbers[column]
    if not np.all((values > 0.0) & (values <= 1.0)):
        raise BadSetting(
            "probability",
            f"column {column} has empty cells or values outside 0 to 1. Use only rows with a probability.",
        )
    return values


def _weights(unit: Codes, count: Vector, row: Codes, probability: Vector | None) -> Vector:
    """Return 1 / probability of each answer, or 1 divided by the answers of its unit."""
    if probability is not None:
        return np.asarray(count / probability[row])
    total = sum_by(unit, count, int(unit.max(initial=-1)) + 1)
    return np.divide(count, total[unit], out=np.zeros(len(count)), where=count > 0.0)


@dataclass(frozen=True, eq=False)
class _Described:
    """System and segment of each item, from the rows that name them; items with several have none."""

    system: Mapping[str, str]
    segment: Mapping[str, str]

    @staticmethod
    def of(parts: Sequence[Judgments]) -> _Described:
        """Return what the rows of people and machine judges, of any kind, say of the items."""
        columns = [(each, kind, item) for each in parts for kind in each.tables for item in KINDS[kind].items]
        system = [(each, kind, item, system_column(item)) for each, kind, item in columns]
        segment = [(each, kind, item, "segment") for each, kind, item in columns]
        return _Described(_by_item(system), _by_item(segment))

    def cells(self, judgments: Judgments, kind: str, item: str, column: str) -> Labels:
        """Return a column of the rows, with the value of the item where a cell is empty."""
        of_item = self.segment if column == "segment" else self.system
        items = judgments.cells(kind, item)
        own = judgments.cells(kind, column) if column in judgments.table(kind).codes else [None] * len(items)
        pairs = zip(items, own, strict=True)
        return object_cells(of_item.get(each) if cell is None else cell for each, cell in pairs)


def _by_item(columns: Sequence[tuple[Judgments, str, str, str]]) -> dict[str, str]:
    values: dict[str, set[str]] = {}
    for judgments, kind, item, column in columns:
        if column in judgments.table(kind).codes:
            cells = zip(judgments.cells(kind, item), judgments.cells(kind, column), strict=True)
            for each, cell in cells:
                if cell is not None:
                    values.setdefault(each, set()).add(cell)
    return {each: next(iter(cells)) for each, cells in values.items() if len(cells) == 1}


def _cells(judgments: Judgments, kind: str, described: _Described) -> _Cells:
    of = _of_pairs if KINDS[kind].paired else _of_items
    return of(judgments, judgments.table(kind), described)


def _of_items(judgments: Judgments, table: Table, described: _Described) -> _Cells:
    kind = table.kind.name
    item = judgments.cells(kind, "item")
    system = described.cells(judgments, kind, "item", "system")
    segment = described.cells(judgments, kind, "item", "segment")
    group = np.array([EVERYTHING if each is None else each for each in system], dtype=object)
    name = np.array([f"{at}|{each}" for at, each in zip(group, item, strict=True)], dtype=object)
    cluster = np.array(
        [at if seg is None else seg for at, seg in zip(name, segment, strict=True)], dtype=object
    )
    nowhere = np.full(len(table), np.nan)
    score = table.numbers[table.kind.positions[0]]
    return _Cells(name, group, cluster, score, nowhere, np.arange(len(table)))


def _of_pairs(judgments: Judgments, table: Table, described: _Described) -> _Cells:
    """Return each comparison twice: from the side of its left item, and of its right item."""
    kind = table.kind.name
    left, right = judgments.cells(kind, "left"), judgments.cells(kind, "right")
    segment = described.cells(judgments, kind, "left", "segment")
    of_left, of_right = (
        object_cells(of if of is not None else own for own, of in zip(item, system, strict=True))
        for item, system in (
            (left, described.cells(judgments, kind, "left", "left_system")),
            (right, described.cells(judgments, kind, "right", "right_system")),
        )
    )
    words = judgments.cells(kind, "outcome").tolist()
    won = np.array([{"left": 1.0, "right": 0.0, "tie": 0.5}[word] for word in words])
    pair = [
        f"{seg or ''}|{'|'.join(sorted((one, other)))}"
        for one, other, seg in zip(left, right, segment, strict=True)
    ]
    cluster = [at if seg is None else seg for at, seg in zip(pair, segment, strict=True)]
    rows = np.arange(len(table))
    own = [f"{at}|{one}" for at, one in zip(pair, left, strict=True)]
    other = [f"{at}|{one}" for at, one in zip(pair, right, strict=True)]
    return _Cells(
        object_cells([*own, *other]),
        np.concatenate([of_left, of_right]),
        object_cells([*cluster, *cluster]),
        np.concatenate([won, 1.0 - won]),
        np.concatenate([np.ones(len(rows)), np.zeros(len(rows))]),
        np.concatenate([rows, rows]),
    )


def _raters(table: Table) -> Codes:
    """Return the rater of each row; every row without a rater has one of its own."""
    codes = table.codes.get("rater", np.full(len(table), MISSING))
    alone = codes == MISSING
    return np.where(alone, int(codes.max(initial=-1)) + np.cumsum(alone), codes)


def _scores(
    machine: Judgments, kind: str, scored: _Cells, unit: Codes, size: int
) -> tuple[Labels, Labels, Matrix, Matrix]:
    """Return the judges, their families, and for each unit the mean score of each and how often it was on the left."""
    table = machine.table(kind)
    rater = table.codes["rater"][scored.row]
    family = machine.cells(kind, "family") if "family" in table.codes else np.full(len(table), None)
    used = np.unique(rater)
    columns, lefts, families = [], [], []
    for code in used:
        mine = rater == code
        columns.append(_means(unit[mine], scored.value[mine], size))
        lefts.append(_means(unit[mine], scored.left[mine], size))
        named = [each for each in family[table.codes["rater"] == code] if each is not None]
        families.append(named[0] if named else machine.raters[code])
    return machine.raters[used], object_cells(families), np.column_stack(columns), np.column_stack(lefts)


def _means(unit: Codes, values: Vector, size: int) -> Vector:
    """Return the mean value of each unit; NaN without values."""
    total = sum_by(unit, np.ones(len(unit)), size)
    sums = sum_by(unit, values, size)
    return np.asarray(np.divide(sums, total, out=np.full(size, np.nan), where=total > 0.0))


def _filled(scores: Vector, group: Codes, groups: int) -> Vector:
    present = np.isfinite(scores)
    count = sum_by(group, present.astype(float), groups)
    sums = sum_by(group, np.where(present, scores, 0.0), groups)
    overall = float(scores[present].mean()) if present.any() else 0.0
    mean = np.divide(sums, count, out=np.full(groups, overall), where=count > 0.0)
    return np.where(present, scores, mean[group])
