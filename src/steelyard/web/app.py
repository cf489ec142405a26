"""The web application of one study, with a strict Content-Security-Policy."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import StoreUnavailable, StudyError, UnknownRater, UnreadableFile
from steelyard.kinds.known import PROTOCOLS
from steelyard.storage.database import Database, open_database
from steelyard.storage.other_studies import excluded_rosters
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.study import Study, open_study
from steelyard.study.log.acts import Act
from steelyard.study.log.changes import begun_with, reconcile
from steelyard.version import VERSION
from steelyard.web.access import Access
from steelyard.web.api.study_api import add_study_api
from steelyard.web.bodies import CsrfField
from steelyard.web.cold_start_routes import cold_start_router
from steelyard.web.crowd_routes import add_crowd_routes
from steelyard.web.crowds import MTURK_RECEIVERS, framing_sites
from steelyard.web.desk import Desk
from steelyard.web.entry_routes import add_entry_routes
from steelyard.web.guard import Guard, content_policy
from steelyard.web.hooks.addresses import Networks
from steelyard.web.languages import Languages, PageTemplates
from steelyard.web.limits import network_of
from steelyard.web.openapi import describe
from steelyard.web.owner_routes import owner_router
from steelyard.web.owner_study import record_reading
from steelyard.web.page_files import Bundles, serve_bundles
from steelyard.web.rater_routes import add_rater_routes
from steelyard.web.schema import PAGE
from steelyard.web.survey_routes import add_survey_routes
from steelyard.web.tasks import widgets_of
from steelyard.web.training_routes import training_router
from steelyard.web.widget_files import serve_widget

HERE = Path(__file__).parent
LOG = logging.getLogger(__name__)
HEADINGS = {
    403: "access_denied",
    404: "page_not_found",
    429: "please_wait",
    503: "try_in_a_moment",
}
NOT_NOW = (
    "The study cannot read or store answers at the moment. Your stored answers are safe. An answer that you have just "
    "given is kept on this device and sent again automatically."
)
NOT_HERE = (
    "The study cannot continue because of a problem with its data. Please contact the people who run it."
)
RETRY_SECONDS = "5"


@dataclass(frozen=True, slots=True)
class StudyApp:
    """The application of one study, with its session and its access control."""

    app: FastAPI
    session: Session
    access: Access


def create_app(folder: Path) -> FastAPI:
    """Return the application that serves the study in a folder."""
    return create_study_app(folder).app


def create_study_app(
    folder: Path, refits_elsewhere: bool = False, networks: Networks | None = None, workers: int = 1
) -> StudyApp:
    """Return the application that serves the study in a folder.

    Parameters
    ----------
    folder
        Folder of the study.
    refits_elsewhere
        Whether another process refits the model. Otherwise refits run in a background thread, one at a time.
    networks
        Networks inside which webhooks may be. Default: only public addresses.
    workers
        Number of server processes that serve the study. They share its limits.

    Returns
    -------
    StudyApp
        The application and its parts.
    """
    database = open_database(folder)
    study = open_study(folder, begun_with(database))
    session = _session_on(study, database, refits_elsewhere)
    access = Access(database, session, workers)
    # The owner's page shows parts of the report with the report's own templates.
    templates = PageTemplates([HERE / "templates", HERE.parent / "report" / "templates"], Languages())
    arms = (study, *study.arms)
    bundles = Bundles([widget for arm in arms for widget in widgets_of(arm.definition)])
    templates.env.globals["bundles"] = bundles
    app = _empty_app(study.definition.title)
    app.state.session, app.state.access = session, access
    add_rater_routes(app.router, session, access, templates)
    add_entry_routes(app.router, session, access, templates)
    add_crowd_routes(app.router, session, access, templates)
    add_survey_routes(app.router, session, access, templates)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    serve_bundles(app, bundles)
    for name in dict.fromkeys(name for each in study.asked for name in each.definition.asking.protocols):
        serve_widget(app, PROTOCOLS[name])
    app.include_router(training_router(session, access, templates))
    app.include_router(cold_start_router(session, access, templates))
    app.state.desk = desk = Desk(session)
    app.include_router(owner_router(session, access, templates, desk))
    add_study_api(app, session, access, desk, networks)
    _add_entrances(app, session, access)
    _add_exit(app, access)
    _add_index(app, session, access, templates)
    _add_errors(app, session, access, templates)
    describe(app, session)
    # Items may be added while the study runs, and with them hosts of media.
    policy_of = lru_cache(maxsize=2)(content_policy)
    app.add_middleware(
        Guard, policy=lambda path: policy_of(session.study.items, *_sites(study.definition, path))
    )
    return StudyApp(app, session, access)


def _empty_app(title: str) -> FastAPI:
    """Return an application without routes. The document of the API is in `web.openapi`."""
    return FastAPI(
        title=title,
        version=VERSION,
        openapi_url=None,
        # Nothing about requests is sent elsewhere, and looking for a receiver takes time in each request.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )


def _session_on(study: Study, database: Database, refits_elsewhere: bool) -> Session:
    """Return the session of a study whose definition and log agree."""
    elsewhere = excluded_rosters(study)
    if refits_elsewhere:
        session = Session(study, database, database, time.time, cache=database, elsewhere=elsewhere)
    else:
        background = ThreadPoolExecutor(1, thread_name_prefix="refit")
        session = Session(study, database, database, time.time, background, elsewhere=elsewhere)
    reconcile(study, database, session.clock())
    return session


def _sites(definition: StudyDefinition, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sites that may show a page in a frame, and those that its forms may be sent to."""
    frames = framing_sites(definition, path)
    return frames, MTURK_RECEIVERS if frames else ()


