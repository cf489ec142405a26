"""One transaction on the log of a study, and reading of its entries.

The transaction holds the lock of the study from its start: BEGIN IMMEDIATE on SQLite, SELECT FOR UPDATE of the row of
the study on PostgreSQL. Log positions are assigned inside it, so they have no gaps and follow commit order. Readers
use one snapshot for all three tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from steelyard.errors import DamagedStudy, SteelyardError
from steelyard.storage.roster import added_rater
from steelyard.storage.rows import answer_of, answer_row, event_of, event_row, in_order, task_of, task_row
from steelyard.storage.statements import (
    ADD_ANSWER,
    ADD_EVENT,
    ADD_LEASE,
    ADD_TASK,
    ANSWER_TO,
    ANSWERED,
    ANSWERS_SINCE,
    CLOSE,
    EVENTS_SINCE,
    FREE,
    FREE_IN,
    FREE_IN_CONDITION,
    HELD,
    LEASED,
    LOCK,
    PLACE,
    SET_POSITION,
    SHORTEN,
    TAKE,
    TASKS_SINCE,
    Statements,
)
from steelyard.storage.trail import add_act
from steelyard.study.log.acts import Act
from steelyard.study.log.entries import Answer, Entry, Task
from steelyard.study.log.interface import Lease, Rater, Source

# Errors while a stored row is converted: invalid JSON, missing fields, or values of a wrong type.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, SteelyardError)


class DatabaseWriter:
    """One open transaction on the log. Log positions have no gaps."""

    def __init__(self, connection: sa.Connection, statements: Statements, study: str) -> None:
        self.connection = connection
        self._study = study
        self._statements = statements
        self._cursor = connection.connection.cursor()
        (self._first,) = self._rows(LOCK)[0]
        self.position: int = self._first

    def keep_position(self) -> None:
        """Store the newest log position, once at the end of the transaction."""
        if self.position != self._first:
            self._run(SET_POSITION, new_position=self.position)

    def since(self, position: int) -> list[Entry]:
        """Return the entries after a log position, in order."""
        if position >= self.position:
            return []
        return entries_after(self.connection, position, self.position, self._study)

    def append(self, entry: Entry) -> Entry:
        """Store an entry at the next position and return it; a task gets a free place per assignment."""
        self.position += 1
        if isinstance(entry, Task):
            self._run(ADD_TASK, **task_row(entry), position=self.position)
            for _ in range(entry.assignments):
                self.add_place(entry, "", "", None)
        elif isinstance(entry, Answer):
            self._run(ADD_ANSWER, **answer_row(entry), position=self.position)
        else:
            self._run(ADD_EVENT, **event_row(entry), position=self.position)
        return replace(entry, log_position=self.position)

    def answered(self, assignment: str) -> bool:
        """Whether this assignment has been answered."""
        return bool(self._rows(ANSWERED, wanted=assignment))

    def answer_to(self, assignment: str) -> Answer | None:
        """Return the answer to this assignment, including an answer that was taken back."""
        with readable("answer", self._study):
            row = self.connection.execute(ANSWER_TO, {"wanted": assignment}).first()
            return None if row is None else answer_of(row)

    def leases_of(self, rater: str) -> list[Lease]:
        """Return the places that a rater holds, in the order in which they expire."""
        return self._leases(HELD, wanted=rater)

    def leased(self, assignment: str) -> Lease | None:
        """Return the place that is held under this assignment."""
        return next(iter(self._leases(LEASED, wanted=assignment)), None)

    def free(self, now: float, limit: int, condition: str | None = None) -> list[Lease]:
        """Return up to `limit` places that are free or expired, oldest first; of one condition if it is not None."""
        if condition is not None:
            return self._leases(FREE_IN_CONDITION, now=now, most=limit, of_condition=condition)
        return self._leases(FREE, now=now, most=limit)

    def free_in(self, sequence: int, now: float) -> list[Lease]:
        """Return the places of a sequence that are free or expired, in the order of the sequence."""
        return self._leases(FREE_IN, now=now, wanted=sequence)

    def place_of(self, task: str, holder: str) -> Lease | None:
        """Return a place of a task that this rater holds; an empty `holder` finds a free place."""
        return next(iter(self._leases(PLACE, of_task=task, wanted=holder)), None)

    def take(self, lease: Lease, rater: str, assignment: str, until: float | None) -> None:
        """Give a place to a rater."""
        self._run(TAKE, wanted=lease.id, new_rater=rater, new_assignment=assignment, new_until=until)

    def add_place(self, task: Task, rater: str, assignment: str, until: float | None) -> None:
        """Add a place to a task and give it to a rater."""
        held = {"rater": rater, "assignment": assignment, "until": until}
        self._run(ADD_LEASE, task=task.id, sequence=task.sequence, **held)

    def shorten(self, latest: float) -> None:
        """Set the expiry of places that are held for longer to `latest`."""
        self._run(SHORTEN, latest=latest, new_until=latest)

    def close(self, lease: Lease) -> None:
        """Delete a place that was answered or withdrawn."""
        self._run(CLOSE, wanted=lease.id)

    def add_rater(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater within this transaction, as `Roster.add` does."""
        return added_rater(self.connection, Rater("", name, source, token, key, at))

    def record(self, act: Act) -> None:
        """Store an act of an owner in the audit trail, within this transaction."""
        add_act(self.connection, act)

    def _run(self, statement: sa.Executable, **values: Any) -> None:
        self._statements.run(self._cursor, statement, **values)

    def _rows(self, statement: sa.Executable, **values: Any) -> Sequence[Any]:
        self._run(statement, **values)
        return self._cursor.fetchall()

    def _leases(self, statement: sa.Executable, **values: Any) -> list[Lease]:
        return [Lease(*row) for row in self._rows(statement, **values)]


