"""One attempt to deliver a message: a signed POST request, without redirects and with a limit on its time."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass

from steelyard.client.signatures import signature
from steelyard.errors import BadSetting
from steelyard.storage.webhooks import Delivery, Webhook
from steelyard.version import VERSION
from steelyard.web.hooks.addresses import (
    Networks,
    Refused,
    Resolve,
    Target,
    address_to_use,
    resolved,
    target_of,
)

TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True)
class Sender:
    """Sends messages.

    Attributes
    ----------
    networks
        Networks inside which webhooks may be.
    clock
        Returns the time, in seconds since 1970.
    resolve
        Returns the addresses of a host.
    timeout
        Seconds that each step of a request may take.
    """

    networks: Networks
    clock: Callable[[], float]
    resolve: Resolve = resolved
    timeout: float = TIMEOUT_SECONDS

    def send(self, webhook: Webhook, delivery: Delivery) -> str:
        """Send a message once; return "" if it was accepted, and otherwise what went wrong."""
        try:
            target = target_of(webhook.url, self.networks)
            status = self._post(target, webhook, delivery)
        except Refused as refusal:
            return str(refusal)
        except BadSetting as refusal:  # allowed when it was added, and not by the server that runs now
            return str(refusal)
        except TimeoutError:
            return f"no answer within {self.timeout:g} seconds."
        except ssl.SSLError as reason:
            return f"the encrypted connection failed ({reason.reason or type(reason).__name__})."
        except (OSError, http.client.HTTPException) as reason:
            return f"the connection failed ({getattr(reason, 'strerror', None) or type(reason).__name__})."
        return "" if 200 <= status < 300 else f"the receiver answered with status {status}."

    def _post(self, target: Target, webhook: Webhook, delivery: Delivery) -> int:
        address = address_to_use(target, self.networks, self.resolve)
        connection = _connection(target, address, self.timeout)
        body, now = delivery.body.encode(), int(self.clock())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"steelyard/{VERSION}",
            "webhook-id": delivery.id,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(webhook.secret, delivery.id, now, body),
        }
        try:
            connection.request("POST", target.path, body, headers)
            return connection.getresponse().status  # the body is not read
        finally:
            connection.close()


def _connection(target: Target, address: str, timeout: float) -> http.client.HTTPConnection:
    """Return a connection to an address that was checked, under the name of the host."""
    if target.scheme == "https":
        return _PinnedHttps(target, address, timeout)
    return _Pinned(target, address, timeout)


class _Pinned(http.client.HTTPConnection):
    """A connection to one address, whatever the name of the host resolves to. Proxies are not used."""

    def __init__(self, target: Target, address: str, timeout: float) -> None:
        super().__init__(target.host, target.port, timeout=timeout)
        self._address = address

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)


class _PinnedHttps(http.client.HTTPSConnection):
    """As `_Pinned`, with a certificate of the host that is checked."""

    def __init__(self, target: Target, address: str, timeout: float) -> None:
        self._context_of_tls = ssl.create_default_context()
        super().__init__(target.host, target.port, timeout=timeout, context=self._context_of_tls)
        self._address = address

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._context_of_tls.wrap_socket(plain, server_hostname=self.host)
