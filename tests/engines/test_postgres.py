"""The same expressions on PostgreSQL and DuckDB: equal counts, and fits to 1e-9."""

import numpy as np
import psycopg
import pytest

from steelyard import BradleyTerry, DirectAssessment, Elo, PlackettLuce, Steelyard, WinRate, connect
from steelyard.engines.opening import postgres
from steelyard.engines.suspicious import VoteRules, suspicious_votes, with_rules
from steelyard.errors import SteelyardError, UnknownName
from tests.engines.equal import assert_same_scale, digest
from tests.engines.logs import bad_rankings, rankings, ratings, suspicious, timed, votes, write_csv
from tests.postgres import server_url

pytest.importorskip("ibis")
VOTES = votes(400, raters=12)
RATINGS = ratings(200)
RANKINGS = [*(ranked := rankings()), *bad_rankings(ranked)]
TIMED = timed(suspicious(VOTES))
TABLES = "arena_votes, arena_ratings, arena_timed, arena_rankings"
RULES = VoteRules(anonymous="drop", repeated="share", one_sided="drop")


@pytest.fixture(scope="module")
def database():
    """The votes and ratings as tables of a real PostgreSQL server."""
    url = server_url()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {TABLES}")
        connection.execute(
            'CREATE TABLE arena_votes (rater text, "left" text, "right" text, outcome text, language text, length int)'
        )
        connection.execute("CREATE TABLE arena_ratings (rater text, item text, score int)")
        connection.execute("CREATE TABLE arena_timed (LIKE arena_votes)")
        connection.execute("ALTER TABLE arena_timed ADD COLUMN at timestamptz")
        connection.execute("CREATE TABLE arena_rankings (rater text, task text, item text, rank text)")
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO arena_votes VALUES (%s, %s, %s, %s, %s, %s)",
                [tuple(row.values()) for row in VOTES],
            )
            cursor.executemany(
                "INSERT INTO arena_ratings VALUES (%s, %s, %s)", [tuple(row.values()) for row in RATINGS]
            )
            cursor.executemany(
                "INSERT INTO arena_timed VALUES (%s, %s, %s, %s, %s, %s, %s)",
                [tuple(row.values()) for row in TIMED],
            )
            cursor.executemany(
                "INSERT INTO arena_rankings VALUES (%s, %s, %s, %s)",
                [tuple(row.values()) for row in RANKINGS],
            )
    yield url
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP TABLE {TABLES}")


@pytest.mark.parametrize("most_cells", [1_000_000, 0])
@pytest.mark.parametrize("model", [BradleyTerry(order=True), WinRate()])
def test_votes_in_postgresql_give_the_counts_and_fits_of_files(model, most_cells, database, tmp_path):
    files = connect(write_csv(VOTES, tmp_path / "votes.csv"), most_cells=most_cells)
    with connect(database, table="arena_votes", most_cells=most_cells) as log:
        assert digest(log.pooled(["language"], ordered=True)) == digest(
            files.pooled(["language"], ordered=True)
        )
        one, other = (model.fit(each).scale.ordered() for each in (log, files))
    for name in ("position", "spread", "low", "high"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-9)


def test_suspicious_votes_in_postgresql_are_those_of_files(database, tmp_path):
    files = connect(write_csv(TIMED, tmp_path / "votes.csv"))
    with connect(database, table="arena_timed") as log:
        assert suspicious_votes(log) == suspicious_votes(files)
        assert suspicious_votes(log).anonymous
        assert suspicious_votes(log).one_sided_raters
        one, other = (BradleyTerry().fit(with_rules(each, RULES)) for each in (log, files))
    assert_same_scale(one, other, 1e-9)


@pytest.mark.parametrize("model", [Elo(), PlackettLuce()])
def test_ordered_and_distinct_votes_in_postgresql_give_the_fits_of_files(model, database, tmp_path):
    files = connect(write_csv(TIMED, tmp_path / "votes.csv"))
    with connect(database, table="arena_timed") as log:
        assert_same_scale(model.fit(log), model.fit(files), 1e-9)


