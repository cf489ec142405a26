"""The API for owners in the application of a study."""

from __future__ import annotations

from fastapi import FastAPI

from steelyard.study.collecting.session import Session
from steelyard.web.access import Access
from steelyard.web.api.refusals import add_refusals
from steelyard.web.api.study_routes import StudyApi, study_api_router
from steelyard.web.api.webhook_routes import WebhookApi, webhook_router
from steelyard.web.desk import Desk
from steelyard.web.hooks.addresses import Networks


def add_study_api(
    app: FastAPI, session: Session, access: Access, desk: Desk, networks: Networks | None = None
) -> None:
    """Add the routes that programs call.

    Parameters
    ----------
    app
        Application of the study.
    session
        The session on the study.
    access
        Access control of the study, with its tokens and webhooks.
    desk
        Computes results in a separate process.
    networks
        Networks inside which webhooks may be. Default: only public addresses.
    """
    tokens, webhooks = access.tokens, access.webhooks
    app.include_router(study_api_router(StudyApi(session, desk, tokens, webhooks)))
    app.include_router(webhook_router(WebhookApi(session, webhooks, tokens, networks or Networks())))
    add_refusals(app)
