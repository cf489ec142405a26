"""Exports of a study: judgments, scale, raters and answers as columns."""

from __future__ import annotations

from typing import Any

from steelyard.errors import UnknownName
from steelyard.judgments.frames import to_columns
from steelyard.kinds.cell import Cell
from steelyard.kinds.kind import Kind
from steelyard.scales.scale import stacked
from steelyard.study.log.interface import Task
from steelyard.study.results.overview import Overview
from steelyard.study.results.question_view import RaterLine
from steelyard.study.results.watch import Watch

WHAT = ("judgments", "scale", "raters", "answers")
TYPED = ("name", "external_id", "comment", "reason")
SURVEY = "survey_"  # prefix of the columns with answers to the survey
TableColumns = dict[str, list[Any]]


def export_columns(watch: Watch, what: str) -> TableColumns:
    """Return the current columns of one of the tables in WHAT."""
    if what == "judgments":
        judgments = watch.judgments()
        return to_columns(judgments, judgments.kinds[0])
    if what == "scale":
        return scale_columns(watch.overview())
    if what == "raters":
        return rater_columns(watch.overview())
    if what == "answers":
        return answer_columns(watch)
    raise UnknownName("table", what, WHAT)


def filled_in_by_raters(columns: TableColumns) -> frozenset[str]:
    """Return the names of columns with texts that raters typed or that come from another site."""
    return frozenset(name for name in columns if name in TYPED or name.startswith(SURVEY))


def answer_columns(watch: Watch) -> TableColumns:
    """Return one row per cell of every answer as it was given.

    The table includes "can't judge", comments and answers of excluded raters, which are marked.
    """
    ledger = watch.ledger()
    kind = ledger.definition.kind
    columns: TableColumns = {}
    for answer in ledger.answers.values():
        task = ledger.tasks[answer.task]
        for cell in answer.cells:
            row = {
                "rater": answer.rater,
                "task": answer.task,
                **_about(kind, task, cell),
                "question": task.questions[cell.question],
                **{name: getattr(cell, name) for name in cell.values},
                **kind.mark_columns(cell, ledger.definition.asked(cell.question)),
                "cannot_judge": cell.value is None,
                "condition": task.condition,
                "round": task.round,
                "probe": task.probe,
                "comment": answer.comment or None,
                "milliseconds": answer.milliseconds,
                "at": answer.at,
                "excluded": ledger.raters[answer.rater].excluded,
            }
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
    return columns


def _about(kind: Kind[Any], task: Task, cell: Cell) -> dict[str, str]:
    """Return the item of a cell, or the two items that it compares, by column."""
    sides = (task.items[0], task.items[cell.item])[-len(kind.table.items) :]
    return dict(zip(kind.table.items, sides, strict=True))


def scale_columns(overview: Overview) -> TableColumns:
    """Return the scale of every question, highest position first; with several questions, the question is a column."""
    scales = [(view.question.id, view.fit.scale) for view in overview.views if view.fit is not None]
    return stacked(scales, "question" if len(overview.views) > 1 else None)


def rater_columns(overview: Overview) -> TableColumns:
    """Return one row per rater and question, without links, because anyone with a link can answer as that rater."""
    asked = [question.id for question in overview.definition.joining.survey]
    several = len(overview.views) > 1
    columns: TableColumns = {**({"question": []} if several else {}), "rater": []}
    for view in overview.views:
        for line in view.raters:
            row = {**({"question": view.question.id} if several else {}), **_rater_row(line, asked)}
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
    return columns


def _rater_row(line: RaterLine, asked: list[str]) -> dict[str, Any]:
    habits = line.habits
    return {
        "rater": line.rater.id,
        "name": line.rater.name,
        "source": line.rater.source,
        "external_id": line.rater.key or None,
        "answers": line.answers,
        "tasks": line.tasks,
        "milliseconds": None if habits is None else habits.milliseconds,
        "bias": None if habits is None else habits.bias,
        "slope": None if habits is None else habits.slope,
        "agreement": None if habits is None else habits.agreement,
        "spam": None if habits is None else habits.spam,
        "flags": ", ".join(line.flags),
        "excluded": line.excluded,
        "reason": line.reason,
        "stopped_early": line.stopped_early,
        **{f"{SURVEY}{each}": line.survey.get(each) for each in asked},
    }
