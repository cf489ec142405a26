"""Exports of a study: judgments, scale, distributions, raters and answers as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.frames import to_columns
from steelyard.judgments.sources import together
from steelyard.judgments.table import Judgments
from steelyard.kinds.cell import Cell
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS
from steelyard.scales.distributions import QUANTILES, Distributions, draws_of, quantiles_of, sources_of
from steelyard.scales.scale import stacked
from steelyard.study.definition.checks import HIDDEN
from steelyard.study.log.check_results import check_results
from steelyard.study.log.entries import Task
from steelyard.study.results.covariates import SURVEY, TableColumns, with_covariates
from steelyard.study.results.overview import Overview
from steelyard.study.results.pay import pay_lines
from steelyard.study.results.question_view import QuestionView, RaterLine
from steelyard.study.results.watch import ArmWatch, Watch

WHAT = ("judgments", "scale", "distributions", "raters", "answers", "checks", "pay", "acts")
TYPED = ("name", "external_id", "comment", "reason", "who", "details")


@dataclass(frozen=True, slots=True)
class DistributionSettings:
    """What to write about the distribution of each position: quantiles, or joint draws if `draws` is not 0.

    Parameters
    ----------
    quantiles
        Probabilities of the quantiles.
    draws
        Number of draws; 0 writes quantiles.
    """

    quantiles: tuple[float, ...] = QUANTILES
    draws: int = 0

    def __post_init__(self) -> None:
        if self.draws < 0:
            raise BadSetting("draws", f"{self.draws} is too small. Write at least 1.")


def export_columns(watch: Watch | ArmWatch, what: str, identities: bool = False) -> TableColumns:
    """Return the current columns of one of the tables in WHAT, of a study without arms or of one arm.

    Parameters
    ----------
    watch
        Results of the study or of one arm.
    what
        Name of the table.
    identities
        Whether the table of raters has their names and their ids on other sites. Default: only pseudonyms.

    Returns
    -------
    dict
        Values by column.
    """
    tables: dict[str, Callable[[], TableColumns]] = {
        "judgments": lambda: judgment_columns(watch),
        "scale": lambda: scale_columns(watch.overview()),
        "distributions": lambda: distribution_columns(watch.overview(), DistributionSettings())[0],
        "raters": lambda: rater_columns(watch.overview(), identities),
        "answers": lambda: answer_columns(watch),
        "checks": lambda: check_columns(watch),
        "pay": lambda: pay_columns(watch),
        "acts": lambda: act_columns(watch),
    }
    if what not in tables:
        raise UnknownName("table", what, WHAT)
    return tables[what]()


def filled_in_by_raters(columns: TableColumns, survey: Iterable[str] = ()) -> frozenset[str]:
    """Return the names of columns with texts that raters typed or that come from another site.

    `survey` has the ids of the questions of the survey.
    """
    asked = {name for each in survey for name in (each, f"{SURVEY}{each}")}
    return frozenset(name for name in columns if name in TYPED or name in asked)


def judgment_columns(watch: Watch | ArmWatch) -> TableColumns:
    """Return one row per judgment, with the rater's answers to the survey and the columns of the items.

    Judgments of several kinds follow each other. Columns that a kind does not have are empty in its rows.
    """
    judgments, ledgers = watch.judgments(), watch.arm_ledgers()
    parts = [
        with_covariates(ledgers, to_columns(together(_of_kind(judgments, kind)), kind), KINDS[kind])
        for kind in judgments.kinds
    ]
    return parts[0] if len(parts) == 1 else _below(parts)


def _below(parts: Sequence[TableColumns]) -> TableColumns:
    """Return the rows of several tables, with all of their columns."""
    names = dict.fromkeys(name for part in parts for name in part)
    rows = [len(next(iter(part.values()), ())) for part in parts]
    pairs = list(zip(parts, rows, strict=True))
    return {
        name: [cell for part, count in pairs for cell in part.get(name, [None] * count)] for name in names
    }


def _of_kind(judgments: Judgments, kind: str) -> Judgments:
    """Return people's judgments, with the machine answers of the same kind beside them."""
    machine = judgments.machine
    same = machine.only(kind) if machine is not None and len(machine.table(kind)) else None
    return replace(judgments, machine=same)


def check_columns(watch: Watch | ArmWatch) -> TableColumns:
    """Return one row per answered check, with the expected answer and the result."""
    columns: TableColumns = {"rater": [], "check": []}
    for ledger in watch.arm_ledgers():
        for rater in ledger.raters:
            for each in check_results(ledger, rater):
                row = {
                    "rater": each.rater,
                    "check": each.check,
                    "type": each.type,
                    "task": each.task,
                    "items": " ".join(each.items),
                    "expected": each.expected,
                    "answered": each.answered,
                    "passed": each.passed,
                    "at": each.at,
                }
                for name, value in row.items():
                    columns.setdefault(name, []).append(value)
    return columns


def pay_columns(watch: Watch | ArmWatch) -> TableColumns:
    """Return one row per rater with the measured time and the amounts of [pay]."""
    ledgers = watch.arm_ledgers()
    settings = ledgers[0].definition.pay
    columns: TableColumns = {"rater": []}
    for line in pay_lines(ledgers, watch.roster()):
        row = {
            "rater": line.rater.id,
            "name": line.rater.name,
            "source": line.rater.source,
            "external_id": line.rater.key or None,
            **({"condition": line.condition or None} if len(ledgers) > 1 else {}),
            "status": line.status,
            "tasks": line.tasks,
            "hours": round(line.hours, 4),
            "base": line.base,
            "per_task": round(line.per_task, 2),
            "completion": line.completion,
            "screened_out": line.screened_out,
            "top_up": round(line.top_up, 2),
            "total": round(line.total, 2),
            "currency": settings.currency,
            "per_hour": None if line.hourly is None else round(line.hourly, 2),
        }
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns


