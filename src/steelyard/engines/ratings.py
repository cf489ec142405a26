"""Logs of ratings: sums of scores by item and by rater."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal

import numpy as np

from steelyard.engines import statistics
from steelyard.engines.labels import MISSING, Coder, Vocabulary
from steelyard.engines.log import Log, plain_ids, rater_ids
from steelyard.engines.rejected import BAD_SCORE, MISSING_ID, Rejected, rejected_rows
from steelyard.errors import BadSetting, NothingToFit
from steelyard.judgments.logs import ItemSums, RatingLabels, RatingRows
from steelyard.judgments.table import Judgments
from steelyard.judgments.table_rows import common_range
from steelyard.maths.arrays import Codes, Vector

STEADY = 1e-12  # a rater's standard deviation below this share of the mean counts as 0


@dataclass(frozen=True, eq=False)
class RatingLog(Log):
    """Ratings that stay in a database or in files. See `Log` for the parameters."""

    @property
    def remedy(self) -> str:
        """What to do if there are too many distinct ratings for memory, as the start of a sentence."""
        return "Use direct_assessment, which fits sums, or steelyard, which reads a stream"

    @property
    def score_range(self) -> tuple[float, float]:
        """Lower and upper end of the scale: `range`, or the narrowest common range that contains every score."""
        return self.range if self.range is not None else common_range(*self._extremes)

    def _part(self, source: Any) -> Log:
        """Return a slice of the log, with the scale of the whole."""
        return replace(self, source=source, range=self.score_range, cache={})

    @property
    def _extremes(self) -> tuple[float, float]:
        if "extremes" not in self.cache:
            row = self.engine.table(statistics.score_extremes(self.standard())).to_pylist()[0]
            if row["low"] is None:
                raise NothingToFit.among("a model of ratings", ("rating",), ())
            self.cache["extremes"] = (float(row["low"]), float(row["high"]))
        found: tuple[float, float] = self.cache["extremes"]
        return found

    def item_sums(self, standardise: Literal["none", "rater"] = "none", lost: float = 0.0) -> ItemSums:
        """Return sums of scores by item, or of z-scores within raters.

        Parameters
        ----------
        standardise
            `"none"` for scores, `"rater"` for z-scores within raters.
        lost
            Number subtracted from n in the divisor of a rater's variance: 0 or 1.

        Returns
        -------
        ItemSums
            Number, mean and sum of squares of each item.
        """
        if standardise == "none":
            middle = sum(self._extremes) / 2.0
            sums = self._summed(statistics.item_sums(self.standard(), middle))
        else:
            middle = 0.0
            table = self.engine.put(self._standard_scores(lost))
            sums = self._summed(statistics.standardised_sums(self.standard(), table))
        return _moments(sums, middle, self.rater_count)

    def _summed(self, expression: Any) -> _Sums:
        coder = Coder()
        codes, columns = [], []
        names = ("judgments", "total", "squares")
        bad_item = bad_score = 0.0
        for batch in self.engine.batches(expression):
            code = coder.add(batch["item"])
            numbers = np.stack([_numbers(batch[name]) for name in names])
            unknown = _numbers(batch["unknown"]) if "unknown" in batch.schema.names else np.zeros(len(code))
            bad_item += float((numbers[0] + unknown)[code == MISSING].sum())
            bad_score += float(unknown[code != MISSING].sum())
            codes.append(code[code != MISSING])
            columns.append(numbers[:, code != MISSING])
        if "bad" not in self.cache:
            total = sum(float(part[0].sum()) for part in columns) + bad_item + bad_score
            self.cache["bad"] = ({MISSING_ID: bad_item, BAD_SCORE: bad_score}, total)
        return _Sums(coder.sorted(), np.concatenate(codes), np.concatenate(columns, axis=1))

    def _standard_scores(self, lost: float) -> Any:
        """Return the mean and standard deviation of each rater as an Arrow table."""
        import pyarrow as pa  # an optional dependency

        if "rater" not in self.columns.roles:
            raise BadSetting("standardise", "the log has no column for the rater. Use standardise='none'.")
        middle = sum(self._extremes) / 2.0
        sums = self.engine.table(statistics.rater_sums(self.standard(), middle))
        count, total, squares = (_numbers(sums[name]) for name in ("judgments", "total", "squares"))
        mean = total / np.maximum(count, 1e-300)
        deviations = np.maximum(squares - total * mean, 0.0) / np.maximum(count - lost, 1e-300)
        deviation = np.sqrt(deviations)
        steady = deviation <= STEADY * (1.0 + np.abs(mean + middle))
        return pa.table(
            {
                "label": sums["rater"],
                "mean": pa.array(mean + middle),
                "deviation": pa.array(np.where(steady, 0.0, deviation)),
            }
        )

    @property
    def rater_count(self) -> int:
        """Number of named raters."""
        if "rater" not in self.columns.roles:
            return 0
        if "raters" not in self.cache:
            labels = self.engine.table(statistics.cluster_counts(self.standard(), "rater"))["rater"]
            self.cache["raters"] = len(set(plain_ids(labels.to_pylist())) - {None})
        return int(self.cache["raters"])

    @cached_property
    def _sound(self) -> Any:
        return statistics.sound_ratings(self.standard())

    @property
    def fits_memory(self) -> bool:
        """Whether there are at most `most_cells` rows."""
        if "rows" not in self.cache:
            self.cache["rows"] = self.engine.table(self._sound.agg(rows=self._sound.count()))
        return int(self.cache["rows"]["rows"][0].as_py()) <= self.most_cells

    def rating_labels(self) -> RatingLabels:
        """Return the items and raters with their numbers of ratings."""
        items, _ = self._labels("item")
        if "rater" in self.columns.roles:
            raters, rows = self._labels("rater")
        else:
            raters, rows = Coder().sorted(), np.array([float(self.cache["rows"]["rows"][0].as_py())])
        tasks = "task" in self.columns.roles
        shared = tasks and self.engine.table(statistics.shared_tasks(self._sound)).num_rows > 0
        self.cache["labels"] = (items, raters)
        return RatingLabels(items.labels, raters.labels, rows, shared)

    def _labels(self, name: str) -> tuple[Vocabulary, Vector]:
        """Return the labels of a column, and the number of rows of each and of none."""
        coder = Coder()
        codes, numbers = [], []
        for batch in self.engine.batches(statistics.row_counts(self._sound, name)):
            codes.append(coder.add(batch[name]))
            numbers.append(_numbers(batch["judgments"]))
        vocabulary = coder.sorted()
        if not codes:
            raise NothingToFit.among("a model of ratings", ("rating",), ())
        code = vocabulary.place[np.concatenate(codes)]
        code = np.where(code < 0, len(vocabulary), code)
        rows = np.bincount(code, np.concatenate(numbers), minlength=len(vocabulary) + 1)
        return vocabulary, rows.astype(np.float64)

    def rating_rows(self, labels: RatingLabels) -> Iterator[RatingRows]:
        """Yield the ratings, in no particular order.

        Parameters
        ----------
        labels
            Items and raters that `rating_labels` returned.

        Yields
        ------
        RatingRows
            Some ratings.
        """
        items, raters = self.cache["labels"]
        named = self.engine.put(raters.table()) if "rater" in self.columns.roles else None
        coded = statistics.coded_ratings(
            self._sound, self.engine.put(items.table()), named, labels.shared_tasks
        )
        for batch in self.engine.batches(coded):
            yield _coded_rows(batch, labels.shared_tasks)

    @property
    def rejected(self) -> Rejected:
        """Rows that were left out, by class, with samples."""
        if "bad" not in self.cache:
            self.item_sums()
        counts, total = self.cache["bad"]
        return rejected_rows(counts, total, self._bad_sample)

    def _bad_sample(self, name: str) -> Any:
        roles = {f"as_written_{role}": self.source[column] for role, column in self.columns.roles.items()}
        table = statistics.standard(self.source.mutate(**roles), self.columns, tuple(roles))
        missing = table.item.strip().fill_null("") == ""
        chosen = missing if name == MISSING_ID else ~missing & table.score.isnull()
        shown = {column.removeprefix("as_written_"): table[column] for column in roles}
        return self._sample(table.filter(chosen).select(**shown))

    def judgments(self, columns: Sequence[str] = (), most_rows: int | None = None) -> Judgments:
        """Return the distinct ratings with their counts, see `Log.judgments`."""
        roles = [name for name in ("rater", "task", "segment") if name in self.columns.roles]
        kept = [*roles, *(name for name in columns if name not in roles)]
        table = self.standard([name for name in kept if name not in self.columns.roles])
        sound = table.score.notnull() & (table.item.strip().fill_null("") != "")
        distinct = self._distinct(table.filter(sound), ["item", "score", *kept], most_rows)
        read = {name: distinct[name].to_pylist() for name in kept}
        made = {
            "item": plain_ids(distinct["item"].to_pylist()),
            "score": _numbers(distinct["score"]),
            "count": _numbers(distinct["judgments"]),
            **{name: rater_ids(cells) if name == "rater" else cells for name, cells in read.items()},
        }
        return Judgments.from_columns("rating", made, self.range)


def _coded_rows(batch: Any, tasks: bool) -> RatingRows:
    names, size = batch.schema.names, batch.num_rows
    rater = np.full(size, -1)
    if "rater_code" in names:
        rater = batch["rater_code"].fill_null(-1).to_numpy(zero_copy_only=False)
    return RatingRows(
        batch["item_code"].to_numpy(zero_copy_only=False),
        rater,
        _numbers(batch["score"]),
        _numbers(batch["weight"]) if "weight" in names else np.ones(size),
        _task_numbers(batch["task"]) if tasks else None,
    )


def _task_numbers(column: Any) -> Codes:
    """Return a hash of each task; rows without a task have different numbers."""
    encoded = column.dictionary_encode()
    hashes = [
        blake2b((label or "").strip().encode(), digest_size=8).digest()
        for label in encoded.dictionary.to_pylist()
    ]
    table = np.frombuffer(b"".join(hashes), dtype=np.int64)
    return np.asarray(table[encoded.indices.to_numpy(zero_copy_only=False)])


@dataclass(frozen=True, eq=False)
class _Sums:
    """Number, sum and sum of squares of scores, by rows that name an item."""

    items: Vocabulary
    codes: Codes
    numbers: Any


def _moments(sums: _Sums, middle: float, raters: int) -> ItemSums:
    """Return means and squares by item. Scores were reduced by `middle`, so that little precision is lost."""
    at, size = sums.items.place[sums.codes], len(sums.items)
    count, total, squares = (np.bincount(at, row, minlength=size).astype(np.float64) for row in sums.numbers)
    mean = total / np.where(count > 0, count, 1.0)
    everything = float(count.sum())
    if not everything:
        raise NothingToFit.among("a model of ratings", ("rating",), ())
    variance = float(squares.sum()) / everything - (float(total.sum()) / everything) ** 2
    within = np.maximum(squares - total * mean, 0.0)
    return ItemSums(sums.items.labels, count, mean + middle, within, max(variance, 0.0), raters)


def _numbers(column: Any) -> Vector:
    combined = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return np.asarray(combined.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.float64)
