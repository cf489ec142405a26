import pytest

from tests.web.conftest import answer_to, csrf_of, start_rating


def test_a_rater_joins_agrees_answers_and_is_thanked(make_app, visit):
    app, _ = make_app(protocol="list", extra='redundancy = 1\ncompletion_code = "XYZ"')
    client = visit(app)
    csrf = start_rating(client)
    state = client.get("/api/task").json()
    assert state["progress"] == {"done": 0, "of": 2}
    while state["state"] == "task":
        sent = client.post("/api/answers", json=answer_to(state["task"]), headers={"X-CSRF-Token": csrf})
        assert sent.status_code == 200
        state = sent.json()
        assert state["accepted"]
    assert state == {"state": "finished", "thanks": "/thanks", "accepted": True}
    assert "XYZ" in client.get("/thanks").text


def test_item_ids_stay_on_the_server(make_app, visit):
    app, _ = make_app(protocol="list", items=[(f"secret-system-{at}", f"text {at}") for at in range(6)])
    client = visit(app)
    start_rating(client)
    assert "secret-system" not in client.get("/api/task").text


def test_every_page_carries_the_strict_policy(make_app, visit):
    client = visit(make_app()[0])
    for path in ("/join", "/static/tokens.css", "/nowhere", "/api/task", "/owner"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_cookies_cannot_be_read_by_scripts_nor_sent_from_elsewhere(make_app, visit):
    client = visit(make_app()[0])
    csrf = csrf_of(client.get("/join"))
    cookie = client.post("/join", data={"csrf": csrf, "name": "Ines"}).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


@pytest.mark.parametrize("path", ["/task", "/welcome", "/thanks", "/survey", "/api/task", "/media/0/abc"])
def test_without_a_link_nothing_is_shown(make_app, visit, path):
    assert visit(make_app()[0]).get(path).status_code == 403


def test_a_wrong_link_says_so_and_gives_nothing(make_app, visit):
    client = visit(make_app()[0])
    answer = client.get("/r/no-such-token")
    assert answer.status_code == 404
    assert "not known here" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_form_from_elsewhere_is_refused(make_app, visit, token):
    client = visit(make_app()[0])
    client.get("/join")
    assert client.post("/join", data={"csrf": token, "name": "Mallory"}).status_code == 403
    start_rating(client)
    task = client.get("/api/task").json()["task"]
    sent = client.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": token})
    assert sent.status_code == 403
    assert client.post("/api/undo", headers={"X-CSRF-Token": token}).status_code == 403


def test_no_task_is_given_before_consent(make_app, visit):
    app, _ = make_app(extra='consent = "May we?"')
    client = visit(app)
    csrf = csrf_of(client.get("/join"))
    client.post("/join", data={"csrf": csrf, "name": "Ines"})
    assert client.get("/api/task").status_code == 403
    assert client.get("/task").headers["location"] == "/welcome"
    declined = client.post("/welcome", data={"csrf": csrf_of(client.get("/welcome")), "decline": "1"})
    assert declined.status_code == 200
    assert client.get("/api/task").status_code == 403


def test_the_survey_comes_before_the_tasks_and_is_checked(make_app, visit):
    app, _ = make_app(extra='survey = [{id = "age", text = "How old?", kind = "number"}]')
    client = visit(app)
    start_rating(client)
    assert client.get("/task").headers["location"] == "/survey"
    csrf = csrf_of(client.get("/survey"))
    wrong = client.post("/survey", data={"csrf": csrf, "q-age": "old"})
    assert wrong.status_code == 422
    assert "Write a number" in wrong.text
    assert client.post("/survey", data={"csrf": csrf, "q-age": "44"}).headers["location"] == "/task"
    assert client.get("/task").status_code == 200


def test_one_rater_cannot_answer_for_another(make_app, visit):
    app, _ = make_app()
    honest, hostile = visit(app), visit(app)
    start_rating(honest, "Ines")
    csrf = start_rating(hostile, "Mallory")
    task = honest.get("/api/task").json()["task"]
    sent = hostile.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    assert sent.status_code == 409
    assert sent.json()["next"]["state"] == "task"
    assert sent.json()["next"]["task"]["assignment"] != task["assignment"]


def test_sending_twice_is_acknowledged_twice_and_counted_once(make_app, visit):
    app, _ = make_app(extra="redundancy = 1")
    client = visit(app)
    csrf = start_rating(client)
    task = client.get("/api/task").json()["task"]
    first = client.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    second = client.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    assert first.status_code == second.status_code == 200
    assert len(app.state.session.ledger.answers) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"answers": []},
        {"answers": [{"item": 0, "question": 0, "score": 1e9}]},
        {"answers": [{"item": 7, "question": 0, "score": 5}]},
        {"answers": [{"item": 0, "question": 0, "score": "many"}]},
        {"answers": "none"},
        {"assignment": "x" * 500},
        {"milliseconds": -5},
    ],
)
def test_a_hostile_answer_is_refused_with_words_and_nothing_is_stored(make_app, visit, change):
    app, _ = make_app()
    client = visit(app)
    csrf = start_rating(client)
    task = client.get("/api/task").json()["task"]
    sent = client.post("/api/answers", json={**answer_to(task), **change}, headers={"X-CSRF-Token": csrf})
    assert sent.status_code == 422
    assert sent.json()["message"]
    assert not app.state.session.ledger.answers


