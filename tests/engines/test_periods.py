"""Slices by periods of time."""

from datetime import UTC, date, datetime

import pytest

from steelyard import connect
from tests.engines.logs import votes, write_csv, write_parquet

pytest.importorskip("ibis")
VOTES = votes(200)
TIMES = [datetime(2026, 1 + at % 3, 30 - 2 * (at % 3), 23, 30, tzinfo=UTC) for at in range(len(VOTES))]
MONTHS = ["2026-01", "2026-02", "2026-03"]


def with_times(make):
    return [{**vote, "at": make(time)} for vote, time in zip(VOTES, TIMES, strict=True)]


@pytest.mark.parametrize(
    "make",
    [
        lambda time: time.timestamp(),
        lambda time: int(time.timestamp() * 1000),
        lambda time: time.replace(tzinfo=None),
        lambda time: time,
        lambda time: time.isoformat(),
    ],
    ids=["seconds", "milliseconds", "timestamp", "timestamp with zone", "text"],
)
def test_times_of_any_type_have_periods_in_utc(make, tmp_path):
    with connect(write_parquet(with_times(make), tmp_path / "votes.parquet")) as log:
        assert [values for values, _ in log.by("month")] == [(month,) for month in MONTHS]
        assert [values for values, _ in log.by("day")] == [("2026-01-30",), ("2026-02-28",), ("2026-03-26",)]
        assert [values for values, _ in log.by("year")] == [("2026",)]
        assert [values for values, _ in log.by("week")] == [("2026-01-26",), ("2026-02-23",), ("2026-03-23",)]


def test_dates_have_periods_too(tmp_path):
    rows = with_times(lambda time: date(time.year, time.month, time.day))
    with connect(write_csv(rows, tmp_path / "votes.csv")) as log:
        assert [values for values, _ in log.by("month")] == [(month,) for month in MONTHS]


def test_a_slice_by_period_and_column_has_the_rows_of_both(tmp_path):
    with connect(
        write_parquet(with_times(datetime.timestamp), tmp_path / "votes.parquet"), most_cells=0
    ) as log:
        parts = dict(log.by("month", "language"))
        own = [vote for at, vote in enumerate(VOTES) if at % 3 == 1 and vote["language"] == "de"]
        part = parts["2026-02", "de"]
        assert part.pooled().judgments == len(own)
        assert part.clusters("rater").weight.sum() == len(own)
        inside = [values for values, _ in parts["2026-02", "de"].by("day")]
        assert inside == [("2026-02-28",)]


def test_a_column_of_the_same_name_is_not_replaced(tmp_path):
    rows = [{**row, "month": "any"} for row in with_times(datetime.timestamp)]
    with connect(write_parquet(rows, tmp_path / "votes.parquet")) as log:
        assert [values for values, _ in log.by("month")] == [("any",)]


def test_stored_statistics_keep_periods(tmp_path):
    write_parquet(with_times(datetime.timestamp), tmp_path / "a.pq")
    with connect(str(tmp_path / "*.pq"), since=tmp_path / "counts.parquet", keep=["month"]) as log:
        assert [values for values, _ in log.by("month")] == [(month,) for month in MONTHS]
