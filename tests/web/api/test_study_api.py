import json

import pytest
from pydantic import TypeAdapter

from steelyard.kinds.known import PROTOCOLS
from steelyard.storage.database import open_database
from steelyard.storage.keys import OF_A_STUDY
from steelyard.web.answer_payloads import answer_in
from steelyard.web.api.examples import EXAMPLES
from steelyard.web.api.payloads import StudyOut, StudyProgressOut
from tests.study.making import work
from tests.web.conftest import answer_to, start_rating

NEW = {"items": [{"id": "x1", "text": "New"}]}
HOOK = {"url": "https://example.org/hook", "events": ["study.stopped"]}
REQUESTS = {
    "read:results": [
        ("GET", "/api/study", None),
        ("GET", "/api/study/progress", None),
        ("GET", "/api/study/items", None),
        ("GET", "/api/study/scale", None),
        ("GET", "/api/study/judgments", None),
        ("GET", "/api/study/files/judgments.csv", None),
    ],
    "write:items": [("POST", "/api/study/items", NEW)],
    "manage:study": [
        ("POST", "/api/study/pause", None),
        ("POST", "/api/study/resume", None),
        ("POST", "/api/study/raters", {"name": "Ann"}),
        ("GET", "/api/study/files/raters.csv", None),
        ("GET", "/api/study/webhooks", None),
        ("POST", "/api/study/webhooks", HOOK),
    ],
}


@pytest.fixture
def api(make_app, visit, still):
    """A study, a browser-like client without a token, and a function that returns headers with a token."""
    app, key = make_app(extra="redundancy = 1\nlist_size = 5")
    database = open_database(app.state.session.study.folder)

    def token(*scopes):
        made = database.add_key(f"t{len(database.access_keys())}", "program", 0.0, scopes) if scopes else key
        return {"Authorization": f"Bearer {made}"}

    return app, visit(app), token


def test_every_route_needs_its_scope_and_no_other(api):
    _, client, token = api
    headers = {scope: token(scope) for scope in OF_A_STUDY}
    for scope, requests in REQUESTS.items():
        for method, path, body in requests:
            for other in OF_A_STUDY:
                answer = client.request(method, path, json=body, headers=headers[other])
                assert (answer.status_code == 403) == (other != scope), (method, path, other)
                assert other != scope or answer.status_code < 300


def test_without_a_valid_token_nothing_is_read_and_tries_are_limited(api):
    _, client, _ = api
    for requests in REQUESTS.values():
        for method, path, body in requests:
            refused = client.request(method, path, json=body)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    statuses = [
        client.get("/api/study", headers={"Authorization": f"Bearer wrong{at}"}).status_code
        for at in range(12)
    ]
    assert statuses == [401] * 10 + [429] * 2


def test_a_token_that_is_revoked_stops_working(api):
    app, client, token = api
    headers = token("read:results")
    assert client.get("/api/study", headers=headers).status_code == 200
    open_database(app.state.session.study.folder).revoke_key("t1")
    assert client.get("/api/study", headers=headers).status_code == 401


def test_a_token_opens_no_page_and_a_cookie_opens_no_api(api):
    _, client, token = api
    made = token("read:results", "manage:study")["Authorization"].removeprefix("Bearer ")
    assert client.get("/owner/enter", params={"key": made}).status_code == 403
    owner = token()["Authorization"].removeprefix("Bearer ")
    assert client.get("/owner/enter", params={"key": owner}).status_code == 303
    assert client.get("/owner/report").status_code == 200
    assert client.post("/api/study/pause").status_code == 401


