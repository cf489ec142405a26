"""Reading of request bodies on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, TypeVar

from fastapi import Depends, Form, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from steelyard.web.together import Together

CsrfField = Annotated[str, Form(alias="csrf")]
Start = Annotated[int, Query(ge=0)]  # index of the first row of a page
Sent = TypeVar("Sent", bound=BaseModel)


async def read_form(request: Request) -> dict[str, str]:
    """Read the text fields of a form, on the event loop because this waits for the network."""
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


Filled = Annotated[dict[str, str], Depends(read_form)]


def in_turn(
    together: Together, check: Callable[[Request], None], act: Callable[[Request, bytes], Response]
) -> Callable[[Request], Awaitable[Response]]:
    """Return a plain route that reads the body on the event loop, and runs `act` together with others that wait.

    Parameters
    ----------
    together
        Where acts wait.
    check
        Raises an error for requests that are refused, on the event loop and before they wait.
    act
        Returns the response to a request and its body.

    Returns
    -------
    callable
        The route.
    """

    async def route(request: Request) -> Response:
        check(request)
        body = await request.body()
        return await together.run(partial(act, request, body))

    return route


def with_body(act: Callable[[Request, bytes], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return a plain route that reads the body on the event loop and then runs `act` in a thread."""

    async def route(request: Request) -> Response:
        body = await request.body()
        return await asyncio.to_thread(act, request, body)

    return route


def read_body(form: type[Sent], body: bytes) -> Sent:
    """Return the body as a record of this class. Invalid bodies are refused in the way FastAPI does."""
    try:
        return form.model_validate_json(body)
    except ValidationError as mistake:
        mistakes = [{**each, "loc": ("body", *each["loc"])} for each in mistake.errors()]
        raise RequestValidationError(mistakes) from mistake
