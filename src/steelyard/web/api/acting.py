"""Acts of programs in the audit trail."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from steelyard.study.collecting.session import Session
from steelyard.study.log.acts import Act


def act_of(request: Request, session: Session, what: str, rater: str = "", **facts: Any) -> Act:
    """Return an act for the audit trail, with the name of the token that a request was allowed with.

    Parameters
    ----------
    request
        A request whose token was checked.
    session
        The session on the study.
    what
        Name of the act.
    rater
        Id of the rater concerned, or "".
    **facts
        Details of the act.

    Returns
    -------
    Act
        The act, not yet stored.
    """
    return Act(what, request.state.key.name, rater, facts, session.clock())
