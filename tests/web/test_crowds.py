"""People from MTurk and from a panel: how they enter, what they see, and how they get back."""

import re

import pytest

from tests.web.conftest import answer_to, csrf_of

WORKER = {
    "workerId": "A1WORKER",
    "assignmentId": "3ASSIGN",
    "hitId": "3HIT",
    "turkSubmitTo": "https://workersandbox.mturk.com",
}
PANEL = """
[panel]
name = "Panel One"
person = "rid"
session = "visit"
completed = "https://panel.example/done?rid={person}&v={session}&code={code}"
full = "https://panel.example/full?rid={person}"
screened_out = "https://panel.example/out?rid={person}"
"""
ONE = [("a", "one")]
SECURE = "https://testserver"


def come(client, path, **parameters):
    """Open the link of a crowd and press Continue; return the response."""
    page = client.get(path, params=parameters)
    if 'id="continue"' not in page.text:
        return page
    return client.post(path, data={**parameters, "csrf": csrf_of(page)})


def agree(client):
    csrf = csrf_of(client.get("/welcome"))
    client.post("/welcome", data={"csrf": csrf, "agree": "1"})
    return csrf


def work(client, csrf=None):
    csrf = agree(client) if csrf is None else csrf
    state = client.get("/api/task").json()
    while state["state"] == "task":
        state = client.post(
            "/api/answers", json=answer_to(state["task"]), headers={"X-CSRF-Token": csrf}
        ).json()


def joined(app):
    return [(rater.source, rater.key, rater.submission) for rater in app.state.session.roster.all()]


def test_a_worker_finishes_and_submits_the_assignment_to_the_sandbox(make_app, visit):
    app, _ = make_app(protocol="rating", items=ONE, extra="mturk = true")
    worker = visit(app, address=SECURE)
    assert come(worker, "/mturk", **WORKER).status_code == 303
    work(worker)
    shown = worker.get("/thanks").text
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in shown
    assert dict(re.findall(r'name="(assignmentId|rater|outcome)" value="([^"]*)"', shown)) == {
        "assignmentId": "3ASSIGN",
        "rater": "r-01",
        "outcome": "completed",
    }
    assert joined(app) == [("mturk", "A1WORKER", "3ASSIGN https://workersandbox.mturk.com")]
    assert "A1WORKER" not in repr(list(app.state.session.log.since(0)))


def test_a_preview_shows_a_task_and_creates_nobody(make_app, visit):
    app, _ = make_app(protocol="rating", extra="mturk = true")
    shown = visit(app).get("/mturk", params={"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HIT"})
    assert shown.status_code == 200
    assert "Green tea with honey" in shown.text
    assert '<div id="task" inert>' in shown.text
    assert joined(app) == []
    assert "set-cookie" not in shown.headers


@pytest.mark.parametrize(
    "host", ["https://evil.example", "http://www.mturk.com", "https://www.mturk.com.evil.example", ""]
)
def test_answers_go_to_no_other_host_than_those_of_mturk(make_app, visit, host):
    app, _ = make_app(extra="mturk = true")
    assert come(visit(app, address=SECURE), "/mturk", **{**WORKER, "turkSubmitTo": host}).status_code == 400
    assert joined(app) == []


def test_only_mturk_may_frame_the_pages_of_raters_and_nobody_those_of_owners(make_app, visit):
    app, key = make_app(extra="mturk = true")
    client = visit(app, follow=True)
    policies = {
        path: client.get(path).headers["content-security-policy"]
        for path in (
            "/mturk",
            "/task",
            "/thanks",
            f"/owner/enter?key={key}",
            "/owner/report",
            "/join",
            "/studies",
        )
    }
    ancestors = {path: policy.split("frame-ancestors ")[1] for path, policy in policies.items()}
    sites = "'self' https://worker.mturk.com https://www.mturk.com https://workersandbox.mturk.com"
    framed = {path for path, allowed in ancestors.items() if allowed == sites}
    assert framed == {"/mturk", "/task", "/thanks"}
    assert {allowed for path, allowed in ancestors.items() if path not in framed} == {"'none'"}
    assert "form-action 'self' https://www.mturk.com https://workersandbox.mturk.com;" in policies["/thanks"]


