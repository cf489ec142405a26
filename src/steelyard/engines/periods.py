"""Periods of time: columns `year`, `month`, `week` and `day` of a log, from the column of its times, in UTC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.engines.columns import Columns

MILLISECONDS_FROM = 1e11  # numbers above it are milliseconds since 1970, otherwise seconds: the year 5138
PERIODS: Mapping[str, Callable[[Any], Any]] = {
    "year": lambda time: time.strftime("%Y"),
    "month": lambda time: time.strftime("%Y-%m"),
    "week": lambda time: time.truncate("W").strftime("%Y-%m-%d"),  # its Monday
    "day": lambda time: time.strftime("%Y-%m-%d"),
}


def with_periods(table: Any, columns: Columns, names: Sequence[str]) -> Any:
    """Return a log with those of the named columns that are periods and do not exist in it.

    Parameters
    ----------
    table
        Ibis table of the log.
    columns
        Its columns by role.
    names
        Names of columns that are needed.

    Returns
    -------
    Table
        The log, with a text column for each period. Unchanged if it has no times.
    """
    wanted = [name for name in names if name in PERIODS and name not in table.columns]
    if not wanted or "at" not in columns.roles:
        return table
    time = _time(table[columns.roles["at"]])
    return table.mutate(**{name: PERIODS[name](time) for name in wanted})


def _time(column: Any) -> Any:
    """Return a column of times as timestamps: of dates, of numbers of seconds since 1970, or of ISO text."""
    import ibis  # an optional dependency

    kind = column.type()
    if kind.is_numeric():
        number = column.cast("float64")
        seconds = (number > MILLISECONDS_FROM).ifelse(number / 1000.0, number).floor().cast("int64")
        return ibis.timestamp("1970-01-01 00:00:00") + seconds.as_interval("s")
    return column if kind.is_timestamp() else column.cast("timestamp")
