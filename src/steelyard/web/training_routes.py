"""Routes of the training before a rater's first task."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import BadAnswer
from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater
from steelyard.study.training.practice_exercises import Exercise, Exhibit
from steelyard.study.training.training import Attempt, attempt, exercise_at, exercises_of
from steelyard.web.access import Access
from steelyard.web.answer_payloads import attempt_in
from steelyard.web.bodies import read_body, with_body
from steelyard.web.markup import markdown_html
from steelyard.web.media import MEDIA_POLICY, study_file
from steelyard.web.rater_routes import first_page
from steelyard.web.schema import PAGE, FeedbackOut, TrainingOut, sends
from steelyard.web.tasks import AskedPage, Displayed, DisplayedAnchor, task_out, widgets_of
from steelyard.web.widgets import fetched_ahead


class TrainingPages:
    """The training of one study."""

    def __init__(self, session: Session, access: Access, templates: Jinja2Templates) -> None:
        self.session = session
        self.access = access
        self.templates = templates
        self.count = len(exercises_of(session.study))

    def show(self, request: Request) -> Response:
        """A rater who has agreed and has not finished the training: the page with the exercises."""
        rater = self.access.rater(request)
        missing = first_page(self.session, rater)
        if missing != "/training":
            return RedirectResponse(missing or "/task", 303)
        study = self.session.study.definition
        context = {
            "study": study,
            "csrf": self.access.csrf(request),
            "link": f"{request.base_url}r/{rater.token}",
        }
        context["rater_mark"] = self.access.rater_mark(rater)
        context["ahead"] = fetched_ahead("pages/training-page.js", widgets_of(study))
        return self.templates.TemplateResponse(request, "training.html", context)

    def state(self, request: Request) -> Response:
        """A rater: the next exercise."""
        rater = self._rater(request)
        record = self.session.record(rater.id)
        exercise = None if record.trained else self._exercise(record.exercises)
        if exercise is None:
            return JSONResponse({"state": "done", "next": "/task"})
        state: TrainingOut = {
            "state": "training",
            "task": task_out(self._asked(record.exercises, exercise), self.session.study.definition),
            "instructions_html": str(markdown_html(exercise.instructions)),
            "of": self.count,
            "at": record.exercises,
        }
        return JSONResponse(state)

    def attempt(self, request: Request, body: bytes) -> Response:
        """A rater: send an attempt at an exercise and get feedback."""
        rater = self._rater(request)
        self.access.check_csrf(request, request.headers.get("x-csrf-token", ""))
        sent = read_body(attempt_in(self.session.study.definition.kind), body)
        cells = [cell.record() for cell in sent.answers]
        try:
            with self.session.transaction() as transaction:
                exercises = exercises_of(self.session.study)
                feedback = attempt(transaction, exercises, rater.id, Attempt(sent.task, sent.step, cells))
        except BadAnswer as mistake:
            return JSONResponse({"error": "answer", "message": str(mistake)}, 422)
        reply: FeedbackOut = {"right": feedback.right, "feedback": feedback.words, "done": feedback.done}
        return JSONResponse(reply)

    def media(self, request: Request, task: int, place: int) -> Response:
        """A rater: a picture of an exercise, generated or from the study's folder."""
        self._rater(request)
        exercise = self._exercise(task)
        if exercise is None or not 0 <= place < len(exercise.exhibits):
            raise HTTPException(404, "This file does not exist.")
        response = self._picture(exercise.exhibits[place])
        response.headers["Content-Security-Policy"] = MEDIA_POLICY
        return response

    # Helpers

    def _rater(self, request: Request) -> Rater:
        """Return the rater of this browser, or answer 403 before consent and survey."""
        rater = self.access.rater(request)
        if first_page(self.session, rater) in ("/welcome", "/survey"):
            raise HTTPException(403, "Please read the first page and agree before you start.")
        return rater

    def _exercise(self, number: int) -> Exercise | None:
        return exercise_at(self.session.study, self.session.fresh_ledger(), number)

    def _picture(self, exhibit: Exhibit) -> Response:
        if exhibit.svg:
            return Response(exhibit.svg, media_type="image/svg+xml", headers={"Cache-Control": "private"})
        return study_file(self.session.study, exhibit.item.content, exhibit.item.medium)

    def _asked(self, number: int, exercise: Exercise) -> AskedPage:
        """Return the page content for an exercise."""
        shown = [
            Displayed(each.item, partial("/training/media/{}/{}".format, number, place))
            for place, each in enumerate(exercise.exhibits)
        ]
        many = len(exercise.shown)
        anchors = [
            DisplayedAnchor(each, low, high)
            for each, (_, low, high) in zip(shown[many:], exercise.anchors, strict=True)
        ]
        return AskedPage(
            f"training-{number}",
            self.session.study.definition.asking.protocol,
            [exercise.question],
            shown[:many],
            anchors,
            is_practice=True,
        )


def training_router(session: Session, access: Access, templates: Jinja2Templates) -> APIRouter:
    """Return the routes of the training.

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
        The routes; none if the study has no training.
    """
    router = APIRouter()
    if session.study.definition.training is None:
        return router
    pages = TrainingPages(session, access, templates)
    for path, read in (("/training", pages.show), ("/training/media/{task}/{place}", pages.media)):
        router.add_api_route(path, read, **PAGE)
    router.add_api_route("/api/training", pages.state, methods=["GET"], **sends(TrainingOut))
    router.add_api_route(
        "/api/training", pages.state, methods=["HEAD"], response_model=None, include_in_schema=False
    )
    router.add_route("/api/training", with_body(pages.attempt), methods=["POST"])
    return router
