"""The owner's page with the audit trail."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from starlette.responses import Response

from steelyard.web.bodies import Start
from steelyard.web.owner_study import OwnerStudy

ACTS_SHOWN = 100


class OwnerTrail:
    """The audit trail of one study."""

    def __init__(self, study: OwnerStudy) -> None:
        self.study = study

    def routes(self) -> dict[str, Callable[..., Response]]:
        """Return the page by path under /owner."""
        return {"/acts": self.show}

    def show(self, request: Request, start: Start = 0) -> Response:
        """The owner: who did what to the study and when, newest first, in pages."""
        acts = self.study.session.log.acts()[::-1]
        shown = {"acts": acts[start : start + ACTS_SHOWN], "recorded": len(acts)}
        return self.study.page(request, "owner_trail.html", start=start, page_size=ACTS_SHOWN, **shown)
