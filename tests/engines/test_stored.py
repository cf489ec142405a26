"""Statistics of earlier files with new files added equal those of all files."""

import os

import numpy as np
import pytest

from steelyard import BradleyTerry, DirectAssessment, connect
from steelyard.errors import BadSetting
from tests.engines.equal import assert_same_scale, digest
from tests.engines.logs import bad_votes, ratings, votes, write_csv, write_parquet

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


def test_databases_and_other_files_are_refused(tmp_path):
    with pytest.raises(BadSetting, match="for files"):
        connect("postgresql://host/votes", since=tmp_path / "counts.parquet")
    other = write_parquet(VOTES, tmp_path / "votes.parquet")
    with pytest.raises(BadSetting, match="no stored statistics"):
        connect(str(other), since=other)
