"""Routes of the cold start, in which the owner or the raters draw and place the first examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import BadAnswer
from steelyard.messages.words import Words
from steelyard.study.collecting.follower import Arm
from steelyard.study.collecting.session import Session
from steelyard.study.grounding import cold_start
from steelyard.study.grounding.cold_start import (
    OWNER,
    ColdStart,
    cold_start_of,
    takes_part,
    waits_for_seeds,
)
from steelyard.study.log.transaction import Transaction
from steelyard.web.access import Access
from steelyard.web.answer_payloads import MOST_CELLS, Number
from steelyard.web.first_pages import INSTRUCTIONS, first_page
from steelyard.web.languages import PageTemplates
from steelyard.web.schema import PAGE, ColdStartOut, SeedItemOut, sends
from steelyard.web.tasks import Displayed, item_out, question_out

Index = Annotated[int, Field(strict=True, ge=0)]
Csrf = Annotated[str, Header()]
ANYONE = "anyone"  # stands for any rater


class KeepIn(BaseModel):
    """Indices of the drawn items to keep, and how many to draw at least."""

    keep: list[Index] = Field(max_length=MOST_CELLS)
    more: int = Field(0, ge=0, le=MOST_CELLS)


class FindIn(KeepIn):
    """Words to search for, and the items to keep."""

    words: str = Field(max_length=200)


class PositionIn(BaseModel):
    """Position of one item."""

    index: Index
    position: Number


class PlaceIn(BaseModel):
    """Positions of all items."""

    positions: list[PositionIn] = Field(max_length=MOST_CELLS)


class ColdStartPages:
    """The cold start of one study."""

    def __init__(self, session: Session, access: Access, templates: PageTemplates) -> None:
        self.session = session
        self.access = access
        self.templates = templates

    def show(self, request: Request) -> Response:
        """The owner, or a rater who has agreed: the page to choose and place examples."""
        person = self._person(request)
        if person != OWNER and (missing := self._missing(request)) != "/cold-start":
            return RedirectResponse(missing or "/task", 303)
        csrf = self.access.csrf_for_owner(request) if person == OWNER else self.access.csrf(request)
        arm = self._arm(person)
        definition = arm.study.definition
        context: dict[str, Any] = {"study": definition, "csrf": csrf, "for_owner": person == OWNER}
        context["condition"] = arm.name if person == OWNER and self.session.study.arms else ""
        context["question"] = definition.questions[0]
        context["items"] = int(arm.study.items.asked.sum())
        return self.templates.page(request, "cold_start.html", context)

    def state(self, request: Request) -> Response:
        """The owner or a rater: the current state."""
        return self._state(request, self._person(request))

    def draw(self, request: Request, sent: KeepIn, x_csrf_token: Csrf = "") -> Response:
        """The owner or a rater: keep some items and draw others."""
        return self._act(
            request,
            x_csrf_token,
            lambda transaction, who: cold_start.draw(transaction, who, sent.keep, sent.more),
        )

    def find(self, request: Request, sent: FindIn, x_csrf_token: Csrf = "") -> Response:
        """The owner or a rater: search the items."""
        return self._act(
            request,
            x_csrf_token,
            lambda transaction, who: cold_start.find(transaction, who, sent.keep, sent.words),
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
        if self.access.is_owner(request) and self._placed_by_owner():
            return OWNER
        if not any(takes_part(each.definition, ANYONE) for each in self.session.study.asked):
            self.access.owner(request)
        rater = self.access.rater(request)
        if first_page(self.session, rater) in ("/welcome", "/survey", INSTRUCTIONS, "/training"):
            raise HTTPException(403, "Please read the first page and agree before you start.")
        return rater.id

    def _placed_by_owner(self) -> list[Arm]:
        """Return the arms whose first examples the owner places; those that still wait for them come first."""
        arms = [self.session.arm(each.definition.condition) for each in self.session.study.asked]
        own = [arm for arm in arms if takes_part(arm.study.definition, OWNER)]
        return sorted(own, key=lambda arm: not waits_for_seeds(arm.ledger))

    def _arm(self, person: str) -> Arm:
        """Return the arm whose examples this person places."""
        self.session.fresh_ledger()
        arm = self._placed_by_owner()[0] if person == OWNER else self.session.follower.arm_of(person)
        if arm is None:
            raise HTTPException(403, "Please read the first page and agree before you start.")
        return arm

    def _words(self, request: Request, person: str) -> Words:
        return self.templates.languages.words(request, self._arm(person).study.definition)

    def _missing(self, request: Request) -> str | None:
        return first_page(self.session, self.access.rater(request))

    def _act(self, request: Request, csrf: str, act: Callable[[Transaction, str], None]) -> Response:
        person = self._person(request)
        check = self.access.check_owner_csrf if person == OWNER else self.access.check_csrf
        check(request, csrf)
        try:
            with self.session.transaction() as transaction:
                act(transaction.in_arm(self._arm(person).ledger), person)
        except BadAnswer as mistake:
            return JSONResponse(
                {"error": "answer", "message": self._words(request, person).of_error(mistake)}, 422
            )
        return self._state(request, person)

    def _state(self, request: Request, person: str) -> Response:
        return JSONResponse(self._payload(request, person, cold_start_of(self._arm(person).ledger, person)))

    def _payload(self, request: Request, person: str, current: ColdStart) -> ColdStartOut:
        items, definition = self.session.study.items, self._arm(person).study.definition
        settings = definition.grounding.cold_start

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
            "question": question_out(
                definition.questions[0], definition, self.templates.languages.words(request, definition)
            ),
            "labelled": settings is not None and settings.labelled,
            "search": settings is not None and settings.search,
            "size": current.size,
            "of": int(items.asked.sum()),
            "next": "/owner" if person == OWNER else "/task",
        }


def cold_start_router(session: Session, access: Access, templates: PageTemplates) -> APIRouter:
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
    if all(arm.definition.grounding.cold_start is None for arm in session.study.asked):
        return router
    pages = ColdStartPages(session, access, templates)
    router.add_api_route("/cold-start", pages.show, **PAGE)
    router.add_api_route("/api/cold-start", pages.state, methods=["GET"], **sends(ColdStartOut))
    for act in (pages.draw, pages.find, pages.agree, pages.reopen, pages.place):
        router.add_api_route(f"/api/cold-start/{act.__name__}", act, methods=["POST"], **sends(ColdStartOut))
    return router
