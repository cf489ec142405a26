"""`connect`: open a very large log where it is stored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

from steelyard.engines.columns import columns_of, layouts_in
from steelyard.engines.comparisons import ComparisonLog
from steelyard.engines.engine import Engine, engine_of
from steelyard.engines.log import MOST_CELLS, Log
from steelyard.engines.opening import duckdb_with, files_of, kind_folder, library, opened, read_files
from steelyard.engines.periods import with_periods
from steelyard.engines.rankings import RankingLog
from steelyard.engines.ratings import RatingLog
from steelyard.engines.statistics import plain, rows_where
from steelyard.engines.stored import COUNT, Stored, StoredRows, columns_kept
from steelyard.errors import BadSetting, SeveralKindsInPlace, UnknownName
from steelyard.judgments.sheet import bare
from steelyard.judgments.sources import MACHINE, SOURCE

LOGS: dict[str, type[Log]] = {"comparison": ComparisonLog, "rating": RatingLog, "ranking": RankingLog}
SMALLEST = -(2**63)  # below every value of a growing column


def connect(
    source: Any,
    kind: str | None = None,
    *,
    table: str | None = None,
    range: tuple[float, float] | None = None,
    memory: str = "1GB",
    most_cells: int = MOST_CELLS,
    since: str | os.PathLike[str] | None = None,
    growing: str | None = None,
    keep: Sequence[str] = (),
) -> Log:
    r"""Open a log of judgments where it is stored, without loading its rows into memory.

    The engine of the log computes counts and sums, and models fit them: `BradleyTerry`, `WinRate` and
    `DirectAssessment`. `Steelyard`, `Elo`, `TrueSkill` and `BetaRanking` read a stream. Other models fit
    `log.judgments()`, the distinct judgments with their counts. Files and PostgreSQL need the extra `large`, and Spark
    the extra `spark`.

    Parameters
    ----------
    source
        Pattern or folder of Parquet or CSV files (DuckDB), `postgresql://...`, `spark://local#FILES` or another
        Spark master, or an Ibis table on any engine.
    kind
        Kind of judgment, "comparison", "rating" or "ranking". Default: recognised from the columns.
    table
        Name of the table in a database, as `table` or `schema.table`.
    range
        Lowest and highest score that raters could give. Default: inferred from the scores.
    memory
        Memory that DuckDB uses before it writes to disk. Default: "1GB".
    most_cells
        Number of counts by rater and pair that may be held in memory. With more, clustered standard errors are computed
        from a stream of the log. Default: 2 million.
    since
        Parquet file with statistics of earlier files or rows: distinct rows with their counts. Files that it does not
        list, or rows of a database above the largest value of `growing`, are counted and added to it, and the log
        consists of all. It is created if it does not exist. Default: none.
    growing
        For `since` with a database or an Ibis table: column of whole numbers that grows with every new row, such as
        its key. Rows that were removed, or added below its largest value, are an error.
    keep
        Further columns of the statistics in `since`, such as covariates, or `year`, `month`, `week` or `day` of the
        time.

    Returns
    -------
    Log
        The log. `log.by("language")` returns slices, `log.rejected` the rows that cannot be used, and
        `log.judgments()` the distinct judgments.

    Raises
    ------
    MissingLibrary
        If Ibis or Spark is not installed.
    NoSuchFile
        If no file matches.
    MissingColumn
        If the columns of a judgment are missing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from steelyard import WinRate, connect
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "votes.csv").write_text("rater,left,right,outcome\nann,tea,milk,left\n")
    ...     with connect(f"{folder}/*.csv") as votes:
    ...         fit = WinRate().fit(votes)
    >>> dict(zip(fit.scale.item.tolist(), fit.scale.position.tolist()))
    {'milk': 0.0, 'tea': 1.0}
    """
    if not hasattr(source, "columns"):  # which Ibis tables have
        source = kind_folder(os.fspath(source), kind)
    if since is not None:
        rows, name = _counted(source, kind, memory, _Statistics(since, keep, growing, table))
    else:
        rows, name = opened(source, table, memory)
    rows, kind = _of_one_kind(rows, name, kind)
    columns = columns_of(rows.columns, name, kind)
    if columns.kind not in LOGS:
        raise BadSetting(
            "kind", f"logs of {columns.kind} judgments are not supported. Use {' or '.join(LOGS)}."
        )
    engine = engine_of(rows.get_backend())
    people, machine = _by_people(rows, engine)
    return LOGS[columns.kind](
        engine, people, columns, name, range, most_cells, machine, stored=since is not None
    )


def _of_one_kind(rows: Any, name: str, kind: str | None) -> tuple[Any, str | None]:
    """Return the rows of one kind of judgment and this kind, of a log whose columns fit several kinds.

    Rows with the cells of two kinds do not separate them; the log is then returned as it is.
    """
    needed = layouts_in(rows.columns)
    if len(needed) < 2 or kind not in (None, *needed):
        return rows, kind
    full = {
        each: _all(*(plain(rows[column]) != "" for column in columns)) for each, columns in needed.items()
    }
    only = {each: _all(has, *(~full[other] for other in full if other != each)) for each, has in full.items()}
    several = rows_where(_any(*full.values())) - sum(map(rows_where, only.values()))
    sums = {**{each: rows_where(where) for each, where in only.items()}, "several": several}
    counts = engine_of(rows.get_backend()).table(rows.agg(**sums)).to_pylist()[0]
    present = {each: int(counts[each]) for each in needed if counts[each]}
    if counts["several"] or not present:
        return rows, kind
    if kind is None and len(present) > 1:
        raise SeveralKindsInPlace(name, present)
    chosen = next(iter(present)) if kind is None else kind
    others = [only[each] for each in present if each != chosen]
    return (rows.filter(~_any(*others)) if others else rows), chosen


def _all(*conditions: Any) -> Any:
    return reduce(and_, conditions)


def _any(*conditions: Any) -> Any:
    return reduce(or_, conditions)


def _by_people(rows: Any, engine: Engine) -> tuple[Any, int]:
    """Return the rows of people, and the number of rows of machine judges, which the column `source` marks."""
    named = next((name for name in rows.columns if bare(name) == SOURCE), None)
    if named is None or not rows[named].type().is_string():
        return rows, 0
    is_machine = (rows[named].strip().lower() == MACHINE).fill_null(False)
    count = engine.table(rows.filter(is_machine).aggregate(rows=lambda kept: kept.count())).to_pylist()
    machine = int(count[0]["rows"])
    return (rows.filter(~is_machine), machine) if machine else (rows, 0)


@dataclass(frozen=True)
class _Statistics:
    """Place of stored statistics, and the columns that they keep besides those of judgments.

    `growing` and `table` are a column and the table of a database.
    """

    path: str | os.PathLike[str]
    keep: Sequence[str]
    growing: str | None = None
    table: str | None = None


def _counted(source: Any, kind: str | None, memory: str, statistics: _Statistics) -> tuple[Any, str]:
    """Return the table of stored statistics, after new files were added to them, and the name of the log."""
    ibis, text = library("ibis", "large"), str(source)
    if "://" in text or isinstance(source, ibis.Table):
        return _counted_rows(ibis, source, kind, memory, statistics)
    if statistics.growing is not None:
        raise BadSetting("growing", "files have no growing column, new files are recognised. Leave it out.")
    files, format = files_of(text)
    backend = duckdb_with(ibis, memory)
    stored = Stored.at(backend.con, statistics.path)
    new = stored.new_files(files)
    if new:
        rows = read_files(backend, new, format)
        rows, kept = _kept(rows, text, kind, statistics.keep)
        stored.add(backend.con, backend.con.sql(backend.compile(rows.select(*kept))), new, kept)
    return backend.read_parquet(os.fspath(statistics.path)), text


def _kept(rows: Any, name: str, kind: str | None, keep: Sequence[str]) -> tuple[Any, list[str]]:
    """Return a log with the periods that statistics keep, and the columns that they keep."""
    rows, kind = _of_one_kind(rows, name, kind)
    rows = with_periods(rows, columns_of(rows.columns, name, kind), keep)
    sources = [each for each in rows.columns if bare(each) == SOURCE]  # rows of machine judges stay apart
    return rows, columns_kept(rows.columns, name, kind, [*keep, *sources])


def _counted_rows(
    ibis: Any, source: Any, kind: str | None, memory: str, statistics: _Statistics
) -> tuple[Any, str]:
    """Return the table of stored statistics, after new rows of a database were added to them, and the log's name."""
    if statistics.growing is None:
        raise BadSetting(
            "growing", "stored counts of a database need the name of a column that grows with every new row."
        )
    backend = duckdb_with(ibis, memory)
    rows, name = opened(source, statistics.table, "")
    engine = engine_of(rows.get_backend())
    place = name if statistics.table is None else f"{name}, {statistics.table}"
    try:
        _add_rows(rows, kind, backend.con, place, statistics)
    finally:
        if not isinstance(source, ibis.Table):
            engine.close()
    return backend.read_parquet(os.fspath(statistics.path)), name


