"""Routes of one study for programs: its progress, items, results and raters."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import UnknownName
from steelyard.storage.keys import Scope
from steelyard.storage.webhooks import Webhooks
from steelyard.study.collecting.session import Session
from steelyard.study.definition.adding_items import Added, add_items
from steelyard.study.definition.items import open_sheet
from steelyard.study.log.entries import EventKind
from steelyard.study.results.headline import headline_of, notices_of
from steelyard.study.results.overview import Overview
from steelyard.study.results.status import ENDED
from steelyard.version import VERSION
from steelyard.web.api.acting import act_of
from steelyard.web.api.examples import example_of
from steelyard.web.api.payloads import (
    MOST_ROWS,
    AddedOut,
    ArmProgressOut,
    Form,
    InvitedOut,
    InviteIn,
    ItemsIn,
    ItemsOut,
    RowsOut,
    StudyItemOut,
    StudyOut,
    StudyProgressOut,
    What,
)
from steelyard.web.api.refusals import refusals
from steelyard.web.api.tokens import Offered, Tokens, scoped
from steelyard.web.bodies import Start, read_body
from steelyard.web.desk import Desk
from steelyard.web.owner_routes import MEDIA_TYPES
from steelyard.web.owner_study import record_reading

PREFIX = "/api/study"
Most = Annotated[int, Query(ge=1, le=MOST_ROWS)]
Condition = Annotated[str, Query(max_length=200)]


class StudyApi:
    """The API of one study.

    Parameters
    ----------
    session
        The session on the study.
    desk
        Computes results in a separate process.
    tokens
        Checks the tokens of requests.
    webhooks
        Webhooks of the study, whose problems are among the notices.
    """

    def __init__(self, session: Session, desk: Desk, tokens: Tokens, webhooks: Webhooks) -> None:
        self.session = session
        self.desk = desk
        self.tokens = tokens
        self.webhooks = webhooks

    # Reading

    def study(self) -> Response:
        """A token with read:results: what the study asks, and how."""
        self.session.fresh_ledger()
        study = self.session.study
        definition = study.definition
        sheet = open_sheet(study.folder / definition.items.file, definition.items.file)
        described: StudyOut = {
            "title": definition.title,
            "protocol": ",".join(definition.asking.protocols),
            "kind": ",".join(kind.name for kind in definition.kinds),
            "model": definition.learning.model,
            "selection": definition.choosing.selection,
            "questions": [{"id": each.id, "text": each.text} for each in definition.questions],
            "conditions": [arm.condition for arm in definition.conditions],
            "columns": list(sheet.columns),
            "items": len(study.items),
            "version": VERSION,
        }
        return JSONResponse(described)

    def progress(self) -> Response:
        """A token with read:results: how many judgments the study has and wants, and whether it has ended."""
        self.session.fresh_ledger()  # items that another process has added reach the desk with the session
        overviews = {name: self.desk.overview(name) for name in self._arms()}
        arms = [_arm_progress(name, each) for name, each in overviews.items()]
        first = next(iter(overviews.values()))
        sent: StudyProgressOut = {
            "ended": all(arm["status"] in ENDED for arm in arms),
            "paused": first.paused,
            "judgments": sum(arm["judgments"] for arm in arms),
            "wanted": sum(arm["wanted"] for arm in arms),
            "raters": sum(bool(line.tasks) for each in overviews.values() for line in each.raters),
            "log_position": first.log_position,
            "arms": arms,
            "notices": [*self.session.problems, *self.webhooks.problems(), *notices_of(first)],
        }
        return JSONResponse(sent)

    def items(self, start: Start = 0, most: Most = 1_000) -> Response:
        """A token with read:results: the items of the study."""
        self.session.fresh_ledger()
        items = self.session.study.items
        listed: list[StudyItemOut] = [
            {
                "id": each.id,
                "medium": each.medium,
                "content": each.content,
                "system": each.system,
                "segment": each.segment,
            }
            for each in items.all[start : start + most]
        ]
        return JSONResponse({"total": len(items), "start": start, "items": listed})

    def scale(
        self, request: Request, condition: Condition = "", start: Start = 0, most: Most = MOST_ROWS
    ) -> Response:
        """A token with read:results: the scale, highest position first; empty before the first fit.

        Parameters
        ----------
        request
            The request of a program.
        condition
            Name of an arm. Default: all arms.
        start
            Index of the first row.
        most
            Largest number of rows.

        Returns
        -------
        Response
            The rows.
        """
        return self._rows(request, "scale", condition, start, most)

    def judgments(
        self, request: Request, condition: Condition = "", start: Start = 0, most: Most = 1_000
    ) -> Response:
        """A token with read:results: the judgments that count, oldest first.

        Parameters
        ----------
        request
            The request of a program.
        condition
            Name of an arm. Default: all arms.
        start
            Index of the first row.
        most
            Largest number of rows.

        Returns
        -------
        Response
            The rows.
        """
        return self._rows(request, "judgments", condition, start, most)

    def file(self, request: Request, what: What, form: Form, offered: Offered) -> Response:
        """A token with read:results: a table as a file. The table of raters has names, and needs manage:study."""
        scope: Scope = "manage:study" if what == "raters" else "read:results"
        request.state.key = self.tokens.allow(request, offered, scope)
        self.session.fresh_ledger()
        content = self.desk.table(what, form)
        record_reading(self.session.log, act_of(request, self.session, "exported", table=what, format=form))
        named = {"Content-Disposition": f'attachment; filename="{what}.{form}"'}
        return Response(content, media_type=MEDIA_TYPES[form], headers=named)

    # Changes

    async def add_items(self, request: Request) -> Response:
        """A token with write:items: add items, all or none. Existing items never change."""
        sent = read_body(ItemsIn, await request.body())
        added = await asyncio.to_thread(self._add, request, sent)
        reply: AddedOut = {
            "added": list(added.added),
            "unchanged": list(added.unchanged),
            "items": added.items,
        }
        return JSONResponse(reply)

    def _add(self, request: Request, sent: ItemsIn) -> Added:
        added = add_items(self.session.study, sent.items)
        if added.added:
            self.session.log.record(act_of(request, self.session, "items_added", items=len(added.added)))
        self.session.fresh_ledger()  # reads the file again
        self.desk.wake()
        return added

    def pause(self, request: Request) -> Response:
        """A token with manage:study: pause the study, so that no new tasks are assigned."""
        return self._note(request, "paused")

    def resume(self, request: Request) -> Response:
        """A token with manage:study: resume the study."""
        return self._note(request, "resumed")

    def invite(self, request: Request, sent: InviteIn) -> Response:
        """A token with manage:study: create a personal link for a new rater."""
        with self.session.transaction() as transaction:
            rater = self.session.join(sent.name, "link")
            transaction.writer.record(act_of(request, self.session, "invited", rater.id))
        self.desk.wake()
        made: InvitedOut = {"rater": rater.id, "link": f"{request.base_url}r/{rater.token}"}
        return JSONResponse(made, 201)

    # Helpers

    def _arms(self) -> list[str]:
        return [arm.condition for arm in self.session.study.definition.conditions] or [""]

    def _note(self, request: Request, kind: EventKind) -> Response:
        with self.session.transaction() as transaction:
            self.session.note(kind)
            transaction.writer.record(act_of(request, self.session, kind))
        self.desk.wake()
        return self.progress()

    def _rows(self, request: Request, what: str, condition: str, start: int, most: int) -> Response:
        """Send rows of a table, and record the export as one act per request.

        Parameters
        ----------
        request
            The request of a program.
        what
            Name of the table.
        condition
            Name of an arm; empty for all arms.
        start
            Index of the first row.
        most
            Largest number of rows.

        Returns
        -------
        Response
            The rows.
        """
        if condition and condition not in self._arms():
            raise HTTPException(404, str(UnknownName("condition", condition, self._arms())))
        self.session.fresh_ledger()
        position, total, rows = self.desk.rows(what, condition, start, most)
        act = act_of(request, self.session, "exported", table=what, start=start, rows=len(rows))
        record_reading(self.session.log, act)
        sent: RowsOut = {"log_position": position, "total": total, "start": start, "rows": rows}
        return JSONResponse(sent)


def _arm_progress(name: str, overview: Overview) -> ArmProgressOut:
    return {
        "condition": name or overview.definition.condition,
        "status": overview.status,
        "sentence": headline_of(overview).sentence,
        "judgments": overview.judgments,
        "wanted": overview.wanted,
        "cannot_judge": overview.cannot_judge,
        "items": overview.items,
        "items_short": overview.items_short,
        "tasks_open": overview.tasks_open,
        "round": overview.round,
        "reliability": overview.reliability,
        "newest_at": overview.newest_at,
    }


def described(kind: Any, status: int = 200, *more: int) -> dict[str, Any]:
    """Return the settings of a route that sends this type: its documentation, with an example.

    Parameters
    ----------
    kind
        Type of the response.
    status
        Status of the response.
    more
        Statuses of further refusals.

    Returns
    -------
    dict
        Arguments of `add_api_route`.
    """
    shown = {"model": kind, "content": {"application/json": {"example": example_of(kind)}}}
    common = refusals(401, 403, 413, 422, 429, 503, *more)
    return {"response_model": None, "status_code": status, "responses": {status: shown, **common}}


def body_of(model: Any) -> dict[str, Any]:
    """Return the documentation of a body that a route reads itself, after it has checked the token."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {
        "openapi_extra": {
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}
        }
    }


