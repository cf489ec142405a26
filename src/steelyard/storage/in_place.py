"""The judgments of a study in PostgreSQL, read where they are: one query over its tables, as an Ibis table.

The rows are those of `Ledger.judgments`: without answers that were taken back, answers of excluded raters, checks,
probes, hidden items and "can't judge". Only the events about exclusions are read here; answers stay in the database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from steelyard.engines.connecting import LOGS, connect
from steelyard.engines.log import Log
from steelyard.engines.opening import postgres
from steelyard.errors import BadSetting, SteelyardError, UnknownName
from steelyard.kinds.kind import Kind
from steelyard.storage.database import open_database
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.study import open_study
from steelyard.study.log.changes import begun_with

ABOUT_EXCLUSION = ("excluded", "included", "ended", "declined", "consented")
USE_EXPORT = "Use steelyard export STUDY --to FOLDER, and fit the folder."


@dataclass(frozen=True, slots=True)
class Decision:
    """An event about the exclusion of a rater, and whether the rater had answers at that time."""

    rater: str
    kind: str
    has_answers: bool


def study_log(folder: Path, kind: str | None = None, columns: Sequence[str] = (), **settings: Any) -> Log:
    """Open the judgments of a study whose log is in PostgreSQL, without loading its answers.

    Parameters
    ----------
    folder
        Folder of the study.
    kind
        Kind of judgment. Default: that of the study, if it has only one.
    columns
        Columns that a fit uses. A study with several questions needs `question` among them.
    **settings
        Settings of `steelyard.connect`.

    Returns
    -------
    Log
        The log, with the columns of judgments, `question`, `task`, `condition`, `round` and `at`.
    """
    database = open_database(folder)
    location = database.location
    if not location.url:
        raise BadSetting("--in-place", f"the answers of this study are in {location.path}. {USE_EXPORT}")
    definition = open_study(folder, begun_with(database)).definition
    chosen = _kind(definition, kind)
    if len(definition.questions) > 1 and "question" not in columns:
        raise BadSetting("--by", "the study has several questions. Fit each of them with --by question.")
    backend = postgres(location.url)
    try:
        table = _judgments(backend, _name(location.schema), chosen, definition)
        span = settings.pop("range", None) or _range(definition, chosen)
        return connect(table, chosen.name, range=span, **settings)
    except SteelyardError:
        backend.disconnect()
        raise


def _judgments(backend: Any, schema: str, kind: Kind[Any], definition: StudyDefinition) -> Any:
    """Return the judgments of one kind as an Ibis table."""
    _refuse_rescaled(backend, schema)
    leave_out = definition.joining.declined_answers == "leave_out"
    excluded = excluded_raters(_decisions(backend, schema), leave_out)
    values = {name: "float64" if name in kind.table.numbers else "string" for name in kind.cell.values}
    types = {"rater": "string", **dict.fromkeys(kind.table.items, "string"), **values}
    types |= {
        "question": "string",
        "task": "string",
        "condition": "string",
        "round": "int64",
        "at": "float64",
    }
    return backend.sql(query_of(schema, kind, sorted(excluded)), schema=types)


def excluded_raters(decisions: Iterable[Decision], leave_out: bool) -> set[str]:
    """Return the raters who are excluded after events in the order of the log, as `event_folds` decides.

    Parameters
    ----------
    decisions
        Events about exclusions, oldest first.
    leave_out
        Whether the answers of raters who decline afterwards are left out.

    Returns
    -------
    set of str
        Their ids.
    """
    excluded: set[str] = set()
    by_declining: set[str] = set()
    for each in decisions:
        if each.kind in ("excluded", "included"):
            by_declining.discard(each.rater)
            (excluded.add if each.kind == "excluded" else excluded.discard)(each.rater)
        elif each.kind == "ended":
            excluded.add(each.rater)
        else:
            leaves = each.kind == "declined" and each.has_answers and leave_out
            if leaves == (each.rater in by_declining) or (leaves and each.rater in excluded):
                continue
            (by_declining.add if leaves else by_declining.discard)(each.rater)
            (excluded.add if leaves else excluded.discard)(each.rater)
    return excluded


def query_of(schema: str, kind: Kind[Any], excluded: Sequence[str]) -> str:
    """Return the SQL of the judgments of one kind.

    Parameters
    ----------
    schema
        Quoted name of the schema of the study.
    kind
        Kind of judgment.
    excluded
        Raters who are left out.

    Returns
    -------
    str
        A query.
    """
    names = [each.name for each in fields(kind.cell)]
    places = ("0", "(cell ->> 0)::int")[-len(kind.table.items) :]
    items = [
        f"t.content -> 'items' ->> {place} AS {_name(column)}"
        for column, place in zip(kind.table.items, places, strict=True)
    ]
    values = [
        f"(cell ->> {names.index(name)}){'::float8' if name in kind.table.numbers else ''} AS {_name(name)}"
        for name in kind.cell.values
    ]
    raters = ", ".join(map(_text, excluded)) or "''"
    empty = " OR ".join(f"cell ->> {names.index(name)} IS NULL" for name in kind.cell.values)
    return f"""
        SELECT a.rater, {", ".join([*items, *values])},
            t.content -> 'questions' ->> (cell ->> 1)::int AS question,
            a.task, t.condition, t.round, a.at
        FROM {schema}.answer a
        JOIN {schema}.task t ON t.id = a.task
        CROSS JOIN LATERAL json_array_elements(a.content -> 'cells') AS cell
        WHERE a.content ->> 'kind' = {_text(kind.name)}
            AND t.content ->> 'probe' IS NULL AND t.content ->> 'check' IS NULL
            AND NOT ({empty})
            AND NOT coalesce((t.content -> 'hidden')::jsonb ? (t.content -> 'items' ->> (cell ->> 0)::int), false)
            AND a.rater NOT IN ({raters})
            AND a.position NOT IN (
                SELECT (e.content ->> 'answer')::int FROM {schema}.event e WHERE e.kind = 'superseded')
    """


def _kind(definition: StudyDefinition, name: str | None) -> Kind[Any]:
    kinds = {way.kind.name: way.kind for way in definition.asked_ways}
    if name is not None and name not in kinds:
        raise UnknownName("kind", name, list(kinds))
    if name is None and len(kinds) > 1:
        raise BadSetting("--kind", f"the study asks for several kinds: {', '.join(kinds)}. Choose one.")
    chosen = kinds[name] if name is not None else next(iter(kinds.values()))
    if chosen.name not in LOGS:
        raise BadSetting("--in-place", f"{chosen.name} judgments cannot be read in place. {USE_EXPORT}")
    return chosen


def _range(definition: StudyDefinition, kind: Kind[Any]) -> tuple[float, float] | None:
    if not kind.placed or definition.beyond:
        return None
    scale = definition.scale_of(definition.questions[0])
    return scale.low, scale.high


def _refuse_rescaled(backend: Any, schema: str) -> None:
    """Raise `BadSetting` if answers of earlier rounds were rescaled, which the query does not do."""
    query = f"SELECT count(*) FROM {schema}.event WHERE kind = 'round_closed' AND content ->> 'mapping' IS NOT NULL"
    if _rows(backend, query)[0][0]:
        raise BadSetting("--in-place", f"answers of earlier rounds were rescaled. {USE_EXPORT}")


def _decisions(backend: Any, schema: str) -> list[Decision]:
    kinds = ", ".join(map(_text, ABOUT_EXCLUSION))
    given = f"""
        SELECT 1 FROM {schema}.answer a WHERE a.rater = e.rater AND a.position < e.position AND a.position NOT IN (
            SELECT (u.content ->> 'answer')::int FROM {schema}.event u
            WHERE u.kind = 'superseded' AND u.position < e.position)"""
    query = f"""
        SELECT e.rater, e.kind, e.kind = 'declined' AND EXISTS ({given})
        FROM {schema}.event e WHERE e.kind IN ({kinds}) ORDER BY e.position"""
    return [Decision(*row) for row in _rows(backend, query)]


def _rows(backend: Any, query: str) -> list[Any]:
    with backend.con.cursor() as cursor:
        return list(cursor.execute(query).fetchall())


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
