"""Requests of the client, with the standard library only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlencode, urlsplit

from steelyard.errors import BadSetting, RequestRefused, ServerUnreachable
from steelyard.version import VERSION

if TYPE_CHECKING:
    import http.client

LARGEST_MESSAGE = 2_000  # characters of an answer that is not JSON


@dataclass(frozen=True)
class Transport:
    """Sends requests with a token to one address. It holds no connection, so threads may share it.

    Attributes
    ----------
    address
        Address of the server, such as `https://rate.example.org`.
    token
        Token, which is not part of messages or of `repr`.
    timeout
        Seconds that each step of a request may take.
    """

    address: str
    token: str
    timeout: float

    def __post_init__(self) -> None:
        parts = self._parts
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
            raise BadSetting(
                "address", f"{self.address!r} is not an address such as https://rate.example.org."
            )
        if not self.token or not self.token.isascii() or not self.token.isprintable():
            raise BadSetting("token", "is empty or has characters that no token has.")

    def __repr__(self) -> str:
        return f"Transport({self.address!r})"

    @property
    def _parts(self) -> SplitResult:
        return urlsplit(self.address)

    def json(self, method: str, path: str, body: Any = None, **query: str | int) -> Any:
        """Send a request and return the JSON of the answer.

        Parameters
        ----------
        method
            Method of HTTP.
        path
            Path of the route.
        body
            What to send as JSON; None sends nothing.
        query
            Parameters of the address.

        Returns
        -------
        Any
            The answer; None if it is empty.
        """
        content = self.content(method, path, body, **query)
        if not content:
            return None
        try:
            return json.loads(content)
        except ValueError:
            raise ServerUnreachable(self.address, "the answer is not from a Steelyard server.") from None

    def content(self, method: str, path: str, body: Any = None, **query: str | int) -> bytes:
        """Send a request and return the bytes of the answer; the parameters are those of `json`.

        Parameters
        ----------
        method
            Method of HTTP.
        path
            Path of the route.
        body
            What to send as JSON; None sends nothing.
        query
            Parameters of the address.

        Returns
        -------
        bytes
            The answer.
        """
        sent = None if body is None else json.dumps(body, allow_nan=False).encode()
        headers = {"Authorization": f"Bearer {self.token}", "User-Agent": f"steelyard/{VERSION}"}
        if sent is not None:
            headers["Content-Type"] = "application/json"
        target = f"{path}?{urlencode(query)}" if query else path
        status, content = self._exchange(method, target, sent, headers)
        if (
            not 200 <= status < 300
        ):  # redirects are not followed, because they would carry the token elsewhere
            raise RequestRefused(status, _message(content))
        return content

    def _exchange(
        self, method: str, target: str, sent: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        from http.client import HTTPException  # keeps `import steelyard` fast

        connection = self._connection()
        try:
            connection.request(method, target, sent, dict(headers))
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException) as reason:
            words = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
            raise ServerUnreachable(self.address, f"the request failed ({words}).") from reason
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        import http.client  # keeps `import steelyard` fast
        import ssl

        parts = self._parts
        host = parts.hostname or ""
        if parts.scheme == "http":
            return http.client.HTTPConnection(host, parts.port, timeout=self.timeout)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, parts.port, timeout=self.timeout, context=context)


def _message(content: bytes) -> str:
    """The sentence of a refusal."""
    try:
        return str(json.loads(content)["message"])
    except (ValueError, KeyError, TypeError):
        return content.decode(errors="replace")[:LARGEST_MESSAGE]