@pytest.mark.parametrize("cluster", ["auto", "none"])
def test_rankings_in_postgresql_give_the_fit_of_files(cluster, database, tmp_path):
    files, model = connect(write_csv(RANKINGS, tmp_path / "ranked.csv")), PlackettLuce(cluster=cluster)
    with connect(database, table="arena_rankings") as log:
        assert_same_scale(model.fit(log), model.fit(files), 1e-7)
        assert log.rejected.counts == files.rejected.counts
        assert log.rejected.left_out == 4


@pytest.mark.parametrize("most_cells", [1_000_000, 10])
def test_ratings_in_postgresql_give_the_rater_model_of_files(most_cells, database, tmp_path):
    file = write_csv(RATINGS, tmp_path / "ratings.csv")
    files = connect(file, range=(0, 100), most_cells=most_cells)
    with connect(database, table="arena_ratings", range=(0, 100), most_cells=most_cells) as log:
        one, other = (Steelyard().fit(each) for each in (log, files))
    assert_same_scale(one, other, 1e-3)


@pytest.mark.parametrize("standardise", ["none", "rater"])
def test_ratings_in_postgresql_give_the_means_of_files(standardise, database, tmp_path):
    model = DirectAssessment(standardise=standardise)
    files = connect(write_csv(RATINGS, tmp_path / "ratings.csv"))
    with connect(database, table="arena_ratings") as log:
        one, other = (model.fit(each).scale.ordered() for each in (log, files))
    for name in ("position", "spread", "low", "high", "count"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-12)


def test_new_rows_of_postgresql_are_added_to_stored_statistics(database, tmp_path):
    stored, settings = tmp_path / "counts.parquet", {"table": "arena_growing", "growing": "id"}
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS arena_growing")
        connection.execute(
            "CREATE TABLE arena_growing AS SELECT row_number() OVER () AS id, * FROM arena_votes"
        )
        connection.execute("CREATE TABLE arena_later AS SELECT * FROM arena_growing WHERE id > 250")
        connection.execute("DELETE FROM arena_growing WHERE id > 250")
        with connect(database, since=stored, **settings) as log:
            assert log.rejected.total == 250
        connection.execute("INSERT INTO arena_growing SELECT * FROM arena_later")
        with (
            connect(database, since=stored, **settings) as log,
            connect(database, table="arena_votes") as whole,
        ):
            assert digest(log.pooled(ordered=True)) == digest(whole.pooled(ordered=True))
        connection.execute("DROP TABLE arena_growing, arena_later")


def test_votes_in_postgresql_have_slices_by_period(database):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS arena_times")
        connection.execute(
            "CREATE TABLE arena_times AS SELECT *, 1767225600 + 86400 * (length * 31) AS at FROM arena_votes"
        )
    with connect(database, table="arena_times") as log:
        assert [values for values, _ in log.by("month")] == [("2026-01",), ("2026-02",), ("2026-03",)]
        counts = [part.pooled().judgments for _, part in log.by("month")]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP TABLE arena_times")
    assert counts == [sum(vote["length"] == at for vote in VOTES) for at in range(3)]


def test_an_unknown_table_is_refused_with_the_known_ones(database):
    with pytest.raises(UnknownName, match="arena_votes"):
        connect(database, table="arena_vots")
    with pytest.raises(UnknownName, match="no tables"):
        connect(database, table="nowhere.votes")


def test_parameters_of_the_address_are_passed_on(database):
    between = "&" if "?" in database else "?"
    backend = postgres(f"{database}{between}application_name=measured")
    with backend.con.cursor() as cursor:
        assert cursor.execute("SHOW application_name").fetchall() == [("measured",)]
    backend.disconnect()
    with pytest.raises(SteelyardError, match="sslmode"):
        postgres(f"{database}{between}sslmode=nonsense")
