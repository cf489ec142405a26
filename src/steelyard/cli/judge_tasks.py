"""Tasks for a program that judges: one per item, or per pair of items, and question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.cli.judge_program import JudgeTask
from steelyard.errors import BadSetting, MissingColumn, UnreadableFile
from steelyard.judgments.files import read_file
from steelyard.judgments.sheet import plain_cells
from steelyard.judgments.table_kinds import KINDS, kinds_for_machines, system_column

if TYPE_CHECKING:
    from steelyard.study.definition.study import Study

ID_NAMES = ("id", "item")
SYSTEM, SEGMENT = "system", "segment"


@dataclass(frozen=True, eq=False)
class Asked:
    """What a judge is asked: items with their columns, questions and pairs.

    Attributes
    ----------
    kind
        Kind of judgment.
    items
        Columns of each item, by id.
    questions
        Id and description (text and range) of each question; one with an empty id if there are none.
    """

    kind: str
    items: Mapping[str, Mapping[str, Any]]
    questions: Sequence[tuple[str, Mapping[str, Any]]] = field(default_factory=lambda: [("", {})])


def asked_in_file(path: Path, kind: str) -> Asked:
    """Return the items of a file with a column id or item."""
    sheet = read_file(path)
    name = sheet.named(*ID_NAMES)
    if name is None:
        raise MissingColumn(sheet.source, ["id"], list(sheet.columns), kind, sheet.header_line)
    columns = {column: plain_cells(cells.tolist()) for column, cells in sheet.columns.items()}
    ids = [str(each) for each in columns.pop(name)]
    rows = zip(*columns.values(), strict=True) if columns else ((),) * len(ids)
    return Asked(
        kind, {each: dict(zip(columns, row, strict=True)) for each, row in zip(ids, rows, strict=True)}
    )


def asked_in_study(study: Study, kind: str | None) -> Asked:
    """Return the items and questions of a study."""
    definition = study.definition
    own = definition.asking.way.kind
    chosen = kind if kind is not None else own
    kinds = kinds_for_machines()
    if chosen not in kinds:
        raise BadSetting(
            "--kind",
            f"a program can give {' or '.join(kinds)} judgments, and this study collects {own} judgments. "
            f"Choose {' or '.join(kinds)}.",
        )
    items = {}
    for item in study.items.all:
        columns = {
            "content": item.content,
            "system": item.system,
            "segment": item.segment,
            **dict(item.context),
        }
        items[item.id] = {name: value for name, value in columns.items() if value}
    questions = []
    for question in definition.questions:
        scale = definition.scale_of(question)
        described: dict[str, Any] = {"question": question.text}
        if KINDS[chosen].placed:
            described |= {"low": scale.low, "high": scale.high}
        questions.append((question.id, described))
    return Asked(chosen, items, questions)


def judge_tasks(
    asked: Asked, rater: str, family: str | None, pairs_per_item: int, seed: int
) -> list[JudgeTask]:
    """Return the tasks of a judge.

    Parameters
    ----------
    asked
        Items and questions.
    rater
        Name of the judge.
    family
        Family of the judge, or None.
    pairs_per_item
        For comparisons, number of pairs that each item is in. Pairs are drawn inside segments, if items have them.
    seed
        Seed of the pairs and sides.

    Returns
    -------
    list of JudgeTask
        One task per question and item or pair. Ids are the same for the same arguments.
    """
    kind = KINDS[asked.kind]
    about: Iterable[tuple[str, ...]] = (
        list(_pairs(asked.items, pairs_per_item, seed)) if kind.paired else [(item,) for item in asked.items]
    )
    tasks = []
    for question, described in asked.questions:
        for ids in about:
            row = dict(zip(kind.items, ids, strict=True))
            name = json.dumps([question, *ids], ensure_ascii=False)
            sides = {side: {"id": each, **asked.items[each]} for side, each in row.items()}
            request = {"task": name, "kind": asked.kind, **described, **sides}
            more = {"question": question or None, "family": family}
            kept = {each: value for each, value in more.items() if value is not None}
            own = {"rater": rater, **row, **_outputs(row, asked.items), "source": "machine", **kept}
            tasks.append(JudgeTask(name, asked.kind, request, own))
    return tasks


def _outputs(row: Mapping[str, str], items: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the columns of systems and of the segment, if the items have them."""
    columns = {system_column(side): items[each].get(SYSTEM) for side, each in row.items()}
    segments = {items[each].get(SEGMENT) for each in row.values()}
    if len(segments) == 1:
        columns[SEGMENT] = segments.pop()
    return {name: value for name, value in columns.items() if value not in (None, "")}


def _pairs(items: Mapping[str, Mapping[str, Any]], per_item: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield pairs from random cycles, in which every item has two neighbours, without repeating a pair."""
    segments: dict[Any, list[str]] = {}
    for item, columns in items.items():
        segments.setdefault(columns.get("segment"), []).append(item)
    for at, members in enumerate(segments.values()):
        rng = np.random.default_rng([seed, at])
        seen: set[frozenset[str]] = set()
        for _ in range(max((per_item + 1) // 2, 1)):
            order = [members[place] for place in rng.permutation(len(members))]
            for one, other in zip(order, [*order[1:], order[0]], strict=True):
                pair = frozenset((one, other))
                if len(pair) == 2 and pair not in seen:
                    seen.add(pair)
                    yield (one, other) if rng.random() < 0.5 else (other, one)


def answered_in(path: Path) -> set[str]:
    """Return the ids of the tasks that a file of answers has; raise `UnreadableFile` for a line that is no JSON."""
    if not path.exists():
        return set()
    done = set()
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError:
            raise UnreadableFile(str(path), "this line is not JSON.", "Remove the line.", number) from None
        ids = [row["item"]] if "item" in row else [row["left"], row["right"]]
        done.add(json.dumps([row.get("question", ""), *ids], ensure_ascii=False))
    return done