def _add_rows(rows: Any, kind: str | None, connection: Any, place: str, statistics: _Statistics) -> None:
    """Add the rows of a database that are not counted yet to stored statistics."""
    number = _growing(rows, str(statistics.growing))
    stored = StoredRows.at(connection, statistics.path, str(statistics.growing), place)
    engine = engine_of(rows.get_backend())
    counted = number.notnull() & (number <= (stored.last if stored.last is not None else SMALLEST))
    numbers = {
        "last": number.max().cast("int64"),
        "earlier": rows_where(counted),
        "empty": rows_where(number.isnull()),
    }
    state = engine.table(rows.agg(**numbers)).to_pylist()[0]
    if state["empty"]:
        raise BadSetting("growing", f"{state['empty']:,} rows have no value of {statistics.growing}.")
    stored.refuse_changes(state["earlier"] or 0)
    last = state["last"]
    if last is None:
        raise BadSetting("since", f"{place} has no rows yet.")
    if stored.last is None or last > stored.last:
        new, kept = _kept(rows.filter(~counted & (number <= last)), place, kind, statistics.keep)
        counts = new.group_by(kept).agg(**{COUNT: new.count()})
        stored.add(connection, engine.batches(counts), kept, place, last)


def _growing(rows: Any, name: str) -> Any:
    if name not in rows.columns:
        raise UnknownName("column", name, rows.columns)
    if not rows[name].type().is_integer():
        raise BadSetting("growing", f"{name} is no column of whole numbers.")
    return rows[name]
