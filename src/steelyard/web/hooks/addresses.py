"""Which addresses webhooks may have: public ones, and networks that the administrator allowed."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from steelyard.errors import BadSetting
from steelyard.storage.webhooks import LONGEST_URL

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
PORTS = {"http": 80, "https": 443}
# IPv6 networks whose addresses contain an IPv4 address that the packet may reach.
TRANSLATED = tuple(ipaddress.ip_network(each) for each in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"))


class Refused(Exception):
    """A message may not be sent to this address; the text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a message is sent.

    Attributes
    ----------
    scheme
        `"http"` or `"https"`.
    host
        Name of the host, as in the address.
    port
        Port.
    path
        Path with the query.
    """

    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True, slots=True)
class Networks:
    """Networks inside which webhooks may be, besides public addresses.

    Attributes
    ----------
    allowed
        The networks; none by default.
    """

    allowed: tuple[IpNetwork, ...] = ()

    @classmethod
    def of(cls, texts: Sequence[str]) -> Networks:
        """Return the networks, or raise BadSetting for a text that is none."""
        try:
            return cls(tuple(ipaddress.ip_network(text, strict=False) for text in texts))
        except ValueError as reason:
            raise BadSetting("--webhooks-to", f"{reason}. Write a network such as 10.0.0.0/8.") from None

    def permit(self, address: IpAddress) -> bool:
        """Whether messages may be sent to this address."""
        mapped = getattr(address, "ipv4_mapped", None)
        plain: IpAddress = address if mapped is None else mapped
        if any(plain.version == each.version and plain in each for each in self.allowed):
            return True
        translated = any(plain.version == each.version and plain in each for each in TRANSLATED)
        return plain.is_global and not plain.is_multicast and not translated

    def allows_http(self, host: str) -> bool:
        """Whether unencrypted messages may be sent to this host: only to an address in an allowed network."""
        address = _literal(host)
        return address is not None and any(
            address.version == each.version and address in each for each in self.allowed
        )


def target_of(url: str, networks: Networks) -> Target:
    """Return where messages to an address go, or raise BadSetting if it cannot be used.

    Names are resolved only when a message is sent, because their addresses can change.
    """
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise BadSetting(
            "url", f"must be plain ASCII without spaces and at most {LONGEST_URL:,} characters long."
        )
    parts, port = _split(url)
    host = parts.hostname or ""
    if parts.scheme not in PORTS or not host or parts.username or parts.password or parts.fragment:
        raise BadSetting("url", "must be an address such as https://example.org/hook, without a password.")
    address = _literal(host)
    if address is not None and not networks.permit(address):
        raise BadSetting("url", f"{host} is not a public address. {_ASK}")
    if parts.scheme == "http" and not networks.allows_http(host):
        raise BadSetting("url", "must start with https://, so that nobody else can read the messages.")
    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    return Target(parts.scheme, host, PORTS[parts.scheme] if port is None else port, path)


_ASK = "The administrator can allow internal networks with: steelyard serve --webhooks-to NETWORK"


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        return parts, parts.port
    except ValueError:
        raise BadSetting("url", "is not a valid address.") from None


def _literal(host: str) -> IpAddress | None:
    """The address that a host is written as, or None if it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


Resolve = Callable[[str, int], Sequence[str]]


def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(row[4][0]).partition("%")[0] for row in rows]


def address_to_use(target: Target, networks: Networks, resolve: Resolve = resolved) -> str:
    """Return the address to connect to, or raise Refused unless every address of the host is permitted.

    Parameters
    ----------
    target
        Where the message goes.
    networks
        Networks that are allowed.
    resolve
        Returns the addresses of a host.

    Returns
    -------
    str
        An address. The connection must use it and not the name, which may have another address a moment later.
    """
    try:
        addresses = list(resolve(target.host, target.port))
    except (OSError, UnicodeError):
        raise Refused(f"the name {target.host} cannot be resolved.") from None
    for each in addresses:
        if not networks.permit(ipaddress.ip_address(each)):
            raise Refused(f"{target.host} has the address {each}, which is not public. {_ASK}.")
    if not addresses:
        raise Refused(f"the name {target.host} has no address.")
    return addresses[0]
