"""What the pages of raters and newcomers share."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from steelyard.messages.words import Words
from steelyard.study.collecting.queue import NEWCOMER
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import CROWDS, Rater
from steelyard.web.access import Access
from steelyard.web.crowds import Whence
from steelyard.web.endings import ending_of
from steelyard.web.languages import PageTemplates

LOOK_AGAIN_SECONDS = 30
ANYWHERE = Whence()


class Pages:
    """Pages of one study."""

    def __init__(self, session: Session, access: Access, templates: PageTemplates) -> None:
        self.session = session
        self.access = access
        self.templates = templates
        self.definition = session.study.definition

    def page(self, request: Request, template: str, status_code: int = 200, **context: Any) -> Response:
        """Return a page made from a template.

        Parameters
        ----------
        request
            The request.
        template
            Name of the template.
        status_code
            Status of the response.
        **context
            Values for the template.

        Returns
        -------
        Response
            The page.
        """
        rater = self.access.find_rater(request)
        study = self.definition if rater is None else self.definition_of(rater)
        context = {"study": study, "csrf": self.access.csrf(request), **context}
        return self.templates.page(request, template, context, status_code=status_code)

    def words(self, request: Request, rater: Rater | None) -> Words:
        """Return the words of the pages of a rater, or of someone who has not joined."""
        study = self.definition if rater is None else self.definition_of(rater)
        return self.templates.languages.words(request, study)

    def definition_of(self, rater: Rater) -> StudyDefinition:
        """Return the settings of the arm of a rater."""
        return self.session.study_of(rater.id).definition

    def no_tasks(self, request: Request, rater: Rater | None, whence: Whence = ANYWHERE) -> Response:
        """Return a message to come back later, which reloads automatically, or that no tasks are left.

        Parameters
        ----------
        request
            The request.
        rater
            The rater; None for someone who has not joined.
        whence
            Where someone who has not joined comes from.

        Returns
        -------
        Response
            The page.
        """
        words = self.words(request, rater)
        if self.session.need(rater.id if rater is not None else NEWCOMER) == "held":
            again: dict[str, Any] = {
                "heading": words["come_back_later"],
                "text": words["held"],
                "look_again": LOOK_AGAIN_SECONDS,
            }
            address = str(request.url) if rater is None else "/task"
            return self.page(
                request, "message.html", action_url=address, action_text=words["look_again"], **again
            )
        return self.ending(request, rater, whence)

    def ending(self, request: Request, rater: Rater | None, whence: Whence = ANYWHERE) -> Response:
        """Return the last page of a rater, or of someone who has not joined.

        Parameters
        ----------
        request
            The request.
        rater
            The rater; None for someone who has not joined.
        whence
            Where someone who has not joined comes from.

        Returns
        -------
        Response
            The page.
        """
        may_join = rater is not None and bool(self.session.record(rater.id).answers) and self.may_join(rater)
        ending = ending_of(self.session, rater, self.words(request, rater), whence)
        return self.page(request, "thanks.html", ending=ending, may_join=may_join)

    def may_join(self, rater: Rater) -> bool:
        """Whether the page offers to join with another name.

        Not to raters from a crowd, and not to raters who were stopped early or whose session ended.
        """
        return (
            self.definition.joining.open_link
            and rater.source not in CROWDS
            and not self.session.record(rater.id).is_out
        )


def go_to(address: str) -> RedirectResponse:
    """Return a redirect to another page of the study."""
    return RedirectResponse(address, status_code=303)
