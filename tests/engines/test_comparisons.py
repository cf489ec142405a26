"""Fits of logs in place equal fits of the same judgments in memory."""

from dataclasses import replace

import numpy as np
import pytest

from steelyard import BradleyTerry, Judgments, WinRate, connect
from steelyard.errors import BadLogRows, BadSetting, MissingColumn, NoSuchFile, TooManyCells
from steelyard.models import streamed_clusters
from steelyard.models.bradley_terry import bootstrap
from tests.engines.equal import assert_same_scale
from tests.engines.logs import bad_votes, columns_of, votes, write_csv

pytest.importorskip("ibis")
VOTES = votes()
MODELS = [
    BradleyTerry(),
    BradleyTerry(order=True, ties="rao_kupper"),
    BradleyTerry(ties="drop", few_clusters="plain"),
    BradleyTerry(ties="half", penalty="pseudo"),
    BradleyTerry(contest_covariates=["length"]),
    BradleyTerry(rater_covariates=["language"], cluster="rater"),
    WinRate(),
    WinRate(ties="half", average="opponents"),
]


@pytest.fixture
def folder(tmp_path):
    """The votes in two files."""
    write_csv(VOTES[:250], tmp_path / "a.csv")
    write_csv(VOTES[250:], tmp_path / "b.csv")
    return tmp_path


def in_memory(rows=VOTES):
    return Judgments.from_columns("comparison", columns_of(rows))


def assert_equal(one, other, tolerance=1e-9):
    assert_same_scale(one, other, tolerance)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__repr__()[:60])
def test_a_log_gives_the_fit_of_its_judgments(model, folder):
    fit = model.fit(connect(str(folder / "*.csv")))
    assert_equal(fit, model.fit(in_memory()))
    assert fit.signature == model.fit(in_memory()).signature


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__repr__()[:60])
def test_errors_from_a_stream_are_the_sandwich_without_corrections_for_few_clusters(model, folder):
    streamed = model.fit(connect(str(folder / "*.csv"), most_cells=0))
    exact = replace(model, few_clusters="plain").fit(in_memory())
    np.testing.assert_allclose(by_item(streamed).spread, by_item(exact).spread, rtol=1e-9)
    assert "clustered by rater" in streamed.signature


def by_item(fit):
    return fit.scale.ordered()


def test_more_clusters_than_memory_holds_take_several_passes(folder, monkeypatch):
    log = connect(str(folder / "*.csv"), most_cells=0)
    whole = BradleyTerry().fit(log)
    monkeypatch.setattr(streamed_clusters, "MOST_SCORES", 70)
    assert_equal(BradleyTerry().fit(log), whole, 1e-10)


def test_many_clusters_are_joined_to_random_groups_and_the_signature_says_so(tmp_path, monkeypatch):
    log = connect(write_csv(votes(2000, raters=300), tmp_path / "votes.csv"), most_cells=0)
    exact = BradleyTerry().fit(log)
    monkeypatch.setattr(streamed_clusters, "MOST_SCORES", 10)
    monkeypatch.setattr(streamed_clusters, "GROUPS", 100)
    grouped = BradleyTerry().fit(log)
    assert "clustered by rater group (100)" in grouped.signature
    assert by_item(grouped).item.tolist() == by_item(exact).item.tolist()
    np.testing.assert_allclose(by_item(grouped).spread, by_item(exact).spread, rtol=0.25)


def test_a_bootstrap_of_a_log_whose_counts_fit_memory_is_that_of_its_judgments(folder):
    fits = [BradleyTerry(order=True).fit(source) for source in (connect(str(folder)), in_memory())]
    one, other = (fit.bootstrapped(20, np.random.default_rng(1)) for fit in fits)
    assert_equal(one, other)
    assert "bootstrap of raters (20 draws)" in one.signature


@pytest.mark.parametrize(("most", "words"), [(1000, "25 blocks of raters"), (10, "10 blocks of raters")])
def test_more_counts_than_memory_holds_are_drawn_in_blocks(most, words, folder, monkeypatch):
    monkeypatch.setattr(bootstrap, "MOST_BLOCKS", most)
    monkeypatch.setattr(bootstrap, "LEAST_BLOCKS", 1)
    log = connect(str(folder), most_cells=0)
    drawn = BradleyTerry().fit(log).bootstrapped(400, np.random.default_rng(1))
    raters = BradleyTerry().fit(in_memory()).bootstrapped(400, np.random.default_rng(2))
    assert words in drawn.signature
    assert by_item(drawn).position == pytest.approx(by_item(raters).position, rel=1e-9)
    ratio = np.sqrt(np.mean(by_item(drawn).spread ** 2) / np.mean(by_item(raters).spread ** 2))
    assert 0.75 < ratio < 1.3


def test_votes_without_a_rater_are_drawn_by_themselves(tmp_path):
    rows = [{**row, "rater": "" if at % 2 else row["rater"]} for at, row in enumerate(VOTES)]
    log = connect(write_csv(rows, tmp_path / "votes.csv"))
    drawn = BradleyTerry().fit(log).bootstrapped(400, np.random.default_rng(1))
    named = [{**row, "rater": row["rater"] or f"alone {at}"} for at, row in enumerate(rows)]
    exact = BradleyTerry(few_clusters="plain").fit(in_memory(named))
    ratio = np.sqrt(np.mean(by_item(drawn).spread ** 2) / np.mean(by_item(exact).spread ** 2))
    assert 0.85 < ratio < 1.2


def test_a_bootstrap_needs_raters(tmp_path):
    rows = [{name: cell for name, cell in row.items() if name != "rater"} for row in VOTES]
    fit = BradleyTerry().fit(connect(write_csv(rows, tmp_path / "votes.csv")))
    with pytest.raises(BadSetting, match="names no raters"):
        fit.bootstrapped(10, np.random.default_rng(1))


