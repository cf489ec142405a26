"""The tables of docs/reference/http_api.md, from the routes of a study and the types that they send and take."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter
from starlette.routing import Route

from sitebuild.tables import table
from steelyard.kinds.known import KINDS
from steelyard.storage.database import create_database
from steelyard.storage.keys import SCOPES
from steelyard.web.answer_payloads import answer_in, attempt_in
from steelyard.web.api.payloads import ItemsIn, StudyIn
from steelyard.web.api.studies_routes import PATH as STUDIES
from steelyard.web.api.studies_routes import studies_app
from steelyard.web.app import create_app
from steelyard.web.openapi import ADDRESS
from steelyard.web.rater_routes import RaterPages
from steelyard.web.schema import FeedbackOut, StateOut
from steelyard.web.service import Creating
from steelyard.web.training_routes import TrainingPages

ITEMS = "id,text\ntea,Tea\nsoup,Soup\ncurry,Curry\n"
STUDY = """
title = "Meals"
[items]
file = "items.csv"
[asking]
protocol = "range"
[[questions]]
text = "How filling is it?"
[cold_start]
size = 2
by = "raters"
[joining]
prolific = true
[training]
"""
# Routes whose body FastAPI does not read: the function behind each, the type that it reads, and what it sends.
PLAIN: dict[tuple[str, str], tuple[Any, Any, Any]] = {
    ("POST", "/api/answers"): (RaterPages.answer, answer_in, StateOut),
    ("POST", "/api/training"): (TrainingPages.attempt, attempt_in, FeedbackOut),
}
# Bodies that routes read after they have checked the token.
READ_LATER = {("POST", "/api/study/items"): ItemsIn, ("POST", STUDIES): StudyIn}
NAMES = {
    "integer": "whole number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "table",
}


def http_api_parts() -> dict[str, Any]:
    """Return the tables of the page, by their name in the template."""
    routes = list(_all_routes(study_app().routes))
    in_json = [each for each in routes if each.path.startswith("/api/") and each.path != ADDRESS]
    programs = [each for each in in_json if each.path.startswith("/api/study")]
    json_routes = [each for each in in_json if each not in programs]
    with tempfile.TemporaryDirectory() as folder:
        creating = Creating(Path(folder), (8001,))
        created = list(_all_routes(studies_app(creating.folder, creating.address).routes))
    programs += [each for each in created if each.path == STUDIES]
    return {
        "scopes": SCOPES,
        "program_routes": _json_table(programs),
        "json_routes": _json_table(json_routes),
        "rater_routes": _route_table(
            [each for each in routes if not each.path.startswith(("/api/", "/owner"))]
        ),
        "owner_routes": _route_table([each for each in routes if each.path.startswith("/owner")]),
        "types": _types(_definitions_of([*json_routes, *programs])),
        "cells": _cells(),
    }


def study_app() -> Any:
    """Return the application of a study that has every route."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "items.csv").write_text(ITEMS, encoding="utf-8")
        (Path(folder) / "study.toml").write_text(STUDY, encoding="utf-8")
        database, _ = create_database(Path(folder))
        database.engine.dispose()
        return create_app(Path(folder))


def _all_routes(routes: Iterable[Any]) -> Iterator[Route]:
    """Every route of an application, also those of routers that it includes."""
    for route in routes:
        if hasattr(route, "original_router"):  # FastAPI keeps an included router as one route
            yield from _all_routes(route.original_router.routes)
        elif isinstance(route, Route):
            yield route


def _methods(routes: Iterable[Route]) -> Iterator[tuple[str, Route]]:
    """Each route with each of its methods; HEAD is the same as GET without a body."""
    for route in routes:
        for method in sorted(set(route.methods or ()) - {"HEAD"}):
            yield method, route


def _purpose(method: str, route: Route) -> str:
    function = PLAIN[method, route.path][0] if (method, route.path) in PLAIN else route.endpoint
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def _route_table(routes: Iterable[Route]) -> str:
    rows = [(method, f"`{route.path}`", _purpose(method, route)) for method, route in _methods(routes)]
    return table(("method", "path", "who may call it, and what it does"), rows)


