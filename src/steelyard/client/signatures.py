"""Signatures of messages to webhooks, in the form of the specification "Standard Webhooks".

A message has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. The signature is
`v1,` followed by the Base64 of HMAC-SHA256 over `id.timestamp.body`. The key is the part of the secret after `whsec_`,
decoded from Base64.
"""

from __future__ import annotations

import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping

from steelyard.errors import BadSignature

PREFIX = "whsec_"
VERSION = "v1"
TOLERANCE_SECONDS = 300.0


def signature(secret: str, id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message.

    Parameters
    ----------
    secret
        Secret of the webhook.
    id
        Id of the message.
    timestamp
        Time of the attempt, in seconds since 1970.
    body
        The message.

    Returns
    -------
    str
        Value of the header `webhook-signature`.
    """
    signed = f"{id}.{timestamp}.".encode() + body
    digest = hmac.digest(b64decode(secret.removeprefix(PREFIX)), signed, "sha256")
    return f"{VERSION},{b64encode(digest).decode()}"


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    tolerance: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> None:
    """Raise BadSignature unless a message comes from the study and is recent.

    A receiver should also remember the ids of messages (`webhook-id`), because a message can arrive twice.

    Parameters
    ----------
    secret
        Secret of the webhook.
    headers
        Headers of the request; the case of their names does not matter.
    body
        Body of the request, unchanged.
    tolerance
        Largest age of a message in seconds, 300 by default.
    now
        Current time, in seconds since 1970. Default: the clock of this machine.

    Examples
    --------
    >>> secret, body = "whsec_c3RlZWx5YXJk", b'{"event": "study.stopped"}'
    >>> headers = {"Webhook-Id": "msg_1", "Webhook-Timestamp": "1700000000"}
    >>> headers["Webhook-Signature"] = signature(secret, "msg_1", 1700000000, body)
    >>> verify(secret, headers, body, now=1700000001.0)
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    id, sent, signed = (lowered.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (id and sent.isascii() and sent.isdigit() and len(sent) < 16):
        raise BadSignature("a header webhook-id or webhook-timestamp is missing or not valid.")
    if abs((time.time() if now is None else now) - int(sent)) > tolerance:
        raise BadSignature("the message is too old, or a clock is wrong.")
    wanted = signature(secret, id, int(sent), body).encode()
    if not any(hmac.compare_digest(each.encode(errors="replace"), wanted) for each in signed.split()):
        raise BadSignature("the signature does not match the body and the secret.")
