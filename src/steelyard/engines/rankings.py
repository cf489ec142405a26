"""Logs of rankings: counts of distinct rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from steelyard.engines import statistics
from steelyard.engines.log import MORE, Log, rater_ids
from steelyard.engines.rejected import BAD_RANK, MISSING_ID, RANKED_TWICE, Rejected, rejected_rows
from steelyard.errors import NothingToFit, TooManyCells
from steelyard.judgments.table import Judgments

TOGETHER = (
    "Use plackett_luce with cluster='none' (--cluster none), which counts the rankings of all raters together, "
    "raise the limit with most_cells of steelyard.connect, in Python"
)


@dataclass(frozen=True, eq=False)
class RankingLog(Log):
    """Rankings that stay in a database or in files: one row per ranked item. See `Log` for the parameters."""

    def counted(self, with_raters: bool) -> Judgments:
        """Return the distinct rankings with their counts.

        Parameters
        ----------
        with_raters
            Whether to count the rankings of each rater separately.

        Returns
        -------
        Judgments
            One ranking per distinct ranking, with the number of times it was given.

        Raises
        ------
        TooManyCells
            If their rows are more than `most_cells`.
        """
        by = [name for name in ("rater", "segment") if with_raters and name in self.columns.roles]
        found = statistics.counted_answers(
            statistics.ranked_answers(self._sound, self.engine.sorts_texts), by
        )
        rows = self.engine.table(found.limit(self.most_cells + 1))
        if rows.num_rows > self.most_cells:
            raise TooManyCells(self.name, self.most_cells, TOGETHER if with_raters else MORE)
        if not rows.num_rows:
            raise NothingToFit.among("a model of rankings", ("ranking",), ())
        return self._judgments(rows.sort_by([(name, "ascending") for name in ("answer", *by)]), by)

    def _judgments(self, rows: Any, by: Sequence[str]) -> Judgments:
        """Return rankings in memory from their texts."""
        made: dict[str, list[Any]] = {name: [] for name in ("task", "item", "rank", "count", *by)}
        read = {name: rows[name].to_pylist() for name in ("answer", "judgments", *by)}
        if "rater" in by:
            read["rater"] = rater_ids(read["rater"])
        for at, answer in enumerate(read["answer"]):
            entries = [entry.split(statistics.BETWEEN) for entry in answer.split(statistics.AFTER)]
            made["task"] += [f"ranking {at + 1}"] * len(entries)
            made["item"] += [item for item, _ in entries]
            made["rank"] += [float(rank) for _, rank in entries]
            made["count"] += [float(read["judgments"][at])] * len(entries)
            for name in by:
                made[name] += [read[name][at]] * len(entries)
        return Judgments.from_columns("ranking", made)

    def judgments(self, columns: Sequence[str] = (), most_rows: int | None = None) -> Judgments:
        """Return the distinct rankings of each rater with their counts."""
        return self.counted(with_raters=True)

    @cached_property
    def _sound(self) -> Any:
        table = self.standard()
        return table.filter((table.item.strip().fill_null("") != "") & table["rank"].notnull())

    @property
    def rejected(self) -> Rejected:
        """Rows that were left out, by class, with samples."""
        table = self.standard()
        missing = table.item.strip().fill_null("") == ""
        row = self.engine.table(
            table.agg(
                total=table.count(),
                missing=statistics.rows_where(missing),
                bad=statistics.rows_where(~missing & table["rank"].isnull()),
            )
        ).to_pylist()[0]
        twice = self.engine.table(statistics.ranked_twice(self._sound)).to_pylist()[0]["rows"]
        counts = {MISSING_ID: row["missing"], BAD_RANK: row["bad"], RANKED_TWICE: twice}
        some = {name: float(times or 0) for name, times in counts.items()}
        return rejected_rows(some, float(row["total"]), self._bad_sample)

    def _bad_sample(self, name: str) -> Any:
        roles = {f"as_written_{role}": self.source[column] for role, column in self.columns.roles.items()}
        table = statistics.standard(self.source.mutate(**roles), self.columns, tuple(roles))
        missing = table.item.strip().fill_null("") == ""
        if name == RANKED_TWICE:
            chosen = statistics.several_ranks(self._sound)
        else:
            bad = table.filter(missing if name == MISSING_ID else ~missing & table["rank"].isnull())
            chosen = bad.select(**{column.removeprefix("as_written_"): bad[column] for column in roles})
        return self._sample(chosen)
