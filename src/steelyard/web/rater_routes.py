"""Routes that raters call."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Header, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import (
    AnswerTakenBack,
    BadAnswer,
    EarlierAnswerKept,
    NothingToUndo,
    TaskClosed,
    TooManyUndos,
)
from steelyard.study.collecting.queue import NEWCOMER
from steelyard.study.collecting.rater_names import clean_name
from steelyard.study.collecting.rater_state import RaterState
from steelyard.study.collecting.session import Session
from steelyard.study.collecting.surveys import read_survey
from steelyard.study.grounding.cold_start import cold_start_of, takes_part
from steelyard.study.log.counting import declined, judged
from steelyard.study.log.interface import Rater
from steelyard.web.access import Access
from steelyard.web.answer_payloads import UndoIn, answer_in
from steelyard.web.bodies import CsrfField, Filled, read_body, with_body
from steelyard.web.markup import markdown_html
from steelyard.web.media import item_file
from steelyard.web.privacy import kept_words
from steelyard.web.rater_words import declined_words, facts_of, no_tasks_words, what_to_do
from steelyard.web.schema import PAGE, StateOut, sends
from steelyard.web.tasks import HELD, WAITING, scale_out, state_out, widgets_of
from steelyard.web.widgets import fetched_ahead

PROLIFIC_RETURN = "https://app.prolific.com/submissions/complete?cc="
LONGEST_NAME = 80
NO_TASKS = "/no-tasks"
LOOK_AGAIN_SECONDS = 30
BY_INVITATION = "This study is by invitation only. Open the link you were given."


class RaterPages:
    """The rater's pages of one study."""

    def __init__(self, session: Session, access: Access, templates: Jinja2Templates) -> None:
        self.session = session
        self.access = access
        self.templates = templates
        self.definition = session.study.definition

    # Entry

    def open_link(self, request: Request, token: str) -> Response:
        """Anyone with a rater's link: sign in and continue."""
        return self._enter(request, self.session.raters.by_link(token))

    def open_prolific(self, request: Request) -> Response:
        """Anyone sent by Prolific with PROLIFIC_PID, STUDY_ID and SESSION_ID, if the study uses Prolific."""
        if not self.definition.joining.prolific:
            raise HTTPException(404, BY_INVITATION)
        parameters = {
            name: request.query_params.get(name, "") for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        }
        person = parameters["PROLIFIC_PID"].strip()
        can_be_ids = all(len(each) <= LONGEST_NAME and each.isprintable() for each in parameters.values())
        if not person or not can_be_ids or "%" in person:
            raise HTTPException(
                400, "The address must contain your Prolific ID. Open this page from Prolific."
            )
        key = f"{person} {parameters['STUDY_ID']}"
        rater, is_new = self.session.join_once(f"Prolific …{person[-4:]}", "prolific", key)
        if is_new:
            self.session.note("joined", rater.id, {name.lower(): value for name, value in parameters.items()})
        return self._enter(request, rater)

    def show_join(self, request: Request, new: bool = False) -> Response:
        """Anyone, if the study has an open link: choose a name. With `new`, choose another name in this browser."""
        self._require_open_link()
        if not new and self.access.find_rater(request) is not None:
            return _go("/task")
        if self.session.need() != "open":
            return self._no_tasks(request, None)
        response = self._page(request, "join.html", error="")
        self.access.greet(request, response)
        return response

    def join(self, request: Request, csrf: CsrfField = "", name: Annotated[str, Form()] = "") -> Response:
        """Anyone, if the study has an open link: become a rater with a personal link."""
        self._require_open_link()
        self.access.check_csrf(request, csrf)
        if self.session.need() != "open":
            return self._no_tasks(request, None)
        name = clean_name(name)
        if not name or len(name) > LONGEST_NAME:
            error = f"Enter a name of at most {LONGEST_NAME} visible characters."
            return self._page(request, "join.html", status_code=422, error=error)
        return self._enter(request, self.session.join(name, "open"))

    # Pages

    def show_welcome(self, request: Request) -> Response:
        """A rater: instructions and consent."""
        rater = self._rater(request)
        missing = first_page(self.session, rater)
        if missing != "/welcome":
            return _go(missing or "/task")
        definition = self.definition
        return self._page(
            request,
            "welcome.html",
            instructions_html=markdown_html(definition.page.instructions or what_to_do(self.session)),
            consent_html=markdown_html(definition.joining.consent) if definition.joining.consent else "",
            kept_html=markdown_html(kept_words(definition, rater.source)),
            consent_label=definition.joining.consent_label if definition.joining.consent else "",
            facts=facts_of(self.session),
            link=_link(request, rater),
            may_join=self._may_join(rater),
            try_scale=scale_out(definition.scale_of(definition.questions[0]), definition),
        )

    def welcome(
        self,
        request: Request,
        csrf: CsrfField = "",
        agree: Annotated[str, Form()] = "",
        decline: Annotated[str, Form()] = "",
    ) -> Response:
        """A rater: agree to take part, or decline."""
        rater = self._rater(request)
        self.access.check_csrf(request, csrf)
        if decline:
            self.session.note("declined", rater.id)
            return self._page(
                request,
                "message.html",
                heading="Thank you",
                text=declined_words(self.session, rater),
                action_url="/welcome",
                action_text="I have changed my mind",
            )
        if not agree:
            return _go("/welcome")
        self.session.note("consented", rater.id)
        return _go("/task")

    def show_survey(self, request: Request) -> Response:
        """A rater: the survey."""
        rater = self._rater(request)
        if first_page(self.session, rater) == NO_TASKS:
            return _go(NO_TASKS)
        return self._survey_page(request, {}, {})

    def survey(self, request: Request, form: Filled) -> Response:
        """A rater: answer the survey."""
        rater = self._rater(request)
        self.access.check_csrf(request, form.get("csrf", ""))
        given = {each.id: form.get(f"q-{each.id}", "").strip() for each in self.definition.joining.survey}
        answers, errors = read_survey(self.definition.joining.survey, given)
        if errors:
            return self._survey_page(request, given, errors)
        self.session.note("surveyed", rater.id, answers)
        return _go("/task")

    def show_task(self, request: Request) -> Response:
        """A rater: the page that shows the tasks."""
        rater = self._rater(request)
        missing = first_page(self.session, rater)
        if missing is not None:
            return _go(missing)
        instructions = markdown_html(self.definition.page.instructions or what_to_do(self.session))
        return self._page(
            request,
            "task.html",
            instructions_html=instructions,
            link=_link(request, rater),
            may_join=self._may_join(rater),
            rater_mark=self.access.rater_mark(rater),
            ahead=fetched_ahead("pages/task-page.js", widgets_of(self.definition)),
        )

    def show_no_tasks(self, request: Request) -> Response:
        """A rater without answers for whom there are no tasks: a message."""
        rater = self._rater(request)
        if first_page(self.session, rater) != NO_TASKS:
            return _go("/task")
        return self._no_tasks(request, rater)

    def show_thanks(self, request: Request) -> Response:
        """A rater: the last page, with the completion code."""
        rater = self._rater(request)
        missing = first_page(self.session, rater)
        if missing is not None:
            return _go(missing)
        rater_state = self.session.rater_state(rater.id)
        if rater_state.assignment is not None or rater_state.paused or rater_state.waiting:
            return _go("/task")
        if not rater_state.finished:
            return self._nothing_now(request)
        answers = self.session.record(rater.id).answers.values()
        code = self.definition.joining.completion_code if answers else ""
        back = f"{PROLIFIC_RETURN}{quote(code, safe='')}" if rater.source == "prolific" and code else ""
        return self._page(
            request,
            "thanks.html",
            code=code,
            return_url=back,
            answered=sum(judged(each.cells) + declined(each.cells) for each in answers),
            may_join=self._may_join(rater),
        )

    # Tasks

    def task(self, request: Request) -> Response:
        """A rater: the current task."""
        rater = self.access.rater(request)
        self._require_consent(rater)
        return self._state(rater, self.session.next_task(rater.id))

    def answer(self, request: Request, body: bytes) -> Response:
        """A rater: send an answer and get the next task."""
        rater = self.access.rater(request)
        self.access.check_csrf(request, request.headers.get("x-csrf-token", ""))
        self._require_consent(rater)
        answer = read_body(answer_in(self.definition.kind), body)
        try:
            with self.session.transaction():
                self.session.accept(rater.id, answer.record())
                rater_state = self.session.next_task(rater.id)
        except (TaskClosed, EarlierAnswerKept, AnswerTakenBack) as refusal:
            following = self._payload(rater, self.session.next_task(rater.id))
            error = {TaskClosed: "closed", EarlierAnswerKept: "kept"}.get(type(refusal), "taken_back")
            return JSONResponse({"error": error, "message": str(refusal), "next": following}, 409)
        except BadAnswer as mistake:
            return JSONResponse({"error": "answer", "message": str(mistake)}, 422)
        return JSONResponse({**self._payload(rater, rater_state), "accepted": True})

    def undo(self, request: Request, undo: UndoIn, x_csrf_token: Annotated[str, Header()] = "") -> Response:
        """A rater: undo the last answer and get its task again. A repeated request has no further effect."""
        rater = self.access.rater(request)
        self.access.check_csrf(request, x_csrf_token)
        try:
            return self._state(rater, self.session.undo(rater.id, undo.assignment))
        except (NothingToUndo, TooManyUndos) as refusal:
            return JSONResponse({"error": "undo", "message": str(refusal)}, 409)

    def media(self, request: Request, item: int, mark: str) -> Response:
        """A rater to whom this item was shown: its image, audio or video file."""
        rater = self.access.rater(request)
        if not self.access.is_media_mark(rater, item, mark):
            raise HTTPException(404, "This file does not exist.")
        return item_file(self.session.study, item)

    # Helpers

    def _enter(self, request: Request, rater: Rater) -> Response:
        response = _go("/task")
        self.access.admit_rater(request, response, rater)
        return response

    def _rater(self, request: Request) -> Rater:
        return self.access.rater(request)

    def _require_open_link(self) -> None:
        if not self.definition.joining.open_link:
            raise HTTPException(404, BY_INVITATION)

    def _may_join(self, rater: Rater) -> bool:
        """Whether the page offers to join with another name.

        Not to raters from Prolific, and not to raters who were stopped early.
        """
        return (
            self.definition.joining.open_link
            and rater.source != "prolific"
            and not self.session.record(rater.id).stopped_early
        )

    def _require_consent(self, rater: Rater) -> None:
        if not self.session.may_start(rater.id):
            raise HTTPException(403, "Please read the first page and agree before you start.")

    def _nothing_now(self, request: Request) -> Response:
        # Not a redirect: while other raters hold all remaining tasks, /task would redirect back to this page.
        heading, look = "No tasks now", {"action_url": "/task", "action_text": "Check again"}
        return self._page(request, "message.html", 200, heading=heading, text=WAITING, **look)

    def _no_tasks(self, request: Request, rater: Rater | None) -> Response:
        """A message to come back later, which reloads automatically, or that no tasks are left."""
        if self.session.need(rater.id if rater is not None else NEWCOMER) == "held":
            again: dict[str, Any] = {
                "heading": "Come back later",
                "text": HELD,
                "look_again": LOOK_AGAIN_SECONDS,
            }
            address = "/join" if rater is None else "/task"
            return self._page(request, "message.html", action_url=address, action_text="Check again", **again)
        heading, text = no_tasks_words(self.session, rater)
        return self._page(request, "message.html", heading=heading, text=text, action_url="", action_text="")

    def _state(self, rater: Rater, rater_state: RaterState) -> Response:
        return JSONResponse(self._payload(rater, rater_state))

    def _payload(self, rater: Rater, rater_state: RaterState) -> StateOut:
        def media_url(item: int) -> str:
            return f"/media/{item}/{self.access.media_mark(rater, item)}"

        return state_out(rater_state, self.session.study, media_url)

    def _survey_page(self, request: Request, given: dict[str, str], errors: dict[str, str]) -> Response:
        questions = [
            {
                "id": each.id,
                "text": each.text,
                "kind": each.kind,
                "choices": each.choices,
                "required": each.required,
            }
            | {"value": given.get(each.id, "")}
            for each in self.definition.joining.survey
        ]
        status = 422 if errors else 200
        return self._page(request, "survey.html", status_code=status, questions=questions, errors=errors)

    def _page(self, request: Request, template: str, status_code: int = 200, **context: Any) -> HTMLResponse:
        context = {"study": self.definition, "csrf": self.access.csrf(request), **context}
        return self.templates.TemplateResponse(request, template, context, status_code=status_code)


