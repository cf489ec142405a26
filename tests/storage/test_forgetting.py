import pytest
import sqlalchemy as sa
import typer

from steelyard.cli.forget import forget
from steelyard.errors import BadSetting, SeveralRaters, UnknownName, UnknownRater
from steelyard.storage import engines
from steelyard.storage.copying import move_study
from steelyard.storage.database import Database, open_database
from steelyard.storage.engines import engine_for
from steelyard.storage.forgetting import forget_rater, rater_with
from steelyard.storage.moved_copies import moved_copies
from steelyard.study.collecting.session import Session
from steelyard.study.log.entries import Answer
from steelyard.study.log.ledger import Ledger
from tests.postgres import server_url
from tests.stores import STORES
from tests.study.making import Clock, make_session, make_study, work

SETTINGS = {"protocol": "rating", "redundancy": 2}
SECRET = "zebra-crossing"


@pytest.fixture(params=STORES)
def session(request, tmp_path):
    """A study with two raters; the first has taken an answer back and holds a task."""
    session = make_session(tmp_path / "study", Clock(), items=4, store=request.param, **SETTINGS)
    first, _ = session.join_once("Ann", "prolific", f"{SECRET} study")
    second = session.join("Ben", "link")
    for rater in (first, second):
        session.note("consented", rater.id)
    work(session, "r-01", 3)
    session.undo("r-01", list(session.record("r-01").answers.values())[-1].assignment)
    work(session, "r-02", 2)
    return session


def state_of(ledger):
    counts = (ledger.answered.tolist(), ledger.pending.tolist(), dict(ledger.open_places))
    return counts, sorted(ledger.answers), ledger.raters.get("r-01"), ledger.log_position


def test_nothing_of_a_forgotten_rater_is_left_in_the_log(session):
    before = session.log.head()
    done = forget_rater(session.log, "r-01", 5.0)
    entries = list(session.log.since(0))
    assert [entry.log_position for entry in entries] == list(range(1, before + 2))
    assert not [entry for entry in entries if isinstance(entry, Answer) and entry.rater == "r-01"]
    assert (done.answers, done.reopened) == (3, 2)
    assert entries[-1].kind == "forgotten"
    assert entries[-1].facts == {"answers": 3, "events": done.events}
    rater = session.roster.by_id("r-01")
    assert (rater.name, rater.key) == ("r-01", "")


def test_a_running_session_reads_the_log_again_and_agrees_with_a_new_one(session):
    forget_rater(session.log, "r-01", 5.0)
    running = session.fresh_ledger()
    fresh = Ledger(session.study.definition, session.study.items)
    fresh.fold(session.log.since(0))
    assert state_of(running) == state_of(fresh)
    assert len(running.answers) == 2


def test_what_the_rater_answered_is_asked_again(session):
    forget_rater(session.log, "r-01", 5.0)
    session.note("consented", session.join("Cem", "link").id)
    session.note("consented", session.join("Dag", "link").id)
    for rater in ("r-02", "r-03", "r-04"):
        work(session, rater)
    assert session.fresh_ledger().answered.tolist() == [2, 2, 2, 2]


def test_the_link_of_a_forgotten_rater_no_longer_works(session):
    token = session.roster.by_id("r-01").token
    assert session.rater_of_link(token).id == "r-01"
    forget_rater(session.log, "r-01", 5.0)
    with pytest.raises(UnknownRater):  # also with the first request
        session.rater_of_link(token)


def stored_bytes(database):
    """Everything in the files of a database: the tables and indexes of its study on PostgreSQL, without its journal."""
    if database.engine.dialect.name == "sqlite":
        return b"".join(path.read_bytes() for path in database.location.folder.iterdir() if path.is_file())
    listed = sa.text(
        "SELECT pg_read_binary_file(pg_relation_filepath(kept.oid)) FROM pg_class AS kept "
        "WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'i', 't') "
        "UNION ALL SELECT pg_read_binary_file(pg_relation_filepath(reltoastrelid)) FROM pg_class "
        "WHERE relnamespace = current_schema()::regnamespace AND reltoastrelid <> 0"
    )
    with database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql("CHECKPOINT")
        return b"".join(bytes(each) for each in connection.execute(listed).scalars())


@pytest.mark.parametrize("store", STORES)
def test_the_identity_is_gone_from_the_files_of_the_database(tmp_path, store):
    session = make_session(tmp_path / "study", Clock(), items=4, store=store, **SETTINGS)
    session.join("Ben", "link")
    session.join_once("Ann", "prolific", SECRET)
    for rater in ("r-01", "r-02"):
        session.note("surveyed", rater, {"town": SECRET if rater == "r-02" else "Bern"})
    session.log.keep("belief", "", session.log.head(), SECRET.encode())
    assert stored_bytes(session.log).count(SECRET.encode()) >= 3
    assert forget_rater(session.log, "r-02", 5.0).erased
    assert SECRET.encode() not in stored_bytes(session.log)


