"""A server killed in the middle of answering keeps every acknowledged answer, each once."""

import http.client
import json
import re
import threading
from contextlib import closing
from urllib.parse import urlencode, urlsplit

from steelyard.storage.database import open_database
from steelyard.study.log.entries import Answer
from tests.commands import PATIENCE
from tests.serving import serving, write_study

RATERS = 6


class Person:
    """A rater with an HTTP client."""

    def __init__(self, address, patience=PATIENCE):
        self.patience = patience
        self.host = urlsplit(address).netloc
        self.cookies = {}
        self.acknowledged = []

    def ask(self, method, path, body=None, headers=None):
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with closing(http.client.HTTPConnection(self.host, timeout=self.patience)) as connection:
            connection.request(method, path, body, {"Cookie": cookie, **(headers or {})})
            response = connection.getresponse()
            text = response.read().decode()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return response.status, text

    def post_form(self, path, **fields):
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urlencode(fields), headers)

    def start(self, name):
        self.post_form("/join", csrf=self.token("/join"), name=name)
        self.post_form("/welcome", csrf=self.token("/welcome"), agree="1")
        self.csrf = self.token("/task")

    def token(self, path):
        return re.search(r'name="csrf" content="([^"]+)"', self.ask("GET", path)[1]).group(1)

    def work(self):
        """Answer until the server is killed; remember acknowledged answers."""
        try:
            state = json.loads(self.ask("GET", "/api/task")[1])
            while state["state"] == "task":
                task = state["task"]
                cells = [{"item": at, "question": 0, "score": 30} for at in range(len(task["items"]))]
                body = json.dumps({"assignment": task["assignment"], "answers": cells})
                headers = {"Content-Type": "application/json", "X-CSRF-Token": self.csrf}
                status, text = self.ask("POST", "/api/answers", body, headers)
                assert status == 200, text
                self.acknowledged.append(task["assignment"])
                state = json.loads(text)
        except (OSError, http.client.HTTPException):
            return


def stored_assignments(folder):
    return [entry.assignment for entry in open_database(folder).since(0) if isinstance(entry, Answer)]


def test_every_acknowledged_answer_survives_kill_9_and_is_stored_once(tmp_path):
    folder = tmp_path / "study"
    items = [(f"i{at}", f"Item {at}") for at in range(400)]
    key = write_study(folder, protocol="list", extra="redundancy = 6", items=items)
    with serving(folder, key) as served:
        people = [Person(served.address) for _ in range(RATERS)]
        for at, person in enumerate(people):
            person.start(f"rater {at}")
        threads = [threading.Thread(target=person.work) for person in people]
        for thread in threads:
            thread.start()
        while sum(len(person.acknowledged) for person in people) < 60:
            assert any(thread.is_alive() for thread in threads)
            threads[0].join(0.02)
        served.kill()
        for thread in threads:
            thread.join()
    acknowledged = [assignment for person in people for assignment in person.acknowledged]
    stored = stored_assignments(folder)
    assert len(acknowledged) >= 60
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))

    with serving(folder, key) as again:
        for person in people:
            person.host = urlsplit(again.address).netloc
        late = threading.Thread(target=people[0].work)
        late.start()
        while len(people[0].acknowledged) <= len(acknowledged) // RATERS // 2 and late.is_alive():
            late.join(0.02)
        again.kill()
        late.join()
    stored = stored_assignments(folder)
    assert set(people[0].acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))
    tasks = [
        (entry.task, entry.rater) for entry in open_database(folder).since(0) if isinstance(entry, Answer)
    ]
    assert len(tasks) == len(set(tasks))
