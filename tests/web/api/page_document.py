"""The OpenAPI document of a study together with its pages, which the published document leaves out."""

import warnings

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

HTML = {"text/html": {"schema": {"type": "string"}}, "text/plain": {"schema": {"type": "string"}}}
FILES = {"*/*": {"schema": {}}}
REFUSED = (400, 403, 404, 405, 409, 413, 416, 422, 429, 503)


def with_pages(app):
    """The published document, and every page with the statuses and media types that pages may have."""
    document = app.openapi()
    routes = [route for route in all_routes(app.routes) if isinstance(route, APIRoute)]
    hidden = [route for route in routes if not route.include_in_schema]
    for route in hidden:
        route.include_in_schema = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # GET and HEAD of a page share their id
            whole = get_openapi(title=app.title, version="1", routes=app.routes)
    finally:
        for route in hidden:
            route.include_in_schema = False
    pages = {path: each for path, each in whole["paths"].items() if path not in document["paths"]}
    for path, methods in pages.items():
        for operation in methods.values():
            operation["responses"] = page_responses(path)
    schemas = {**whole["components"]["schemas"], **document["components"]["schemas"]}
    components = {**document["components"], "schemas": schemas}
    return {**document, "paths": {**pages, **document["paths"]}, "components": components}


def all_routes(routes):
    for route in routes:
        if hasattr(route, "original_router"):  # FastAPI keeps an included router as one route
            yield from all_routes(route.original_router.routes)
        else:
            yield route


def page_responses(path):
    """A page, a redirect to one, or a refusal: JSON for scripts, and otherwise a page."""
    refusal = {"application/json": {"schema": {"type": "object", "required": ["error", "message"]}}, **HTML}
    shown = FILES if any(part in path for part in ("download", "media", ".svg", ".json")) else HTML
    refused = {str(status): {"description": "Refused.", "content": refusal} for status in REFUSED}
    redirected = {str(status): {"description": "Another page."} for status in (303, 307)}
    return {"200": {"description": "A page.", "content": shown}, **redirected, **refused}