@pytest.mark.parametrize("store", STORES)
def test_a_deletion_reports_that_another_process_still_reads_the_rows(tmp_path, store, monkeypatch):
    monkeypatch.setattr(engines, "BUSY_SECONDS", 0.3)
    session = make_session(tmp_path / "study", Clock(), items=4, store=store, **SETTINGS)
    session.join_once("Ann", "prolific", SECRET)
    other = open_database(tmp_path / "study")
    with other.reading() as connection:
        assert connection.execute(sa.text("SELECT COUNT(*) FROM rater")).scalar_one() == 1
        with pytest.raises(typer.Exit) as left:
            forget(tmp_path / "study", "r-01", yes=True)
        assert left.value.exit_code == 1
        assert SECRET.encode() in stored_bytes(session.log)
    forget(tmp_path / "study", "r-01", yes=True)
    assert SECRET.encode() not in stored_bytes(session.log)


def test_a_command_says_to_run_again_if_the_rows_are_still_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(engines, "BUSY_SECONDS", 0.3)
    session = make_session(tmp_path / "study", Clock(), items=4, **SETTINGS)
    session.join("Ann", "open")
    with session.log.reading() as connection, pytest.raises(typer.Exit):
        connection.execute(sa.text("SELECT 1 FROM rater")).all()
        forget(tmp_path / "study", "r-01", yes=True)
    written = capsys.readouterr().err
    assert "still in the files of the database" in written
    assert f"steelyard forget {tmp_path / 'study'} --rater study:r-01" in written


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_id_is_refused_and_deletes_nobody(session, name):
    session.join("Cem", "open")
    with pytest.raises(BadSetting, match="is empty"):
        rater_with(session.log, name)
    with pytest.raises(UnknownName):
        forget_rater(session.log, name, 5.0)
    assert [each.name for each in session.roster.all()] == ["Ann", "Ben", "Cem"]


def test_an_id_of_two_raters_is_refused_with_both_of_them(session):
    session.join_once("", "file", "r-02")
    with pytest.raises(SeveralRaters) as several:
        rater_with(session.log, "r-02")
    assert "study:r-02 (Ben, source link)" in str(several.value)
    assert "study:r-03 (r-03, source file, id r-02 there)" in str(several.value)
    assert rater_with(session.log, "study:r-02").name == "Ben"
    assert rater_with(session.log, "study:r-03").key == "r-02"
    with pytest.raises(UnknownName):
        rater_with(session.log, "study:r-09")


def test_two_submissions_of_one_person_are_refused_until_one_is_named(session):
    again, _ = session.join_once("Ann", "prolific", f"{SECRET} other")
    with pytest.raises(SeveralRaters):
        rater_with(session.log, SECRET)
    assert rater_with(session.log, f"{SECRET} other") == again


def test_a_rater_is_also_deleted_from_the_databases_that_a_move_has_kept(tmp_path, capsys):
    folder = tmp_path / tmp_path.name
    session = make_session(folder, Clock(), items=4, **SETTINGS)
    session.join_once("Ann", "prolific", SECRET)
    session.log.engine.dispose()  # the server is stopped for a move
    move_study(folder, server_url())
    move_study(folder, "")
    later = open_database(folder)
    later.add("Ben", "prolific", "token", "walrus", 5.0)
    copies = [Database(engine_for(each), each) for each in moved_copies(folder)]
    for each in copies:
        assert SECRET.encode() in stored_bytes(each)
    forget(folder, "r-01", yes=True)
    written = capsys.readouterr().err
    for each in copies:
        assert SECRET.encode() not in stored_bytes(each)
        assert f"Also deleted from the copy that steelyard move has kept: {each.location.words}" in written
    forget(folder, "walrus", yes=True)  # joined after the moves
    assert "Also deleted" not in capsys.readouterr().err


def test_a_copy_that_cannot_be_changed_is_named_and_the_command_fails(tmp_path, capsys):
    session = make_session(tmp_path / "study", Clock(), items=4, **SETTINGS)
    session.join("Ann", "open")
    (tmp_path / "study" / "study.moved.db").write_bytes(b"no database" * 1000)
    (tmp_path / "study" / "moved.toml").write_text(
        '[[copy]]\nurl = "postgresql://ann:secret@127.0.0.1:1/name"\nschema = "steelyard_study_moved"\n'
    )
    with pytest.raises(typer.Exit):
        forget(tmp_path / "study", "r-01", yes=True)
    written = capsys.readouterr().err
    assert "schema steelyard_study_moved" in written
    assert f"delete the file {tmp_path / 'study' / 'study.moved.db'}" in written
    assert "secret" not in written
    assert open_database(tmp_path / "study").by_id("r-01").name == "r-01"


def test_a_rater_is_found_by_the_id_of_the_study_or_of_the_crowd(session):
    assert rater_with(session.log, SECRET).id == "r-01"
    assert rater_with(session.log, "r-02").name == "Ben"
    with pytest.raises(UnknownName):
        rater_with(session.log, "r-09")


def test_a_session_opened_later_serves(session, tmp_path):
    forget_rater(session.log, "r-01", 5.0)
    study = make_study(tmp_path / "study", 4, **SETTINGS)
    database = open_database(tmp_path / "study")
    later = Session(study, database, database, Clock())
    assert later.next_task("r-02").assignment is not None
