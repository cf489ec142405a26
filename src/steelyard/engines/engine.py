"""Engines: where expressions run. Results are Arrow tables, or streams of Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

BATCH_ROWS = 500_000


class Engine(Protocol):
    """A database that runs Ibis expressions."""

    @property
    def name(self) -> str:
        """Name of the engine, for messages."""

    @property
    def sorts_texts(self) -> bool:
        """Whether it can join texts of a group in the order of other columns."""

    def table(self, expression: Any) -> Any:
        """Return the result of an expression as an Arrow table."""

    def batches(self, expression: Any) -> Iterator[Any]:
        """Yield the result of an expression as Arrow batches, in no particular order."""

    def put(self, columns: Any) -> Any:
        """Return a temporary table with the rows of an Arrow table, for joins."""

    def close(self) -> None:
        """Close the connection."""


@dataclass(frozen=True, eq=False)
class DuckDB:
    """DuckDB in this process. It spills to disk above its memory limit."""

    backend: Any
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    name: str = "duckdb"
    sorts_texts: bool = True

    def table(self, expression: Any) -> Any:
        """Return the result of an expression as an Arrow table."""
        return self._relation(expression).to_arrow_table()

    def batches(self, expression: Any) -> Iterator[Any]:
        """Yield the result of an expression as Arrow batches."""
        yield from self._relation(expression).to_arrow_reader(BATCH_ROWS)

    def put(self, columns: Any) -> Any:
        """Return a temporary table with the rows of an Arrow table."""
        # `Backend.create_table` of Ibis 12 needs a DuckDB below 2.
        name, connection = f"steelyard_codes_{next(self.numbers)}", self.backend.con
        connection.register(f"{name}_arrow", columns)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_arrow")
        connection.unregister(f"{name}_arrow")
        return self.backend.table(name)

    def close(self) -> None:
        """Close the connection."""
        self.backend.disconnect()

    def _relation(self, expression: Any) -> Any:
        # The relation streams. `Backend.to_pyarrow_batches` of Ibis 12 needs a DuckDB below 2. The hooks, which it
        # runs too, register tables in memory.
        self.backend._run_pre_execute_hooks(expression)
        return self.backend.con.sql(self.backend.compile(expression))


@dataclass(frozen=True, eq=False)
class IbisEngine:
    """Any other engine that Ibis supports."""

    backend: Any
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    sorts_texts: bool = True

    @property
    def name(self) -> str:
        """Name of the engine, such as postgres or pyspark."""
        return str(self.backend.name)

    def table(self, expression: Any) -> Any:
        """Return the result of an expression as an Arrow table."""
        return self.backend.to_pyarrow_batches(expression, chunk_size=BATCH_ROWS).read_all()

    def batches(self, expression: Any) -> Iterator[Any]:
        """Yield the result of an expression as Arrow batches."""
        yield from self.backend.to_pyarrow_batches(expression, chunk_size=BATCH_ROWS)

    def put(self, columns: Any) -> Any:
        """Return a table with the rows of an Arrow table, which the engine receives with each expression."""
        import ibis  # an optional dependency

        return ibis.memtable(columns)

    def close(self) -> None:
        """Close the connection."""
        self.backend.disconnect()


@dataclass(frozen=True, eq=False)
class Spark(IbisEngine):
    """Spark. Batches arrive one partition at a time, because its driver cannot hold results of any size."""

    sorts_texts: bool = False

    def batches(self, expression: Any) -> Iterator[Any]:
        """Yield the result of an expression as Arrow batches."""
        import pyarrow as pa  # an optional dependency

        # The hooks register tables in memory.
        self.backend._run_pre_execute_hooks(expression)
        rows = self.backend._session.sql(self.backend.compile(expression))
        for packed in rows.mapInArrow(_packing(), "batch binary").toLocalIterator():
            yield from pa.ipc.open_stream(packed.batch)


def _packing() -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that turns each Arrow batch into a row with its bytes.

    It is a local function, which Spark sends to its workers by value: they need pyarrow, but not Steelyard.
    """

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()], pa.binary())], names=["batch"])

    return pack


@dataclass(frozen=True, eq=False)
class Watched:
    """An engine that reports the number of rows it has returned in batches."""

    engine: Engine
    show: Callable[[int], None]

    @property
    def name(self) -> str:
        """Name of the engine."""
        return self.engine.name

    @property
    def sorts_texts(self) -> bool:
        """Whether it can join texts of a group in the order of other columns."""
        return self.engine.sorts_texts

    def table(self, expression: Any) -> Any:
        """Return the result of an expression as an Arrow table."""
        return self.engine.table(expression)

    def batches(self, expression: Any) -> Iterator[Any]:
        """Yield the result of an expression as Arrow batches, and report the rows so far."""
        rows = 0
        for batch in self.engine.batches(expression):
            rows += batch.num_rows
            self.show(rows)
            yield batch

    def put(self, columns: Any) -> Any:
        """Return a temporary table with the rows of an Arrow table."""
        return self.engine.put(columns)

    def close(self) -> None:
        """Close the connection."""
        self.engine.close()


def engine_of(backend: Any) -> Engine:
    """Return the engine of an Ibis connection."""
    engines: dict[str, type[DuckDB] | type[IbisEngine]] = {"duckdb": DuckDB, "pyspark": Spark}
    return engines.get(backend.name, IbisEngine)(backend)
