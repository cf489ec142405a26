"""`machine_judges`: estimates with machine judges, how many answers they saved, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from steelyard.errors import UnknownName
from steelyard.judgments.findings import counted, listed
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels, Vector, object_cells
from steelyard.quality.machine.pools import EVERYTHING, Pool, PoolSettings, pool_of
from steelyard.quality.machine.prediction_powered import Estimates, cross_predictions, estimate_means
from steelyard.quality.machine.trust import difference_rows, judge_rows
from steelyard.scales.tables import Rows

FEW_CLUSTERS = 10
SYSTEM = "system"


@dataclass(frozen=True, kw_only=True)
class JudgeSettings:
    """What to estimate, and from which answers.

    Parameters
    ----------
    probability
        Column with the probability that the answer's task was chosen. Default: every unit was as likely as others.
    audit
        Column that marks the answers of the audit slice. Only these are used. Default: all answers.
    width
        Half-width of the 95% interval for which the number of answers is computed. Default: none.
    features
        Columns by whose values the differences between people and judges are reported, besides system.
    items
        Value of each item in columns that the judgments do not have, by name of the column.
    draws
        Number of bootstrap samples. Default 1000.
    """

    probability: str | None = None
    audit: str | None = None
    width: float | None = None
    features: tuple[str, ...] = ()
    items: Mapping[str, Mapping[str, str | float]] = field(default_factory=dict)
    draws: int = 1000


@dataclass(frozen=True, eq=False)
class MachineJudges:
    """What machine judges add to people's answers.

    Attributes
    ----------
    estimates
        One row per system: estimate with 95% interval, the same from people's answers alone, and the number of
        answers that the machine saved: further answers of people that would give the same precision, at least 0. With a
        `width`, also the number still needed.
    differences
        One row per two systems, with the same columns.
    judges
        One row per judge: correlation with people.
    biases
        One row per judge and level of a feature: how people rate items with the same score of the judge.
    notes
        Assumptions and remarks, as sentences.
    """

    estimates: Rows
    differences: Rows
    judges: Rows
    biases: Rows
    notes: tuple[str, ...]


def machine_judges(
    judgments: Judgments, settings: JudgeSettings | None = None, rng: np.random.Generator | None = None
) -> MachineJudges:
    """Return prediction-powered estimates, and how far each machine judge can be trusted.

    Estimates stay valid however wrong the judges are, if people's answers are about a random part of the units, or
    the probability of each answer is known.

    Parameters
    ----------
    judgments
        Ratings or comparisons of people, with machine answers of the same kind beside them.
    settings
        What to estimate. Default: `JudgeSettings()`.
    rng
        Source of randomness of folds and bootstrap. Default: a generator with the seed 0.

    Returns
    -------
    MachineJudges
        Tables of estimates, differences, judges and biases.

    Raises
    ------
    NothingToTest
        If there are no answers of machine judges of the kind of people's.

    Examples
    --------
    >>> from steelyard import read
    >>> people = [("ann", "a", 2), ("ann", "b", 4), ("ann", "c", 9), ("bob", "d", 5), ("bob", "e", 8)]
    >>> metric = [("metric", item, score) for item, score in zip("abcdefgh", (1, 3, 9, 4, 8, 2, 2, 1))]
    >>> rater, item, score = zip(*people, *metric)
    >>> judged = read({"rater": rater, "item": item, "score": score}, machine_raters=["metric"])
    >>> row = machine_judges(judged).estimates[0]
    >>> round(row["people"], 2), round(row["estimate"], 2)
    (5.6, 4.49)
    """
    chosen = JudgeSettings() if settings is None else settings
    random = np.random.default_rng(0) if rng is None else rng
    pool = pool_of(judgments, PoolSettings(probability=chosen.probability, audit=chosen.audit))
    predicted = cross_predictions(pool, random)
    powered, alone = estimate_means(pool, predicted), estimate_means(pool, predicted, power=0.0)
    both = _Both(powered, alone, chosen.width)
    names = [str(each) for each in pool.groups]
    unit = np.eye(len(names))
    answered = np.flatnonzero(np.isfinite(powered.mean))
    means = [{"system": names[at], **both.row(unit[at])} for at in answered]
    pairs = combinations(answered.tolist(), 2)
    gaps = [{"first": names[i], "second": names[k], **both.row(unit[i] - unit[k])} for i, k in pairs]
    features = _features(judgments, pool, chosen)
    return MachineJudges(
        Rows(means),
        Rows(gaps),
        Rows([asdict(row) for row in judge_rows(pool, random, chosen.draws)]),
        Rows([asdict(row) for row in difference_rows(pool, features)]),
        (*_notes(pool, chosen, powered), *_out_of_reach([*means, *gaps])),
    )


@dataclass(frozen=True, eq=False)
class _Both:
    """Estimates with the machine and without it."""

    powered: Estimates
    alone: Estimates
    width: float | None

    def row(self, contrast: Vector) -> dict[str, Any]:
        """Return the estimate of a sum of means, with and without the machine."""
        used = contrast != 0.0
        answers = int(np.isin(self.powered.pool.group[self.powered.pool.unit], np.flatnonzero(used)).sum())
        with_machine, people = _interval(self.powered, contrast), _interval(self.alone, contrast)
        error, error_alone = self.powered.error(contrast), self.alone.error(contrast)
        saved = max(answers * ((error_alone / error) ** 2 - 1.0), 0.0) if error > 0.0 else 0.0
        row = {
            "estimate": with_machine[0],
            "low": with_machine[1],
            "high": with_machine[2],
            "people": people[0],
            "people_low": people[1],
            "people_high": people[2],
            "answers": answers,
            "saved": round(saved, 1),
        }
        return row if self.width is None else {**row, "needed": self._needed(contrast, answers, error)}

    def _needed(self, contrast: Vector, answers: int, error: float) -> int | None:
        """Return the further answers for the half-width; None if only more items can reach it."""
        assert self.width is not None
        wanted = (self.width / _quantile(self.powered, contrast)) ** 2
        fixed = self.powered.pool_error(contrast) ** 2
        if wanted <= fixed:
            return None
        return max(int(np.ceil(answers * ((error**2 - fixed) / (wanted - fixed) - 1.0))), 0)


def _quantile(estimates: Estimates, contrast: Vector) -> float:
    from scipy.special import stdtrit  # SciPy is slow to import

    return float(stdtrit(estimates.freedom(contrast), 0.975))


def _interval(estimates: Estimates, contrast: Vector) -> tuple[float, float, float]:
    used = contrast != 0.0
    value = float(np.sum(contrast[used] * estimates.mean[used]))
    half = _quantile(estimates, contrast) * estimates.error(contrast)
    return value, value - half, value + half


def _features(judgments: Judgments, pool: Pool, settings: JudgeSettings) -> Mapping[str, Labels | Vector]:
    """Return the value of each unit in the columns of its item, and its system."""
    features: dict[str, Labels | Vector] = {SYSTEM: object_cells(str(pool.groups[at]) for at in pool.group)}
    for column in settings.features:
        named = settings.items.get(column)
        values = _values_of_items(judgments, column) if named is None else named
        cells = [values.get(name.rsplit("|", 1)[-1]) for name in pool.names]
        numeric = all(cell is None or isinstance(cell, float) for cell in cells)
        features[column] = (
            np.array([np.nan if cell is None else cell for cell in cells]) if numeric else object_cells(cells)
        )
    return features


def _values_of_items(judgments: Judgments, column: str) -> dict[str, Any]:
    """Return the first value of each item in a column, of people's or the machine's rows."""
    parts = [judgments] if judgments.machine is None else [judgments, judgments.machine]
    values: dict[str, Any] = {}
    present: set[str] = set()
    for part in parts:
        for kind, table in part.tables.items():
            present |= set(table.columns)
            if column in table:
                for name in table.kind.items:
                    for item, value in zip(
                        part.cells(kind, name), part.cells(kind, column).tolist(), strict=True
                    ):
                        if value is not None and not (isinstance(value, float) and np.isnan(value)):
                            values.setdefault(item, value)
    if column not in present:
        raise UnknownName("column", column, sorted(present))
    return values


def _notes(pool: Pool, settings: JudgeSettings, powered: Estimates) -> list[str]:
    units = int(pool.labelled.sum())
    notes = [
        f"People answered about {units:,} of {len(pool):,} items or sides of pairs, {counted(pool.raters, 'rater')}. "
        f"Estimates use the predictions of the machine with the factor {powered.power:.3g} (0: not at all). saved is "
        "the number of further answers of people that would give the same precision without the machine.",
        *_doubts_about_factor(pool, powered),
    ]
    if settings.probability is not None:
        notes.append(f"Answers are weighted by 1 / {settings.probability}.")
    elif settings.audit is not None:
        notes.append(f"Only answers marked in {settings.audit} are used.")
    else:
        notes.append(
            "People's answers are taken to be about a random part of the items. If items were chosen otherwise, use "
            "--probability or --audit."
        )
    if len(pool.groups) > 1 and EVERYTHING in pool.groups:
        alone = int(np.sum(pool.groups[pool.group] == EVERYTHING))
        notes.append(
            f"{counted(alone, 'item')} without a system: the scores of machine judges for them improve the estimate of "
            "no system. Add a column system to the rows of the machine judges."
        )
    few = [
        str(each)
        for each, count in zip(pool.groups, powered.labelled_clusters, strict=True)
        if count < FEW_CLUSTERS
    ]
    if few:
        notes.append(
            f"{listed(few)}: people answered about fewer than {FEW_CLUSTERS} segments or items, so intervals are rough."
        )
    return notes


def _doubts_about_factor(pool: Pool, powered: Estimates) -> Iterator[str]:
    """Yield why the factor may be wrong: people answered too little, or disagree with the judges."""
    clusters = len(np.unique(pool.cluster[pool.unit]))
    if powered.fitted and clusters < FEW_CLUSTERS:
        yield (
            f"The factor cannot be estimated well: people answered about only {clusters} segments or items. "
            f"Collect answers about {FEW_CLUSTERS} or more before you rely on estimates with the machine."
        )
    if powered.power < 0.0:
        yield (
            "The factor is negative: people's answers are lower where the machine judges predict higher ones. Check "
            "that higher scores of the judges mean better items."
        )


def _out_of_reach(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a sentence if some intervals cannot reach the half-width by more answers about these items."""
    if all(row.get("needed", 0) is not None for row in rows):
        return ()
    return (
        "needed is empty where no number of answers about these items is enough for the half-width. Add items, or "
        "choose a larger --width.",
    )


def with_probabilities(judgments: Judgments, probability: Mapping[str, float], column: str) -> Judgments:
    """Return the ratings or comparisons of tasks whose probability of being chosen is known, with a column of it.

    Parameters
    ----------
    judgments
        Judgments of a study, with a column task.
    probability
        Probability of each task.
    column
        Name of the column.

    Returns
    -------
    Judgments
        The rows of these tasks. Machine answers are kept.
    """
    tables = {}
    for kind, table in judgments.tables.items():
        values = np.array([probability.get(each, np.nan) for each in judgments.cells(kind, "task").tolist()])
        rows = replace(table, numbers={**table.numbers, column: values})
        tables[kind] = rows.where(np.isfinite(values))
    return replace(judgments, tables=tables)
