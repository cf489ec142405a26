"""`serve` warns if other machines can connect without encryption."""

import socket

import pytest

from steelyard.cli import serve
from steelyard.cli.serve import LOOPBACK, Listening, _reached_at, _say_who_can_connect


@pytest.mark.parametrize(
    ("host", "urls", "is_open"),
    [
        ("127.0.0.1", (), False),
        ("::1", (), False),
        ("0.0.0.0", (), True),
        ("::", (), True),
        ("192.0.2.1", ("http://rate.example.org",), True),
        ("0.0.0.0", ("https://rate.example.org",), False),
    ],
)
def test_an_address_that_other_machines_reach_without_encryption_is_warned_about(capsys, host, urls, is_open):
    _say_who_can_connect(Listening(host, public_urls=urls))
    printed = capsys.readouterr().err
    assert ("nothing is encrypted" in printed) == is_open
    assert ("work on this computer only" in printed) == host.startswith(LOOPBACK)


class Route:
    """A UDP socket of a computer with one address, or with no network."""

    def __init__(self, address):
        self.address = address

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def connect(self, elsewhere):
        if self.address is None:
            raise OSError("Network is unreachable")

    def getsockname(self):
        return (self.address, 40000)


@pytest.mark.parametrize(
    ("host", "own", "reached", "sentence"),
    [
        ("0.0.0.0", "192.0.2.7", "192.0.2.7", "The links have the address 192.0.2.7"),
        ("::", "2001:db8::7", "2001:db8::7", "The links have the address 2001:db8::7"),
        ("0.0.0.0", None, "0.0.0.0", "replace 0.0.0.0 in them by the name or address of this computer"),
    ],
)
def test_links_of_a_server_on_all_addresses_have_one_that_others_can_open(
    capsys, monkeypatch, host, own, reached, sentence
):
    monkeypatch.setattr(serve.socket, "socket", lambda *_: Route(own))
    assert _reached_at(host) == reached
    _say_who_can_connect(Listening(host))
    assert sentence in capsys.readouterr().err


def test_a_stated_address_is_printed_as_it_is(capsys, monkeypatch):
    monkeypatch.setattr(socket, "socket", lambda *_: Route("192.0.2.7"))
    assert _reached_at("192.0.2.1") == "192.0.2.1"
    _say_who_can_connect(Listening("0.0.0.0", public_urls=("https://rate.example.org",)))
    assert "The links" not in capsys.readouterr().err
