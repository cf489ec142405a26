"""Headers of proxies about the client count only if they come from a proxy that the administrator named."""

import urllib.request

import pytest
from starlette.testclient import TestClient

from steelyard.web.service import Served, create_service
from steelyard.web.workers import Service
from tests.serving import serving, write_study
from tests.web.conftest import csrf_of

PROXY = "198.51.100.7"
STRANGER = "192.0.2.9"


@pytest.fixture
def behind(tmp_path, still):
    """Returns a function that makes clients of a study, which connect from an address."""
    write_study(tmp_path / "study", extra="joins_per_minute = 2")
    study = create_service((Served(tmp_path / "study", 80),))

    def connecting(peer, proxies=(PROXY, "203.0.113.0/24")):
        config = Service(lambda: study, proxies).server().config
        config.load()
        return lambda: TestClient(config.loaded_app, client=(peer, 50000), follow_redirects=False)

    return connecting


def join(client, forwarded):
    client.headers["X-Forwarded-For"] = forwarded
    return client.post("/join", data={"csrf": csrf_of(client.get("/join")), "name": "Ann"})


@pytest.mark.parametrize("peer", [PROXY, "203.0.113.20"])
def test_limits_count_the_address_that_a_trusted_proxy_forwards(behind, peer):
    visit = behind(peer)
    assert [join(visit(), "192.0.2.1").status_code for _ in range(3)] == [303, 303, 429]
    assert join(visit(), "192.0.2.2").status_code == 303


def test_an_address_that_a_client_claims_before_the_proxy_adds_its_own_is_not_used(behind):
    visit = behind(PROXY)
    statuses = [join(visit(), f"10.0.0.{number}, 192.0.2.1").status_code for number in range(3)]
    assert statuses == [303, 303, 429]


@pytest.mark.parametrize(
    ("peer", "proxies"), [(STRANGER, (PROXY,)), (PROXY, ()), ("127.0.0.1", ()), ("127.0.0.1", (PROXY,))]
)
def test_an_address_that_anyone_else_claims_is_ignored(behind, peer, proxies):
    visit = behind(peer, proxies)
    statuses = [join(visit(), f"192.0.2.{number}").status_code for number in range(3)]
    assert statuses == [303, 303, 429]


@pytest.mark.parametrize(("peer", "is_secure"), [(PROXY, True), (STRANGER, False)])
def test_cookies_are_secure_where_a_trusted_proxy_says_https(behind, peer, is_secure):
    page = behind(peer)().get("/join", headers={"X-Forwarded-Proto": "https"})
    assert ("secure" in page.headers["set-cookie"].lower()) == is_secure
    assert ("strict-transport-security" in page.headers) == is_secure


def test_a_page_that_a_trusted_proxy_served_without_https_has_no_secure_cookies(behind):
    page = behind(PROXY)().get("/join", headers={"X-Forwarded-Proto": "http"})
    assert "secure" not in page.headers["set-cookie"].lower()


@pytest.mark.parametrize("options", [(), ("--trust-proxy", "127.0.0.0/8")])
def test_the_command_trusts_the_proxies_that_it_names(tmp_path, options):
    key = write_study(tmp_path / "study")
    with serving(tmp_path / "study", key, options=options) as served:
        asked = urllib.request.Request(f"{served.address}/join", headers={"X-Forwarded-Proto": "https"})
        with urllib.request.urlopen(asked) as page:
            assert ("strict-transport-security" in page.headers) == bool(options)
