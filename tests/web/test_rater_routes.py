import asyncio
import inspect
import json
import re

import pytest

from steelyard.errors import BadRows
from steelyard.storage.database import create_database
from steelyard.web.owner_routes import OwnerPages
from steelyard.web.rater_routes import RaterPages
from tests.web.conftest import answer_to, csrf_of, start_rating
from tests.web.pictures import only_pictures, png


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
    thanks = client.get("/thanks").text
    assert "XYZ" in thanks
    assert "All your 10 answers" in thanks


@pytest.mark.parametrize(
    "sent_fields",
    [
        {},
        {"score": None},
        {"score": True},
        {"score": "40"},
        {"score": 40, "cannot_judge": True},
        {"cannot_judge": False},
        {"cannot_judge": 1},
    ],
)
def test_a_cell_is_either_a_number_or_cannot_judge(make_app, visit, sent_fields):
    app, _ = make_app(protocol="rating")
    client = visit(app)
    headers = {"X-CSRF-Token": start_rating(client)}
    task = client.get("/api/task").json()["task"]
    answer = {**answer_to(task), "answers": [{"item": 0, "question": 0, **sent_fields}]}
    assert client.post("/api/answers", json=answer, headers=headers).status_code == 422
    for fine in ({"score": 40}, {"cannot_judge": True}):
        task = client.get("/api/task").json()["task"]
        answer = {**answer_to(task), "answers": [{"item": 0, "question": 0, **fine}]}
        assert client.post("/api/answers", json=answer, headers=headers).status_code == 200


def test_head_answers_like_get(make_app, visit):
    app, key = make_app()
    client = visit(app)
    start_rating(client)
    client.get(f"/owner/enter?key={key}")
    for path in ("/", "/join", "/welcome", "/task", "/owner", "/owner/report", "/nowhere"):
        asked, got = client.head(path), client.get(path)
        assert asked.status_code == got.status_code, path
        assert asked.headers.get("content-type") == got.headers.get("content-type"), path


def test_the_list_of_routes_is_not_public(make_app, visit):
    client = visit(make_app()[0])
    for path in ("/openapi.json", "/docs", "/redoc"):
        assert client.get(path).status_code == 404


def test_item_ids_stay_on_the_server(make_app, visit):
    app, _ = make_app(protocol="list", items=[(f"secret-system-{at}", f"text {at}") for at in range(6)])
    client = visit(app)
    start_rating(client)
    assert "secret-system" not in client.get("/api/task").text


