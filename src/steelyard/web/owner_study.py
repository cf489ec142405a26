"""What all pages of the owner share: the study, access, templates and the desk."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from fastapi import Request
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import StoreUnavailable, UnknownName
from steelyard.messages.words import Words, owner_words
from steelyard.report.local_words import LocalWords
from steelyard.study.collecting.session import Session
from steelyard.study.log.acts import Act, Trail
from steelyard.study.log.entries import EventKind
from steelyard.study.results.overview import Overview
from steelyard.study.results.question_view import QuestionView
from steelyard.web.access import Access
from steelyard.web.desk import Desk
from steelyard.web.languages import PageTemplates

LOG = logging.getLogger(__name__)
ARM_COOKIE = "steelyard_owner_arm"


@dataclass(frozen=True, eq=False)
class OwnerStudy:
    """One study as its owner sees it.

    Attributes
    ----------
    session
        The session on the study.
    access
        Access control of the study.
    templates
        Templates of the pages.
    desk
        Computes overviews, tables and charts.
    """

    session: Session
    access: Access
    templates: PageTemplates
    desk: Desk

    def condition(self, request: Request) -> str:
        """Return the arm that pages show: that of the address, or the one that was shown last; "" without arms."""
        arms = tuple(self.session.follower.arms) if self.session.study.arms else ("",)
        named = request.query_params.get("condition") or unquote(request.cookies.get(ARM_COOKIE, ""))
        return named if named in arms else arms[0]

    def overview(self, request: Request) -> Overview:
        """Return the latest overview of the arm that pages show."""
        return self.desk.overview(self.condition(request))

    def remember_arm(self, request: Request, response: Response) -> Response:
        """Return the response with a cookie, so that the other pages and the charts show the same arm."""
        if self.session.study.arms:
            response.set_cookie(ARM_COOKIE, quote(self.condition(request)), httponly=True, samesite="lax")
        return response

    def page(self, request: Request, template: str, **context: Any) -> Response:
        """Return a page of the owner."""
        messages = self.messages
        always = {
            "study": self.session.arm(self.condition(request)).study.definition,
            "csrf": self.access.csrf_for_owner(request),
            "messages": messages,
            "words": LocalWords(messages),
            "page_language": messages.language.code,
            "page_direction": messages.language.direction,
        }
        return self.templates.page(request, template, {**always, **context})

    @property
    def messages(self) -> Words:
        """The messages of the owner's pages in their language."""
        return owner_words(self.session.study.definition.page.shown_to_owner)

    def act(
        self, request: Request, what: str, rater: str = "", facts: Mapping[str, Any] | None = None
    ) -> Act:
        """Return an act of the owner for the audit trail, with the name of their key and the time.

        Parameters
        ----------
        request
            The request of the owner.
        what
            Name of the act.
        rater
            Id of the rater concerned, or "".
        facts
            Details of the act.

        Returns
        -------
        Act
            The act, not yet stored.
        """
        who = self.access.viewer(request).name
        return Act(what, who, rater, {} if facts is None else facts, self.session.clock())

    def record(self, request: Request, what: str, facts: Mapping[str, Any] | None = None) -> None:
        """Record an act that only reads. It is also possible while the study cannot be written."""
        record_reading(self.session.log, self.act(request, what, facts=facts))

    def note(
        self,
        request: Request,
        kind: EventKind,
        rater: str = "",
        facts: Mapping[str, str] | None = None,
        back: str = "/owner",
    ) -> Response:
        """Log an act of the owner, also in the audit trail, and return to a page.

        Parameters
        ----------
        request
            The request of the owner.
        kind
            Kind of the event.
        rater
            Id of the rater concerned; empty for the whole study.
        facts
            Details of the event.
        back
            Address of the page.

        Returns
        -------
        Response
            A redirect.
        """
        with self.session.transaction() as transaction:
            self.session.note(kind, rater, facts)
            transaction.writer.record(self.act(request, kind, rater))
        self.desk.wake()
        return RedirectResponse(back, 303)


def record_reading(trail: Trail, act: Act) -> None:
    """Record an act that changes nothing in the study; if the database cannot be written, only in the server's log."""
    try:
        trail.record(act)
    except StoreUnavailable as reason:
        LOG.error("%s by %s is not in the audit trail. %s", act.what, act.who, reason)


def view_of(overview: Overview, question: str | None) -> QuestionView:
    """Return the results of a question, by default the first one, or answer 404."""
    try:
        return overview.view(question)
    except UnknownName as unknown:
        raise HTTPException(404, str(unknown)) from unknown
