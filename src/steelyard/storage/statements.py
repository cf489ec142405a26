"""SQL statements of the log, compiled once and then executed by the database driver.

SQLAlchemy translates the statements to the dialect of the database. Executing them with SQLAlchemy takes about ten
times as long as with the driver, and every answer needs about ten statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from steelyard.storage.schema import answer, event, lease, study, task

POSITION = sa.select(study.c.position)
LOCK = POSITION.with_for_update()  # SQLite locks the whole database instead, when the transaction starts
SET_POSITION = study.update().values(position=sa.bindparam("new_position"))
ADD_TASK, ADD_ANSWER, ADD_EVENT, ADD_LEASE = task.insert(), answer.insert(), event.insert(), lease.insert()
ANSWERED = sa.select(answer.c.position).where(answer.c.assignment == sa.bindparam("wanted"))
ANSWER_TO = sa.select(*(column for column in answer.c if column.name != "interactions")).where(
    answer.c.assignment == sa.bindparam("wanted")
)
HELD = sa.select(lease).where(lease.c.rater == sa.bindparam("wanted")).order_by(lease.c.until, lease.c.id)
LEASED = sa.select(lease).where(lease.c.assignment == sa.bindparam("wanted"))
PLACE = HELD.where(lease.c.task == sa.bindparam("of_task"))
ALL_FREE = (
    sa.select(lease)
    .where(sa.or_(lease.c.rater == "", lease.c.until < sa.bindparam("now")))
    .order_by(lease.c.id)
    .with_for_update(of=lease, skip_locked=True)
)
FREE = ALL_FREE.limit(sa.bindparam("most"))
FREE_IN_CONDITION = (
    ALL_FREE.join(task, task.c.id == lease.c.task)
    .where(task.c.condition == sa.bindparam("of_condition"))
    .limit(sa.bindparam("most"))
)
FREE_IN = ALL_FREE.where(lease.c.sequence == sa.bindparam("wanted"))
CLOSE = lease.delete().where(lease.c.id == sa.bindparam("wanted"))
TAKE = (
    lease.update()
    .where(lease.c.id == sa.bindparam("wanted"))
    .values(
        rater=sa.bindparam("new_rater"),
        assignment=sa.bindparam("new_assignment"),
        until=sa.bindparam("new_until"),
    )
)
SHORTEN = lease.update().where(lease.c.until > sa.bindparam("latest")).values(until=sa.bindparam("new_until"))
TASKS_SINCE = sa.select(task).where(task.c.position > sa.bindparam("after"))
ANSWERS_SINCE = sa.select(*(column for column in answer.c if column.name != "interactions")).where(
    answer.c.position > sa.bindparam("after")
)
TASK_NAMED = sa.select(task).where(task.c.id == sa.bindparam("wanted"))
ANSWERS_OF = (
    sa.select(*(column for column in answer.c if column.name != "interactions"))
    .where(answer.c.rater == sa.bindparam("wanted"))
    .order_by(answer.c.position)
)
TASKS_OF = (
    sa.select(task)
    .where(task.c.id.in_(sa.select(answer.c.task).where(answer.c.rater == sa.bindparam("wanted"))))
    .order_by(task.c.position)
)
EVENTS_SINCE = sa.select(event).where(event.c.position > sa.bindparam("after"))


@dataclass(frozen=True)
class Compiled:
    """A statement in the SQL dialect of a database."""

    text: str
    own_values: Mapping[str, Any]  # constants in the statement
    stored_as: Mapping[str, Callable[[Any], Any]]  # conversions of values, such as JSON to text


class Statements:
    """Executes statements on one database; each is compiled when it is first executed."""

    def __init__(self, dialect: sa.Dialect) -> None:
        self._dialect = dialect
        self._compiled: dict[sa.Executable, Compiled] = {}

    def run(self, cursor: Any, statement: sa.Executable, **values: Any) -> None:
        """Execute a statement on a cursor of the driver, which then has the rows as tuples."""
        if statement not in self._compiled:
            self._compiled[statement] = self._compile(statement, list(values))
        compiled = self._compiled[statement]
        for name, stored in compiled.stored_as.items():
            values[name] = stored(values[name])
        cursor.execute(compiled.text, {**compiled.own_values, **values})

    def _compile(self, statement: Any, names: list[str]) -> Compiled:
        compiled = statement.compile(dialect=self._dialect, column_keys=names)
        own_values = {name: value for name, value in compiled.params.items() if name not in names}
        types = {name: bind.type.dialect_impl(self._dialect) for name, bind in compiled.binds.items()}
        stored_as = {name: each.bind_processor(self._dialect) for name, each in types.items()}
        return Compiled(str(compiled), own_values, {name: how for name, how in stored_as.items() if how})
