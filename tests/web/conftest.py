import re
from functools import partial

import pytest
from starlette.testclient import TestClient

from steelyard.web import access
from steelyard.web.api import studies_routes
from steelyard.web.app import create_app
from steelyard.web.limits import Limit
from tests.serving import write_study


@pytest.fixture
def make_app(tmp_path):
    """An application on a small study, and the owner's key. Its processes end with the test."""
    apps = []

    def build(change=None, **settings):
        folder = tmp_path / f"study{len(list(tmp_path.iterdir()))}"
        key = write_study(folder, **settings)
        if change is not None:
            change(folder)
        apps.append(create_app(folder))
        return apps[-1], key

    yield build
    for app in apps:
        app.state.desk.stop()


@pytest.fixture
def visit():
    """A browser of its own on an application."""
    return lambda app, follow=False, address="http://testserver", host="192.0.2.250": TestClient(
        app, follow_redirects=follow, base_url=address, client=(host, 50000)
    )


@pytest.fixture
def still(monkeypatch):
    """A clock, as a list of one time, by which applications limit visitors. It stands still until it is set forward."""
    now = [0.0]
    for module in (access, studies_routes):
        monkeypatch.setattr(module, "Limit", partial(Limit, clock=lambda: now[0]))
    return now


def csrf_of(page):
    return re.search(r'name="csrf" content="([^"]+)"', page.text).group(1)


def start_rating(client, name="Ines"):
    """Join, agree, and give the token that answers must carry."""
    csrf = csrf_of(client.get("/join"))
    assert client.post("/join", data={"csrf": csrf, "name": name}).status_code == 303
    csrf = csrf_of(client.get("/welcome"))
    assert client.post("/welcome", data={"csrf": csrf, "agree": "1"}).status_code == 303
    return csrf


def answer_to(task, score=40.0):
    cells = [
        {"item": item, "question": question, "score": score}
        for item in range(len(task["items"]))
        for question in range(len(task["questions"]))
    ]
    return {"assignment": task["assignment"], "answers": cells, "milliseconds": 900, "shown": {"width": 1280}}


IDS = {"PROLIFIC_PID": "5f1e2d3c4b5a", "STUDY_ID": "st1", "SESSION_ID": "se1"}


def come_from_prolific(client, **ids):
    """Open the link of Prolific and press Continue; return the response."""
    ids = {**IDS, **ids}
    page = client.get("/p", params=ids)
    if 'id="continue"' not in page.text:
        return page
    return client.post("/p", data={**ids, "csrf": csrf_of(page)})
