"""Routes of a server that creates studies, beside those of its studies."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp

from steelyard.errors import StoreUnavailable, StudyError, UnreadableFile
from steelyard.storage.server_keys import ServerKeys
from steelyard.storage.studies_folder import ITEMS_FILE, RequestedStudy, StudiesFolder
from steelyard.study.definition.create import NewStudy
from steelyard.version import VERSION
from steelyard.web.api.payloads import LARGEST_SEED, CreatedOut, StudiesOut, StudyIn
from steelyard.web.api.refusals import add_refusals, refuse
from steelyard.web.api.study_routes import body_of, described
from steelyard.web.api.tokens import Tokens, scoped
from steelyard.web.bodies import read_body
from steelyard.web.guard import Guard
from steelyard.web.limits import KEY_TRIES, TOO_MANY_TRIES, Limit
from steelyard.web.openapi import without_webhooks

PATH = "/api/studies"
ADDRESS = f"{PATH}/openapi.json"
POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
NOT_VALID = "The request is not valid"
UNAVAILABLE = "The database of the studies cannot be reached at the moment. Try again."
AddressOf = Callable[[Request, int], str]


class StudiesApi:
    """Creates studies and lists those that were created.

    Parameters
    ----------
    folder
        Where studies are created.
    address_of
        Returns the address of the study with a number of a port, for a request.
    """

    def __init__(self, folder: StudiesFolder, address_of: AddressOf) -> None:
        self.folder = folder
        self.address_of = address_of

    def listed(self, request: Request) -> Response:
        """A token with create:studies: the studies that were created on this server."""
        studies = self.folder.studies()
        sent: StudiesOut = {
            "studies": [
                {"name": path.name, "url": self.address_of(request, slot)} for slot, path in studies.items()
            ],
            "free": self.folder.most - len(studies),
        }
        return JSONResponse(sent)

    async def create(self, request: Request) -> Response:
        """A token with create:studies: create a study, which is served at once. A mistake leaves no trace."""
        sent = read_body(StudyIn, await request.body())
        made = await asyncio.to_thread(self.folder.create, _requested(sent))
        reply: CreatedOut = {
            "name": sent.name,
            "url": self.address_of(request, made.slot),
            "owner_key": made.key,
            "items": len(made.study.items),
        }
        return JSONResponse(reply, 201)


def _requested(sent: StudyIn) -> RequestedStudy:
    seed = secrets.randbelow(LARGEST_SEED) if sent.seed is None else sent.seed
    options = NewStudy(
        Path(ITEMS_FILE),
        sent.protocol,
        sent.title,
        sent.question,
        sent.model,
        sent.selection,
        sent.redundancy,
        sent.list_size,
        seed,
    )
    return RequestedStudy(sent.name, sent.items, options, sent.toml)


def studies_app(folder: StudiesFolder, address_of: AddressOf, workers: int = 1) -> ASGIApp:
    """Return the application that creates studies in a folder.

    Parameters
    ----------
    folder
        Where studies are created.
    address_of
        Returns the address of the study with a number of a port, for a request.
    workers
        Number of server processes, which share the limit of wrong tokens.

    Returns
    -------
    ASGIApp
        The application, for requests under /api/studies.
    """
    app = FastAPI(title="Studies on this server", version=VERSION, openapi_url=None)
    api = StudiesApi(folder, address_of)
    tokens = Tokens(ServerKeys(folder.root), Limit(KEY_TRIES, TOO_MANY_TRIES, workers=workers))
    creating = scoped(tokens, "create:studies")
    app.add_api_route(PATH, api.listed, methods=["GET"], **described(StudiesOut), **creating)
    app.add_api_route(
        PATH, api.create, methods=["POST"], **described(CreatedOut, 201, 409), **creating, **body_of(StudyIn)
    )
    add_refusals(app)
    _add_errors(app)
    without_webhooks(app, (StudyIn,), ADDRESS)
    app.add_middleware(Guard, policy=lambda path: POLICY)
    return app


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        return refuse(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(StudyError)
    def study_refused(request: Request, error: StudyError) -> Response:
        return refuse(409, str(error))

    @app.exception_handler(UnreadableFile)
    def store_failed(request: Request, error: UnreadableFile) -> Response:
        return refuse(503, UNAVAILABLE) if isinstance(error, StoreUnavailable) else refuse(422, str(error))

    @app.exception_handler(RequestValidationError)
    def misread(request: Request, error: RequestValidationError) -> Response:
        places = ", ".join(".".join(str(part) for part in each["loc"]) for each in error.errors()[:5])
        return refuse(422, f"{NOT_VALID}: {places}.")


def address_with_port(request: Request, port: int) -> str:
    """Return the address of this server with another port."""
    parts = urlsplit(str(request.base_url))
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{port}"
