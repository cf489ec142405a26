"""Several studies and several processes behind one server."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from steelyard.cli.serve import has_index
from steelyard.storage.database import open_database
from steelyard.study.log.entries import Answer
from steelyard.web.service import Served, create_service
from tests.commands import finish
from tests.postgres import create_postgres
from tests.serving import serving, write_study
from tests.storage.test_kill import Person
from tests.stores import CHOSEN

ITEMS = [(f"i{at}", f"Item {at}") for at in range(60)]


def write_on_postgres(folder):
    """A study on PostgreSQL whose tasks depend on its estimates."""
    write_study(folder, extra='selection = "information"\nlist_size = 3\nredundancy = 4', items=ITEMS)
    for name in ("study.db", "database.toml"):
        (folder / name).unlink(missing_ok=True)
    return create_postgres(folder)[1]


def children(pid):
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_server(pid):
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return False


def two_servers_of(pid, without=None):
    """Wait until two workers run, none of them the one that was killed."""
    while True:
        servers = [each for each in children(pid) if is_server(each)]
        if len(servers) == 2 and without not in servers:
            return servers
        time.sleep(0.02)


def join_and_work(address, name):
    person = Person(address)
    person.start(name)
    person.work()
    return person.acknowledged


def test_two_workers_serve_any_request_and_one_that_dies_is_replaced(tmp_path):
    key = write_on_postgres(tmp_path / "study")
    with serving(tmp_path / "study", key, options=("--workers", "2")) as served:
        people = [Person(served.address) for _ in range(3)]
        for at, person in enumerate(people):
            person.start(f"rater {at}")
        threads = [threading.Thread(target=person.work) for person in people]
        for thread in threads:
            thread.start()
        servers = two_servers_of(served.process.pid)
        while sum(len(person.acknowledged) for person in people) < 10:
            threads[0].join(0.05)
        os.kill(servers[0], signal.SIGKILL)
        for thread in threads:
            thread.join()
        again = Person(served.address)
        again.start("late")
        working = threading.Thread(target=again.work)
        working.start()
        while not again.acknowledged:
            working.join(0.02)
        two_servers_of(served.process.pid, without=servers[0])
        served.process.terminate()  # with requests in progress
        assert served.process.wait() == 0
        working.join()
    stored = [
        entry.assignment for entry in open_database(tmp_path / "study").since(0) if isinstance(entry, Answer)
    ]
    assert {each for person in (*people, again) for each in person.acknowledged} <= set(stored)
    assert len(stored) == len(set(stored))
    assert again.acknowledged


@pytest.fixture
def two_studies(tmp_path):
    folders = [tmp_path / name for name in ("one", "two")]
    keys = [write_study(folder) for folder in folders]
    return folders, keys


def test_the_index_lists_only_studies_whose_owner_is_signed_in(two_studies):
    folders, keys = two_studies
    service = create_service((Served(folders[0], 8001), Served(folders[1], 8002)))
    first = TestClient(service, base_url="http://testserver:8001", follow_redirects=False)
    assert first.get("/studies").status_code == 403
    assert first.get(f"/owner/enter?key={keys[1]}").status_code == 403  # the key of the other study
    assert first.get(f"/owner/enter?key={keys[0]}").status_code == 303
    page = first.get("/studies").text
    assert "http://testserver:8001/owner" in page
    assert "8002" not in page
    second = TestClient(
        service, base_url="http://testserver:8002", follow_redirects=False, cookies=first.cookies
    )
    assert second.get(f"/owner/enter?key={keys[1]}").status_code == 303
    assert "http://testserver:8002/owner" in second.get("/studies").text
    assert "http://testserver:8001/owner" in second.get("/studies").text


@pytest.mark.parametrize(("hosts", "listed"), [(("a", "b"), 1), (("a", "a"), 2)])
def test_the_index_of_a_host_lists_its_studies_because_browsers_send_no_cookies_of_others(
    two_studies, hosts, listed
):
    folders, keys = two_studies
    urls = [f"https://{host}.example:{port}" for host, port in zip(hosts, (8001, 8002), strict=True)]
    served = (Served(folders[0], 8001, urls[0]), Served(folders[1], 8002, urls[1]))
    browser = TestClient(create_service(served), follow_redirects=False)
    for url, key in zip(urls, keys, strict=True):
        assert browser.get(f"{url}/owner/enter?key={key}").status_code == 303
    page = browser.get(f"{urls[0]}/studies").text
    assert sum(f"{url}/owner" in page for url in urls) == listed


def test_the_address_of_the_index_is_printed_only_where_it_lists_several_studies(tmp_path):
    one, other, third = (
        Served(tmp_path, 8001 + at, f"https://{host}.example") for at, host in enumerate("aab")
    )
    assert has_index((one, other, third))
    assert not has_index((third, one))
    assert not has_index((one,))
    assert has_index((Served(tmp_path, 8001), Served(tmp_path, 8002)))


def test_links_have_the_public_address_and_not_the_host_that_a_client_claims(two_studies):
    folders, _ = two_studies
    service = create_service((Served(folders[0], 80, "https://rate.example.org"),))
    client = TestClient(service, base_url="https://attacker.example", follow_redirects=False)
    csrf = client.get("/join").text.partition('name="csrf" content="')[2].partition('"')[0]
    joined = client.post("/join", data={"csrf": csrf, "name": "Ann"})
    assert joined.status_code == 303
    assert "secure" in joined.headers["set-cookie"].lower()
    page = client.get("/welcome").text
    assert "https://rate.example.org/r/" in page
    assert "attacker" not in page


def test_a_public_address_must_be_complete(tmp_path):
    write_study(tmp_path / "one")
    refused = finish("serve", str(tmp_path / "one"), "--public-url", "rate.example.org")
    assert refused.returncode == 2
    assert "is not an address such as https://" in refused.stderr


@pytest.mark.skipif(CHOSEN != "sqlite", reason="moves study.db; test_faults.py stops a PostgreSQL server")
def test_a_store_that_fails_shows_raters_a_page_and_the_owner_the_cause(tmp_path):
    key = write_study(tmp_path / "study")
    service = create_service((Served(tmp_path / "study", 80),))
    owner = TestClient(service, follow_redirects=False)
    owner.get(f"/owner/enter?key={key}")
    (tmp_path / "study" / "study.db").rename(tmp_path / "study" / "moved.db")
    page = owner.get("/join")
    assert page.status_code == 503
    assert page.headers["retry-after"]
    assert "study.db" not in page.text
    assert json.loads(owner.get("/api/task").text)["error"] == "refused"
    assert (
        "deleted or replaced" in owner.get("/owner").text
    )  # the process of the page starts now, and finds no file
    (tmp_path / "study" / "moved.db").rename(tmp_path / "study" / "study.db")
    assert owner.get("/join").status_code == 200
    assert owner.get("/owner").status_code == 200
    (tmp_path / "study" / "study.db").unlink()
    opened = owner.get("/owner")  # the process of the page still reads the file
    assert opened.status_code == 200
    assert "deleted or replaced" in opened.text
