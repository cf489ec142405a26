"""Every act of an owner is in the audit trail, with the name of the key."""

import csv
import logging
import re

import pytest

from steelyard.errors import StoreUnavailable
from tests.study.making import work
from tests.web.conftest import csrf_of


@pytest.fixture
def app_and_key(make_app):
    return make_app(extra="redundancy = 2")


@pytest.fixture
def session(app_and_key):
    session = app_and_key[0].state.session
    work(session, session.join("Ann", "link").id, tasks=1)
    return session


@pytest.fixture
def owner(app_and_key, session, visit):
    return signed_in(visit(app_and_key[0]), session.log.add_key("Dr Lee", "owner", 5.0))


def signed_in(client, key):
    client.get("/owner/enter", params={"key": key})
    return client


def acts_of(session):
    return [(act.what, act.who, act.rater) for act in session.log.acts()]


WITHOUT_RATER = {"pause": "paused", "resume": "resumed"}
ABOUT_RATER = {"exclude": "excluded", "include": "included", "note": "noted"}


def test_acts_of_an_owner_are_recorded_with_the_name_of_their_key(owner, session):
    csrf = csrf_of(owner.get("/owner"))
    for path in WITHOUT_RATER:
        assert owner.post(f"/owner/{path}", data={"csrf": csrf}).status_code == 303
    for path in ABOUT_RATER:
        sent = {"csrf": csrf, "reason": "too fast", "text": "wrote to them"}
        assert owner.post(f"/owner/raters/r-01/{path}", data=sent).status_code == 303
    owner.post("/owner/raters", data={"csrf": csrf, "name": "Bob"})
    assert acts_of(session) == [
        ("signed_in", "Dr Lee", ""),
        *((what, "Dr Lee", "") for what in WITHOUT_RATER.values()),
        *((what, "Dr Lee", "r-01") for what in ABOUT_RATER.values()),
        ("invited", "Dr Lee", "r-02"),
    ]


def test_a_program_that_only_looks_at_the_link_of_an_owner_is_not_signed_in(app_and_key, session, visit):
    app, key = app_and_key
    client = visit(app)
    looked = client.head("/owner/enter", params={"key": key})
    assert looked.status_code == 405
    assert "set-cookie" not in looked.headers
    assert client.get("/owner").status_code == 403
    assert acts_of(session) == []
    assert signed_in(client, key).get("/owner").status_code == 200
    assert acts_of(session) == [("signed_in", "owner", "")]


def test_closing_a_round_is_recorded(make_app, visit):
    app, key = make_app(extra='update = "round"\nredundancy = 1')
    session = app.state.session
    work(session, session.join("Ann", "link").id)
    owner = signed_in(visit(app), key)
    owner.post("/owner/close-round", data={"csrf": csrf_of(owner.get("/owner"))})
    assert acts_of(session)[-1] == ("round_closed", "owner", "")


def test_a_refused_act_is_not_recorded(owner, session):
    assert owner.post("/owner/pause", data={"csrf": "x"}).status_code == 403
    assert (
        owner.post("/owner/raters/r-99/exclude", data={"csrf": csrf_of(owner.get("/owner"))}).status_code
        == 404
    )
    assert [what for what, _, _ in acts_of(session)] == ["signed_in"]


def test_downloads_of_owners_and_viewers_are_recorded(app_and_key, owner, session, visit):
    viewer = signed_in(visit(app_and_key[0]), session.log.add_key("board", "viewer", 5.0))
    assert viewer.get("/owner/download/scale.csv").status_code == 200
    assert owner.get("/owner/download/raters.csv", params={"identities": True}).status_code == 200
    assert [(act.who, act.details) for act in session.log.acts() if act.what == "exported"] == [
        ("board", "table: scale, format: csv"),
        ("Dr Lee", "table: raters, format: csv, identities: yes"),
    ]


def test_the_owner_reads_the_trail_and_others_do_not(app_and_key, owner, session, visit):
    owner.post("/owner/pause", data={"csrf": csrf_of(owner.get("/owner"))})
    page = owner.get("/owner/acts").text
    assert re.search(r"Dr Lee</bdi></td><td>Paused the study", page)
    assert page.index("Paused the study") < page.index("Signed in")
    rows = list(csv.DictReader(owner.get("/owner/download/acts.csv").text.splitlines()))
    assert [(row["who"], row["act"]) for row in rows] == [("Dr Lee", "signed_in"), ("Dr Lee", "paused")]
    viewer = signed_in(visit(app_and_key[0]), session.log.add_key("board", "viewer", 5.0))
    for path in ("/owner/acts", "/owner/download/acts.csv"):
        assert viewer.get(path).status_code == 403
        assert visit(app_and_key[0]).get(path).status_code == 403


def test_a_long_trail_is_shown_in_pages(owner, session):
    csrf = csrf_of(owner.get("/owner"))
    for _ in range(60):
        owner.post("/owner/pause", data={"csrf": csrf})
        owner.post("/owner/resume", data={"csrf": csrf})
    assert owner.get("/owner/acts").text.count("<tr><td>") == 100
    assert owner.get("/owner/acts", params={"start": 100}).text.count("<tr><td>") == 21


def test_the_owner_can_download_while_the_study_cannot_be_written(owner, session, monkeypatch, caplog):
    def is_full(_act):
        raise StoreUnavailable("study.db", "the disk is full.", "Free some disk space.")

    monkeypatch.setattr(session.log, "record", is_full)
    with caplog.at_level(logging.ERROR):
        assert owner.get("/owner/download/judgments.csv").status_code == 200
    assert "not in the audit trail" in caplog.text


def test_wrong_keys_are_in_the_log_of_the_server(app_and_key, visit, caplog):
    with caplog.at_level(logging.WARNING):
        assert visit(app_and_key[0]).get("/owner/enter", params={"key": "guess"}).status_code == 403
    assert "wrong key" in caplog.text
    assert "guess" not in caplog.text


def test_an_owner_who_signs_out_needs_the_key_again(owner):
    csrf = csrf_of(owner.get("/owner"))
    assert owner.post("/owner/leave", data={"csrf": "x"}).status_code == 403
    assert owner.get("/owner").status_code == 200
    assert owner.post("/owner/leave", data={"csrf": csrf}).status_code == 303
    assert owner.get("/owner").status_code == 403


def test_refused_requests_are_in_the_log_of_the_server_without_secrets(app_and_key, visit, caplog):
    with caplog.at_level(logging.WARNING):
        visit(app_and_key[0]).get("/owner/acts?key=hidden")
    assert "Refused (403): GET '/owner/acts' from 192.0.2.250." in caplog.text
    assert "hidden" not in caplog.text
