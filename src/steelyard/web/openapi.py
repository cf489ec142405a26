"""The OpenAPI document of a study: the routes that programs and the scripts of pages call.

The bodies of answers and of training attempts depend on the kind of judgment. FastAPI does not read them, so they are
added here from the cell that the kind of each arm declares.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from pydantic import TypeAdapter
from starlette.responses import Response

from steelyard.kinds.kind import Kind
from steelyard.storage.webhooks import EVENTS
from steelyard.study.collecting.session import Session
from steelyard.version import VERSION
from steelyard.web.answer_payloads import answer_in, attempt_in
from steelyard.web.api.payloads import ErrorOut, ItemsIn, MessageOut
from steelyard.web.api.refusals import REASONS
from steelyard.web.rater_routes import RaterPages
from steelyard.web.schema import PAGE, AnswerRefusedOut, FeedbackOut, StateOut
from steelyard.web.training_routes import TrainingPages

ADDRESS = "/api/openapi.json"
REFS = "#/components/schemas/{model}"
DESCRIPTION = (
    "Routes under /api/study are for programs of the owner, with a token in the header Authorization. The other routes "
    "are for the scripts of a rater's pages, with the cookie of the rater's link."
)
OF_RATERS = (403, 404, 409, 413, 422, 429, 503)
CSRF = {
    "name": "X-CSRF-Token",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "default": ""},
    "description": "The token in the element `meta name=csrf` of the page.",
}
AHEAD = {
    "name": "ahead",
    "in": "query",
    "required": False,
    "schema": {"type": "boolean", "default": False},
    "description": "Whether to send the task after the next as well.",
}


class Schemas:
    """Collects types under `components` of a document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._known: dict[str, Any] = document.setdefault("components", {}).setdefault("schemas", {})

    def of(self, kind: Any) -> dict[str, Any]:
        """Add a type and those that it contains; return a reference to it."""
        schema = TypeAdapter(kind).json_schema(ref_template=REFS)
        self._known |= schema.pop("$defs", {})
        if "title" not in schema or schema.get("type") != "object":
            return schema
        name = "".join(each if each.isalnum() else "_" for each in schema["title"])
        self._known[name] = schema
        return {"$ref": REFS.format(model=name)}


def describe(app: FastAPI, session: Session) -> None:
    """Let the application serve its OpenAPI document, at /api/openapi.json."""
    study = session.study
    kinds = list(dict.fromkeys(kind for each in study.asked for kind in each.definition.kinds))
    document = cache(partial(openapi_of, app, kinds))
    app.openapi = document  # type: ignore[method-assign]

    @app.api_route(ADDRESS, **PAGE)
    def openapi(request: Request) -> Response:
        """Anyone: the OpenAPI document of the JSON routes."""
        return JSONResponse(document())


def openapi_of(app: FastAPI, kinds: Iterable[Kind[Any]]) -> dict[str, Any]:
    """Return the OpenAPI document of a study that asks for these kinds of judgment."""
    made = get_openapi(title=app.title, version=VERSION, description=DESCRIPTION, routes=app.routes)
    made["paths"] = {path: each for path, each in made["paths"].items() if path.startswith("/api/")}
    schemas = Schemas(made)
    _add_plain_routes(made, schemas, tuple(kinds))
    schemas.of(ItemsIn)
    _add_refusals(made, schemas.of(ErrorOut), OF_RATERS)
    made["webhooks"] = _webhooks(schemas)
    _cleaned(made)
    return made


def without_webhooks(app: FastAPI, bodies: Iterable[Any], address: str) -> None:
    """Let an application without raters serve its document.

    Parameters
    ----------
    app
        The application.
    bodies
        Types of bodies that its routes read themselves.
    address
        Where the document is served.
    """

    @cache
    def document() -> dict[str, Any]:
        made = get_openapi(title=app.title, version=VERSION, routes=app.routes)
        schemas = Schemas(made)
        for body in bodies:
            schemas.of(body)
        _add_refusals(made, schemas.of(ErrorOut), ())
        _cleaned(made)
        return made

    app.openapi = document  # type: ignore[method-assign]

    @app.api_route(address, **PAGE)
    def openapi(request: Request) -> Response:
        """Anyone: the OpenAPI document of the routes that create studies."""
        return JSONResponse(document())


def _add_plain_routes(document: dict[str, Any], schemas: Schemas, kinds: tuple[Kind[Any], ...]) -> None:
    """Add the routes whose body depends on the kind of judgment."""
    answer = _operation(
        RaterPages.answer, _any_of(schemas.of(answer_in(kind)) for kind in kinds), schemas.of(StateOut)
    )
    answer["parameters"] = [CSRF, AHEAD]
    answer["responses"]["409"] = _response(
        "The task was closed, or was answered before.", schemas.of(AnswerRefusedOut)
    )
    document["paths"].setdefault("/api/answers", {})["post"] = answer
    if "/api/training" in document["paths"]:
        body = _any_of(schemas.of(attempt_in(kind)) for kind in kinds)
        attempt = _operation(TrainingPages.attempt, body, schemas.of(FeedbackOut))
        attempt["parameters"] = [CSRF]
        document["paths"]["/api/training"]["post"] = attempt


def _operation(function: Callable[..., Any], body: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    return {
        "summary": function.__name__.capitalize(),
        "description": inspect.getdoc(function) or "",
        "operationId": function.__qualname__.replace(".", "_").lower(),
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {"200": _response("Successful Response", reply)},
    }


def _any_of(schemas: Iterable[dict[str, Any]]) -> dict[str, Any]:
    listed = list(schemas)
    return listed[0] if len(listed) == 1 else {"anyOf": listed}


def _response(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _add_refusals(document: dict[str, Any], error: dict[str, Any], statuses: tuple[int, ...]) -> None:
    """Describe refusals as they are sent, in place of FastAPI's own description of invalid requests."""
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
            wanted = (422,) if "security" in operation else statuses
            wanted = (400, *wanted) if "requestBody" in operation else wanted
            for status in wanted:
                operation["responses"].setdefault(str(status), _response(REASONS[status], error))


def _cleaned(document: dict[str, Any]) -> None:
    """Remove types that nothing refers to, and the sections of docstrings from descriptions."""
    schemas = document["components"]["schemas"]
    waiting = _references([document["paths"], document.get("webhooks", {})])
    kept: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept.add(name)
            waiting |= _references(schemas[name])
    document["components"]["schemas"] = {name: schemas[name] for name in sorted(kept)}
    for path in document["paths"].values():
        for operation in path.values():
            operation["description"] = operation.get("description", "").partition("\n\nParameters\n")[0]


def _references(part: Any) -> set[str]:
    """Names of the types that a part of a document refers to."""
    if isinstance(part, dict):
        own = {part["$ref"].rpartition("/")[2]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*map(_references, part.values()))
    return set().union(*map(_references, part)) if isinstance(part, list) else set()


def _webhooks(schemas: Schemas) -> dict[str, Any]:
    """The messages that webhooks receive, under the name of their event."""
    message = schemas.of(MessageOut)
    content = {"application/json": {"schema": message}}
    return {
        event: {
            "post": {
                "summary": event,
                "description": "Signed as in the specification Standard Webhooks. Any status 2xx accepts it.",
                "requestBody": {"required": True, "content": content},
                "responses": {"2XX": {"description": "The message was received."}},
            }
        }
        for event in EVENTS
    }