def test_every_page_carries_the_strict_policy(make_app, visit):
    client = visit(make_app()[0])
    for path in ("/join", "/static/styles/tokens.css", "/nowhere", "/api/task", "/owner"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "base-uri 'none'" in policy
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


def test_a_personal_link_answers_with_the_task_page_on_a_new_device(make_app, visit):
    app, _ = make_app(protocol="rating")
    start_rating(visit(app))
    [rater] = app.state.session.roster.all()
    elsewhere = visit(app)
    page = elsewhere.get(f"/r/{rater.token}")
    csrf = re.search('name="csrf" content="([^"]+)"', page.text).group(1)
    task = elsewhere.get("/api/task").json()["task"]
    assert (page.status_code, task["assignment"] in page.text) == (200, True)
    sent = elsewhere.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    assert sent.json()["accepted"]


def test_a_personal_link_leads_straight_to_the_page_that_comes_before_the_tasks(make_app, visit):
    app, _ = make_app()
    token = app.state.session.join("Ines", "link").token
    assert visit(app).get(f"/r/{token}").headers["location"] == "/welcome"


def test_a_wrong_link_says_so_and_gives_nothing(make_app, visit):
    client = visit(make_app()[0])
    answer = client.get("/r/no-such-token")
    assert answer.status_code == 404
    assert "This link is not valid" in answer.text
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
    undo = {"assignment": task["assignment"]}
    assert client.post("/api/undo", json=undo, headers={"X-CSRF-Token": token}).status_code == 403


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
    assert "Enter a number" in wrong.text
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
        {"milliseconds": 24 * 3600 * 1000 + 1},
        {"milliseconds": 10**400},
        {"shown": {"width": float("nan")}},
        {"shown": {"width": float("inf")}},
        {"shown": {"width": 1e300}},
        {"shown": {"width": 10**400}},
        {"shown": {"input": "x" * 65}},
        {"shown": {"x" * 65: 1}},
        {"interactions": [[float("-inf"), 0, 0, "drag", 5]]},
        {"interactions": [[1, 0, 0, "drag", float("nan")]]},
        {"interactions": [[1, 0, 0, "drag", 10**30]]},
        {"interactions": [[1, 0, 0, "x" * 65, 5]]},
        {"interactions": [[1, 0, 0, "drag", {"deep": []}]]},
        {"interactions": [[0] * 9]},
        {"answers": [{"item": 0, "question": 0, "score": float("nan")}]},
        {"answers": [{"item": 0, "question": 0, "score": float("nan"), "cannot_judge": True}]},
        {"answers": [{"item": 10**400, "question": 0, "score": 5}]},
        {"comment": "\ud800"},
    ],
)
def test_a_hostile_answer_is_refused_with_words_and_nothing_is_stored(make_app, visit, change):
    app, _ = make_app(protocol="rating")
    client = visit(app)
    csrf = start_rating(client)
    task = client.get("/api/task").json()["task"]
    body = json.dumps({**answer_to(task), **change})  # as Python writes it: NaN and Infinity are let through
    headers = {"X-CSRF-Token": csrf, "Content-Type": "application/json"}
    sent = client.post("/api/answers", content=body, headers=headers)
    assert sent.status_code == 422
    assert sent.json()["message"]
    assert not app.state.session.ledger.answers


def test_what_the_page_tells_about_an_answer_is_kept_as_sent(make_app, visit):
    app, _ = make_app(protocol="rating")
    client = visit(app)
    csrf = start_rating(client)
    sent_fields = {
        "milliseconds": 24 * 3600 * 1000,
        "interactions": [[12, 0, 0, "drag", 40.5], [900, None, None, "dropped", 3]],
        "shown": {"width": 1280, "direction": "ltr", "dark": True, "ratio": 1.5, "none": None},
    }
    task = client.get("/api/task").json()["task"]
    sent = client.post(
        "/api/answers", json={**answer_to(task), **sent_fields}, headers={"X-CSRF-Token": csrf}
    )
    assert sent.status_code == 200
    (answer,) = app.state.session.ledger.answers.values()
    kept = app.state.session.log.interactions(answer.assignment)
    assert json.dumps({"milliseconds": answer.milliseconds, **kept}) == json.dumps(sent_fields)


def test_too_large_a_body_is_refused(make_app, visit):
    client = visit(make_app()[0])
    csrf = start_rating(client)
    sent = client.post("/api/answers", content=b"x" * 2_000_000, headers={"X-CSRF-Token": csrf})
    assert sent.status_code == 413


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_deeply_nested_body_is_refused(make_app, visit, opening):
    client = visit(make_app()[0])
    headers = {"X-CSRF-Token": start_rating(client), "Content-Type": "application/json"}
    for path in ("/api/answers", "/api/undo"):
        assert client.post(path, content=opening * 40_000, headers=headers).status_code in (400, 422)


def test_undo_gives_the_task_back_and_only_while_there_is_an_answer(make_app, visit):
    client = visit(make_app()[0])
    headers = {"X-CSRF-Token": start_rating(client)}
    state = client.get("/api/task").json()
    assert state["last"] == ""
    refused = client.post("/api/undo", json={"assignment": state["last"]}, headers=headers)
    assert refused.status_code == 409
    after = client.post("/api/answers", json=answer_to(state["task"]), headers=headers).json()
    assert after["last"] == state["task"]["assignment"]
    again = client.post("/api/undo", json={"assignment": after["last"]}, headers=headers).json()
    assert again["task"]["items"] == state["task"]["items"]
    assert again["task"]["assignment"] != state["task"]["assignment"]
    assert again["last"] == ""


