"""Refusals of the API: every error is JSON with a code and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from steelyard.errors import BadInput, BadSetting, CannotWrite
from steelyard.web.api.payloads import ErrorOut

API = ("/api/study", "/api/studies")
CANNOT_WRITE = "The server cannot write to the folder of the study at the moment. Nothing was changed."
REASONS = {
    400: "The body of the request cannot be read.",
    401: "The token is missing or not valid.",
    403: "The token lacks a scope, or the person may not do this.",
    404: "There is no such thing in this study.",
    409: "The state of the study does not allow this.",
    413: "The request is too large.",
    422: "The request is not valid.",
    429: "Too many wrong tokens, or too many people joined. Wait and try again.",
    503: "The study cannot be read or written at the moment. Try again.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of refusals with these statuses, in the settings of a route."""
    return {status: {"model": ErrorOut, "description": REASONS[status]} for status in statuses}


def refuse(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a refusal.

    Parameters
    ----------
    status
        Status of HTTP.
    text
        Sentence for the caller.
    headers
        Further headers.

    Returns
    -------
    Response
        The refusal as JSON.
    """
    return JSONResponse({"error": "refused", "message": text}, status, headers)


def add_refusals(app: FastAPI) -> None:
    """Answer requests of programs that contain a mistake with 422, and those that cannot be stored with 503."""

    @app.exception_handler(BadSetting)
    @app.exception_handler(BadInput)
    def mistaken(request: Request, error: Exception) -> Response:
        _only_of_programs(request, error)
        return refuse(422, str(error))

    @app.exception_handler(CannotWrite)
    def not_written(request: Request, error: Exception) -> Response:
        _only_of_programs(request, error)
        return refuse(503, CANNOT_WRITE, {"Retry-After": "5"})


def _only_of_programs(request: Request, error: Exception) -> None:
    """Raise the error again on pages, where it is a fault of the study and not of the request."""
    if not request.url.path.startswith(API):
        raise error