def test_too_large_a_body_is_refused(make_app, visit):
    client = visit(make_app()[0])
    csrf = start_rating(client)
    sent = client.post("/api/answers", content=b"x" * 2_000_000, headers={"X-CSRF-Token": csrf})
    assert sent.status_code == 413


def test_undo_gives_the_task_back_and_only_while_there_is_an_answer(make_app, visit):
    client = visit(make_app()[0])
    csrf = start_rating(client)
    headers = {"X-CSRF-Token": csrf}
    assert client.post("/api/undo", headers=headers).status_code == 409
    task = client.get("/api/task").json()["task"]
    client.post("/api/answers", json=answer_to(task), headers=headers)
    again = client.post("/api/undo", headers=headers).json()
    assert again["task"]["items"] == task["items"]
    assert again["task"]["assignment"] != task["assignment"]


def test_prolific_raters_come_back_as_themselves_and_return_with_the_code(make_app, visit):
    app, _ = make_app(items=[("a", "one")], extra='redundancy = 5\ncompletion_code = "C1A9X7QF"')
    address = "/p?PROLIFIC_PID=5f1e2d3c4b5a&STUDY_ID=st1&SESSION_ID=se1"
    first, second = visit(app), visit(app)
    for client in (first, second):
        assert client.get(address).status_code == 303
    assert len(app.state.session.roster.all()) == 1
    csrf = csrf_of(first.get("/welcome"))
    first.post("/welcome", data={"csrf": csrf, "agree": "1"})
    task = first.get("/api/task").json()["task"]
    first.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    assert "https://app.prolific.com/submissions/complete?cc=C1A9X7QF" in first.get("/thanks").text


def test_prolific_without_an_id_is_told_to_come_from_prolific(make_app, visit):
    client = visit(make_app()[0])
    assert client.get("/p").status_code == 400
    assert client.get("/p?PROLIFIC_PID={{%PROLIFIC_PID%}}").status_code == 400


def test_a_study_by_invitation_has_no_open_link(make_app, visit):
    client = visit(make_app(extra="open_link = false")[0])
    assert client.get("/join").status_code == 404


def test_a_paused_study_says_so(make_app, visit):
    app, _ = make_app()
    client = visit(app)
    start_rating(client)
    app.state.session.note("paused")
    assert client.get("/api/task").json()["state"] == "paused"


def test_media_lie_in_the_studys_folder_and_open_only_for_whom_they_were_shown(make_app, visit, tmp_path):
    items = [("a", "one")]
    app, _ = make_app(items=items)
    client = visit(app)
    start_rating(client)
    assert client.get("/media/0/guess").status_code == 404
    assert client.get("/media/../study.db").status_code in (403, 404)
    assert client.get("/static/../../study.db").status_code in (403, 404)


def test_the_owners_pages_need_the_owners_key(make_app, visit):
    app, key = make_app()
    client = visit(app)
    start_rating(client)
    for path in ("/owner", "/owner/download/judgments.csv", "/owner/report"):
        assert client.get(path).status_code == 403
    assert client.get("/owner/enter?key=wrong").status_code == 403
    assert client.get(f"/owner/enter?key={key}").headers["location"] == "/owner"
    assert client.get("/owner").status_code == 200


def test_a_new_owners_key_ends_earlier_sign_ins(make_app, visit):
    from steelyard.storage.database import open_database

    app, key = make_app()
    client = visit(app)
    client.get(f"/owner/enter?key={key}")
    open_database(app.state.session.study.folder).new_owner_key()
    assert client.get("/owner").status_code == 403


def test_the_owners_key_is_stored_only_as_a_hash(make_app):
    app, key = make_app()
    stored = b"".join(path.read_bytes() for path in app.state.session.study.folder.iterdir())
    assert key.encode() not in stored