def test_undo_sent_twice_takes_one_answer_back(make_app, visit):
    app, _ = make_app(protocol="rating")
    client = visit(app)
    headers = {"X-CSRF-Token": start_rating(client)}
    state = client.get("/api/task").json()
    for _ in range(2):
        state = client.post("/api/answers", json=answer_to(state["task"]), headers=headers).json()
    undo = {"assignment": state["last"]}
    first = client.post("/api/undo", json=undo, headers=headers)
    second = client.post("/api/undo", json=undo, headers=headers)
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert len(app.state.session.ledger.answers) == 1


@pytest.mark.parametrize("body", [{}, {"assignment": 7}, {"assignment": "x" * 65}, []])
def test_undo_says_which_answer(make_app, visit, body):
    client = visit(make_app()[0])
    headers = {"X-CSRF-Token": start_rating(client)}
    assert client.post("/api/undo", json=body, headers=headers).status_code == 422


def test_the_end_is_not_shown_before_consent_and_takes_no_task(make_app, visit):
    app, _ = make_app(extra='completion_code = "XYZ"\nredundancy = 1', items=[("a", "one")])
    client = visit(app)
    csrf = csrf_of(client.get("/join"))
    client.post("/join", data={"csrf": csrf, "name": "Ines"})
    assert client.get("/thanks").headers["location"] == "/welcome"
    client.post("/welcome", data={"csrf": csrf_of(client.get("/welcome")), "agree": "1"})
    head = app.state.session.log.head()
    early = client.get("/thanks")
    assert "XYZ" not in early.text
    assert 'href="/task"' in early.text
    assert app.state.session.log.head() == head
    other = visit(app)
    start_rating(other, "Amara")
    assert other.get("/api/task").json()["state"] == "task"


def test_nobody_is_sent_round_in_circles_while_others_hold_what_is_left(make_app, visit):
    app, _ = make_app(protocol="rating", extra="redundancy = 1", items=[("a", "one")])
    busy, idle = visit(app), visit(app)
    start_rating(busy, "Ines")
    start_rating(idle, "Amara")
    assert busy.get("/api/task").json()["state"] == "task"
    assert busy.get("/thanks").headers["location"] == "/task"
    idle.get("/api/task")
    assert idle.get("/thanks").headers["location"] == "/no-tasks"
    assert idle.get("/no-tasks").status_code == 200


def test_a_finished_study_does_not_give_its_code_to_who_has_not_agreed(make_app, visit):
    app, _ = make_app(extra='completion_code = "XYZ"\nredundancy = 1', items=[("a", "one")])
    busy, late = visit(app), visit(app)
    csrf = start_rating(busy)
    late.post("/join", data={"csrf": csrf_of(late.get("/join")), "name": "Mallory"})
    task = busy.get("/api/task").json()["task"]
    busy.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    assert "XYZ" in busy.get("/thanks").text
    assert late.get("/thanks").headers["location"] == "/no-tasks"


def test_a_browser_that_knows_its_rater_goes_on_and_can_join_anew(make_app, visit):
    app, _ = make_app()
    client = visit(app)
    assert client.get("/").headers["location"] == "/join"
    start_rating(client, "Ines")
    assert client.get("/").headers["location"] == "/task"
    assert client.get("/join").headers["location"] == "/task"
    assert 'href="/join?new=1"' in client.get("/task").text
    form = client.get("/join?new=1")
    assert form.status_code == 200
    client.post("/join", data={"csrf": csrf_of(form), "name": "Amara"})
    assert [rater.name for rater in app.state.session.roster.all()] == ["Ines", "Amara"]
    assert client.get("/task").headers["location"] == "/welcome"
    assert 'href="/join?new=1"' in client.get("/welcome").text


