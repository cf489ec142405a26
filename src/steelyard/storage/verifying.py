"""Verify the database of a study: every row can be read, no position is missing, and counts agree with the log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from steelyard.errors import DamagedStudy
from steelyard.storage import schema
from steelyard.storage.database import Database
from steelyard.storage.rows import answer_of, event_of, in_order, task_of
from steelyard.storage.writer import UNREADABLE
from steelyard.study.collecting.follower import Follower
from steelyard.study.definition.study import Study
from steelyard.study.log.entries import Answer, Entry, Event, Task

MOST_LISTED = 20


@dataclass
class Verified:
    """What was read from the database of a study, and everything that is damaged in it."""

    counts: Counter[str] = field(default_factory=Counter)
    damage: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield the result as text."""
        names = {
            "tasks": "tasks",
            "answers": "answered tasks",
            "events": "events",
            "raters": "registered raters",
        }
        yield f"Log: {', '.join(f'{self.counts[name]:,} {words}' for name, words in names.items())}."
        yield from self.damage[:MOST_LISTED]
        if len(self.damage) > MOST_LISTED:
            yield f"And {len(self.damage) - MOST_LISTED:,} more."
        if self.damage:
            yield "Keep the damaged database, and restore the study from a backup: steelyard restore BACKUP NEW_DIR"
        else:
            yield "No damage found: every entry can be read, no log position is missing, and all counts agree."


def verify(database: Database, study: Study) -> Verified:
    """Read everything that is stored about a study and compare it."""
    result = Verified()
    with database.reading() as connection:
        _check_file(connection, result)
        entries = list(_entries(connection, result))
        raters = set(connection.execute(sa.select(schema.rater.c.id)).scalars())
        leases = connection.execute(sa.select(schema.lease)).all()
        head: int = connection.execute(sa.select(schema.study.c.position)).scalar_one()
    result.counts.update({"raters": len(raters), "places": len(leases)})
    _check_positions(entries, head, result)
    _check_raters(entries, raters, result)
    if not result.damage:
        _check_counts(entries, leases, study, result)
    return result


def _check_file(connection: sa.Connection, result: Verified) -> None:
    """Let SQLite check its file; PostgreSQL checks its pages when they are read."""
    if connection.dialect.name != "sqlite":
        return
    lines = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    result.damage += [f"The file is damaged: {each}" for each in lines if each != "ok"]


def _entries(connection: sa.Connection, result: Verified) -> Iterator[Entry]:
    """Yield the entries that can be read, and note the others."""
    tables: tuple[tuple[str, sa.Table, Callable[[Any], Entry]], ...] = (
        ("tasks", schema.task, task_of),
        ("answers", schema.answer, answer_of),
        ("events", schema.event, event_of),
    )
    for name, table, read in tables:
        columns = [
            sa.cast(each, sa.Text).label(each.name) if each.name == "content" else each for each in table.c
        ]
        kept = [each for each in columns if each.name != "interactions"]
        for row in connection.execute(sa.select(*kept).order_by(table.c.position)):
            result.counts[name] += 1
            try:
                yield read(SimpleNamespace(**{**row._mapping, "content": json.loads(row.content)}))
            except UNREADABLE as reason:
                why = f"{type(reason).__name__}: {reason}"
                result.damage.append(f"Log position {row.position} ({table.name}) cannot be read ({why}).")


def _check_positions(entries: list[Entry], head: int, result: Verified) -> None:
    if result.damage:  # the positions of entries that cannot be read would be reported as missing
        return
    counts = Counter(entry.log_position for entry in entries)
    missing = [at for at in range(1, head + 1) if at not in counts]
    result.damage += [f"Log position {at} is missing." for at in missing]
    result.damage += [
        f"Log position {at} is used {times} times." for at, times in counts.items() if times > 1
    ]
    result.damage += [
        f"Log position {at} is later than the newest one, {head}." for at in counts if at > head
    ]


def _check_raters(entries: list[Entry], raters: set[str], result: Verified) -> None:
    tasks = {entry.id for entry in entries if isinstance(entry, Task)}
    for entry in entries:
        if isinstance(entry, Answer) and entry.task not in tasks:
            result.damage.append(
                f"Log position {entry.log_position} answers an unknown task, {entry.task!r}."
            )
        rater = entry.rater if isinstance(entry, Answer | Event) else ""
        if rater and rater not in raters:
            result.damage.append(f"Log position {entry.log_position} names an unknown rater, {rater!r}.")


def _check_counts(entries: list[Entry], leases: Any, study: Study, result: Verified) -> None:
    """Fold the log, and compare the places that it leaves open with those that are stored."""
    follower = Follower(study)
    try:
        follower.catch_up(lambda position: in_order(entries)[position:])
    except DamagedStudy as reason:
        result.damage.append(f"The log is damaged: {reason.damage}")
        return
    except UNREADABLE as reason:
        result.damage.append(str(reason))
        return
    stored = Counter(lease.task for lease in leases)
    places = Counter({task: left for each in follower.ledgers for task, left in each.open_places.items()})
    result.damage += [
        f"Task {task!r} has {stored[task]} places, but the log leaves {places[task]} open."
        for task in dict.fromkeys([*places, *stored])
        if stored[task] != places[task]
    ]
    held = Counter(lease.assignment for lease in leases if lease.assignment)
    result.damage += [
        f"Assignment {each!r} is held {times} times." for each, times in held.items() if times > 1
    ]
