"""The tables of logs: files by DuckDB, tables of PostgreSQL, files by Spark, all as Ibis tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from steelyard.errors import BadSetting, MissingLibrary, NoSuchFile, UnknownName, UnreadableFile
from steelyard.judgments.sheet import bare
from steelyard.judgments.table_kinds import KINDS

SUFFIXES = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".txt": "csv"}
PATTERN = "*?["
DATABASES = ("postgresql", "postgres")
SPARK = "spark"
STUDY_FILE = "study.toml"
MOST_WORDS = 30  # of a message of the database that are quoted
AS_WRITTEN = ("score", "rank")  # columns of numbers whose cells are checked one by one


def is_large(source: str) -> bool:
    """Whether a source names a log in place: a pattern, a folder of Parquet files, a database or Spark.

    >>> is_large("votes/*.parquet"), is_large("postgresql://host/votes"), is_large("votes.csv")
    (True, True, False)
    """
    return "://" in source or any(mark in source for mark in PATTERN) or _has_log(source)


def _has_log(folder: str) -> bool:
    """Whether a path is a folder of Parquet files, and not the folder of a study."""
    if os.path.exists(os.path.join(folder, STUDY_FILE)):
        return False
    return _has_parquet(folder) or bool(_kinds_in(folder))


def _has_parquet(folder: str) -> bool:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return any(SUFFIXES.get(Path(name).suffix) == "parquet" for name in names)


def kind_folder(source: str, kind: str | None) -> str:
    """Return the folder of one kind, in a folder that `export --to` wrote for several kinds."""
    kinds = [] if "://" in source else _kinds_in(source)
    if len(kinds) > 1 and kind not in kinds:
        folders = [os.path.join(source, each) for each in kinds]
        raise UnreadableFile(
            source,
            f"this folder has a folder for each kind of judgment: {', '.join(folders)}.",
            f"Fit one of them, such as {folders[0]}. To fit all kinds on one scale, export the study to one file: "
            "steelyard export STUDY -o judgments.csv.",
        )
    chosen = kind if kind in kinds else kinds[0] if kinds else None
    return source if chosen is None else os.path.join(source, chosen)


def _kinds_in(folder: str) -> list[str]:
    """Return the kinds of judgment for which a folder has a folder of Parquet files."""
    return [kind for kind in KINDS if _has_parquet(os.path.join(folder, kind))]


def opened(source: Any, table: str | None, memory: str) -> tuple[Any, str]:
    """Open a source.

    Parameters
    ----------
    source
        Pattern, folder, address of a database or of Spark, or an Ibis table.
    table
        Name of the table in a database.
    memory
        Memory that DuckDB uses before it writes to disk.

    Returns
    -------
    tuple of Table and str
        The Ibis table of the source, and its name for messages.
    """
    ibis = library("ibis", "large")
    if isinstance(source, ibis.Table):
        return source, "the Ibis table"
    text = os.fspath(source)
    scheme = urlsplit(text).scheme if "://" in text else ""
    if scheme in DATABASES:
        return _database(text, table), _without_password(text)
    if scheme == SPARK:
        return _spark(ibis, text), text
    if scheme:
        raise BadSetting(
            "source", f"{scheme}:// is unknown. Use files, postgresql:// or spark://, or an Ibis table."
        )
    return _files(ibis, text, memory), text


def library(name: str, extra: str) -> Any:
    """Import an optional library, or name the extra that installs it."""
    from importlib import import_module  # beside its only use

    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        raise MissingLibrary(name if missing.name is None else missing.name, extra) from None


def files_of(source: str) -> tuple[list[str], str]:
    """Return the files that a path or pattern names, and their format: parquet or csv."""
    whole = os.path.join(source, "**", "*") if os.path.isdir(source) else source
    files = sorted(each for each in glob(whole, recursive=True) if Path(each).suffix.lower() in SUFFIXES)
    formats = {SUFFIXES[Path(each).suffix.lower()] for each in files}
    if not files:
        raise NoSuchFile(source)
    if len(formats) > 1:
        raise BadSetting(
            "source", f"{source} has both Parquet and CSV files. Name one of them, such as *.parquet."
        )
    return files, formats.pop()


def _files(ibis: Any, source: str, memory: str) -> Any:
    files, format = files_of(source)
    return read_files(duckdb_with(ibis, memory), files, format)


def duckdb_with(ibis: Any, memory: str) -> Any:
    """Return an Ibis connection to DuckDB that uses at most this memory before it writes to disk."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"SET memory_limit = '{memory}'")
    backend.raw_sql("SET preserve_insertion_order = false")
    backend.raw_sql("SET TimeZone = 'UTC'")
    # DuckDB would write its progress to stdout, between rows of results.
    backend.raw_sql("SET enable_progress_bar = false")
    return backend


