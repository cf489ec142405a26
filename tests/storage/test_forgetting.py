import pytest

from steelyard.errors import UnknownName, UnknownRater
from steelyard.storage.database import open_database
from steelyard.storage.forgetting import forget_rater, rater_with
from steelyard.study.collecting.session import Session
from steelyard.study.log.entries import Answer
from steelyard.study.log.ledger import Ledger
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
    session.fresh_ledger()
    with pytest.raises(UnknownRater):
        session.rater_of_link(token)


def test_the_identity_is_gone_from_the_files_of_the_database(tmp_path):
    session = make_session(tmp_path / "study", Clock(), items=4, **SETTINGS)
    session.join_once("Ann", "prolific", SECRET)
    forget_rater(session.log, "r-01", 5.0)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "study").iterdir())
    assert SECRET.encode() not in stored


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
