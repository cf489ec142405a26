"""Slices of ratings and rankings in place are those in memory."""

from dataclasses import replace

import numpy as np
import pytest

from steelyard import DirectAssessment, Judgments, PlackettLuce, Steelyard, connect
from steelyard.engines.engine import Watched
from tests.engines.equal import assert_same_scale
from tests.engines.logs import columns_of, rankings, ratings, ratings_once, write_csv

pytest.importorskip("ibis")
RATED = [
    {**row, "question": "warm" if at % 2 else " dry ", "round": 1 + at % 3, "at": f"2026-0{1 + at % 2}-15"}
    for at, row in enumerate(ratings_once())
]
RANKED = [{**row, "language": ("de", "en", "")[int(row["task"][1:]) % 3]} for row in rankings()]


@pytest.mark.parametrize("model", [DirectAssessment(), Steelyard()])
@pytest.mark.parametrize("by", ["question", "round"])
def test_slices_of_ratings_have_the_scales_of_their_ratings(model, by, tmp_path):
    with connect(write_csv(RATED, tmp_path / "ratings.csv")) as log:
        slices = log.by(by)
        assert [values for (values,), _ in slices] == sorted({str(row[by]).strip() for row in RATED})
        for (value,), part in slices:
            rows = [row for row in RATED if str(row[by]).strip() == value]
            columns = {name: columns_of(rows)[name] for name in ("rater", "item", "score")}
            exact = model.fit(Judgments.from_columns("rating", columns, log.score_range))
            assert_same_scale(model.fit(part), exact, 1e-6)


def test_slices_of_several_columns_and_periods_have_all_rows(tmp_path):
    with connect(write_csv(RATED, tmp_path / "ratings.csv")) as log:
        slices = dict(log.by("month", "round"))
        assert list(slices) == [(month, str(at)) for month in ("2026-01", "2026-02") for at in (1, 2, 3)]
        assert sum(float(part.item_sums().count.sum()) for part in slices.values()) == len(RATED)
        ((inside, part),) = slices["2026-01", "1"].by("question")
        assert inside == ("dry",)
        assert part.item_sums().count.sum() == len([row for row in RATED[::2] if row["round"] == 1])


def test_slices_of_rankings_have_the_scales_of_their_rankings(tmp_path):
    with connect(write_csv(RANKED, tmp_path / "ranked.csv")) as log:
        slices = dict(log.by("language"))
        assert list(slices) == [("",), ("de",), ("en",)]
        for (name,), part in slices.items():
            rows = [row for row in RANKED if row["language"] == name]
            exact = PlackettLuce().fit(Judgments.from_columns("ranking", columns_of(rows)))
            assert_same_scale(PlackettLuce().fit(part), exact, 1e-6)


def test_values_that_are_pooled_into_one_scale_are_listed(tmp_path):
    with connect(write_csv(RATED, tmp_path / "ratings.csv")) as log:
        assert log.pooled_values(["question", "condition", "round"]) == {
            "question": ["dry", "warm"],
            "round": ["1", "2", "3"],
        }


def test_tables_in_memory_are_logs(tmp_path):
    import ibis
    import pyarrow as pa

    table = ibis.memtable(pa.table(columns_of(ratings())))
    with connect(write_csv(ratings(), tmp_path / "ratings.csv")) as files:
        assert_same_scale(DirectAssessment().fit(connect(table)), DirectAssessment().fit(files), 1e-12)
        filtered = connect(table.filter(table.item != "i3"))
        assert not np.isin("i3", DirectAssessment().fit(filtered).scale.item)


def test_a_watched_engine_reports_the_rows_it_returned(tmp_path):
    shown = []
    with connect(write_csv(ratings(), tmp_path / "ratings.csv")) as log:
        sums = replace(log, engine=Watched(log.engine, shown.append)).item_sums()
    assert shown[-1] == len(sums.items)
