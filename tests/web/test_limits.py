import re

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.testclient import TestClient

from steelyard.web.limits import ADDRESSES_KEPT, Limit, network_of
from steelyard.web.service import Creating, Served, create_service
from tests.serving import write_study


def request_from(host):
    return Request({"type": "http", "client": (host, 1), "headers": []})


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "::ffff:c000:207"),
        ("testclient", "testclient"),
    ],
)
def test_addresses_of_one_ipv6_network_are_one_visitor(host, network):
    assert network_of(request_from(host)) == network


@pytest.mark.parametrize(("workers", "admitted"), [(1, 60), (2, 30), (7, 8), (60, 1), (64, 1)])
def test_workers_share_a_limit_and_each_admits_at_least_one(workers, admitted):
    limit = Limit(60, "wait", lambda: 0.0, workers)
    assert acts_until_refused(limit, lambda number: "192.0.2.7") == admitted


def test_workers_share_the_limit_of_all_addresses():
    limit = Limit(10, "wait", lambda: 0.0, workers=4)
    assert acts_until_refused(limit, lambda number: f"192.0.2.{number}") == 25


def test_an_allowance_is_refilled_at_the_share_of_a_worker():
    now = [0.0]
    limit = Limit(60, "wait", lambda: now[0], workers=2)
    assert acts_until_refused(limit, lambda number: "192.0.2.7") == 30
    now[0] += 10
    assert acts_until_refused(limit, lambda number: "192.0.2.7") == 5


def test_a_server_with_several_workers_divides_the_limits_of_its_studies(tmp_path, still):
    write_study(tmp_path / "study", extra="joins_per_minute = 60")
    service = create_service((Served(tmp_path / "study", 80),), creating=Creating(tmp_path, (81,)), workers=2)
    client = TestClient(service, follow_redirects=False)
    statuses = [client.get(f"/owner/enter?key=wrong{number}").status_code for number in range(7)]
    assert statuses == [403] * 5 + [429] * 2
    joined = []
    for _ in range(32):
        page = client.get("/join")
        csrf = re.search(r'name="csrf" content="([^"]+)"', page.text).group(1)
        joined.append(client.post("/join", data={"csrf": csrf, "name": "Ann"}).status_code)
        client.cookies.clear()
    assert joined == [303] * 30 + [429] * 2
    wrong = {"Authorization": "Bearer wrong"}
    tried = [client.get("/api/studies", headers=wrong).status_code for _ in range(7)]
    assert tried == [401] * 5 + [429] * 2


def acts_until_refused(limit, host):
    number = 0
    while True:
        try:
            limit.check(request_from(host(number)))
        except HTTPException:
            return number
        limit.count(request_from(host(number)))
        number += 1


def test_the_memory_of_addresses_is_bounded():
    limit = Limit(10 * ADDRESSES_KEPT, "wait", lambda: 0.0)
    for number in range(ADDRESSES_KEPT + 50):
        limit.count(request_from(f"visitor {number}"))
    assert len(limit._by_address) == ADDRESSES_KEPT