def act_columns(watch: Watch | ArmWatch) -> TableColumns:
    """Return the audit trail, one row per act of an owner, oldest first."""
    acts = watch.acts()
    return {
        "at": [act.at for act in acts],
        "who": [act.who for act in acts],
        "act": [act.what for act in acts],
        "rater": [act.rater or None for act in acts],
        "details": [act.details or None for act in acts],
    }


def answer_columns(watch: Watch | ArmWatch) -> TableColumns:
    """Return one row per cell of every answer as it was given.

    The table includes "can't judge", comments and answers of excluded raters, which are marked.
    """
    ledger = watch.ledger()
    by_protocol: dict[str, TableColumns] = {}
    for answer in ledger.answers.values():
        task = ledger.tasks[answer.task]
        definition = ledger.definition.in_way(task.protocol)
        kind, columns = definition.kind, by_protocol.setdefault(definition.asking.way.name, {})
        for cell in answer.cells:
            row = {
                "rater": answer.rater,
                "task": answer.task,
                **_about(kind, task, cell),
                "question": task.questions[cell.question],
                **{name: getattr(cell, name) for name in cell.values},
                **kind.mark_columns(cell, definition.asked(cell.question)),
                "cannot_judge": cell.value is None,
                "condition": task.condition,
                "round": task.round,
                "probe": task.probe,
                "check": check_name(task, cell) or None,
                "comment": answer.comment or None,
                "milliseconds": answer.milliseconds,
                "at": answer.at,
                "excluded": ledger.raters[answer.rater].excluded,
            }
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
    return _below(list(by_protocol.values()))


def check_name(task: Task, cell: Cell) -> str:
    """Return the name of the check that a cell answers, or ""."""
    item = task.items[cell.item]
    return f"{HIDDEN}{item}" if item in task.hidden else task.check


def _about(kind: Kind[Any], task: Task, cell: Cell) -> dict[str, str]:
    """Return the item of a cell, or the two items that it compares, by column."""
    sides = (task.items[0], task.items[cell.item])[-len(kind.table.items) :]
    return dict(zip(kind.table.items, sides, strict=True))


def scale_columns(overview: Overview) -> TableColumns:
    """Return the scale of every question, highest position first; with several questions, the question is a column.

    The columns `errors` and, for systems, `target` state what the errors describe. If the model estimates ambiguity or
    disagreement, they are the last columns.
    """
    fits = [(view.question.id, view.fit) for view in overview.views if view.fit is not None]
    columns = stacked(
        [(name, fit.scale) for name, fit in fits], "question" if len(overview.views) > 1 else None
    )
    described = [(fit.provenance.described, len(fit.scale)) for _, fit in fits]
    for name in dict.fromkeys(name for each, _ in described for name in each):
        columns[name] = [cell for each, size in described for cell in [each.get(name)] * size]
    sources = [sources_of(fit, fit.scale.ordered().item) for _, fit in fits]
    for name in dict.fromkeys(name for each in sources for name in each):
        columns[name] = [cell for each in sources for cell in each[name]]
    return columns


def distribution_columns(
    overview: Overview, settings: DistributionSettings
) -> tuple[TableColumns, tuple[str, ...]]:
    """Return the distribution of every position, highest position first, with remarks about it.

    Draws use the seed of the study, so the same study gives the same draws.
    """
    tables = [
        (view.question.id, _distributions(view, settings, overview.definition.seed))
        for view in overview.views
        if view.fit is not None
    ]
    columns = _stacked(tables, "question" if len(overview.views) > 1 else None)
    return columns, tuple(dict.fromkeys(note for _, table in tables for note in table.notes))


def _distributions(view: QuestionView, settings: DistributionSettings, seed: int) -> Distributions:
    assert view.fit is not None
    if settings.draws:
        return draws_of(view.fit, settings.draws, np.random.default_rng(seed))
    return quantiles_of(view.fit, settings.quantiles)


def _stacked(tables: Sequence[tuple[str, Distributions]], by: str | None) -> TableColumns:
    columns: TableColumns = {**({} if by is None else {by: []}), "item": [], "model": []}
    for name, table in tables:
        if by is not None:
            columns[by] += [name] * len(table.item)
        for column, cells in table.columns().items():
            columns.setdefault(column, []).extend(np.asarray(cells).tolist())
    return columns


def rater_columns(overview: Overview, identities: bool = False) -> TableColumns:
    """Return one row per rater and question, without links, because anyone with a link can answer as that rater.

    Names and ids on other sites are only included with `identities`.
    """
    asked = [question.id for question in overview.definition.joining.survey]
    several = len(overview.views) > 1
    columns: TableColumns = {**({"question": []} if several else {}), "rater": []}
    for view in overview.views:
        for line in view.raters:
            row = {
                **({"question": view.question.id} if several else {}),
                **_rater_row(line, asked, identities),
            }
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
    return columns


def _rater_row(line: RaterLine, asked: list[str], identities: bool) -> dict[str, Any]:
    habits, rater = line.habits, line.rater
    return {
        "rater": rater.id,
        **({"name": rater.name} if identities else {}),
        "source": rater.source,
        **({"external_id": rater.key or None} if identities else {}),
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
        "checks": line.checks.decided,
        "checks_failed": line.checks.failed,
        "warnings": line.warnings,
        "screened_out": line.screened_out,
        **{f"{SURVEY}{each}": line.survey.get(each) for each in asked},
    }
