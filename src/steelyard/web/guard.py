"""Security headers for every response, and a size limit for requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.study.definition.items import FILES, Items, is_remote

LARGEST_BODY = 250_000  # bytes; an answer with all its interactions is far smaller
LARGER_BODIES = {
    "/api/study/items": 8_000_000,
    "/api/studies": 8_000_000,
}  # read only after the token is checked
ONLY_HTTPS = b"max-age=31536000"
HOST_NAME = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*")


class Guard:
    """Middleware that adds security headers to all responses and refuses large requests."""

    def __init__(self, app: ASGIApp, policy: Callable[[str], str]) -> None:
        self.app = app
        self._policy = policy
        self._headers = (
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"same-origin"),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        chunked = "transfer-encoding" in headers  # of unknown length, and never sent by the pages
        largest = LARGER_BODIES.get(scope["path"], LARGEST_BODY)
        if chunked or not length.isdigit() or int(length) > largest:
            refusal = JSONResponse({"error": "size", "message": "This request is too large."}, 413)
            await refusal(scope, receive, self._sending(scope, send))
            return
        await self.app(scope, receive, self._sending(scope, send))

    def _sending(self, scope: Scope, send: Send) -> Send:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                static = scope["path"].startswith(("/static/", "/widgets/", "/media/"))
                policy = (b"content-security-policy", self._policy(scope["path"]).encode("ascii"))
                ours = [policy, *self._headers, (b"cache-control", b"no-cache" if static else b"no-store")]
                if scope["scheme"] == "https":
                    ours.append((b"strict-transport-security", ONLY_HTTPS))
                added = [pair for pair in ours if pair[0] not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        return with_headers


def content_policy(items: Items, frames: tuple[str, ...] = (), receivers: tuple[str, ...] = ()) -> str:
    """Return a Content-Security-Policy that allows only this server and the hosts of the study's media.

    Parameters
    ----------
    items
        Items of the study.
    frames
        Sites that may show the page in a frame. Default: none.
    receivers
        Sites to which forms of the page may be sent, beside this server. Default: none.

    Returns
    -------
    str
        The value of the header.
    """
    addresses = [item.content for item in items.all if item.medium in FILES and is_remote(item.content)]
    origins = {origin for address in addresses if (origin := _origin(address)) is not None}
    media, ancestors = _own_and(sorted(origins)), _own_and(frames) if frames else "'none'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        f"img-src {media}; media-src {media}; frame-src 'self'; "
        f"form-action {_own_and(receivers)}; base-uri 'none'; frame-ancestors {ancestors}"
    )


def _own_and(sites: Iterable[str]) -> str:
    """This server and other sites, as a list of sources."""
    return " ".join(["'self'", *sites])


def _origin(address: str) -> str | None:
    """Scheme, host and port of an address, or None if it is not a valid http address.

    >>> _origin("https://例え.jp:8443/x.png")
    'https://xn--r8jz45g.jp:8443'
    >>> _origin("https://x.org; script-src-elem */a.png")
    """
    try:
        parts = urlsplit(address)
        host, port = _ascii_host(parts.hostname or ""), parts.port
    except ValueError:  # an invalid port, or a host without an ASCII form
        return None
    if parts.scheme not in ("http", "https") or HOST_NAME.fullmatch(host) is None:
        return None
    return f"{parts.scheme}://{host}" if port is None else f"{parts.scheme}://{host}:{port}"


def _ascii_host(host: str) -> str:
    """The host in ASCII, or "" if browsers might read it as another host."""
    encoded = host.encode("idna")
    return encoded.decode("ascii") if encoded.decode("idna") == host else ""
