"""Requests to a server, and messages from it."""

from __future__ import annotations

from steelyard.errors.base import SteelyardError


class ApiError(SteelyardError):
    """A request of a client has no result."""


class RequestRefused(ApiError):
    """The server refused a request; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message or f"The server answered with status {status}.")
        self.status = status


class ServerUnreachable(ApiError):
    """The server cannot be reached, or its answer cannot be read."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"{address}: {reason} Check the address, and that the server is running.")


class StillCollecting(ApiError):
    """The study did not receive enough answers in the time that was allowed."""

    def __init__(self, seconds: float, judgments: int, wanted: int) -> None:
        super().__init__(
            f"The study has {judgments:,} of {wanted:,} planned judgments after {seconds:g} seconds. Wait again, or "
            "read the results so far."
        )


class BadSignature(ApiError):
    """A message to a webhook does not come from the study, or is too old."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The message is not accepted: {reason}")
