import pytest

from tests.web.conftest import IDS, answer_to, come_from_prolific, csrf_of, start_rating


def joined(app):
    return [entry for entry in app.state.session.log.since(0) if getattr(entry, "kind", "") == "joined"]


def test_prolific_raters_come_back_as_themselves_and_return_with_the_code(make_app, visit):
    extra = 'prolific = true\nredundancy = 5\ncompletion_code = "C1 A&9"'
    app, _ = make_app(items=[("a", "one")], extra=extra)
    first, second = visit(app), visit(app)
    for client in (first, second, first):
        assert come_from_prolific(client).status_code == 303
    assert len(app.state.session.roster.all()) == 1
    csrf = csrf_of(first.get("/welcome"))
    first.post("/welcome", data={"csrf": csrf, "agree": "1"})
    task = first.get("/api/task").json()["task"]
    first.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    assert '"https://app.prolific.com/submissions/complete?cc=C1%20A%269"' in first.get("/thanks").text


def test_opening_the_prolific_link_alone_makes_no_rater(make_app, visit):
    app, _ = make_app(extra="prolific = true")
    for number in range(100):
        assert visit(app).get("/p", params={**IDS, "PROLIFIC_PID": f"p{number}"}).status_code == 200
    assert not app.state.session.roster.all()


def test_the_prolific_form_needs_the_token_of_its_page(make_app, visit):
    app, _ = make_app(extra="prolific = true")
    assert visit(app).post("/p", data=IDS).status_code == 403
    assert not app.state.session.roster.all()


def test_a_prolific_rater_joins_once_however_often_the_page_is_opened(make_app, visit):
    app, _ = make_app(extra="prolific = true")
    for client in (visit(app), visit(app)):
        come_from_prolific(client)
        come_from_prolific(client)
    assert len(joined(app)) == 1


def test_a_prolific_id_without_its_submission_is_no_login(make_app, visit):
    app, _ = make_app(extra="prolific = true")
    own, other = visit(app), visit(app)
    come_from_prolific(own)
    refused = come_from_prolific(other, SESSION_ID="guessed")
    assert refused.status_code == 403
    assert "another submission" in refused.text
    assert other.get("/api/task").status_code == 403
    assert come_from_prolific(own, SESSION_ID="se2").status_code == 303  # this browser is already theirs


def test_the_log_holds_no_id_of_a_crowd(make_app, visit):
    app, _ = make_app(extra="prolific = true")
    come_from_prolific(visit(app))
    entries = repr(list(app.state.session.log.since(0)))
    assert not [name for name, value in IDS.items() if value in entries]
    assert app.state.session.roster.all()[0].key == "5f1e2d3c4b5a st1"


def test_a_prolific_rater_joins_once_also_when_the_clock_goes_back(make_app, visit, monkeypatch):
    app, _ = make_app(extra="prolific = true")
    session = app.state.session
    come_from_prolific(visit(app))
    clock = session.clock
    monkeypatch.setattr(session, "clock", lambda: clock() - 3600)
    come_from_prolific(visit(app))
    assert len(joined(app)) == 1


def test_prolific_without_an_id_is_asked_to_come_from_prolific(make_app, visit):
    client = visit(make_app(extra="prolific = true")[0])
    assert client.get("/p").status_code == 400
    assert client.get("/p?PROLIFIC_PID={{%PROLIFIC_PID%}}").status_code == 400


@pytest.mark.parametrize("name", list(IDS))
def test_ids_from_prolific_have_a_limit(make_app, visit, name):
    app, _ = make_app(extra="prolific = true")
    for wrong in ("x" * 5_000, "a\0b"):
        assert come_from_prolific(visit(app), **{name: wrong}).status_code == 400
    assert not app.state.session.roster.all()


def test_a_study_that_is_not_on_prolific_lets_nobody_in_from_there(make_app, visit):
    app, _ = make_app()
    refused = come_from_prolific(visit(app))
    assert refused.status_code == 404
    assert "by invitation" in refused.text
    assert not app.state.session.roster.all()


def test_a_prolific_newcomer_to_a_full_study_is_asked_to_return_the_submission(make_app, visit):
    extra = 'completion_code = "XYZ"\nredundancy = 1\nprolific = true'
    app, _ = make_app(protocol="rating", extra=extra, items=[("a", "one")])
    early = visit(app)
    csrf = start_rating(early)
    early.post(
        "/api/answers", json=answer_to(early.get("/api/task").json()["task"]), headers={"X-CSRF-Token": csrf}
    )
    shown = come_from_prolific(visit(app, follow=True))
    assert "return your submission" in shown.text
    assert "XYZ" not in shown.text
    assert "complete?cc=" not in shown.text


@pytest.mark.parametrize("name", ["\u200b\u200b", "\u202e", "\0", "\u2060 \ufeff"])
def test_a_name_in_which_nothing_can_be_seen_is_refused(make_app, visit, name):
    app, _ = make_app()
    client = visit(app)
    csrf = csrf_of(client.get("/join"))
    sent = client.post("/join", data={"csrf": csrf, "name": name})
    assert sent.status_code == 422
    assert "visible characters" in sent.text
    assert not app.state.session.roster.all()


def join_as(client, name):
    csrf = csrf_of(client.get("/join"))
    return client.post("/join", data={"csrf": csrf, "name": name})


def test_one_address_joins_up_to_the_limit_and_again_when_time_has_passed(make_app, visit, still):
    app, _ = make_app(extra="joins_per_minute = 3")
    assert [join_as(visit(app), f"r{number}").status_code for number in range(5)] == [303] * 3 + [429] * 2
    refused = join_as(visit(app), "late")
    assert "Wait a minute" in refused.text
    assert int(refused.headers["retry-after"]) == 20
    still[0] += 20
    assert join_as(visit(app), "later").status_code == 303
    assert len(app.state.session.roster.all()) == 4


def test_prolific_raters_count_towards_the_same_limit(make_app, visit, still):
    app, _ = make_app(extra="prolific = true\njoins_per_minute = 3")
    statuses = [come_from_prolific(visit(app), PROLIFIC_PID=f"p{number}").status_code for number in range(5)]
    assert statuses == [303] * 3 + [429] * 2
    assert len(app.state.session.roster.all()) == 3


def test_all_addresses_together_have_a_limit_too(make_app, visit, still):
    app, _ = make_app(extra="joins_per_minute = 1")
    statuses = [join_as(visit(app, host=f"192.0.2.{number}"), "r").status_code for number in range(12)]
    assert statuses == [303] * 10 + [429] * 2


def test_a_guesser_of_keys_is_stopped_and_the_owner_elsewhere_is_not(make_app, visit, still):
    app, key = make_app()
    guesser = visit(app)
    tries = [guesser.get(f"/owner/enter?key=wrong{number}").status_code for number in range(15)]
    tries += [guesser.get(f"/r/wrong{number}").status_code for number in range(3)]
    assert tries == [403] * 10 + [429] * 8
    assert guesser.get(f"/owner/enter?key={key}").status_code == 429
    assert visit(app, host="192.0.2.1").get(f"/owner/enter?key={key}").status_code == 303
