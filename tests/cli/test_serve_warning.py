"""`serve` warns if other machines can connect without encryption."""

import pytest

from steelyard.cli.serve import LOOPBACK, Listening, _say_who_can_connect


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
