"""Routes of the training before a rater's first task."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import BadAnswer
from steelyard.messages.words import Words
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item
from steelyard.study.log.interface import Rater
from steelyard.study.training.practice_exercises import Exercise, Exhibit
from steelyard.study.training.training import Attempt, attempt, exercise_at, exercises_of, shown_exercises
from steelyard.web.access import Access
from steelyard.web.answer_payloads import attempt_in
from steelyard.web.bodies import CsrfField, read_body, with_body
from steelyard.web.first_pages import INSTRUCTIONS, first_page
from steelyard.web.languages import PageTemplates
from steelyard.web.markup import markdown_html
from steelyard.web.media import MEDIA_POLICY, content_file
from steelyard.web.schema import PAGE, FeedbackOut, TrainingOut, sends
from steelyard.web.tasks import AskedPage, Displayed, DisplayedAnchor, task_out


class TrainingPages:
    """The training of one study."""

    def __init__(self, session: Session, access: Access, templates: PageTemplates) -> None:
        self.session = session
        self.access = access
        self.templates = templates

    def show(self, request: Request) -> Response:
        """A rater who has agreed and has not finished the training: the page with the exercises."""
        rater = self.access.rater(request)
        missing = first_page(self.session, rater)
        if missing != "/training":
            return RedirectResponse(missing or "/task", 303)
        study = self.session.study_of(rater.id).definition
        context = {
            "study": study,
            "csrf": self.access.csrf(request),
            "link": f"{request.base_url}r/{rater.token}",
        }
        context["rater_mark"] = self.access.rater_mark(rater)
        return self.templates.page(request, "training.html", context)

    def show_instructions(self, request: Request) -> Response:
        """A rater who has finished the interface training: the instructions of the study."""
        rater = self.access.rater(request)
        missing = first_page(self.session, rater)
        training = self.session.study_of(rater.id).definition.training
        if missing != INSTRUCTIONS or training is None:
            return RedirectResponse(missing or "/task", 303)
        context = {
            "study": self.session.study.definition,
            "csrf": self.access.csrf(request),
            "instructions_html": markdown_html(training.instructions),
        }
        return self.templates.page(request, "instructions.html", context)

    def read_instructions(self, request: Request, csrf: CsrfField = "") -> Response:
        """A rater: continue after the instructions."""
        rater = self.access.rater(request)
        self.access.check_csrf(request, csrf)
        if first_page(self.session, rater) == INSTRUCTIONS:
            self.session.note("instructed", rater.id)
        return RedirectResponse("/task", 303)

    def state(self, request: Request) -> Response:
        """A rater: the next exercise."""
        rater = self._rater(request)
        record = self.session.record(rater.id)
        if first_page(self.session, rater) == INSTRUCTIONS:
            return JSONResponse({"state": "done", "next": INSTRUCTIONS})
        exercise = None if record.trained else self._exercise(rater, record.exercises)
        if exercise is None:
            return JSONResponse({"state": "done", "next": "/task"})
        study, words = self.session.study_of(rater.id), self._words(request, rater)
        state: TrainingOut = {
            "state": "training",
            "task": task_out(self._asked(rater, record.exercises, exercise, words), study.definition, words),
            "instructions_html": str(markdown_html(words.translated(exercise.instructions))),
            "of": len(exercises_of(study)),
            "at": record.exercises,
        }
        return JSONResponse(state)

    def attempt(self, request: Request, body: bytes) -> Response:
        """A rater: send an attempt at an exercise and get feedback."""
        rater = self._rater(request)
        self.access.check_csrf(request, request.headers.get("x-csrf-token", ""))
        study = self.session.study_of(rater.id)
        sent = read_body(attempt_in(*study.definition.kinds), body)
        cells = [cell.record() for cell in sent.answers]
        try:
            with self.session.transaction_of(rater.id) as transaction:
                exercises = shown_exercises(study, transaction.ledger)
                feedback = attempt(transaction, exercises, rater.id, Attempt(sent.task, sent.step, cells))
        except BadAnswer as mistake:
            return JSONResponse(
                {"error": "answer", "message": self._words(request, rater).of_error(mistake)}, 422
            )
        reply: FeedbackOut = {
            "right": feedback.right,
            "feedback": self._words(request, rater).translated(feedback.words),
            "done": feedback.done,
            "items": list(feedback.items),
            "examples": list(feedback.examples),
        }
        return JSONResponse(reply)

    def media(self, request: Request, task: int, place: int) -> Response:
        """A rater: a picture of an exercise, generated or from the study's folder."""
        exercise = self._exercise(self._rater(request), task)
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

    def _words(self, request: Request, rater: Rater) -> Words:
        return self.templates.languages.words(request, self.session.study_of(rater.id).definition)

    def _exercise(self, rater: Rater, number: int) -> Exercise | None:
        return exercise_at(self.session.study_of(rater.id), self.session.ledger_of(rater.id), number)

    def _picture(self, exhibit: Exhibit) -> Response:
        if exhibit.svg:
            return Response(exhibit.svg, media_type="image/svg+xml", headers={"Cache-Control": "private"})
        return content_file(self.session.study, exhibit.item)

    def _asked(self, rater: Rater, number: int, exercise: Exercise, words: Words) -> AskedPage:
        """Return the page content for an exercise."""
        shown = [
            Displayed(_described(each, words), partial("/training/media/{}/{}".format, number, place))
            for place, each in enumerate(exercise.exhibits)
        ]
        many = len(exercise.shown)
        anchors = [
            DisplayedAnchor(each, low, high)
            for each, (_, low, high) in zip(shown[many:], exercise.anchors, strict=True)
        ]
        return AskedPage(
            f"training-{number}",
            exercise.protocol,
            [exercise.question],
            shown[:many],
            anchors,
            is_practice=True,
        )


def _described(exhibit: Exhibit, words: Words) -> Item:
    """Return the item of an exercise, with the description of a generated picture."""
    if not exhibit.dots:
        return exhibit.item
    return replace(exhibit.item, alt=words.say("dots", count=exhibit.dots))


def training_router(session: Session, access: Access, templates: PageTemplates) -> APIRouter:
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
    if all(arm.definition.training is None for arm in session.study.asked):
        return router
    pages = TrainingPages(session, access, templates)
    for path, read in (("/training", pages.show), ("/training/media/{task}/{place}", pages.media)):
        router.add_api_route(path, read, **PAGE)
    router.add_api_route(INSTRUCTIONS, pages.show_instructions, **PAGE)
    router.add_api_route(INSTRUCTIONS, pages.read_instructions, methods=["POST"], response_model=None)
    router.add_api_route("/api/training", pages.state, methods=["GET"], **sends(TrainingOut))
    router.add_api_route(
        "/api/training", pages.state, methods=["HEAD"], response_model=None, include_in_schema=False
    )
    router.add_route("/api/training", with_body(pages.attempt), methods=["POST"])
    return router
