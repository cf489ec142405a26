"""HTML items are shown in a frame without scripts, with a policy of its own."""

import pytest

from steelyard.study.definition.items import Item
from steelyard.study.definition.labels import label_of
from tests.web.conftest import answer_to, start_rating
from tests.web.test_owner import sign_in

HOSTILE = "<p>Soup</p><script>parent.alert(1)</script><img src=https://elsewhere.example/x onerror=alert(1)>"


def as_html(folder):
    quoted = HOSTILE.replace('"', '""')
    (folder / "items.csv").write_text(f'id,html\nsecret-system,"{quoted}"\nother,<b>Tea</b>\n')


@pytest.fixture
def app_and_key(make_app):
    return make_app(as_html, protocol="rating")


@pytest.fixture
def rater(app_and_key, visit):
    client = visit(app_and_key[0])
    client.csrf_token = start_rating(client)
    return client


def frame_of(client):
    (item,) = client.get("/api/task").json()["task"]["items"]
    assert item["kind"] == "html"
    assert "html" not in item
    assert "text" not in item
    return item["url"]


def test_the_page_gets_an_address_for_a_frame_and_the_frame_may_run_load_and_send_nothing(rater):
    response = rater.get(frame_of(rater))
    assert response.headers["content-type"].startswith("text/html")
    parts = dict(each.partition(" ")[::2] for each in response.headers["content-security-policy"].split("; "))
    assert parts["sandbox"] == ""
    assert parts["default-src"] == parts["form-action"] == parts["base-uri"] == "'none'"
    assert parts["frame-ancestors"] == "'self'"
    assert "script-src" not in parts
    assert "https:" not in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"


def test_only_pages_of_the_study_may_be_framed_and_only_frames_of_the_study_are_shown(rater):
    policy = rater.get("/task").headers["content-security-policy"]
    assert "frame-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


def test_a_frame_opens_only_for_whom_it_was_shown(app_and_key, rater, visit):
    address = frame_of(rater)
    assert visit(app_and_key[0]).get(address).status_code == 403
    other = visit(app_and_key[0])
    start_rating(other, "Ben")
    assert other.get(address).status_code == 404


def test_the_owner_sees_the_item_in_a_frame_too_and_its_id_in_tables(app_and_key, rater, visit):
    task = rater.get("/api/task").json()["task"]
    headers = {"X-CSRF-Token": rater.csrf_token}
    assert rater.post("/api/answers", json=answer_to(task), headers=headers).status_code == 200
    owner = sign_in(visit, *app_and_key)
    page = owner.get("/owner/items/secret-system").text
    assert "<iframe" in page
    assert " sandbox " in page
    assert "parent.alert" not in page
    assert "sandbox" in owner.get("/owner/media/0").headers["content-security-policy"]


def test_the_label_of_an_html_item_is_its_id():
    assert label_of(Item("soup", "html", "<p>Soup</p>")) == "soup"
