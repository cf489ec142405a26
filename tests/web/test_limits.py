import pytest
from starlette.requests import Request

from steelyard.web.limits import ADDRESSES_KEPT, Limit, network_of


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


def test_the_memory_of_addresses_is_bounded():
    limit = Limit(10 * ADDRESSES_KEPT, "wait", lambda: 0.0)
    for number in range(ADDRESSES_KEPT + 50):
        limit.count(request_from(f"visitor {number}"))
    assert len(limit._by_address) == ADDRESSES_KEPT