def test_votes_without_a_rater_are_clusters_of_their_own(tmp_path):
    rows = [{**row, "rater": "" if at % 3 == 0 else row["rater"]} for at, row in enumerate(VOTES)]
    log = connect(write_csv(rows, tmp_path / "votes.csv"))
    named = [{**row, "rater": row["rater"] or f"alone {at}"} for at, row in enumerate(rows)]
    for model in (BradleyTerry(few_clusters="plain"), WinRate(few_clusters="plain")):
        fit, exact = model.fit(log), model.fit(in_memory(named))
        np.testing.assert_allclose(by_item(fit).spread, by_item(exact).spread, rtol=1e-9)
        assert fit.provenance.error_type == exact.provenance.error_type


def test_a_count_column_weighs_its_rows(tmp_path):
    rows = [{**row, "count": 1 + at % 3} for at, row in enumerate(VOTES)]
    fit = BradleyTerry(cluster="none").fit(connect(write_csv(rows, tmp_path / "votes.csv")))
    repeated = [row for row in rows for _ in range(row["count"])]
    exact = BradleyTerry(cluster="none").fit(
        in_memory([{k: v for k, v in r.items() if k != "count"} for r in repeated])
    )
    assert_equal(fit, exact)


def test_bad_rows_are_counted_by_class_with_a_sample_and_never_become_ties(tmp_path):
    bad = bad_votes(VOTES[0])
    log = connect(write_csv([*VOTES, *bad], tmp_path / "votes.csv"))
    assert log.rejected.counts == {
        "without an item": 1,
        "comparing an item with itself": 1,
        "with an unknown outcome": 2,
    }
    assert "outcome='A'" in " ".join(log.rejected.sentences())
    assert log.rejected.left_out == 4
    assert_equal(BradleyTerry().fit(log), BradleyTerry().fit(in_memory()))
    with pytest.raises(BadLogRows, match="2 rows with an unknown outcome of 604"):
        log.rejected.refuse(log.name)


@pytest.mark.parametrize("most_cells", [1_000_000, 0])
def test_a_slice_is_fitted_as_if_it_were_the_whole_log(most_cells, folder):
    parts = connect(str(folder), most_cells=most_cells).by("language")
    assert [values for values, _ in parts] == [("de",), ("en",)]
    for (language,), part in parts:
        own = [row for row in VOTES if row["language"] == language]
        model = BradleyTerry(order=True, few_clusters="plain")
        fit, exact = model.fit(part), model.fit(in_memory(own))
        np.testing.assert_allclose(by_item(fit).position, by_item(exact).position, rtol=1e-9)
        np.testing.assert_allclose(by_item(fit).spread, by_item(exact).spread, rtol=1e-9)
        assert fit.signature == exact.signature


def test_slices_by_several_columns_may_be_numbers(folder):
    parts = connect(str(folder)).by("language", "length")
    assert [values for values, _ in parts][:3] == [("de", "0"), ("de", "1"), ("de", "2")]
    own = [row for row in VOTES if row["language"] == "de" and row["length"] == 1]
    assert parts[1][1].pooled().judgments == len(own)


def test_arena_columns_and_words_are_understood(tmp_path):
    words = {"left": "model_a", "right": "model_b", "tie": "Tie (bothbad)"}
    rows = [
        {"judge": r["rater"], "model_a": r["left"], "model_b": r["right"], "winner": words[r["outcome"]]}
        for r in VOTES
    ]
    log = connect(write_csv(rows, tmp_path / "votes.csv"))
    assert_equal(BradleyTerry().fit(log), BradleyTerry().fit(in_memory()))
    assert not log.rejected.counts


def test_the_distinct_judgments_of_a_log_can_be_fitted_by_any_model(folder):
    judgments = connect(str(folder)).judgments(["language"])
    assert judgments.table("comparison").weights.sum() == len(VOTES)
    assert_equal(BradleyTerry().fit(judgments), BradleyTerry().fit(in_memory()))
    with pytest.raises(TooManyCells, match="more than 10 distinct"):
        connect(str(folder)).judgments(most_rows=10)


def test_an_ibis_table_is_a_log():
    import ibis
    import pyarrow as pa

    backend = ibis.duckdb.connect()
    backend.con.register("votes", pa.table(columns_of(VOTES)))
    assert connect(backend.table("votes")).pooled().judgments == len(VOTES)


@pytest.mark.parametrize("cluster", ["segment", "both"])
def test_clustering_by_a_column_that_the_log_lacks_is_refused(cluster, folder):
    with pytest.raises(BadSetting, match="no column for the segment"):
        BradleyTerry(cluster=cluster).fit(connect(str(folder)))


def test_an_empty_covariate_is_refused_with_its_number_of_votes(tmp_path):
    rows = [{**row, "language": "" if at < 7 else row["language"]} for at, row in enumerate(VOTES)]
    log = connect(write_csv(rows, tmp_path / "votes.csv"))
    with pytest.raises(BadSetting, match="7 comparisons have no value"):
        BradleyTerry(rater_covariates=["language"]).fit(log)


def test_missing_files_and_columns_are_named(tmp_path):
    with pytest.raises(NoSuchFile, match=r"votes-\*"):
        connect(str(tmp_path / "votes-*.parquet"))
    write_csv([{"left": "a", "right": "b"}], tmp_path / "a.csv")
    with pytest.raises(MissingColumn, match="outcome"):
        connect(tmp_path / "a.csv")
    with pytest.raises(BadSetting, match="mysql"):
        connect("mysql://host/votes")