def study_api_router(api: StudyApi) -> APIRouter:
    """Return the routes of the API of a study."""
    router = APIRouter(prefix=PREFIX)
    reading, managing = scoped(api.tokens, "read:results"), scoped(api.tokens, "manage:study")
    for path, read, kind, more in (
        ("", api.study, StudyOut, ()),
        ("/progress", api.progress, StudyProgressOut, (409,)),
        ("/items", api.items, ItemsOut, ()),
        ("/scale", api.scale, RowsOut, (404, 409)),
        ("/judgments", api.judgments, RowsOut, (404, 409)),
    ):
        router.add_api_route(path, read, methods=["GET"], **described(kind, 200, *more), **reading)
    files = {media: {"schema": {"type": "string", "format": "binary"}} for media in MEDIA_TYPES.values()}
    router.add_api_route(
        "/files/{what}.{form}",
        api.file,
        methods=["GET"],
        response_class=Response,
        responses={200: {"content": files}, **refusals(401, 403, 409, 413, 422, 429, 503)},
        tags=["owners"],
    )
    router.add_api_route(
        "/items",
        api.add_items,
        methods=["POST"],
        **described(AddedOut, 200, 409),
        **scoped(api.tokens, "write:items"),
        **body_of(ItemsIn),
    )
    for path, act in (("/pause", api.pause), ("/resume", api.resume)):
        router.add_api_route(path, act, methods=["POST"], **described(StudyProgressOut, 200, 409), **managing)
    router.add_api_route("/raters", api.invite, methods=["POST"], **described(InvitedOut, 201), **managing)
    return router
