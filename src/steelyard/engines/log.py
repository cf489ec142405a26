"""`Log`: judgments that stay where they are stored. What is common to all kinds of judgment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from steelyard.engines import statistics
from steelyard.engines.columns import Columns
from steelyard.engines.engine import Engine
from steelyard.engines.periods import with_periods
from steelyard.engines.rejected import SAMPLE, Rejected
from steelyard.errors import TooManyCells
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.table import Judgments

MOST_CELLS = 2_000_000  # rows of counts by rater or segment that are held in memory

MOST_COMBINATIONS = 1000  # of values of the columns that are pooled into one scale
MORE = "Raise the limit with most_cells of steelyard.connect, in Python"


@dataclass(frozen=True, eq=False)
class Log:
    """Judgments that stay in a database or in files. Models read counts and sums of them.

    Create one with `steelyard.connect`.

    Parameters
    ----------
    engine
        Engine that computes the counts.
    source
        Ibis table of the log, with one row per judgment or, if it has a column `count`, per distinct judgment.
    columns
        Its columns by role.
    name
        Name of the log, for messages.
    range
        Lower and upper end of the scale of the scores; None to infer it.
    most_cells
        Number of cells (counts by rater, pair and answer) that may be held in memory. With more, standard errors are
        computed from a stream of the log.
    machine
        Number of rows of machine judges (`machine` in the column `source`), which are not in the log.
    cache
        Counts and sums that were already computed.
    stored
        Whether the log consists of stored counts (`since` of `connect`), which keep neither single judgments nor times.
    """

    engine: Engine
    source: Any
    columns: Columns
    name: str
    range: tuple[float, float] | None = None
    most_cells: int = MOST_CELLS
    machine: int = 0
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)
    stored: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the engine. `with connect(...) as log:` does so too."""
        self.engine.close()

    @property
    def remedy(self) -> str:
        """What to do if there are too many distinct judgments for memory, as the start of a sentence."""
        return MORE

    @property
    def kind(self) -> str:
        """Kind of judgment."""
        return self.columns.kind

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of judgment, as in `Judgments.kinds`."""
        return (self.kind,)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of all columns of the log."""
        return tuple(self.source.columns)

    def standard(self, kept: Sequence[str] = ()) -> Any:
        """Return the log as an Ibis table with standard columns and these further ones, by role or name."""
        named = [
            self.columns.column(name, self.column_names) for name in kept if name not in self.columns.roles
        ]
        return statistics.standard(self.source, self.columns, named)

    def by(self, *columns: str) -> list[tuple[tuple[str, ...], Log]]:
        """Return the log for each combination of values of these columns.

        Parameters
        ----------
        *columns
            Names of columns. `year`, `month`, `week` and `day` are periods of the time, in UTC, if the log has no
            columns of these names.

        Returns
        -------
        list
            The values and the slice. Rows without a value are under an empty name.
        """
        whole = with_periods(self.source, self.columns, columns)
        names = [self.columns.column(name, whole.columns) for name in columns]
        cells = [statistics.slice_cell(whole[name]) for name in names]
        rows = self.engine.table(statistics.slices(whole, cells)).to_pylist()
        named = [(tuple(map(_as_text, row.values())), list(row.values())) for row in rows]
        return [
            (texts, self._part(whole.filter(*map(statistics.same_cell, cells, values))))
            for texts, values in sorted(named, key=lambda each: each[0])
        ]

    def _part(self, source: Any) -> Log:
        """Return a slice of the log. Its counts are its own."""
        return replace(self, source=source, cache={})

    def pooled_values(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the values of those of these columns that the log has, without empty ones.

        At most a thousand combinations of values are read.
        """
        present = [name for name in names if name in self.column_names]
        if not present:
            return {}
        cells = [statistics.slice_cell(self.source[name]) for name in present]
        rows = self.engine.table(statistics.slices(self.source, cells).limit(MOST_COMBINATIONS)).to_pylist()
        each = {name: {_as_text(value) for value in values} for name, values in _columns_of(present, rows)}
        return {name: sorted(values - {""}) for name, values in each.items()}

    def judgments(self, columns: Sequence[str] = (), most_rows: int | None = None) -> Judgments:
        """Return the distinct judgments with their counts, as a table in memory that any model can fit.

        Parameters
        ----------
        columns
            Further columns to keep. Default: those of the kind of judgment, and the rater.
        most_rows
            Largest number of distinct judgments. Default: `most_cells`.

        Returns
        -------
        Judgments
            One row per distinct judgment, with the column count. Rows that cannot be used are left out.

        Raises
        ------
        TooManyCells
            If there are more distinct judgments.
        """
        raise NotImplementedError  # each kind has its own columns

    @property
    def rejected(self) -> Rejected:
        """Rows that were left out, by class, with samples."""
        raise NotImplementedError  # each kind has its own classes

    def _distinct(self, used: Any, columns: Sequence[str], most_rows: int | None) -> Any:
        """Return the distinct rows as an Arrow table, or raise `TooManyCells`."""
        most = self.most_cells if most_rows is None else most_rows
        table = self.engine.table(statistics.distinct_rows(used, columns).limit(most + 1))
        if table.num_rows > most:
            raise TooManyCells(self.name, most, self.remedy)
        return table

    def _sample(self, table: Any) -> Any:
        return self.engine.table(table.limit(SAMPLE))


def _as_text(value: Any) -> str:
    """Return a value of a slice as text; an empty cell as empty text."""
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


def _columns_of(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield each name with its values in the rows."""
    for at, name in enumerate(names):
        yield name, [list(row.values())[at] for row in rows]


def plain_ids(cells: Sequence[Any], unnamed: str | None = None) -> list[Any]:
    """Return ids without spaces around them; blank ones are `unnamed`."""
    stripped = (None if cell is None else str(cell).strip() for cell in cells)
    return [cell if cell else unnamed for cell in stripped]


def rater_ids(cells: Sequence[Any]) -> list[Any]:
    """Return rater ids; raters without a name have the name that files use for them."""
    return plain_ids(cells, UNKNOWN_RATER)
