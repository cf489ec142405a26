"""Routes by which people join a study: a personal link and the open link."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.study.collecting.rater_names import clean_name
from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater
from steelyard.web.access import Access
from steelyard.web.bodies import CsrfField
from steelyard.web.languages import PageTemplates
from steelyard.web.pages import Pages, go_to
from steelyard.web.rater_routes import RaterPages
from steelyard.web.schema import PAGE

LONGEST_NAME = 80
BY_INVITATION = "This study is by invitation only. Open the link you were given."


class EntryPages(Pages):
    """The pages of people who have not joined yet."""

    def open_link(self, request: Request, token: str) -> Response:
        """Anyone with a rater's link: sign in and continue.

        The response is the task page itself if nothing comes before it: a redirect to it would cost a round trip.
        """
        rater = self.access.open_link(request, token)
        self.session.arrive(rater.id, self._fields(request))
        self.access.act_as(request, rater)
        response = RaterPages(self.session, self.access, self.templates).show_task(request)
        self.access.admit_rater(request, response, rater)
        return response

    def show_join(self, request: Request, new: bool = False) -> Response:
        """Anyone, if the study has an open link: choose a name. With `new`, choose another name in this browser."""
        self._require_open_link()
        if not new and self.access.find_rater(request) is not None:
            return go_to("/task")
        if self.session.need() != "open":
            return self.no_tasks(request, None)
        return self.greeting(request, "join.html", error="", address=self.address(request, "/join"))

    def join(self, request: Request, csrf: CsrfField = "", name: Annotated[str, Form()] = "") -> Response:
        """Anyone, if the study has an open link: become a rater with a personal link."""
        self._require_open_link()
        self.access.check_csrf(request, csrf)
        if self.session.need() != "open":
            return self.no_tasks(request, None)
        name = clean_name(name)
        if not name or len(name) > LONGEST_NAME:
            error = self.words(request, None).say("name_wrong", count=LONGEST_NAME)
            return self.page(request, "join.html", 422, error=error, address=self.address(request, "/join"))
        self.access.joining.check(request)
        self.access.joining.count(request)
        return self.enter(request, self.session.join(name, "open"))

    def _fields(self, request: Request) -> dict[str, str]:
        """Return the parameters of the address that determine the stratum of a rater."""
        names = self.definition.assignment.strata
        return {name: request.query_params[name] for name in names if name in request.query_params}

    def address(self, request: Request, path: str) -> str:
        """Return a path with the parameters that determine the stratum of a rater."""
        query = urlencode(self._fields(request))
        return f"{path}?{query}" if query else path

    def greeting(self, request: Request, template: str, **context: Any) -> Response:
        """Return the first page of a visitor, with a cookie for its form."""
        response = self.page(request, template, **context)
        self.access.greet(request, response)
        return response

    def enter(self, request: Request, rater: Rater) -> Response:
        """Sign a rater in to this browser, and assign them to an arm if the study has arms."""
        self.session.arrive(rater.id, self._fields(request))
        response = go_to("/task")
        self.access.admit_rater(request, response, rater)
        return response

    def _require_open_link(self) -> None:
        if not self.definition.joining.open_link:
            raise HTTPException(404, BY_INVITATION)


def add_entry_routes(router: APIRouter, session: Session, access: Access, templates: PageTemplates) -> None:
    """Add the routes by which people join.

    Parameters
    ----------
    router
        Router of the application.
    session
        The session on the study.
    access
        Access control of the study.
    templates
        Templates of the pages.
    """
    pages = EntryPages(session, access, templates)
    router.add_api_route("/r/{token}", pages.open_link, **PAGE)
    router.add_api_route("/join", pages.show_join, **PAGE)
    router.add_api_route("/join", pages.join, methods=["POST"], response_model=None)
