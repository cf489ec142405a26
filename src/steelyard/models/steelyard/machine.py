"""Scores of machine judges as features of the items.

Each judge has one score per item: the mean of its ratings, or the position of a ridge Bradley-Terry scale with a side
effect, fitted to its comparisons, rankings or best-worst choices. The scores predict the prior mean of the items, with
weights that people's answers determine. A useless judge gets a weight near 0, and a bias of a judge by an item feature
is corrected if that feature is also in the regression.

Judges of a family share errors. Their mean score is one feature, and the deviations from it share a variance, so that
several judges of a family count little more than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.orders import Orders, orders_of
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector, sum_by

RIDGE = 1.0  # prior precision of a position in logits, which keeps unbeaten items finite
SIDE_RIDGE = 4.0
STEPS = 25  # Newton steps; a ridge logistic regression converges in fewer than ten
POOLED = 2.0  # judges that the average disagreement counts as in the disagreement about an item


@dataclass(frozen=True, eq=False)
class MachineScores:
    """Standardised scores of machine judges as features, and how unsure they are about each item.

    Attributes
    ----------
    names
        Name of each feature.
    scores
        Value of each feature for each item, items x features; 0 where no judge scored the item.
    groups
        Number of each feature; features with the same number share the variance of their weights.
    unsure
        Variance of the judges' mean about each item, relative to its mean over items. All 1 if it is the same for all.
    """

    names: tuple[str, ...]
    scores: Matrix
    groups: Codes
    unsure: Vector


def machine_scores(machine: Judgments, items: Labels, system: Codes | None) -> MachineScores:
    """Return the scores of machine judges as features of these items.

    Parameters
    ----------
    machine
        Answers of machine judges.
    items
        Ids of the items.
    system
        System of each item, or None. Scores are centred within systems, so a judge that favours a system does not
        move it.

    Returns
    -------
    MachineScores
        Features without judges whose scores are constant.
    """
    judged = {name: _standardised(values, system) for name, values in _scores_by_judge(machine, items)}
    judged = {name: values for name, values in judged.items() if np.nansum(values**2) > 0.0}
    families: dict[str, list[str]] = {}
    for name, family in _families(machine).items():
        if name in judged:
            families.setdefault(family, []).append(name)
    names: list[str] = []
    groups: list[int] = []
    columns, means = [], []
    for family, members in families.items():
        own = np.column_stack([judged[name] for name in members])
        mean = _mean(own)
        means.append(mean)
        names.append(f"judge {members[0]}" if len(members) == 1 else f"judges {family}")
        columns.append(_unit(mean))
        groups.append(len(families) + len(groups))
        if len(members) > 1:
            names += [f"judge {name}" for name in members]
            columns += [np.nan_to_num(own[:, at] - mean) for at in range(len(members))]
            groups += [len(means) - 1] * len(members)
    scores = np.column_stack(columns) if columns else np.empty((len(items), 0))
    voices = means if len(means) > 1 else list(judged.values())
    unsure = _unsure(np.column_stack(voices)) if voices else np.ones(len(items))
    return MachineScores(tuple(names), scores, np.array(groups, dtype=np.int64), unsure)


def _families(machine: Judgments) -> dict[str, str]:
    """Return the family of each judge; a judge without one is its own."""
    families = {str(name): f"{name}" for name in machine.raters}
    for kind, table in machine.tables.items():
        if "family" in table.codes:
            cells = zip(machine.cells(kind, "rater"), machine.cells(kind, "family"), strict=True)
            families |= {str(name): f"family {family}" for name, family in cells if family is not None}
    return families


def _scores_by_judge(machine: Judgments, items: Labels) -> Iterator[tuple[str, Vector]]:
    """Yield the score of each judge for each item; NaN where it gave none. Kinds of a judge are averaged."""
    index = {label: at for at, label in enumerate(items)}
    places = np.array([index.get(label, MISSING) for label in machine.items], dtype=np.int64)
    for code, name in enumerate(machine.raters):
        own = machine.where(lambda table, code=code: np.equal(table.codes["rater"], code))  # type: ignore[misc]
        scores = [_unit_of(values) for values in _scores_by_kind(own) if np.isfinite(values).any()]
        if scores:
            mean = _mean(np.column_stack(scores))
            placed = np.full(len(items), np.nan)
            placed[places[places != MISSING]] = mean[places != MISSING]
            yield str(name), placed


def _scores_by_kind(own: Judgments) -> Iterator[Vector]:
    """Yield one score per item and kind of judgment of one judge."""
    for kind, table in own.tables.items():
        if not len(table):
            continue
        orders = orders_of(own, kind)
        if orders is not None and len(orders):
            yield ridge_positions(orders, len(own.items))
        elif table.kind.positions:
            centre = np.mean([table.numbers[name] for name in table.kind.positions], axis=0)
            total = sum_by(table.codes["item"], table.weights, len(own.items))
            sums = sum_by(table.codes["item"], table.weights * centre, len(own.items))
            yield np.divide(sums, total, out=np.full(len(own.items), np.nan), where=total > 0.0)


def ridge_positions(orders: Orders, items: int) -> Vector:
    """Return positions of items by a ridge logistic regression of the statements, with an effect of the left side.

    A tie counts as half a win of each item.

    Parameters
    ----------
    orders
        Statements about two items each.
    items
        Number of items.

    Returns
    -------
    Vector
        Logits, NaN for an item without a statement.
    """
    won = np.where(orders.is_tie, 0.5, 1.0)
    weight = orders.weight[orders.answer]
    used, code = np.unique(np.concatenate([orders.first, orders.second]), return_inverse=True)
    first, second = code[: len(won)], code[len(won) :]
    size = len(used)
    theta = np.zeros(size + 1)
    prior = np.append(np.full(size, RIDGE), SIDE_RIDGE)
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-(theta[first] - theta[second] + orders.side * theta[-1])))
        rest, curve = weight * (won - chance), weight * chance * (1.0 - chance)
        pull = np.append(sum_by(first, rest, size) - sum_by(second, rest, size), np.sum(orders.side * rest))
        step = np.linalg.solve(_curvature(first, second, orders.side, curve, prior), pull - prior * theta)
        theta = theta + step
        if np.max(np.abs(step)) < 1e-8:
            break
    placed = np.full(items, np.nan)
    placed[used] = theta[:-1]
    return placed


def _curvature(first: Codes, second: Codes, side: Vector, curve: Vector, prior: Vector) -> Matrix:
    size = len(prior) - 1
    matrix = np.diag(prior)
    for one, other, sign in (
        (first, first, 1),
        (second, second, 1),
        (first, second, -1),
        (second, first, -1),
    ):
        np.add.at(matrix, (one, other), sign * curve)
    edge = sum_by(first, side * curve, size) - sum_by(second, side * curve, size)
    matrix[:size, size] += edge
    matrix[size, :size] += edge
    matrix[size, size] += float(np.sum(side**2 * curve))
    return np.asarray(matrix)


def _standardised(values: Vector, system: Codes | None) -> Vector:
    """Return scores centred within systems, with variance 1; NaN where there is none."""
    group = np.zeros(len(values), dtype=np.int64) if system is None else system
    present = np.isfinite(values)
    count = sum_by(group, present.astype(float), int(group.max(initial=0)) + 1)
    total = sum_by(group, np.where(present, values, 0.0), len(count))
    return _unit(values - (total / np.maximum(count, 1.0))[group], keep_missing=True)


def _unit_of(values: Vector) -> Vector:
    return _unit(values - np.nanmean(values), keep_missing=True)


def _unit(values: Vector, keep_missing: bool = False) -> Vector:
    """Return values with a root mean square of 1, or all 0 if they are constant."""
    size = float(np.sqrt(np.nanmean(values**2))) if np.isfinite(values).any() else 0.0
    scaled = values / size if size > 1e-9 else values * 0.0
    return scaled if keep_missing else np.nan_to_num(scaled)


def _mean(columns: Matrix) -> Vector:
    """Return the mean of the values that exist in each row; NaN if none does."""
    present = np.isfinite(columns)
    count = present.sum(axis=1)
    sums = np.where(present, columns, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, count, out=np.full(len(columns), np.nan), where=count > 0))


def _unsure(voices: Matrix) -> Vector:
    """Return the variance of the mean of the judges about each item, relative to its mean over items.

    The disagreement about an item is shrunk to the average disagreement, which counts as two judges. An item without
    scores has the variance of all scores, 1, in addition.
    """
    present = np.isfinite(voices)
    count = present.sum(axis=1).astype(float)
    mean = np.nan_to_num(_mean(voices))
    square = np.where(present, (voices - mean[:, None]) ** 2, 0.0).sum(axis=1)
    freedom = np.maximum(count - 1.0, 0.0)
    average = float(square.sum() / freedom.sum()) if freedom.sum() > 0.0 else 1.0
    variance = (square + POOLED * average) / (freedom + POOLED)
    unsure = np.where(count > 0.0, variance / np.maximum(count, 1.0), 1.0 + average)
    return np.asarray(unsure / unsure.mean()) if unsure.mean() > 0.0 else np.ones(len(voices))