def test_nobody_is_asked_to_join_anew_where_there_is_no_open_link(make_app, visit):
    app, _ = make_app(extra="open_link = false")
    client = visit(app)
    client.get(f"/r/{app.state.session.join('Ines', 'link').token}")
    assert "/join" not in client.get("/welcome").text


def test_pages_mark_answers_kept_on_the_device_by_rater(make_app, visit):
    app, _ = make_app()
    marks = set()
    for name in ("Ines", "Amara"):
        client = visit(app)
        start_rating(client, name)
        marks |= {client.get("/task").text.split('name="rater" content="')[1].split('"')[0] for _ in range(2)}
    assert len(marks) == 2
    assert all(len(mark) == 16 for mark in marks)


def test_cookies_are_secure_where_the_page_is(make_app, visit):
    app, key = make_app()
    for address, is_secure in (("https://study.test", True), ("http://study.test", False)):
        client = visit(app, address=address)
        form = client.get("/join")
        joined = client.post("/join", data={"csrf": csrf_of(form), "name": "Ines"})
        for response in (form, joined, client.get(f"/owner/enter?key={key}")):
            assert ("secure" in response.headers["set-cookie"].lower().split("; ")) == is_secure


@pytest.mark.parametrize("path", ["/owner", "/task"])
def test_a_cookie_that_is_not_ascii_is_refused_like_any_other(make_app, visit, path):
    app, key = make_app()
    client = visit(app)
    start_rating(client)
    client.get(f"/owner/enter?key={key}")
    cookies = "; ".join(f"{name}=né" for name in client.cookies)
    stranger = visit(app)
    assert stranger.get(path, headers={"Cookie": cookies.encode("latin-1")}).status_code == 403


@pytest.mark.parametrize("pages", [RaterPages, OwnerPages])
def test_no_route_runs_on_the_event_loop(pages):
    assert inspect.getmembers(pages, inspect.iscoroutinefunction) == []


def test_an_answer_is_stored_off_the_event_loop(make_app, visit, monkeypatch):
    app, _ = make_app(protocol="rating")
    client, session = visit(app), app.state.session
    headers = {"X-CSRF-Token": start_rating(client)}
    task = client.get("/api/task").json()["task"]
    accept, on_loop = session.accept, []

    def watched(*arguments):
        on_loop.append(asyncio._get_running_loop() is not None)
        return accept(*arguments)

    monkeypatch.setattr(session, "accept", watched)
    assert client.post("/api/answers", json=answer_to(task), headers=headers).status_code == 200
    assert on_loop == [False]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"assignment": 1}'])
def test_what_is_no_answer_is_refused_with_words(make_app, visit, body):
    client = visit(make_app()[0])
    headers = {"X-CSRF-Token": start_rating(client)}
    sent = client.post("/api/answers", content=body, headers=headers)
    assert sent.status_code == 422
    assert sent.json()["message"].startswith("The request is not valid: body")


def test_an_answer_without_its_token_is_refused_before_it_is_read(make_app, visit):
    client = visit(make_app()[0])
    start_rating(client)
    assert client.post("/api/answers", content=b"{").status_code == 403


def test_answers_are_only_posted(make_app, visit):
    client = visit(make_app()[0])
    start_rating(client)
    assert client.get("/api/answers").status_code == 405


def test_a_study_by_invitation_has_no_open_link(make_app, visit):
    client = visit(make_app(extra="open_link = false")[0])
    assert client.get("/join").status_code == 404


def test_a_paused_study_says_so(make_app, visit):
    app, _ = make_app()
    client = visit(app)
    start_rating(client)
    app.state.session.note("paused")
    assert client.get("/api/task").json()["state"] == "paused"