def read_files(backend: Any, files: Sequence[str], format: str) -> Any:
    """Return the rows of files as one table.

    Parameters
    ----------
    backend
        Ibis connection to DuckDB.
    files
        Paths of the files.
    format
        "parquet" or "csv".

    Returns
    -------
    Table
        Ibis table with the columns of all files.
    """
    return backend.read_parquet(files, union_by_name=True) if format == "parquet" else _csv(backend, files)


def _csv(backend: Any, files: Sequence[str]) -> Any:
    """Return CSV files with cells as text, except in columns of numbers; a cell that is not a number is empty there.

    Scores and ranks stay text, so that those that are not numbers can be shown.
    """
    detected = backend.read_csv(files, union_by_name=True).schema()
    rows = backend.read_csv(files, union_by_name=True, types=dict.fromkeys(detected, "string"))
    numbers = [name for name, kind in detected.items() if kind.is_numeric()]
    return rows.mutate(
        **{name: rows[name].strip().try_cast("float64") for name in numbers if bare(name) not in AS_WRITTEN}
    )


def _database(url: str, table: str | None) -> Any:
    if table is None:
        raise BadSetting("table", "choose the table of the database that has the judgments, by its name.")
    schema, _, name = table.rpartition(".")
    backend = postgres(url)
    try:
        return backend.table(name, database=schema or None)
    except library("ibis.common.exceptions", "large").TableNotFound:
        present = backend.list_tables(database=schema or None)
        backend.disconnect()
        raise UnknownName(
            "table", table, [f"{schema}.{each}" if schema else each for each in present]
        ) from None


def postgres(url: str) -> Any:
    """Return an Ibis connection to a PostgreSQL database, with all parameters of its address, such as sslmode."""
    ibis, psycopg = library("ibis", "large"), library("psycopg", "large")
    try:
        settings = psycopg.conninfo.conninfo_to_dict(url)
        place = {name: settings.pop(name, None) for name in ("host", "user", "password", "port")}
        return ibis.postgres.connect(**place, database=settings.pop("dbname", None), **settings)
    except psycopg.Error as reason:
        raise UnreadableFile(
            _without_password(url),
            f"the database cannot be opened ({' '.join(str(reason).split()[:MOST_WORDS])}).",
            "Check the address, the user and that the server is running.",
        ) from None


def _spark(ibis: Any, source: str) -> Any:
    library("pyspark", "spark")
    from pyspark.sql import SparkSession  # an optional dependency

    place, _, files = source.partition("#")
    master = "local[*]" if place == "spark://local" else place
    builder = SparkSession.builder.master(master).config("spark.sql.session.timeZone", "UTC")
    session = builder.getOrCreate()
    if master.startswith("local"):
        # Its workers pack batches, and need the packages of this interpreter. The default is any python3.
        session.sparkContext.pythonExec = sys.executable
    backend = ibis.pyspark.connect(session)
    if not files:
        raise BadSetting("source", "name the files after a #: spark://local#votes/*.parquet.")
    return backend.read_parquet(files) if files.endswith(("parquet", "pq", "/")) else backend.read_csv(files)


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
