"""The client against the real command, with a study that it creates."""

import json
import os
import re
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from steelyard import Client, Steelyard
from steelyard.client.signatures import verify
from steelyard.errors import BadSetting, RequestRefused, ServerUnreachable, StillCollecting
from steelyard.storage.server_keys import ServerKeys
from steelyard.web.service import Creating, create_service
from tests.commands import PATIENCE, launch
from tests.postgres import server_url
from tests.storage.test_kill import Person
from tests.stores import STORES
from tests.web.hooks.receiving import receiving

ITEMS = [{"id": f"i{at}", "text": f"Item {at}"} for at in range(6)]


@contextmanager
def creating_server(root, *options):
    """A server that creates studies in a folder; its address."""
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as messages:
        with open(writer, "w", encoding="utf-8") as stderr:
            arguments = ("--create-in", str(root), "--most-studies", "2", "--port", "0", *options)
            process = launch("serve", *arguments, stderr=stderr)
        try:
            address = None
            for line in messages:
                match = re.search(r"Studies are created at: (http://\S+)", line)
                address = match.group(1) if match else address
                if line.startswith("Press Ctrl-C"):
                    break
            assert address, "the server did not start"
            yield address
        finally:
            process.terminate()
            process.wait()


@pytest.mark.parametrize("store", STORES)
def test_a_pipeline_creates_a_study_adds_items_waits_and_reads_the_scale(tmp_path, store):
    options = ["--workers", "2", "--webhooks-to", "127.0.0.0/8"]
    name = "meals" if store == "sqlite" else f"p{os.getpid()}"
    options += ["--database", server_url()] if store == "postgres" else []
    token = ServerKeys(tmp_path).add_key("pipeline", 0.0)
    with receiving() as receiver, creating_server(tmp_path, *options) as address:
        server = Client(address, token, PATIENCE)
        created = server.create_study(name, ITEMS, protocol="list", list_size=4, redundancy=1, seed=1)
        assert server.studies()[0] == {"name": name, "url": created.url}
        study = Client(created.url, created.owner_key, PATIENCE)
        assert (study.study().protocol, study.study().items) == ("list", 6)
        hook = study.add_webhook(receiver.url)
        study.test_webhook(hook.id)
        headers, body = receiver.next()
        verify(hook.secret, headers, body)
        assert study.add_items({"id": ["i6", "i7", "i0"], "text": ["Six", "Seven", "Item 0"]}).unchanged == (
            "i0",
        )
        assert len(study.items()) == 8
        with pytest.raises(StillCollecting, match="0 of 8"):
            study.wait(seconds=0)
        person = Person(created.url)
        person.start("Ann")
        person.work()
        progress = study.wait(seconds=PATIENCE, every=0.2)
        assert (progress.judgments, progress.ended, progress.raters) == (8, True, 1)
        events = set()  # judgments may be announced in several messages
        while not events >= {"judgments.added", "study.stopped"}:
            events.add(json.loads(receiver.next()[1])["event"])
        assert {each.state for each in study.deliveries(hook.id)} <= {"delivered", "pending"}
        scale = study.scale()
        assert {row["item"] for row in scale} == {f"i{at}" for at in range(8)}
        judgments = study.judgments()
        assert len(Steelyard().fit(judgments).scale) == 8
        assert study.download("scale", tmp_path / "scale.csv").read_text().startswith("item,")
        assert study.pause().paused
        assert study.invite("Bo").link.startswith(created.url)
        study.remove_webhook(hook.id)
        assert len(study.webhooks()) == 0


def test_refusals_and_unreachable_servers_are_errors_with_sentences(tmp_path):
    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:9"):
        Client("http://127.0.0.1:9", "token").progress()
    with pytest.raises(BadSetting, match="address"):
        Client("rate.example.org", "token")
    with pytest.raises(BadSetting, match="token"):
        Client("https://rate.example.org", "")
    token = ServerKeys(tmp_path).add_key("pipeline", 0.0)
    with creating_server(tmp_path) as address:
        with pytest.raises(RequestRefused, match="not valid") as wrong:
            Client(address, "wrong", PATIENCE).studies()
        assert wrong.value.status == 401
        with pytest.raises(RequestRefused, match="name") as refused:
            Client(address, token, PATIENCE).create_study("../x", ITEMS)
        assert refused.value.status == 422
        with pytest.raises(RequestRefused, match="no study at this address") as empty:
            Client(address, token, PATIENCE).progress()
        assert empty.value.status == 404


def test_a_token_is_not_shown_by_a_client():
    assert "secret" not in repr(Client("https://rate.example.org", "secret"))
    assert "secret" not in repr(vars(Client("https://rate.example.org", "secret")))


def test_a_study_that_one_process_creates_is_served_by_another_and_after_a_restart(tmp_path):
    token = ServerKeys(tmp_path).add_key("pipeline", 0.0)
    creating = Creating(tmp_path, (8001, 8002), "https://s{number}.example.org")
    first, second = (create_service((), creating=creating) for _ in range(2))
    made = TestClient(first, base_url="http://testserver:8002").post(
        "/api/studies", json={"name": "meals", "items": ITEMS}, headers={"Authorization": f"Bearer {token}"}
    )
    assert (made.status_code, made.json()["url"]) == (201, "https://s1.example.org")
    for service in (first, second, create_service((), creating=creating)):
        client = TestClient(service, base_url="http://testserver:8001")
        key = {"Authorization": f"Bearer {made.json()['owner_key']}"}
        assert client.get("/api/study", headers=key).json()["items"] == 6
        assert client.get("/api/study", headers={"Authorization": f"Bearer {token}"}).status_code == 401
        assert TestClient(service, base_url="http://testserver:8002").get("/").status_code == 404
