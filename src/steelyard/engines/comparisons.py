"""Logs of comparisons: counts by pair, cells by rater or segment, and streams of coded rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steelyard.engines import statistics
from steelyard.engines.counted import (
    CLUSTERS,
    Counted,
    assembled,
    cell_values,
    covariate,
    numbers,
    refuse_empty,
    slice_of,
    texts,
)
from steelyard.engines.labels import Coder, Vocabulary
from steelyard.engines.log import Log, plain_ids, rater_ids
from steelyard.engines.ordered import ordered_steps
from steelyard.engines.periods import with_periods
from steelyard.engines.rejected import (
    BAD_COUNT,
    MISSING_ID,
    SELF_PAIR,
    UNKNOWN_OUTCOME,
    Rejected,
    rejected_rows,
)
from steelyard.engines.row_stream import CellCodes, Coding, streamed_rows
from steelyard.errors import BadSetting, NothingToFit
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.formats.pairs import ARENA_TIME_NAMES
from steelyard.judgments.logs import LogClusters, LogRows, LogSteps
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix


@dataclass(frozen=True, eq=False)
class ComparisonLog(Log):
    """Comparisons that stay in a database or in files.

    Parameters
    ----------
    where
        Columns and values of a slice; empty for a whole log. See `Log` for the other fields.
    parent
        The whole log that this is a slice of.
    """

    where: tuple[tuple[str, Any], ...] = ()
    parent: ComparisonLog | None = field(default=None, repr=False)

    @property
    def remedy(self) -> str:
        """What to do if there are too many distinct comparisons for memory, as the start of a sentence."""
        return "Use bradley_terry or win_rate, which fit counts"

    def pooled(self, by: Sequence[str] = (), ordered: bool = False) -> PairCounts:
        """Return the comparisons counted by pair and by these columns.

        Parameters
        ----------
        by
            Columns that rows must agree in to be counted together.
        ordered
            Whether to distinguish which item was shown on the left.

        Returns
        -------
        PairCounts
            One row per pair and combination of values.
        """
        counts = self._counts(tuple(dict.fromkeys(by)))
        if not len(counts):
            raise NothingToFit.among("a model of comparisons", ("comparison",), ())
        for name in by:
            refuse_empty(name, counts)
        return counts.pooled(by, ordered)

    def _counts(self, by: tuple[str, ...]) -> PairCounts:
        """Return ordered counts by at least these columns."""
        if self.parent is None:
            return self._counted(by).counts
        columns = tuple(name for name, _ in self.where)
        whole = self.parent._counts((*columns, *(name for name in by if name not in columns)))
        return slice_of(whole, dict(self.where))

    def _counted(self, by: tuple[str, ...]) -> Counted:
        """Return the counts by at least these columns: those of an earlier query, or of a new one."""
        for columns, made in self.cache.items():
            if columns[0] == "counts" and set(by) <= set(columns[1:]):
                counted: Counted = made
                return counted
        self.cache["counts", *by] = made = self._query(by)
        return made

    def _query(self, by: tuple[str, ...]) -> Counted:
        names = [self._column(name) for name in by]
        further = [name for name in names if name not in self.columns.roles]
        table = statistics.standard(self.source, self.columns, further)
        kept = dict.fromkeys(["left", "right", "answer", *names])
        expression = statistics.pair_counts(statistics.counted_rows(table, list(kept)), names)
        coder = Coder()
        coders = {name: Coder() for name in by}
        sides: list[tuple[Codes, Codes]] = []
        sums: list[Matrix] = []
        values: dict[str, list[Any]] = {name: [] for name in by}
        for batch in self.engine.batches(expression):
            sides.append((coder.add(batch["left"]), coder.add(batch["right"])))
            sums.append(np.stack([numbers(batch[name]) for name in statistics.SUMS]))
            for name in by:
                values[name].append(cell_values(batch[self._column(name)], coders[name]))
        cells = {name: covariate(parts, coders[name]) for name, parts in values.items()}
        return assembled(coder.sorted(), sides, sums, cells)

    def _column(self, name: str) -> str:
        """Return the name of a column in the standard table: its role, or its own name."""
        return name if name in self.columns.roles else self.columns.column(name, self.column_names)

    def in_order(self, items: Labels) -> Iterator[LogSteps]:
        """Yield the comparisons in the order of their times.

        Parameters
        ----------
        items
            Items by their code.

        Yields
        ------
        LogSteps
            Some comparisons. Those of equal time are in the order of rater, items and answer.
        """
        if self.stored:
            raise BadSetting(
                "since",
                "stored counts keep no order of the comparisons, and this model depends on it. Leave it out, or choose "
                "a model that does not depend on the order.",
            )
        if "at" not in self.columns.roles:
            raise BadSetting(
                "model",
                f"this model depends on the order of the comparisons, and the log has no column of their times "
                f"({', '.join(ARENA_TIME_NAMES)}). Add one, or choose a model that does not depend on the order.",
            )
        yield from ordered_steps(self.engine, self._sliced(()), items)

    @property
    def rejected(self) -> Rejected:
        """Rows that were left out, by class, with samples."""
        counted = (self if self.parent is None else self.parent)._counted(())
        return rejected_rows(counted.bad, counted.total, self._bad_sample)

    def _bad_sample(self, name: str) -> Any:
        roles = {f"as_written_{role}": self.source[column] for role, column in self.columns.roles.items()}
        table = statistics.standard(self.source.mutate(**roles), self.columns, tuple(roles))
        left, right = table.left.strip().fill_null(""), table.right.strip().fill_null("")
        missing = (left == "") | (right == "")
        classes = {
            MISSING_ID: missing,
            SELF_PAIR: ~missing & (left == right),
            UNKNOWN_OUTCOME: ~missing & (left != right) & (table.answer == statistics.UNKNOWN),
            BAD_COUNT: ~missing & (left != right) & (table.answer == statistics.BAD_COUNT),
        }
        shown = {name.removeprefix("as_written_"): table[name] for name in roles}
        return self._sample(table.filter(classes[name]).select(**shown))

    @property
    def rater_count(self) -> int:
        """Number of named raters."""
        return len(self.clusters("rater").weight) if "rater" in self.columns.roles else 0

    def clusters(self, name: str) -> LogClusters:
        """Return the raters or segments with their numbers of judgments.

        Parameters
        ----------
        name
            "rater" or "segment".

        Returns
        -------
        LogClusters
            One entry per named rater or segment.
        """
        if name not in self.columns.roles:
            return LogClusters(name, np.empty(0), self.pooled().judgments)
        return self._clusters(name)[0]

    def _clusters(self, name: str) -> tuple[LogClusters, Vocabulary]:
        if ("clusters", name) not in self.cache:
            coder = Coder()
            codes, sizes = [], []
            for batch in self.engine.batches(statistics.cluster_counts(self._sliced(()), name)):
                codes.append(coder.add(batch[name]))
                sizes.append(numbers(batch["judgments"]))
            vocabulary = coder.sorted()
            code, number = vocabulary.place[np.concatenate(codes)], np.concatenate(sizes)
            weight = np.bincount(code[code >= 0], number[code >= 0], minlength=len(vocabulary))
            clusters = LogClusters(name, weight.astype(np.float64), float(number[code < 0].sum()))
            self.cache["clusters", name] = (clusters, vocabulary)
        found: tuple[LogClusters, Vocabulary] = self.cache["clusters", name]
        return found

    def cells(self, clusters: Sequence[str], by: Sequence[str], ordered: bool) -> PairCounts | None:
        """Return counts that are split by rater or segment too.

        Parameters
        ----------
        clusters
            "rater", "segment" or both.
        by
            Further columns that rows must agree in to be counted together.
        ordered
            Whether to distinguish which item was shown on the left.

        Returns
        -------
        PairCounts or None
            None if they are too many for memory, or if some judgments have no rater or segment: each of them is a
            cluster of its own, which counts cannot represent.
        """
        for name in clusters:
            if name not in self.columns.roles:
                raise BadSetting(
                    "cluster", f"the log has no column for the {name}. Choose another clustering."
                )
        counts = self.pooled(by, ordered)
        made = [self.clusters(name) for name in clusters]
        most = min(counts.judgments, len(counts) * float(np.prod([len(each.weight) for each in made])))
        if most > self.most_cells or any(each.alone for each in made):
            return None
        return self._counts((*by, *clusters)).pooled((*by, *clusters), ordered)

    def rows(self, table: PairCounts, name: str, part: tuple[int, int] = (0, 1)) -> Iterator[LogRows]:
        """Yield the comparisons as rows of a table of counts, with their clusters.

        Parameters
        ----------
        table
            Counts that `pooled` returned.
        name
            "rater" or "segment".
        part
            (k, n) for the clusters whose code is k modulo n. Part 0 has the judgments without a name.

        Yields
        ------
        LogRows
            Some comparisons, in no particular order.
        """
        by = tuple(table.cells)
        written = (self if self.parent is None else self.parent)._counted(()).items.written
        place = {str(label): at for at, label in enumerate(table.items)}
        items = {label: place[label.strip()] for label in written if label.strip() in place}
        _, vocabulary = self._clusters(name)
        cells = CellCodes.of(table, [self._column(each) for each in by])
        coding = Coding(items, name, vocabulary, cells)
        yield from streamed_rows(self.engine, self._sliced(by), coding, table, part)

    def by(self, *columns: str) -> list[tuple[tuple[str, ...], Log]]:
        """Return the log for each combination of values of these columns, see `Log.by`. One query counts all slices."""
        source = with_periods(self.source, self.columns, columns)
        if source is not self.source:
            return self._on(source).by(*columns)
        cells = self._counts(columns).pooled(columns, ordered=True).cells
        named = [texts(cells[name]) for name in columns]
        return [
            (tuple(text for text, _ in values), self._slice_of(columns, [value for _, value in values]))
            for values in sorted(set(zip(*named, strict=True)), key=lambda each: [text for text, _ in each])
        ]

    def _on(self, source: Any) -> ComparisonLog:
        """Return the log, or the slice and its parent, on a table with further columns. Counts stay valid."""
        parent = None if self.parent is None else replace(self.parent, source=source)
        return replace(self, source=source, parent=parent)

    def _slice_of(self, columns: Sequence[str], values: Sequence[Any]) -> ComparisonLog:
        whole = self if self.parent is None else self.parent
        return replace(self, where=(*self.where, *zip(columns, values, strict=True)), parent=whole, cache={})

    def _sliced(self, kept: Sequence[str]) -> Any:
        """Return the standard table of the slice, with these columns."""
        columns = [name for name, _ in self.where]
        table = self.standard(tuple(dict.fromkeys((*kept, *columns))))
        for name, value in self.where:
            column = table[self._column(name)]
            text = column.type().is_string()
            empty = column.isnull() | (column.strip() == "") if text else column.isnull()
            chosen = empty if value in ("", None) else (column.strip() if text else column) == value
            table = table.filter(chosen)
        return table

    def judgments(self, columns: Sequence[str] = (), most_rows: int | None = None) -> Judgments:
        """Return the distinct comparisons with their counts, see `Log.judgments`."""
        roles = [name for name in CLUSTERS if name in self.columns.roles]
        kept = [*roles, *(self._column(name) for name in columns if name not in roles)]
        table = self._sliced([name for name in kept if name not in self.columns.roles])
        left, right = table.left.strip(), table.right.strip()
        sound = (table.answer < statistics.UNKNOWN) & (left != "") & (right != "") & (left != right)
        found = self._distinct(table.filter(sound), ["left", "right", "answer", *kept], most_rows)
        words = np.array(list(statistics.ANSWERS), dtype=object)
        read = {name: found[name].to_pylist() for name in kept}
        made = {
            "left": plain_ids(found["left"].to_pylist()),
            "right": plain_ids(found["right"].to_pylist()),
            "outcome": words[found["answer"].to_numpy()],
            "count": numbers(found["judgments"]),
            **{name: rater_ids(cells) if name == "rater" else cells for name, cells in read.items()},
        }
        return Judgments.from_columns("comparison", made)
