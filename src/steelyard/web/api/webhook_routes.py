"""Routes of one study for programs: its webhooks and their messages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.storage.webhooks import Delivery, Webhook, Webhooks
from steelyard.study.collecting.session import Session
from steelyard.web.api.acting import act_of
from steelyard.web.api.payloads import (
    DeliveriesOut,
    DeliveryOut,
    NewWebhookOut,
    TestedOut,
    WebhookIn,
    WebhookOut,
    WebhooksOut,
)
from steelyard.web.api.refusals import refusals
from steelyard.web.api.study_routes import PREFIX, described
from steelyard.web.api.tokens import Tokens, scoped
from steelyard.web.hooks.addresses import Networks, target_of

Id = Annotated[str, Path(max_length=64)]


class WebhookApi:
    """The webhooks of one study.

    Parameters
    ----------
    session
        The session on the study.
    webhooks
        Its webhooks.
    tokens
        Checks the tokens of requests.
    networks
        Networks inside which webhooks may be.
    """

    def __init__(self, session: Session, webhooks: Webhooks, tokens: Tokens, networks: Networks) -> None:
        self.session = session
        self.webhooks = webhooks
        self.tokens = tokens
        self.networks = networks

    def listed(self) -> Response:
        """A token with manage:study: the webhooks of the study."""
        sent: WebhooksOut = {"webhooks": [self._out(each) for each in self.webhooks.all()]}
        return JSONResponse(sent)

    def add(self, request: Request, sent: WebhookIn) -> Response:
        """A token with manage:study: add a webhook. The secret for its signatures is shown only once."""
        target_of(sent.url, self.networks)
        made = self.webhooks.add(sent.url, sent.events, request.state.key.name, self.session.clock())
        self.session.log.record(act_of(request, self.session, "webhook_added", webhook=made.id, url=made.url))
        shown: NewWebhookOut = {
            "id": made.id,
            "url": made.url,
            "events": list(made.events),
            "secret": made.secret,
        }
        return JSONResponse(shown, 201)

    def remove(self, request: Request, webhook: Id) -> Response:
        """A token with manage:study: remove a webhook and its messages."""
        if not self.webhooks.remove(webhook):
            raise HTTPException(404, "This study has no webhook with this id.")
        self.session.log.record(act_of(request, self.session, "webhook_removed", webhook=webhook))
        return Response(status_code=204)

    def test(self, webhook: Id) -> Response:
        """A token with manage:study: send a test message to a webhook."""
        registered = self._known(webhook)
        facts = {"title": self.session.study.definition.title}
        sent: TestedOut = {"id": self.webhooks.test(registered.id, facts, self.session.clock())}
        return JSONResponse(sent, 202)

    def deliveries(self, webhook: Id) -> Response:
        """A token with manage:study: the newest messages to a webhook, and why they were not delivered."""
        listed = self.webhooks.deliveries(self._known(webhook).id)
        sent: DeliveriesOut = {"deliveries": [_delivery(each) for each in listed]}
        return JSONResponse(sent)

    def _known(self, webhook: str) -> Webhook:
        known = self.webhooks.find(webhook)
        if known is None:
            raise HTTPException(404, "This study has no webhook with this id.")
        return known

    def _out(self, webhook: Webhook) -> WebhookOut:
        tried = [each for each in self.webhooks.deliveries(webhook.id) if each.attempts]
        return {
            "id": webhook.id,
            "url": webhook.url,
            "events": list(webhook.events),
            "by": webhook.by,
            "at": webhook.at,
            "problem": tried[0].problem if tried else "",
        }


def _delivery(delivery: Delivery) -> DeliveryOut:
    return {
        "id": delivery.id,
        "event": delivery.event,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "problem": delivery.problem,
        "at": delivery.at,
        "due": delivery.due if delivery.state == "pending" else None,
    }


def webhook_router(api: WebhookApi) -> APIRouter:
    """Return the routes of the webhooks of a study."""
    router = APIRouter(prefix=f"{PREFIX}/webhooks")
    managing = scoped(api.tokens, "manage:study")
    router.add_api_route("", api.listed, methods=["GET"], **described(WebhooksOut), **managing)
    router.add_api_route("", api.add, methods=["POST"], **described(NewWebhookOut, 201), **managing)
    router.add_api_route(
        "/{webhook}",
        api.remove,
        methods=["DELETE"],
        status_code=204,
        response_model=None,
        responses=refusals(401, 403, 404, 413, 422, 429, 503),
        **managing,
    )
    router.add_api_route(
        "/{webhook}/test", api.test, methods=["POST"], **described(TestedOut, 202, 404), **managing
    )
    router.add_api_route(
        "/{webhook}/deliveries",
        api.deliveries,
        methods=["GET"],
        **described(DeliveriesOut, 200, 404),
        **managing,
    )
    return router
