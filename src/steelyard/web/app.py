"""The web application of one study, with a strict Content-Security-Policy."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import StudyError, UnknownRater
from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from steelyard.study.log.changes import begun_with, reconcile
from steelyard.version import VERSION
from steelyard.web.access import Access
from steelyard.web.cold_start_routes import cold_start_router
from steelyard.web.guard import Guard, content_policy
from steelyard.web.owner_routes import owner_router
from steelyard.web.rater_routes import add_rater_routes
from steelyard.web.schema import PAGE
from steelyard.web.training_routes import training_router
from steelyard.web.widget_files import serve_widget

HERE = Path(__file__).parent


def create_app(folder: Path) -> FastAPI:
    """Return the application that serves the study in a folder."""
    database = open_database(folder)
    study = open_study(folder, begun_with(database))
    # Refits run in a background thread, one at a time.
    background = ThreadPoolExecutor(1, thread_name_prefix="refit")
    session = Session(study, database, database, time.time, background)
    reconcile(study, database, session.clock())
    access = Access(database, session)
    templates = Jinja2Templates(HERE / "templates")
    app = FastAPI(title=study.definition.title, version=VERSION, openapi_url=None)
    app.state.session = session
    add_rater_routes(app.router, session, access, templates)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    serve_widget(app, study.definition.asking.way)
    app.include_router(training_router(session, access, templates))
    app.include_router(cold_start_router(session, access, templates))
    app.include_router(owner_router(session, access, templates))
    _add_entrances(app, session, access)
    _add_errors(app, session, access, templates)
    # Items may be added while the study runs, and with them hosts of media.
    policy_of = lru_cache(maxsize=1)(content_policy)
    app.add_middleware(Guard, policy=lambda: policy_of(session.study.items))
    return app


def _add_entrances(app: FastAPI, session: Session, access: Access) -> None:
    @app.api_route("/", **PAGE)
    def start(request: Request) -> Response:
        """Anyone: redirect to the task page, or for new visitors to the open link if there is one."""
        is_new = access.find_rater(request) is None
        return RedirectResponse(
            "/join" if is_new and session.study.definition.joining.open_link else "/task", 303
        )

    @app.api_route("/owner/enter", **PAGE)
    def enter(request: Request, key: str = "") -> Response:
        """Anyone with the owner key: sign in as the owner."""
        response = RedirectResponse("/owner", 303)
        access.admit_owner(request, response, key)
        return response


def _add_errors(app: FastAPI, session: Session, access: Access, templates: Jinja2Templates) -> None:
    """Show errors as pages to people and as JSON to scripts, never with a traceback."""

    def answer(request: Request, status: int, text: str) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": "refused", "message": text}, status)
        heading = {403: "Access denied", 404: "Page not found"}.get(status, "Something went wrong")
        context = {
            "study": session.study.definition,
            "csrf": access.csrf(request),
            "heading": heading,
            "text": text,
        }
        context |= {"action_url": "", "action_text": ""}
        return templates.TemplateResponse(request, "message.html", context, status_code=status)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        text = "This page does not exist." if error.detail == "Not Found" else str(error.detail)
        return answer(request, error.status_code, text)

    @app.exception_handler(StudyError)
    def study_refused(request: Request, error: StudyError) -> Response:
        return answer(request, 404 if isinstance(error, UnknownRater) else 409, str(error))

    @app.exception_handler(RequestValidationError)
    def misread(request: Request, error: RequestValidationError) -> Response:
        places = ", ".join(".".join(str(part) for part in each["loc"]) for each in error.errors()[:5])
        return answer(request, 422, f"The request is not valid: {places}.")