def test_media_open_only_for_whom_they_were_shown(make_app, visit):
    app, _ = make_app(protocol="rating", items=[("a", "secret-system.png")], change=only_pictures)
    shown, other = visit(app), visit(app)
    start_rating(shown, "Ines")
    start_rating(other, "Mallory")
    address = shown.get("/api/task").json()["task"]["items"][0]["url"]
    picture = shown.get(address)
    assert picture.status_code == 200
    assert picture.headers["content-type"] == "image/png"
    assert picture.headers["content-security-policy"].endswith("sandbox")
    assert picture.headers["x-content-type-options"] == "nosniff"
    assert "secret" not in picture.headers["content-disposition"]
    assert picture.content == png()
    assert other.get(address).status_code == 404


def test_media_lie_in_the_studys_folder(make_app, visit):
    client = visit(make_app(items=[("a", "one")])[0])
    start_rating(client)
    assert client.get("/media/0/guess").status_code == 404
    assert client.get("/media/0/%C3%A9").status_code == 404
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


def test_an_answered_assignment_of_another_rater_is_refused(make_app, visit):
    app, _ = make_app()
    honest, hostile = visit(app), visit(app)
    own = start_rating(honest, "Ines")
    csrf = start_rating(hostile, "Mallory")
    answer = answer_to(honest.get("/api/task").json()["task"])
    assert honest.post("/api/answers", json=answer, headers={"X-CSRF-Token": own}).status_code == 200
    sent = hostile.post("/api/answers", json=answer, headers={"X-CSRF-Token": csrf})
    assert (sent.status_code, sent.json()["error"]) == (409, "closed")
    assert "accepted" not in sent.json()


def test_another_answer_to_the_same_task_gets_the_message_that_the_earlier_one_is_kept(make_app, visit):
    app, _ = make_app()
    client = visit(app)
    csrf = start_rating(client)
    task = client.get("/api/task").json()["task"]
    client.post("/api/answers", json=answer_to(task, 40.0), headers={"X-CSRF-Token": csrf})
    sent = client.post("/api/answers", json=answer_to(task, 70.0), headers={"X-CSRF-Token": csrf})
    assert (sent.status_code, sent.json()["error"]) == (409, "kept")
    assert "Your earlier answer is kept" in sent.json()["message"]
    assert sent.json()["next"]["task"]["assignment"] != task["assignment"]


FULL = 'completion_code = "XYZ"\nredundancy = 1\n'
ONE = [("a", "one")]


def answer_one(client, csrf):
    task = client.get("/api/task").json()["task"]
    return client.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})


@pytest.mark.parametrize("extra", ["", "[stop]\nbudget = 1", "[training]\ninterface = true"])
def test_a_newcomer_to_a_full_study_sees_that_first_and_gets_no_code(make_app, visit, extra):
    app, _ = make_app(
        protocol="rating",
        extra=FULL.replace("1", "9") if "stop" in extra else FULL,
        items=ONE,
        scale=f"\n{extra}\n",
    )
    early, invited, late = visit(app), visit(app), visit(app, follow=True)
    link = app.state.session.join("Invited", "link").token
    app.state.session.note("trained", "r-02")
    csrf = start_rating(early)
    assert answer_one(early, csrf).status_code == 200
    assert "XYZ" in early.get("/thanks").text
    assert "needs no more answers" in late.get("/join").text
    assert len(app.state.session.roster.all()) == 2
    shown = visit(app, follow=True).get(f"/r/{link}")
    assert "needs no more answers" in shown.text
    invited.get(f"/r/{link}")
    for page in ("/welcome", "/survey", "/task", "/thanks"):
        assert invited.get(page).headers["location"] == "/no-tasks"
    assert "XYZ" not in invited.get("/no-tasks").text


def test_one_who_comes_while_others_hold_all_tasks_is_asked_back_later_without_a_code(make_app, visit):
    app, _ = make_app(protocol="rating", extra=FULL, items=ONE)
    busy, idle = visit(app), visit(app)
    csrf, _ = start_rating(busy, "Ines"), start_rating(idle, "Amara")
    assert busy.get("/api/task").json()["state"] == "task"
    shown = idle.get("/no-tasks").text
    assert "Come back later" in shown
    assert '<meta http-equiv="refresh" content="30;url=/task">' in shown
    assert "XYZ" not in shown
    state = idle.get("/api/task").json()
    assert state["state"] == "paused"
    assert "come back later" in state["message"]
    assert answer_one(busy, csrf).json()["state"] == "finished"
    assert "needs no more answers" in idle.get("/no-tasks").text