def first_page(session: Session, rater: Rater) -> str | None:
    """Return the page that a rater must see before a task, or None.

    The order is: no tasks, consent, survey, training, first examples.
    """
    definition, record = session.study.definition, session.record(rater.id)
    if not record.answers and session.need(rater.id) != "open":
        return NO_TASKS
    if not record.consented:
        return "/welcome"
    if definition.joining.survey and record.survey is None:
        return "/survey"
    if definition.training is not None and not record.trained:
        return "/training"
    if takes_part(definition, rater.id) and cold_start_of(session.fresh_ledger(), rater.id).state != "done":
        return "/cold-start"
    return None


def add_rater_routes(router: APIRouter, session: Session, access: Access, templates: Jinja2Templates) -> None:
    """Add all routes that raters call.

    Parameters
    ----------
    router
        Router of the application.
    session
        The session on the study.
    access
        Access control of the study.
    templates
        Templates of the pages.
    """
    pages = RaterPages(session, access, templates)
    # The first route, and not one of FastAPI: most requests are answers, and FastAPI takes as long as storing one.
    router.add_route("/api/answers", with_body(pages.answer), methods=["POST"])
    for path, endpoint in (
        ("/r/{token}", pages.open_link),
        ("/p", pages.open_prolific),
        ("/join", pages.show_join),
        ("/welcome", pages.show_welcome),
        ("/survey", pages.show_survey),
        ("/task", pages.show_task),
        (NO_TASKS, pages.show_no_tasks),
        ("/thanks", pages.show_thanks),
        ("/media/{item}/{mark}", pages.media),
    ):
        router.add_api_route(path, endpoint, **PAGE)
    # Without HEAD, which would assign a task that nobody sees.
    router.add_api_route("/api/task", pages.task, methods=["GET"], **sends(StateOut))
    for path, action in (
        ("/join", pages.join),
        ("/welcome", pages.welcome),
        ("/survey", pages.survey),
    ):
        router.add_api_route(path, action, methods=["POST"], response_model=None)
    router.add_api_route("/api/undo", pages.undo, methods=["POST"], **sends(StateOut))


def _go(address: str) -> RedirectResponse:
    return RedirectResponse(address, status_code=303)


def _link(request: Request, rater: Rater) -> str:
    return f"{request.base_url}r/{rater.token}"
