import ipaddress

import pytest

from steelyard.errors import BadSetting
from steelyard.web.hooks.addresses import Networks, Refused, Target, address_to_use, target_of

INTERNAL = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34"]


@pytest.mark.parametrize("address", INTERNAL)
def test_internal_addresses_are_refused(address):
    assert not Networks().permit(ipaddress.ip_address(address))
    literal = f"[{address}]" if ":" in address else address
    with pytest.raises(BadSetting, match="not a public address"):
        target_of(f"https://{literal}/hook", Networks())


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_permitted(address):
    assert Networks().permit(ipaddress.ip_address(address))


def test_the_administrator_can_allow_a_network_and_only_that():
    networks = Networks.of(["127.0.0.0/8"])
    assert target_of("http://127.0.0.1:8123/hook?x=1", networks) == Target(
        "http", "127.0.0.1", 8123, "/hook?x=1"
    )
    with pytest.raises(BadSetting, match="not a public address"):
        target_of("https://10.0.0.1/hook", networks)
    with pytest.raises(BadSetting, match="webhooks-to"):
        Networks.of(["everywhere"])


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/", "https://", "https://user:secret@example.org/", "https://example.org:99999/",
        "https://exa mple.org/", "https://example.org/\n", "http://example.org/", "javascript:alert(1)", "https://[::1",
        "//example.org", "https://example.org/#part", "https://exämple.org/", "https://example.org/" + "x" * 3000,
    ],
)  # fmt: skip
def test_other_addresses_are_refused(url):
    with pytest.raises(BadSetting, match="url"):
        target_of(url, Networks())


def test_a_name_is_refused_if_any_of_its_addresses_is_internal():
    target = target_of("https://example.org/hook", Networks())
    assert address_to_use(target, Networks(), lambda *_: ["93.184.216.34"]) == "93.184.216.34"
    with pytest.raises(Refused, match=r"10\.0\.0\.5, which is not public"):
        address_to_use(target, Networks(), lambda *_: ["93.184.216.34", "10.0.0.5"])
    with pytest.raises(Refused, match="has no address"):
        address_to_use(target, Networks(), lambda *_: [])


def test_a_name_that_cannot_be_resolved_is_refused():
    def fail(*_):
        raise OSError("no such name")

    with pytest.raises(Refused, match="cannot be resolved"):
        address_to_use(target_of("https://example.org/", Networks()), Networks(), fail)
