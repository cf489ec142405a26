"""What raters send, read on the event loop and acted on beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import Depends, Form, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

CsrfField = Annotated[str, Form(alias="csrf")]
Sent = TypeVar("Sent", bound=BaseModel)


async def read_form(request: Request) -> dict[str, str]:
    """The text fields of a form; reading waits for the network, so that what is done with it need not."""
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


Filled = Annotated[dict[str, str], Depends(read_form)]


def with_body(act: Callable[[Request, bytes], Response]) -> Callable[[Request], Awaitable[Response]]:
    """A plain route that reads what was sent and then acts on it off the event loop, as FastAPI's routes do."""

    async def route(request: Request) -> Response:
        body = await request.body()
        return await asyncio.to_thread(act, request, body)

    return route


def read_body(form: type[Sent], body: bytes) -> Sent:
    """What was sent, in this form; what cannot be read is refused as FastAPI would."""
    try:
        return form.model_validate_json(body)
    except ValidationError as mistake:
        mistakes = [{**each, "loc": ("body", *each["loc"])} for each in mistake.errors()]
        raise RequestValidationError(mistakes) from mistake
