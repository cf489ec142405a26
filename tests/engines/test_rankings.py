"""Counts of distinct rankings in place give the fit of the rankings in memory."""

import pytest

from steelyard import BradleyTerry, DirectAssessment, Elo, Judgments, PlackettLuce, WinRate, connect
from steelyard.errors import NothingToFit, TooManyCells
from tests.engines.equal import assert_same_scale
from tests.engines.logs import bad_rankings, columns_of, rankings, write_csv, write_parquet

pytest.importorskip("ibis")


RANKED = rankings()


@pytest.mark.parametrize("write", [write_csv, write_parquet])
@pytest.mark.parametrize("cluster", ["auto", "none"])
def test_counted_rankings_give_the_fit_of_all_rankings(cluster, write, tmp_path):
    model = PlackettLuce(cluster=cluster)
    exact = model.fit(Judgments.from_columns("ranking", columns_of(RANKED)))
    file = write(RANKED, tmp_path / f"ranked.{write.__name__.removeprefix('write_')}")
    with connect(file) as log:
        fit = model.fit(log)
        assert not log.rejected.counts
    assert_same_scale(fit, exact, 1e-7)
    assert fit.provenance.judgments == exact.provenance.judgments == 150
    assert fit.provenance.error_type == exact.provenance.error_type


def test_rankings_without_raters_are_counted_together(tmp_path):
    with connect(write_csv(RANKED, tmp_path / "ranked.csv")) as log:
        each, together = (log.counted(with_raters) for with_raters in (True, False))
    assert each.table("ranking").weights.sum() == together.table("ranking").weights.sum() == len(RANKED)
    assert len(together) < len(each)


def test_rows_of_rankings_that_cannot_be_used_are_counted_by_class(tmp_path):
    with connect(write_csv([*RANKED, *bad_rankings(RANKED)], tmp_path / "ranked.csv")) as log:
        assert log.rejected.counts == {
            "without an item": 1,
            "with a rank that is not a number": 1,
            "with an item that the same ranking has twice": 2,
        }
        assert "rank='best'" in " ".join(log.rejected.sentences())
        fit = PlackettLuce().fit(log)
    exact = PlackettLuce().fit(Judgments.from_columns("ranking", columns_of(RANKED[:5] + RANKED[6:])))
    assert_same_scale(fit, exact, 1e-7)


def test_more_distinct_rankings_than_fit_into_memory_are_refused(tmp_path):
    with (
        connect(write_csv(RANKED, tmp_path / "ranked.csv"), most_cells=20) as log,
        pytest.raises(TooManyCells, match="plackett_luce with cluster='none'"),
    ):
        PlackettLuce().fit(log)


@pytest.mark.parametrize("model", [BradleyTerry(), Elo(), WinRate(), DirectAssessment()])
def test_models_of_other_kinds_are_refused(model, tmp_path):
    with (
        connect(write_csv(RANKED, tmp_path / "ranked.csv")) as log,
        pytest.raises(NothingToFit, match="the log has ranking judgments"),
    ):
        model.fit(log)
