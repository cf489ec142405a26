"""The same expressions on Spark and DuckDB: equal counts, and fits to 1e-9. `make test-spark` runs these."""

import numpy as np
import pytest

from steelyard import BradleyTerry, DirectAssessment, Elo, PlackettLuce, Steelyard, WinRate, connect
from steelyard.engines.suspicious import VoteRules, suspicious_votes, with_rules
from tests.engines.equal import assert_same_scale, digest
from tests.engines.logs import bad_votes, rankings, ratings, suspicious, timed, votes, write_parquet

pytest.importorskip("pyspark", reason="make test-spark installs Spark")
VOTES = votes(400, raters=12)
pytestmark = pytest.mark.filterwarnings("ignore")  # of Spark, Ibis and pandas; ours are tested elsewhere


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The votes, the votes with bad rows, suspicious votes, the ratings and rankings as Parquet files."""
    folder = tmp_path_factory.mktemp("spark")
    write_parquet(VOTES, folder / "votes.parquet")
    write_parquet([*VOTES, *bad_votes(VOTES[0])], folder / "bad.parquet")
    write_parquet(ratings(200), folder / "ratings.parquet")
    write_parquet(timed(suspicious(VOTES)), folder / "timed.parquet")
    write_parquet(rankings(), folder / "rankings.parquet")
    return folder


def both(file, **settings):
    """The log on DuckDB and on a local Spark."""
    return connect(file, **settings), connect(f"spark://local#{file}", **settings)


def test_spark_runs_the_statistics(files):
    _, log = both(files / "votes.parquet")
    assert log.engine.name == "pyspark"


@pytest.mark.parametrize("by", [(), ("language",), ("language", "length")])
def test_counts_on_spark_are_those_on_duckdb(by, files):
    duckdb, spark = both(files / "votes.parquet")
    assert digest(spark.pooled(by, ordered=True)) == digest(duckdb.pooled(by, ordered=True))


@pytest.mark.parametrize("most_cells", [1_000_000, 0])
@pytest.mark.parametrize(
    "model", [BradleyTerry(order=True), BradleyTerry(contest_covariates=["length"]), WinRate()]
)
def test_votes_on_spark_give_the_fits_on_duckdb(model, most_cells, files):
    duckdb, spark = both(files / "votes.parquet", most_cells=most_cells)
    assert_same_scale(model.fit(spark), model.fit(duckdb), 1e-9)


def test_suspicious_votes_on_spark_are_those_on_duckdb(files):
    duckdb, spark = both(files / "timed.parquet")
    assert suspicious_votes(spark) == suspicious_votes(duckdb)
    rules = VoteRules(anonymous="drop", repeated="share", one_sided="drop")
    one, other = (BradleyTerry().fit(with_rules(each, rules)) for each in (spark, duckdb))
    assert_same_scale(one, other, 1e-9)


@pytest.mark.parametrize("model", [Elo(), PlackettLuce()])
def test_ordered_and_distinct_votes_on_spark_give_the_fits_on_duckdb(model, files):
    duckdb, spark = both(files / "timed.parquet")
    assert_same_scale(model.fit(spark), model.fit(duckdb), 1e-9)


@pytest.mark.parametrize("cluster", ["auto", "none"])
def test_rankings_on_spark_give_the_fit_on_duckdb(cluster, files):
    duckdb, spark = both(files / "rankings.parquet")
    model = PlackettLuce(cluster=cluster)
    assert_same_scale(model.fit(spark), model.fit(duckdb), 1e-7)
    assert spark.rejected.counts == duckdb.rejected.counts


@pytest.mark.parametrize("most_cells", [1_000_000, 10])
def test_ratings_on_spark_give_the_rater_model_on_duckdb(most_cells, files):
    duckdb, spark = both(files / "ratings.parquet", range=(0, 100), most_cells=most_cells)
    assert_same_scale(Steelyard().fit(spark), Steelyard().fit(duckdb), 1e-3)


@pytest.mark.parametrize("standardise", ["none", "rater"])
def test_ratings_on_spark_give_the_means_on_duckdb(standardise, files):
    duckdb, spark = both(files / "ratings.parquet")
    model = DirectAssessment(standardise=standardise)
    assert_same_scale(model.fit(spark), model.fit(duckdb), 1e-12)


def test_bad_rows_on_spark_are_counted_by_class(files):
    duckdb, spark = both(files / "bad.parquet")
    assert spark.rejected.counts == duckdb.rejected.counts
    assert spark.rejected.left_out == len(bad_votes(VOTES[0]))


def test_slices_on_spark_are_those_on_duckdb(files):
    for (name, one), (other_name, other) in zip(
        *(log.by("language") for log in both(files / "votes.parquet")), strict=True
    ):
        assert name == other_name
        np.testing.assert_array_equal(one.pooled().counts, other.pooled().counts)
