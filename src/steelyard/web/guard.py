"""Security headers on every response, and a limit on what is sent."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.study.items import FILES, Items, is_remote

LARGEST_BODY = 1_000_000  # bytes; an answer with all its interactions is far smaller


class Guard:
    """Wraps the application: nothing leaves without its headers, nothing too large comes in."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        chunked = "transfer-encoding" in headers  # its length is not known beforehand; pages never send so
        if chunked or not length.isdigit() or int(length) > LARGEST_BODY:
            refusal = JSONResponse({"error": "size", "message": "That is too much to send at once."}, 413)
            await refusal(scope, receive, self._sending(scope, send))
            return
        await self.app(scope, receive, self._sending(scope, send))

    def _sending(self, scope: Scope, send: Send) -> Send:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", self.policy)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                static = scope["path"].startswith(("/static/", "/media/"))
                headers.setdefault("Cache-Control", "no-cache" if static else "no-store")
            await send(message)

        return with_headers


def content_policy(items: Items) -> str:
    """No script but our own, no network but this server and where the study's own media lie."""
    remote = sorted(
        {_origin(item.content) for item in items.all if item.medium in FILES and is_remote(item.content)}
    )
    media = " ".join(["'self'", *remote])
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        f"img-src {media}; media-src {media}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