def test_one_who_waits_gets_the_task_that_another_leaves(make_app, visit, monkeypatch):
    app, _ = make_app(protocol="rating", extra=FULL, items=ONE)
    busy, idle = visit(app), visit(app)
    start_rating(busy, "Ines")
    start_rating(idle, "Amara")
    busy.get("/api/task")
    assert idle.get("/task").headers["location"] == "/no-tasks"
    clock = app.state.session.clock
    monkeypatch.setattr(app.state.session, "clock", lambda: clock() + 3600)
    assert idle.get("/no-tasks").headers["location"] == "/task"
    assert idle.get("/api/task").json()["state"] == "task"


def test_an_excluded_rater_without_answers_gets_no_code(make_app, visit):
    app, _ = make_app(protocol="rating", extra=FULL)
    client = visit(app)
    start_rating(client)
    app.state.session.note("excluded", "r-01", {"reason": "test"})
    assert client.get("/thanks").headers["location"] == "/no-tasks"
    shown = client.get("/no-tasks").text
    assert "No answers are needed from you" in shown
    assert "XYZ" not in shown


@pytest.mark.parametrize("name", ["study.db", "study.toml", "items.csv"])
def test_an_item_never_shows_a_file_of_the_study_itself(make_app, visit, name):
    def list_it(folder):
        (folder / "items.csv").write_text(f"id,image\na,{name}\n", encoding="utf-8")
        (folder / name).touch()  # study.db, if the study is stored elsewhere

    with pytest.raises(BadRows, match="is not an image file"):
        make_app(change=list_it)


def test_a_database_in_place_of_a_picture_is_not_served(make_app, visit):
    app, _ = make_app(protocol="rating", items=[("a", "a.png")], change=only_pictures)
    client = visit(app)
    start_rating(client)
    address = client.get("/api/task").json()["task"]["items"][0]["url"]
    assert client.get(address).status_code == 200
    folder = app.state.session.study.folder
    create_database(folder.parent)
    (folder / "a.png").write_bytes((folder.parent / "study.db").read_bytes())
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    "sent_fields",
    [
        {"comment": "x" * 2001},
        {"interactions": [[1, 0, 0, "drag", 5]] * 1001},
        {"shown": {f"k{at}": 1 for at in range(21)}},
    ],
)
def test_more_than_a_page_sends_is_refused(make_app, visit, sent_fields):
    app, _ = make_app(extra="comment = true")
    client = visit(app)
    csrf = start_rating(client)
    body = {**answer_to(client.get("/api/task").json()["task"]), **sent_fields}
    assert client.post("/api/answers", json=body, headers={"X-CSRF-Token": csrf}).status_code == 422


def test_too_long_an_answer_to_the_survey_is_refused_in_words(make_app, visit):
    app, _ = make_app(scale='\n[[survey]]\nid = "job"\ntext = "What is your job?"\n')
    client = visit(app)
    csrf = start_rating(client)
    sent = client.post("/survey", data={"csrf": csrf, "q-job": "x" * 501})
    assert sent.status_code == 422
    assert "at most 500 characters" in sent.text


def test_one_who_declines_after_answering_reads_what_happens_to_the_answers(make_app, visit):
    app, _ = make_app()
    client = visit(app)
    csrf = start_rating(client)
    answer_one(client, csrf)
    last = client.get("/api/task").json()["last"]
    sent = client.post("/welcome", data={"csrf": csrf, "decline": "1"})
    assert "are not used in the results" in sent.text
    undone = client.post("/api/undo", json={"assignment": last}, headers={"X-CSRF-Token": csrf})
    assert undone.status_code == 409
    assert len(app.state.session.fresh_ledger().judgments()) == 0