READERS: tuple[tuple[str, sa.Select[Any], Callable[[Any], Entry]], ...] = (
    ("task", TASKS_SINCE, task_of),
    ("answer", ANSWERS_SINCE, answer_of),
    ("event", EVENTS_SINCE, event_of),
)


@contextmanager
def readable(table: str, study: str) -> Iterator[None]:
    """Open a block that reads rows of a table; a row that cannot be read raises DamagedStudy with the study's name."""
    try:
        yield
    except UNREADABLE as reason:
        damage = f"a row of the table {table} cannot be read ({type(reason).__name__}: {reason})."
        raise DamagedStudy(study, damage) from reason


def entry_at(connection: sa.Connection, position: int, study: str) -> Entry | None:
    """Return the entry at a log position, or None if there is none.

    Parameters
    ----------
    connection
        Connection in a transaction.
    position
        Log position.
    study
        Name of the study for messages.

    Returns
    -------
    Entry or None
        A task, an answer or an event.

    Raises
    ------
    DamagedStudy
        If the row cannot be read.
    """
    for table, statement, read in READERS:
        at_position = statement.where(statement.selected_columns.position == position)
        with readable(table, study):
            row = connection.execute(at_position, {"after": position - 1}).first()
            if row is not None:
                return read(row)
    return None


def entries_after(connection: sa.Connection, position: int, newest: int, study: str) -> list[Entry]:
    """Return the entries after a log position, in order.

    Parameters
    ----------
    connection
        Connection in a transaction whose statements all see the same state.
    position
        Log position.
    newest
        Newest log position, which the row of the study has.
    study
        Name of the study for messages.

    Returns
    -------
    list of Entry
        Tasks, answers and events.

    Raises
    ------
    DamagedStudy
        If a row cannot be read, or if a position is missing or used twice.
    """
    after = {"after": position}
    entries: list[Entry] = []
    for table, statement, read in READERS:
        with readable(table, study):
            entries += [read(row) for row in connection.execute(statement, after)]
    entries = in_order(entries)
    _check_positions([entry.log_position for entry in entries], position + 1, newest, study)
    return entries


def _check_positions(positions: list[int], first: int, newest: int, study: str) -> None:
    """Raise DamagedStudy unless the positions count from the first to the newest."""
    for expected, position in enumerate(positions, first):
        if position > newest:
            damage = f"log position {position} is later than the newest one, {newest}."
        elif position > expected:
            damage = f"log position {expected} is missing."
        elif position < expected:
            damage = f"log position {position} is used twice."
        else:
            continue
        raise DamagedStudy(study, damage)
    following = first + len(positions)
    if following <= newest:
        raise DamagedStudy(study, f"log position {following} is missing.")