def test_progress_scale_and_judgments_follow_the_answers(api):
    app, client, token = api
    session = app.state.session
    client.headers.update(token("read:results"))
    before = client.get("/api/study/progress").json()
    assert TypeAdapter(StudyProgressOut).validate_python(before, strict=True) == before
    assert (before["judgments"], before["ended"]) == (0, False)
    assert client.get("/api/study/scale").json()["rows"] == []
    work(session, session.join("Ann", "link").id)
    after = client.get("/api/study/progress").json()
    assert (after["judgments"], after["wanted"], after["raters"], after["ended"]) == (10, 10, 1, True)
    assert after["arms"][0]["status"] == "complete"
    scale = client.get("/api/study/scale").json()
    assert scale["total"] == len(scale["rows"]) == 10
    assert {"item", "position", "low", "high"} <= set(scale["rows"][0])
    pages = [client.get("/api/study/judgments", params={"start": at, "most": 4}).json() for at in (0, 4, 8)]
    rows = [row for page in pages for row in page["rows"]]
    lines = client.get("/api/study/files/judgments.jsonl").text.splitlines()
    assert rows == [json.loads(line) for line in lines]
    assert client.get("/api/study/judgments", params={"condition": "no"}).status_code == 404


def test_rows_that_a_program_reads_are_in_the_audit_trail(api):
    app, client, token = api
    session = app.state.session
    client.headers.update(token("read:results"))
    work(session, session.join("Ann", "link").id)
    client.get("/api/study/judgments", params={"start": 8, "most": 4})
    client.get("/api/study/scale", params={"most": 3})
    assert client.get("/api/study/judgments", params={"condition": "no"}).status_code == 404
    assert [(act.what, act.who, act.details) for act in session.log.acts()] == [
        ("exported", "t1", "table: judgments, start: 8, rows: 2"),
        ("exported", "t1", "table: scale, start: 0, rows: 3"),
    ]


def test_items_added_by_a_program_are_asked(api):
    app, client, token = api
    client.headers.update(token("write:items", "read:results"))
    session = app.state.session
    rater = session.join("Ann", "link").id
    work(session, rater, tasks=1)
    reply = client.post("/api/study/items", json=NEW)
    assert reply.json() == {"added": ["x1"], "unchanged": [], "items": 11}
    assert client.get("/api/study/items", params={"start": 10}).json()["items"][0]["content"] == "New"
    asked = {item for task in work(session, rater) for item in task.items}
    assert "x1" in asked
    changed = client.post("/api/study/items", json={"items": [{"id": "x1", "text": "Other"}]})
    assert changed.status_code == 409
    mistaken = client.post("/api/study/items", json={"items": [{"id": "x2", "words": "Other"}]})
    assert mistaken.status_code == 422
    assert "unknown column 'words'" in mistaken.json()["message"]
    assert client.get("/api/study").json()["items"] == 11


def test_a_large_body_is_read_only_with_a_token(api):
    _, client, token = api
    large = {"items": [{"id": f"n{at}", "text": "word " * 100} for at in range(1_000)]}
    assert client.post("/api/study/items", json=large).status_code == 401
    assert client.post("/api/study/items", json=large, headers=token("write:items")).status_code == 200
    assert client.post("/api/study/raters", json=large, headers=token("manage:study")).status_code == 413


def test_a_program_pauses_resumes_and_invites(api, visit):
    app, client, token = api
    client.headers.update(token("manage:study"))
    assert client.post("/api/study/pause").json()["paused"] is True
    link = client.post("/api/study/raters", json={"name": "Ines"}).json()["link"]
    with visit(app) as rater:
        assert rater.get(link.removeprefix("http://testserver")).status_code == 303
        assert "Ines" not in rater.get("/task").text
    assert client.post("/api/study/resume").json()["paused"] is False


def test_what_a_program_does_is_in_the_audit_trail_with_the_name_of_its_token(api):
    app, client, token = api
    client.headers.update(token("manage:study", "write:items", "read:results"))
    client.post("/api/study/pause")
    client.post("/api/study/raters", json={"name": "Ines"})
    client.post("/api/study/items", json=NEW)
    client.get("/api/study/files/scale.csv")
    added = client.post("/api/study/webhooks", json=HOOK).json()["id"]
    client.delete(f"/api/study/webhooks/{added}")
    acts = open_database(app.state.session.study.folder).acts()
    names = ["paused", "invited", "items_added", "exported", "webhook_added", "webhook_removed"]
    assert [act.what for act in sorted(acts, key=lambda act: act.at)][-6:] == names
    assert {act.who for act in acts} == {"t1"}