def test_a_study_without_mturk_is_never_framed(make_app, visit):
    client = visit(make_app()[0])
    assert client.get("/mturk", params=WORKER).status_code == 404
    assert client.get("/task").headers["content-security-policy"].endswith("frame-ancestors 'none'")


def test_cookies_of_a_frame_are_bound_to_the_site_around_it(make_app, visit):
    app, _ = make_app(extra="mturk = true")
    worker = visit(app, address=SECURE)
    for response in (worker.get("/mturk", params=WORKER), come(worker, "/mturk", **WORKER)):
        for cookie in response.headers.get_list("set-cookie"):
            assert cookie.endswith("HttpOnly; Secure; SameSite=None; Partitioned")


def test_a_worker_who_returned_the_hit_continues_with_a_new_assignment_in_the_same_browser(make_app, visit):
    app, _ = make_app(protocol="rating", extra="mturk = true\ntasks_per_rater = 2")
    here, elsewhere = visit(app, address=SECURE), visit(app, address=SECURE)
    come(here, "/mturk", **WORKER)
    csrf = agree(here)
    task = here.get("/api/task").json()["task"]
    here.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    again = {**WORKER, "assignmentId": "3SECOND"}
    assert come(elsewhere, "/mturk", **again).status_code == 403
    assert come(here, "/mturk", **again).status_code == 303
    work(here, csrf)
    assert 'value="3SECOND"' in here.get("/thanks").text
    assert come(here, "/mturk", **{**WORKER, "assignmentId": "3THIRD"}).status_code == 403


def test_a_worker_for_whom_nothing_is_left_returns_the_hit(make_app, visit):
    app, _ = make_app(protocol="rating", items=ONE, extra="mturk = true\nredundancy = 1")
    first, late = visit(app, address=SECURE), visit(app, address=SECURE)
    come(first, "/mturk", **WORKER)
    work(first)
    shown = come(late, "/mturk", **{**WORKER, "workerId": "A2", "assignmentId": "3B"}).text
    assert "Please return this HIT" in shown
    assert "externalSubmit" not in shown


def test_a_person_from_a_panel_returns_with_their_ids_and_the_code(make_app, visit):
    extra = 'completion_code = "C&1"\nredundancy = 1\n' + PANEL
    app, _ = make_app(protocol="rating", items=ONE, extra=extra)
    first, late = visit(app), visit(app)
    assert come(first, "/panel", rid="p 1", visit="v1").status_code == 400
    assert come(first, "/panel", rid="p/1").status_code == 400
    assert come(first, "/panel", rid="p/1", visit="v1").status_code == 303
    work(first)
    shown = first.get("/thanks").text
    assert 'href="https://panel.example/done?rid=p%2F1&amp;v=v1&amp;code=C%261"' in shown
    assert "Return to Panel One" in shown
    full = come(late, "/panel", rid="p2", visit="v2").text
    assert 'href="https://panel.example/full?rid=p2"' in full
    assert joined(app) == [("panel", "p/1", "v1")]
    assert come(late, "/panel", rid="p/1", visit="guessed").status_code == 403


def test_people_who_took_part_before_are_sent_back_by_the_link_for_it(make_app, visit, tmp_path):
    earlier, _ = make_app(protocol="rating", extra=PANEL)
    come(visit(earlier), "/panel", rid="p1", visit="v1")
    folder = earlier.state.session.study.folder
    app, _ = make_app(protocol="rating", extra=f'exclude_raters_of = ["{folder}"]\n' + PANEL)
    shown = come(visit(app), "/panel", rid="p1", visit="v9").text
    assert "already taken part" in shown
    assert 'href="https://panel.example/out?rid=p1"' in shown
    assert joined(app) == []
