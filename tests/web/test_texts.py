"""Every text of study.toml and of the items is cleaned or escaped on every page that shows it."""

import pytest

from tests.web.conftest import answer_to, come_from_prolific, csrf_of
from tests.web.test_owner import sign_in

PAYLOAD = "<img src=x onerror=alert(1)><script>alert(2)</script>"
RAW = ("<img src=x", "<script>alert")
STUDY = f"""
title = "{PAYLOAD}"
protocol = "rating"
instructions = "{PAYLOAD}"
consent = "{PAYLOAD}"
kept = "{PAYLOAD}"
open_link = true
prolific = true
completion_code = "C1"
redundancy = 1

[[survey]]
id = "job"
text = "{PAYLOAD}"

[items]
file = "items.csv"
show = ["source"]

[scale]
labels = ["{PAYLOAD}", "{PAYLOAD} 2"]

[[questions]]
text = "{PAYLOAD}"
"""


def hostile(folder):
    (folder / "items.csv").write_text(
        f'id,text,system,source\n"{PAYLOAD}","{PAYLOAD}","{PAYLOAD}","{PAYLOAD}"\nb,Tea,s,x\n'
    )
    (folder / "study.toml").write_text(STUDY)


@pytest.fixture
def app_and_key(make_app):
    return make_app(hostile)


def clean(response):
    assert response.status_code == 200, response.text
    assert "text/html" in response.headers["content-type"]
    return not [each for each in RAW if each in response.text]


def test_pages_of_raters_contain_no_tag_from_a_text_of_the_study(app_and_key, visit):
    client = visit(app_and_key[0])
    assert clean(client.get("/join"))
    come_from_prolific(client)
    assert clean(client.get("/welcome"))
    csrf = csrf_of(client.get("/welcome"))
    client.post("/welcome", data={"csrf": csrf, "agree": "1"})
    assert clean(client.get("/survey"))
    client.post("/survey", data={"csrf": csrf, "q-job": PAYLOAD})
    assert clean(client.get("/task"))
    for _ in range(2):
        task = client.get("/api/task").json()["task"]
        answer = client.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
        assert answer.headers["content-type"] == "application/json"
    assert clean(client.get("/thanks"))


def test_pages_of_the_owner_contain_no_tag_from_a_text_of_the_study_or_of_a_rater(app_and_key, visit):
    app, _key = app_and_key
    session = app.state.session
    rater = session.join(PAYLOAD, "link")
    session.note("noted", rater.id, {"text": PAYLOAD})
    session.note("excluded", rater.id, {"reason": PAYLOAD})
    name = session.log.add_key("<img src=x>", "owner", 1.0)
    owner = sign_in(visit, app, name)
    for path in (
        "/owner",
        "/owner/live",
        "/owner/items",
        f"/owner/raters/{rater.id}",
        "/owner/acts",
        "/owner/report",
    ):
        assert clean(owner.get(path)), path
    assert clean(owner.get("/owner/items/b"))
