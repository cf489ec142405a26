"""A server that is stopped with SIGTERM finishes the requests that it has received."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from steelyard.storage.database import open_database
from steelyard.storage.statements import LOCK
from tests.commands import PATIENCE
from tests.serving import serving, write_study
from tests.storage.test_kill import Person, stored_assignments

ITEMS = [(f"i{at}", f"Item {at}") for at in range(100)]


def answering(person, task):
    """A connection on which an answer was sent and whose reply is not read yet."""
    cells = [{"item": at, "question": 0, "score": 30} for at in range(len(task["items"]))]
    cookie = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
    connection = http.client.HTTPConnection(person.host, timeout=person.patience)
    headers = {"Content-Type": "application/json", "X-CSRF-Token": person.csrf, "Cookie": cookie}
    body = json.dumps({"assignment": task["assignment"], "answers": cells})
    connection.request("POST", "/api/answers", body, headers)
    return connection


def children_of(pid):
    """The number of processes that any thread of a process has started."""
    started = 0
    for each in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            started += len(each.read_text().split())
    return started


def wait_until_closed(address):
    """Connect until the server accepts no connections any more."""
    parts = urlsplit(address)
    while True:
        try:
            socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE).close()
        except ConnectionError:
            return


@pytest.mark.parametrize("workers", [1, 2])
def test_an_answer_in_flight_is_stored_and_acknowledged_before_the_server_ends(tmp_path, workers):
    key = write_study(tmp_path, protocol="list", extra="redundancy = 6", items=ITEMS)
    with serving(tmp_path, key, options=("--workers", str(workers))) as served:
        person = Person(served.address)
        person.start("Ann")
        task = json.loads(person.ask("GET", "/api/task")[1])["task"]
        with open_database(tmp_path).locking() as connection:  # the answer has to wait, as behind a slow disk
            connection.execute(LOCK)
            with closing(answering(person, task)) as reply:
                for _ in range(
                    10 * workers
                ):  # each process reads its connections in the order of their arrival
                    person.ask("GET", "/static/words.js")
                served.process.send_signal(signal.SIGTERM)
                wait_until_closed(served.address)
                connection.rollback()
                response = reply.getresponse()
                assert (response.status, json.loads(response.read())["accepted"]) == (200, True)
        assert served.process.wait() == 0
    assert stored_assignments(tmp_path) == [task["assignment"]]


def test_a_server_stopped_under_load_keeps_what_it_acknowledged_and_starts_again(tmp_path):
    key = write_study(tmp_path, protocol="list", extra="redundancy = 6", items=ITEMS)
    with serving(tmp_path, key) as served:
        people = [Person(served.address) for _ in range(3)]
        for at, person in enumerate(people):
            person.start(f"rater {at}")
        threads = [threading.Thread(target=person.work) for person in people]
        for thread in threads:
            thread.start()
        while sum(len(person.acknowledged) for person in people) < 12:
            threads[0].join(0.02)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait() == 0
        for thread in threads:
            thread.join()
    acknowledged = [assignment for person in people for assignment in person.acknowledged]
    assert set(acknowledged) <= set(stored_assignments(tmp_path))
    with serving(tmp_path, key) as again:
        people[0].host = urlsplit(again.address).netloc
        assert people[0].ask("GET", "/api/task")[0] == 200


def test_ctrl_c_while_processes_beside_the_server_start_prints_no_error(tmp_path):
    write_study(tmp_path, protocol="list", extra='selection = "information"', items=ITEMS)
    command = [sys.executable, "-m", "steelyard", "serve", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, text=True) as server:
        for line in server.stderr:
            if line.startswith("Press Ctrl-C"):
                break
        while children_of(server.pid) < 2:  # the tracker of resources, and the server that forks processes
            time.sleep(0.02)
        os.killpg(server.pid, signal.SIGINT)  # as a terminal does
        assert server.stderr.read() == "Stopped. All answers are saved.\n"
    assert server.returncode == 0