def test_webhooks_are_added_listed_tested_and_removed_and_the_secret_is_shown_once(api):
    _, client, token = api
    client.headers.update(token("manage:study"))
    made = client.post("/api/study/webhooks", json=HOOK).json()
    assert made["secret"].startswith("whsec_")
    assert made["secret"] not in client.get("/api/study/webhooks").text
    path = f"/api/study/webhooks/{made['id']}"
    sent = client.post(f"{path}/test").json()["id"]
    (delivery,) = client.get(f"{path}/deliveries").json()["deliveries"]
    assert (delivery["id"], delivery["event"], delivery["state"]) == (sent, "test", "pending")
    assert client.delete(path).status_code == 204
    assert client.delete(path).status_code == client.post(f"{path}/test").status_code == 404
    for url in ("http://example.org/", "https://127.0.0.1/", "https://169.254.169.254/latest"):
        assert client.post("/api/study/webhooks", json={**HOOK, "url": url}).status_code == 422


def test_the_owner_sees_that_a_webhook_fails(api):
    app, client, token = api
    owner = token()["Authorization"].removeprefix("Bearer ")
    made = client.post("/api/study/webhooks", json=HOOK, headers=token("manage:study")).json()
    webhooks = app.state.access.webhooks
    webhooks.test(made["id"], {}, 0.0)
    ((_, delivery),) = webhooks.take_due(1.0, 5)
    webhooks.settle(delivery, "the receiver answered with status 500.", 1.0)
    client.get("/owner/enter", params={"key": owner})
    assert (
        "https://example.org/hook could not be notified: the receiver answered" in client.get("/owner").text
    )
    assert "status 500" in client.get("/api/study/webhooks", headers=token()).json()["webhooks"][0]["problem"]


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.__name__)
def test_the_examples_are_as_their_types_say(kind):
    assert TypeAdapter(kind).validate_python(EXAMPLES[kind], strict=True) == EXAMPLES[kind]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_openapi_describes_the_answers_of_each_kind(make_app, visit, protocol):
    app, _ = make_app(protocol=protocol)
    document = visit(app).get("/api/openapi.json").json()
    body = document["paths"]["/api/answers"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    answer = document["components"]["schemas"][body["$ref"].rpartition("/")[2]]
    cell = document["components"]["schemas"][
        answer["properties"]["answers"]["items"]["$ref"].rpartition("/")[2]
    ]
    kind = PROTOCOLS[protocol].kind
    declared = app.state.session.study.definition.kind
    assert declared.name == kind
    assert set(cell["properties"]) == set(
        answer_in(declared).model_json_schema()["$defs"][cell["title"]]["properties"]
    )
    assert set(declared.cell.values) <= set(cell["properties"])


def test_openapi_has_an_example_of_every_response_and_body_for_owners(api):
    _, client, _ = api
    document = client.get("/api/openapi.json").json()
    owners = {
        (path, method): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if "owners" in operation.get("tags", ())
    }
    assert len(owners) == 15
    for operation in owners.values():
        assert operation["security"] == [{"token": []}]
        assert operation["description"].startswith("A token with ")
        (success,) = [each for status, each in operation["responses"].items() if status.startswith("2")]
        json_content = success.get("content", {}).get("application/json")
        assert json_content is None or json_content["example"]
        for content in operation.get("requestBody", {}).get("content", {}).values():
            name = content["schema"]["$ref"].rpartition("/")[2]
            assert document["components"]["schemas"][name]["examples"]
    assert set(document["webhooks"]) == {"judgments.added", "study.stopped"}


def test_the_answers_of_raters_still_arrive(make_app, visit):
    app, key = make_app(extra="redundancy = 1\nlist_size = 5")
    client = visit(app)
    csrf = start_rating(client)
    task = client.get("/api/task").json()["task"]
    assert (
        client.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf}).status_code == 200
    )
    facts = client.get("/api/study", headers={"Authorization": f"Bearer {key}"}).json()
    assert TypeAdapter(StudyOut).validate_python(facts, strict=True) == facts
