"""Numbers that Sakaguchi & Van Durme (2018) print, stand-ins for their items, and files with data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.sheet import text_cells
from steelyard.maths.arrays import Codes, Labels, Mask, Vector
from steelyard.study.definition.items import open_sheet

ITEMS = 150
AGREEMENT = {"lexical": 0.37, "political": 0.67}  # notes 17 and 20
STEP = 1.0 / 28.0  # means of 7 answers on 5 levels, from 0 to 1

# Table 1: gold, direct assessment, ranking aggregation, EASL.
TABLE_1 = (
    (100.0, 91.7, 75.8, 91.9),
    (92.9, 90.1, 74.6, 90.0),
    (78.6, 86.3, 72.9, 86.4),
    (75.0, 78.2, 68.3, 77.3),
    (53.6, 55.5, 55.8, 55.9),
    (50.0, 53.0, 53.8, 53.5),
    (32.2, 31.0, 44.0, 31.4),
    (28.6, 22.4, 37.3, 23.0),
    (10.7, 9.6, 31.5, 9.6),
    (0.0, 7.1, 29.9, 7.4),
)


def draw_lexical(rng: np.random.Generator, count: int = ITEMS) -> Vector:
    """Return relative log-frequencies of verbs: a stand-in with a peak in the middle, because the words are "
    "unknown."""
    return rng.beta(3.0, 3.0, count)


def draw_political(rng: np.random.Generator, count: int = ITEMS) -> Vector:
    """Return positions of political statements: a stand-in with many items at both ends, in steps of 1/28."""
    return np.round(rng.beta(0.8, 1.0, count) / STEP) * STEP


@dataclass(frozen=True, eq=False)
class SystemScores:
    """Judgments of outputs of systems, one row each.

    Attributes
    ----------
    name
        Name of the data.
    system
        Names of the systems.
    segments
        Number of segments; of pages, if outputs were ranked together.
    system_code, segment_code
        System and segment of each judgment.
    score
        Score of each judgment, from 0 to 1.
    relative
        Whether scores come from rankings, and so depend on the other outputs of the page.
    """

    name: str
    system: tuple[str, ...]
    segments: int
    system_code: Codes
    segment_code: Codes
    score: Vector
    relative: bool = False

    @property
    def oracle(self) -> Vector:
        """Mean score of each system over all judgments."""
        size = len(self.system)
        return np.asarray(
            np.bincount(self.system_code, self.score, size) / np.bincount(self.system_code, None, size)
        )


@dataclass(frozen=True, eq=False)
class GivenData:
    """Content of the files that were passed: gold values of statements, and judgments of systems."""

    gold: Vector | None = None
    systems: tuple[SystemScores, ...] = ()


def read_given(files: Sequence[Path]) -> GivenData:
    """Return the content of the files, recognised by their columns.

    Parameters
    ----------
    files
        Files with columns item and value (gold values of political statements, from -2 to 2, from 0 to 1 or from 0 to
        100), with system, segment and score (ratings of systems), or with task, item and rank (rankings).

    Returns
    -------
    GivenData
        Gold values from 0 to 1, and judgments by system. Data with a column question have one entry per question.
    """
    gold, systems = None, []
    for file in files:
        columns = _texts(file)
        if {"item", "value"} <= set(columns):
            gold = _unit(_numbers(columns["value"], file), file)
        elif {"system", "segment", "score"} <= set(columns):
            systems += read_ratings(file)
        elif {"task", "item", "rank"} <= set(columns):
            systems += _read_rankings(file)
        else:
            raise BadSetting(
                "data",
                f"{file} has the columns {', '.join(columns)}. Expected: item and value; or system, segment and "
                "score; or task, item and rank.",
            )
    return GivenData(gold, tuple(systems))


def _texts(file: Path) -> dict[str, Labels]:
    """Return the columns of a file as text."""
    columns = open_sheet(file, str(file)).columns
    return {name: np.asarray(text_cells(cells)) for name, cells in columns.items()}


def _numbers(cells: Labels, file: Path) -> Vector:
    try:
        return np.array([float(str(cell)) for cell in cells.tolist()])
    except ValueError as error:
        raise BadSetting("data", f"{file} has a cell that is not a number ({error}).") from error


def _unit(value: Vector, file: Path) -> Vector:
    """Return gold values on the unit scale."""
    low, high = float(value.min()), float(value.max())
    if low >= -2.0 and high <= 2.0 and low < 0.0:
        return (value + 2.0) / 4.0
    if low >= 0.0 and high <= 100.0:
        return value if high <= 1.0 else value / 100.0
    raise BadSetting("data", f"{file} has values from {low:g} to {high:g}. Use -2 to 2, 0 to 1 or 0 to 100.")


def read_ratings(file: Path) -> list[SystemScores]:
    """Return ratings of systems, by question."""
    columns = _texts(file)
    score = _numbers(columns["score"], file)
    if score.min() < 0.0 or score.max() > 1.0:
        score = (score - score.min()) / (score.max() - score.min())
    return [
        _scores(f"{file.stem}, {question}", columns["system"][rows], columns["segment"][rows], score[rows])
        for question, rows in _by_question(columns, len(score))
    ]


def _read_rankings(file: Path) -> list[SystemScores]:
    """Return rankings as scores: the share of the other outputs of the page that an output beats, ties half.

    The page takes the place of the segment, because these scores can be compared only within it. Outputs that several
    systems share, "a,b", count for each of them.
    """
    columns = _texts(file)
    rank, task = _numbers(columns["rank"], file), columns["task"]
    page = np.unique(task.astype(str), return_inverse=True)[1].astype(np.int64)
    score = _share_beaten(rank, page)
    found = []
    for question, rows in _by_question(columns, len(rank)):
        names = [str(item).split(",") for item in columns["item"][rows]]
        copies = np.repeat(np.arange(len(names)), [len(each) for each in names])
        flat = np.array([name for each in names for name in each], dtype=object)
        kept = np.flatnonzero(rows)[copies]
        scores = _scores(f"{file.stem}, {question}", flat, page[kept], score[kept])
        found.append(replace(scores, relative=True))
    return found


def _share_beaten(rank: Vector, page: Codes) -> Vector:
    """Return for each output the share of the others on its page with a larger rank, ties half; 0.5 if it is "
    "alone."""
    order = np.argsort(page, kind="stable")
    score = np.full(len(rank), 0.5)
    for rows in np.split(order, np.flatnonzero(np.diff(page[order])) + 1):
        if len(rows) > 1:
            gap = rank[rows][None, :] - rank[rows][:, None]
            score[rows] = ((gap > 0).sum(axis=1) + 0.5 * ((gap == 0).sum(axis=1) - 1)) / (len(rows) - 1)
    return score


def _by_question(columns: dict[str, Labels], size: int) -> list[tuple[str, Mask]]:
    question = columns.get("question")
    if question is None:
        return [("all", np.ones(size, dtype=bool))]
    return [(name, question.astype(str) == name) for name in sorted(set(question.astype(str).tolist()))]


def _scores(name: str, system: Labels, segment: Labels | Codes, score: Vector) -> SystemScores:
    systems, system_code = np.unique(system.astype(str), return_inverse=True)
    segments, segment_code = np.unique(segment.astype(str), return_inverse=True)
    return SystemScores(name, tuple(systems.tolist()), len(segments), system_code, segment_code, score)
