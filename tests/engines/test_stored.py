"""Statistics of earlier files with new files added equal those of all files."""

import os

import numpy as np
import pytest

from steelyard import BradleyTerry, DirectAssessment, connect
from steelyard.errors import BadSetting, SteelyardError
from tests.engines.equal import assert_same_scale, digest
from tests.engines.logs import bad_votes, columns_of, ratings, votes, write_csv, write_parquet

pytest.importorskip("ibis")
VOTES = [*votes(), *bad_votes(votes()[0])]


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_new_files_are_added_and_give_the_fit_of_all(write, tmp_path):
    suffix = write.__name__.removeprefix("write_")
    pattern, stored = str(tmp_path / f"*.{suffix}"), tmp_path / "counts.parquet"
    for at, part in enumerate(np.array_split(np.arange(len(VOTES)), 3)):
        write([VOTES[row] for row in part], tmp_path / f"day-{at}.{suffix}")
        with connect(pattern, since=stored, keep=["language"]) as log:
            seen = log.rejected.total
        assert seen == part[-1] + 1
    day = f"day-*.{suffix}"
    with connect(pattern, since=stored, keep=["language"]) as log, connect(str(tmp_path / day)) as whole:
        assert digest(log.pooled(["language"], ordered=True)) == digest(
            whole.pooled(["language"], ordered=True)
        )
        assert log.rejected.counts == whole.rejected.counts
        assert_same_scale(BradleyTerry(order=True).fit(log), BradleyTerry(order=True).fit(whole), 1e-9)


def test_ratings_are_added_too(tmp_path):
    rows, stored = ratings(), tmp_path / "counts.parquet"
    write_parquet(rows[:150], tmp_path / "a.pq")
    connect(str(tmp_path / "*.pq"), since=stored).close()
    write_parquet(rows[150:], tmp_path / "b.pq")
    with connect(str(tmp_path / "*.pq"), since=stored) as log, connect(str(tmp_path / "*.pq")) as whole:
        assert_same_scale(DirectAssessment().fit(log), DirectAssessment().fit(whole), 1e-12)


def test_only_new_files_are_read(tmp_path):
    stored = tmp_path / "counts.parquet"
    first = write_parquet(VOTES[:300], tmp_path / "a.pq")
    connect(str(tmp_path / "*.pq"), since=stored).close()
    marks = first.stat()
    first.write_bytes(b"x" * marks.st_size)  # no longer readable
    os.utime(first, ns=(marks.st_atime_ns, marks.st_mtime_ns))
    write_parquet(VOTES[300:], tmp_path / "b.pq")
    with connect(str(tmp_path / "*.pq"), since=stored) as log:
        assert log.rejected.total == len(VOTES)


def test_changed_and_missing_files_are_refused(tmp_path):
    file, stored = write_parquet(VOTES[:300], tmp_path / "a.pq"), tmp_path / "counts.parquet"
    write_parquet(VOTES[300:], tmp_path / "b.pq")
    connect(str(tmp_path / "*.pq"), since=stored).close()
    write_parquet(VOTES[:200], file)
    with pytest.raises(BadSetting, match="was changed"):
        connect(str(tmp_path / "*.pq"), since=stored)
    file.unlink()
    with pytest.raises(BadSetting, match="is missing"):
        connect(str(tmp_path / "*.pq"), since=stored)


def test_other_columns_are_refused(tmp_path):
    stored = tmp_path / "counts.parquet"
    write_parquet(VOTES[:300], tmp_path / "a.pq")
    connect(str(tmp_path / "*.pq"), since=stored).close()
    write_parquet(VOTES[300:], tmp_path / "b.pq")
    with pytest.raises(BadSetting, match="counts by"):
        connect(str(tmp_path / "*.pq"), since=stored, keep=["language"])


def test_a_database_needs_a_growing_column_and_other_files_are_refused(tmp_path):
    with pytest.raises(BadSetting, match="grows with every new row"):
        connect("postgresql://host/votes", since=tmp_path / "counts.parquet")
    other = write_parquet(VOTES, tmp_path / "votes.parquet")
    with pytest.raises(BadSetting, match="no stored statistics"):
        connect(str(other), since=other)
    with pytest.raises(BadSetting, match="files have no growing column"):
        connect(str(other), since=tmp_path / "counts.parquet", growing="id")


@pytest.fixture
def table():
    """An Ibis table of votes with a growing key, and a function that adds rows to it."""
    import ibis
    import pyarrow as pa

    backend = ibis.duckdb.connect()
    numbered = [{"id": 10 * (at + 1), **vote} for at, vote in enumerate(VOTES)]
    backend.con.register("rows", pa.table(columns_of(numbered)))
    backend.con.execute("CREATE TABLE votes AS SELECT * FROM rows WHERE id <= 3000")
    return backend


def test_new_rows_are_added_and_give_the_fit_of_all(table, tmp_path):
    stored, settings = tmp_path / "counts.parquet", {"growing": "id", "keep": ["language"]}
    with connect(table.table("votes"), since=stored, **settings) as log:
        assert log.rejected.total == 300
    table.con.execute("INSERT INTO votes SELECT * FROM rows WHERE id > 3000")
    for _ in range(2):  # the second time nothing is new
        with connect(table.table("votes"), since=stored, **settings) as log:
            whole = connect(table.table("votes"))
            assert digest(log.pooled(["language"], ordered=True)) == digest(
                whole.pooled(["language"], ordered=True)
            )
            assert log.rejected.counts == whole.rejected.counts
            assert_same_scale(BradleyTerry(order=True).fit(log), BradleyTerry(order=True).fit(whole), 1e-9)


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM votes WHERE id = 50", "INSERT INTO votes SELECT * REPLACE (55 AS id) FROM votes LIMIT 1"],
)
def test_rows_that_were_removed_or_came_late_are_refused(change, table, tmp_path):
    stored = tmp_path / "counts.parquet"
    connect(table.table("votes"), since=stored, growing="id").close()
    table.con.execute(change)
    with pytest.raises(BadSetting, match="300 rows were counted up to id = 3000"):
        connect(table.table("votes"), since=stored, growing="id")


def test_statistics_of_rows_and_files_are_not_mixed(table, tmp_path):
    stored = tmp_path / "counts.parquet"
    connect(table.table("votes"), since=stored, growing="id").close()
    file = write_parquet(VOTES, tmp_path / "votes.pq")
    with pytest.raises(BadSetting, match="not of files"):
        connect(str(file), since=stored)
    with pytest.raises(BadSetting, match="by id"):
        connect(table.table("votes").mutate(other=1), since=stored, growing="other")


@pytest.mark.parametrize(("column", "message"), [("language", "whole numbers"), ("nothing", "nothing")])
def test_columns_that_cannot_grow_are_refused(column, message, table, tmp_path):
    with pytest.raises(SteelyardError, match=message):
        connect(table.table("votes"), since=tmp_path / "counts.parquet", growing=column)


def test_rows_without_a_key_and_tables_without_rows_are_refused(table, tmp_path):
    table.con.execute("INSERT INTO votes SELECT * REPLACE (NULL AS id) FROM votes LIMIT 2")
    with pytest.raises(BadSetting, match="2 rows have no value of id"):
        connect(table.table("votes"), since=tmp_path / "counts.parquet", growing="id")
    table.con.execute("DELETE FROM votes")
    with pytest.raises(BadSetting, match="no rows yet"):
        connect(table.table("votes"), since=tmp_path / "counts.parquet", growing="id")