def _add_entrances(app: FastAPI, session: Session, access: Access) -> None:
    @app.api_route("/", **PAGE)
    def start(request: Request) -> Response:
        """Anyone: redirect to the task page, or for new visitors to the open link if there is one."""
        is_new = access.find_rater(request) is None
        return RedirectResponse(
            "/join" if is_new and session.study.definition.joining.open_link else "/task", 303
        )

    # Without HEAD: programs that only look at a link send it, and must not sign in.
    @app.get("/owner/enter", response_model=None, include_in_schema=False)
    def enter(request: Request, key: str = "") -> Response:
        """Anyone with a key of the study: sign in as the owner, or as a viewer, who sees the report."""
        response = RedirectResponse("/owner", 303)
        used = access.admit_owner(request, response, key)
        record_reading(
            session.log, Act("signed_in", used.name, facts={"role": used.role}, at=session.clock())
        )
        if used.role == "viewer":
            response.headers["location"] = "/owner/report"
        return response


def _add_exit(app: FastAPI, access: Access) -> None:
    @app.post("/owner/leave", response_model=None)
    def leave(request: Request, csrf: CsrfField = "") -> Response:
        """The owner or a viewer: sign out of this browser."""
        access.viewer(request)
        access.check_owner_csrf(request, csrf)
        response = RedirectResponse("/", 303)
        access.dismiss_owner(response)
        return response


def _add_index(app: FastAPI, session: Session, access: Access, templates: PageTemplates) -> None:
    @app.api_route("/studies", **PAGE)
    def studies(request: Request) -> Response:
        """The owner: the studies on this server whose owner is signed in to this browser."""
        access.owner(request)
        rows = app.state.index(request) if hasattr(app.state, "index") else []
        context = {"study": session.study.definition, "csrf": access.csrf_for_owner(request), "studies": rows}
        return templates.page(request, "studies.html", context)


def _asked(request: Request) -> tuple[str, str, str]:
    """Return method, path and network of a request for the log of the server, without its query."""
    return request.method, request.url.path, network_of(request)


def _add_errors(app: FastAPI, session: Session, access: Access, templates: PageTemplates) -> None:
    """Show errors as pages to people and as JSON to scripts, never with a traceback."""

    def answer(
        request: Request, status: int, english: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        words = templates.languages.words(request, session.study.definition)
        text = words.translated(english)
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": "refused", "message": text}, status, headers)
        heading = words[HEADINGS.get(status, "something_went_wrong")]
        context = {
            "study": session.study.definition,
            "csrf": access.csrf(request),
            "heading": heading,
            "text": text,
        }
        context |= {"action_url": "", "action_text": ""}
        return templates.page(request, "message.html", context, status_code=status, headers=headers)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        text = "This page does not exist." if error.detail == "Not Found" else str(error.detail)
        if error.status_code in (403, 429):
            LOG.warning("Refused (%d): %s %r from %s.", error.status_code, *_asked(request))
        return answer(request, error.status_code, text, error.headers)

    @app.exception_handler(StudyError)
    def study_refused(request: Request, error: StudyError) -> Response:
        return answer(request, 404 if isinstance(error, UnknownRater) else 409, str(error))

    @app.exception_handler(UnreadableFile)
    def store_failed(request: Request, error: UnreadableFile) -> Response:
        LOG.error("%s", error)
        passes = isinstance(error, StoreUnavailable)
        of_owner = request.url.path.startswith("/owner")
        shown = (session.log.problem or str(error)) if of_owner else NOT_NOW if passes else NOT_HERE
        response = answer(request, 503 if passes else 500, shown)
        response.headers["retry-after"] = RETRY_SECONDS
        return response

    @app.exception_handler(RequestValidationError)
    def misread(request: Request, error: RequestValidationError) -> Response:
        places = ", ".join(".".join(str(part) for part in each["loc"]) for each in error.errors()[:5])
        words = templates.languages.words(request, session.study.definition)
        return answer(request, 422, words.say("invalid_request", places=places))
