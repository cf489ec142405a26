"""The owner's pages about raters: one page per rater, links, exclusion and notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import Form, Request
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.quality.rater_flags import reason_for
from steelyard.study.log.interface import Source
from steelyard.study.results.question_view import QuestionView, RaterLine
from steelyard.web.bodies import CsrfField
from steelyard.web.owner_study import OwnerStudy, view_of

RATERS = "/owner#raters"
LONGEST_NAME = 80
LONGEST_REASON = 500
LONGEST_NOTE = 2_000
ANSWERS_SHOWN = 200
ORIGINS: dict[Source, str] = {
    "link": "invited by link",
    "open": "joined by the open link",
    "prolific": "from Prolific",
    "mturk": "from MTurk",
    "panel": "from the panel",
    "simulated": "simulated",
    "file": "from a file",
}


class OwnerRaters:
    """The pages about raters of one study."""

    def __init__(self, study: OwnerStudy) -> None:
        self.study = study

    def reading(self) -> dict[str, Callable[..., Response]]:
        """Return the pages by path under /owner."""
        return {"/raters/{rater}": self.show_rater}

    def writing(self) -> dict[str, Callable[..., Response]]:
        """Return the acts by path under /owner."""
        return {
            "/raters": self.invite,
            "/raters/{rater}/exclude": self.exclude,
            "/raters/{rater}/include": self.include,
            "/raters/{rater}/recall": self.recall,
            "/raters/{rater}/note": self.add_note,
        }

    def show_rater(self, request: Request, rater: str, question: str | None = None) -> Response:
        """The owner: a rater's answers beside those of the others, flags, comments, notes and link."""
        condition = self.study.session.record(rater).condition or self.study.condition(request)
        overview = self.study.desk.overview(condition)
        view = view_of(overview, question)
        line = _line(view, rater)
        compared, answers = self.study.desk.answers_by(overview.views.index(view), rater, condition)
        shown = {"line": line, "link": f"{request.base_url}r/{line.rater.token}"}
        shown |= {"compared": compared[:ANSWERS_SHOWN], "compared_of": len(compared)}
        shown |= {"answers": answers[:ANSWERS_SHOWN], "answers_of": len(answers)}
        shown |= {"reasons": [(flag, reason_for(flag)) for flag in line.flags]}
        shown |= {"origins": ORIGINS, "notes": self.study.session.record(rater).notes}
        return self.study.page(request, "owner_rater.html", overview=overview, view=view, **shown)

    def exclude(
        self, request: Request, rater: str, csrf: CsrfField, reason: Annotated[str, Form()] = ""
    ) -> Response:
        """The owner: exclude a rater, with a reason that is logged."""
        self._known(rater)
        shortened = " ".join(reason.split())[:LONGEST_REASON]
        self.study.access.check_owner_csrf(request, csrf)
        return self.study.note(request, "excluded", rater, {"reason": shortened}, RATERS)

    def include(self, request: Request, rater: str, csrf: CsrfField) -> Response:
        """The owner: include an excluded rater again."""
        self._known(rater)
        self.study.access.check_owner_csrf(request, csrf)
        return self.study.note(request, "included", rater, back=RATERS)

    def recall(self, request: Request, rater: str, csrf: CsrfField) -> Response:
        """The owner: reinstate a rater who was stopped early, paused by a rule of [checks] or screened out."""
        self._known(rater)
        self.study.access.check_owner_csrf(request, csrf)
        record = self.study.session.record(rater)
        if record.stopped_early or record.paused_until or record.screened_out:
            return self.study.note(request, "reinstated", rater, back=RATERS)
        return RedirectResponse(RATERS, 303)

    def invite(self, request: Request, csrf: CsrfField, name: Annotated[str, Form()] = "") -> Response:
        """The owner: create a link for a new rater."""
        self.study.access.check_owner_csrf(request, csrf)
        with self.study.session.transaction() as transaction:
            rater = self.study.session.join(name[:LONGEST_NAME], "link")
            transaction.writer.record(self.study.act(request, "invited", rater.id))
        self.study.desk.wake()
        return RedirectResponse(f"/owner?{urlencode({'made': rater.id})}#links", 303)

    def add_note(
        self, request: Request, rater: str, csrf: CsrfField, text: Annotated[str, Form()] = ""
    ) -> Response:
        """The owner: write a note about a rater, which is logged and which raters do not see."""
        self._known(rater)
        self.study.access.check_owner_csrf(request, csrf)
        shortened = text.strip()[:LONGEST_NOTE]
        back = f"/owner/raters/{quote(rater, safe='')}#notes-title"
        if not shortened:
            return RedirectResponse(back, 303)
        return self.study.note(request, "noted", rater, {"text": shortened}, back)

    def _known(self, rater: str) -> None:
        if self.study.session.roster.by_id(rater) is None:
            raise HTTPException(404, "This study has no rater with this id.")


def _line(view: QuestionView, rater: str) -> RaterLine:
    for line in view.raters:
        if line.rater.id == rater:
            return line
    raise HTTPException(404, "This study has no rater with this id.")
