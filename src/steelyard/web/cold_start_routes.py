"""Routes of the cold start, in which the owner or the raters draw and place the first examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import BadAnswer
from steelyard.study.collecting.session import Session
from steelyard.study.grounding import cold_start
from steelyard.study.grounding.cold_start import OWNER, ColdStart, cold_start_of, takes_part
from steelyard.study.log.transaction import Transaction
from steelyard.web.access import Access
from steelyard.web.answer_payloads import MOST_CELLS, Number
from steelyard.web.rater_routes import first_page
from steelyard.web.schema import PAGE, ColdStartOut, SeedItemOut, sends
from steelyard.web.tasks import Displayed, item_out, question_out
from steelyard.web.widgets import fetched_ahead

Index = Annotated[int, Field(strict=True, ge=0)]
Csrf = Annotated[str, Header()]


class KeepIn(BaseModel):
    """Indices of the drawn items to keep."""

    keep: list[Index] = Field(max_length=MOST_CELLS)


class PositionIn(BaseModel):
    """Position of one item."""

    index: Index
    position: Number


class PlaceIn(BaseModel):
    """Positions of all items."""

    positions: list[PositionIn] = Field(max_length=MOST_CELLS)


class ColdStartPages:
    """The cold start of one study."""

    def __init__(self, session: Session, access: Access, templates: Jinja2Templates) -> None:
        self.session = session
        self.access = access
        self.templates = templates
        self.definition = session.study.definition

    def show(self, request: Request) -> Response:
        """The owner, or a rater who has agreed: the page to choose and place examples."""
        person = self._person(request)
        if person != OWNER and (missing := self._missing(request)) != "/cold-start":
            return RedirectResponse(missing or "/task", 303)
        csrf = self.access.csrf_for_owner(request) if person == OWNER else self.access.csrf(request)
        context: dict[str, Any] = {"study": self.definition, "csrf": csrf, "for_owner": person == OWNER}
        context["question"] = self.definition.questions[0]
        context["items"] = len(self.session.study.items)
        context["ahead"] = fetched_ahead("pages/cold-start-page.js", [])
        return self.templates.TemplateResponse(request, "cold_start.html", context)

    def state(self, request: Request) -> Response:
        """The owner or a rater: the current state."""
        return self._state(request, self._person(request))

    def draw(self, request: Request, sent: KeepIn, x_csrf_token: Csrf = "") -> Response:
        """The owner or a rater: keep some items and draw others."""
        return self._act(
            request, x_csrf_token, lambda transaction, who: cold_start.draw(transaction, who, sent.keep)
        )

    def agree(self, request: Request, sent: KeepIn, x_csrf_token: Csrf = "") -> Response:
        """The owner or a rater: accept the set of items."""
        return self._act(
            request, x_csrf_token, lambda transaction, who: cold_start.agree(transaction, who, sent.keep)
        )

    def reopen(self, request: Request, x_csrf_token: Csrf = "") -> Response:
        """The owner or a rater: go back to choosing items."""
        return self._act(request, x_csrf_token, cold_start.reopen)

    def place(self, request: Request, sent: PlaceIn, x_csrf_token: Csrf = "") -> Response:
        """The owner or a rater: save the positions of all items."""
        positions = {each.index: each.position for each in sent.positions}
        return self._act(
            request, x_csrf_token, lambda transaction, who: cold_start.place(transaction, who, positions)
        )

    # Helpers

    def _person(self, request: Request) -> str:
        """Return the owner, or the rater of this browser, depending on the study; answer 403 to others."""
        if takes_part(self.definition, OWNER):
            self.access.owner(request)
            return OWNER
        rater = self.access.rater(request)
        if first_page(self.session, rater) in ("/welcome", "/survey", "/training"):
            raise HTTPException(403, "Please read the first page and agree before you start.")
        return rater.id

    def _missing(self, request: Request) -> str | None:
        return first_page(self.session, self.access.rater(request))

    def _act(self, request: Request, csrf: str, act: Callable[[Transaction, str], None]) -> Response:
        person = self._person(request)
        check = self.access.check_owner_csrf if person == OWNER else self.access.check_csrf
        check(request, csrf)
        try:
            with self.session.transaction() as transaction:
                act(transaction, person)
        except BadAnswer as mistake:
            return JSONResponse({"error": "answer", "message": str(mistake)}, 422)
        return self._state(request, person)

    def _state(self, request: Request, person: str) -> Response:
        return JSONResponse(
            self._payload(request, person, cold_start_of(self.session.fresh_ledger(), person))
        )

    def _payload(self, request: Request, person: str, current: ColdStart) -> ColdStartOut:
        items, settings = self.session.study.items, self.definition.grounding.cold_start

        def media_url(item: int) -> str:
            if person == OWNER:
                return f"/owner/media/{item}"
            return f"/media/{item}/{self.access.media_mark(self.access.rater(request), item)}"

        def seed(index: int) -> SeedItemOut:
            return {"index": index, **item_out(Displayed(items[index], lambda: media_url(index)))}

        return {
            "state": current.state,
            "items": [seed(index) for index in current.items],
            "dropped": [seed(index) for index in (current.dropped if current.state == "draw" else ())],
            "reopens": current.reopens,
            "question": question_out(self.definition.questions[0], self.definition),
            "labelled": settings is not None and settings.labelled,
            "size": current.size,
            "of": len(items),
            "next": "/owner" if person == OWNER else "/task",
        }


def cold_start_router(session: Session, access: Access, templates: Jinja2Templates) -> APIRouter:
    """Return the routes of the cold start.

    Parameters
    ----------
    session
        The session on the study.
    access
        Access control of the study.
    templates
        Templates of the pages.

    Returns
    -------
    APIRouter
        The routes; none if the study has no cold start.
    """
    router = APIRouter()
    if session.study.definition.grounding.cold_start is None:
        return router
    pages = ColdStartPages(session, access, templates)
    router.add_api_route("/cold-start", pages.show, **PAGE)
    router.add_api_route("/api/cold-start", pages.state, methods=["GET"], **sends(ColdStartOut))
    for act in (pages.draw, pages.agree, pages.reopen, pages.place):
        router.add_api_route(f"/api/cold-start/{act.__name__}", act, methods=["POST"], **sends(ColdStartOut))
    return router