def _json_table(routes: Iterable[Route]) -> str:
    rows = [
        (
            method,
            f"`{route.path}`",
            _named(_body(method, route)),
            _named(_response(method, route)),
            _purpose(method, route),
        )
        for method, route in _methods(routes)
    ]
    return table(("method", "path", "body", "response", "who may call it, and what it does"), rows)


def _body(method: str, route: Route) -> Any:
    """The type of the body that a route reads; None if it reads none."""
    if (method, route.path) in PLAIN:
        return PLAIN[method, route.path][1](KINDS["rating"])
    if (method, route.path) in READ_LATER:
        return READ_LATER[method, route.path]
    for each in inspect.signature(route.endpoint, eval_str=True).parameters.values():
        if isinstance(each.annotation, type) and issubclass(each.annotation, BaseModel):
            return each.annotation
    return None


def _response(method: str, route: Route) -> Any:
    """The type that a route sends; None if it sends no JSON."""
    if (method, route.path) in PLAIN:
        return PLAIN[method, route.path][2]
    answers = getattr(route, "responses", {})
    models = [each["model"] for status, each in answers.items() if "model" in each and int(status) < 300]
    return models[0] if models else None


def _named(model: Any) -> str:
    """The names of a type, or of the types of a union, each with a link to its heading."""
    names = [each.__name__.partition("[")[0] for each in get_args(model) or (model,) if each is not None]
    return " or ".join(f"[{name}](#{name.lower()})" for name in names)


def _definitions_of(routes: Iterable[Route]) -> dict[str, Any]:
    """JSON Schema of every type that the routes send or read, by name."""
    definitions: dict[str, Any] = {}
    for method, route in _methods(routes):
        for model in (_body(method, route), _response(method, route)):
            if model is not None:
                definitions |= _definitions(TypeAdapter(model).json_schema())
    cells = {each.__name__ for kind in KINDS.values() for each in _cell_types(kind)}
    return {name: each for name, each in sorted(definitions.items()) if name not in cells}


def _definitions(schema: dict[str, Any]) -> dict[str, Any]:
    """The types of a schema by name, without the name of the cells in brackets."""
    own = {schema["title"].partition("[")[0]: schema} if schema.get("type") == "object" else {}
    return own | schema.get("$defs", {})


def _cell_types(kind: Any) -> list[Any]:
    """The type of the cells that a page of this kind sends."""
    return list(get_args(answer_in(kind).model_fields["answers"].annotation))


def _cells() -> str:
    """The fields of a cell, for each kind of judgment."""
    parts = []
    for name, kind in KINDS.built_in.items():
        (cell,) = _cell_types(kind)
        parts.append(f"### Cells of {name}\n\n{_fields(cell.model_json_schema())}")
    return "\n\n".join(parts)


def _types(definitions: dict[str, Any]) -> str:
    return "\n\n".join(
        f"### {name}\n\n{_description(schema)}{_fields(schema)}" for name, schema in definitions.items()
    )


def _description(schema: dict[str, Any]) -> str:
    text = " ".join(schema.get("description", "").partition("\n\n")[0].split())
    return f"{text}\n\n" if text else ""


def _fields(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        (f"`{name}`", _type(each), "yes" if name in required else "no")
        for name, each in schema["properties"].items()
    ]
    return table(("field", "type", "required"), rows)


def _type(schema: dict[str, Any]) -> str:
    """A type of JSON Schema in words, with a link to the types that have a heading."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in {each.__name__ for each in _cell_types(KINDS["rating"])}:
            return "[cells](#cells-of-an-answer)"
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        return " or ".join(f'`"{each}"`' for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return _limited(NAMES.get(schema.get("type", ""), schema.get("type", "any value")), schema)


def _limited(words: str, schema: dict[str, Any]) -> str:
    if "maxLength" in schema:
        return f"{words}, at most {schema['maxLength']:,} characters"
    low = schema.get("minimum")
    return f"{words}, at least {low:g}" if low is not None and low >= 0 else words
