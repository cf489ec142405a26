"""Routes that raters call once they have joined."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Header, Request
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
from steelyard.messages.words import Words
from steelyard.study.collecting.rater_state import RaterState
from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater
from steelyard.web.access import Access
from steelyard.web.answer_payloads import UndoIn, answer_in
from steelyard.web.bodies import CsrfField, in_turn, read_body
from steelyard.web.first_pages import NO_TASKS, first_page, survey_due
from steelyard.web.json_reply import JsonReply
from steelyard.web.languages import PageTemplates
from steelyard.web.markup import markdown_html
from steelyard.web.media import item_file
from steelyard.web.page_files import compress_page
from steelyard.web.pages import Pages, go_to
from steelyard.web.privacy import kept_words
from steelyard.web.rater_words import declined_words, facts_of, instructions_of
from steelyard.web.schema import PAGE, StateOut, sends
from steelyard.web.tasks import scale_out, state_out, with_ahead
from steelyard.web.together import Together


class RaterPages(Pages):
    """The pages of a rater who has joined."""

    # Pages

    def show_welcome(self, request: Request) -> Response:
        """A rater: instructions and consent."""
        rater = self._rater(request)
        missing = first_page(self.session, rater)
        if missing != "/welcome":
            return go_to(missing or "/task")
        study = self.session.study_of(rater.id)
        definition, words = study.definition, self.words(request, rater)
        return self.page(
            request,
            "welcome.html",
            instructions_html=markdown_html(definition.page.instructions or instructions_of(study, words)),
            consent_html=markdown_html(definition.joining.consent) if definition.joining.consent else "",
            kept_html=markdown_html(kept_words(definition, rater.source, words)),
            consent_label=words.translated(definition.joining.consent_label)
            if definition.joining.consent
            else "",
            facts=facts_of(study, words),
            link=_link(request, rater),
            may_join=self.may_join(rater),
            try_scale=scale_out(definition.scale_of(definition.questions[0]), definition, words),
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
            words = self.words(request, rater)
            return self.page(
                request,
                "message.html",
                heading=words["thank_you"],
                text=declined_words(self.session, rater, words),
                action_url="/welcome",
                action_text=words["changed_my_mind"],
            )
        if not agree:
            return go_to("/welcome")
        self.session.note("consented", rater.id)
        return go_to("/task")

    def show_task(self, request: Request) -> Response:
        """A rater: the page that shows the tasks."""
        rater = self._rater(request)
        missing = first_page(self.session, rater)
        if missing is not None:
            return go_to(missing)
        study, words = self.session.study_of(rater.id), self.words(request, rater)
        # HEAD assigns no task, because nobody would see it.
        first = self.session.next_task(rater.id) if request.method == "GET" else None
        page = self.page(
            request,
            "task.html",
            instructions_html=markdown_html(instructions_of(study, words)),
            link=_link(request, rater),
            may_join=self.may_join(rater),
            rater_mark=self.access.rater_mark(rater),
            first_state=None if first is None else self._payload(rater, first, words),
        )
        return compress_page(request, page)

    def show_no_tasks(self, request: Request) -> Response:
        """A rater without answers for whom there are no tasks: a message."""
        rater = self._rater(request)
        if first_page(self.session, rater) != NO_TASKS:
            return go_to("/task")
        return self.no_tasks(request, rater)

    def show_thanks(self, request: Request) -> Response:
        """A rater: the last page, with the completion code."""
        rater = self._rater(request)
        missing = first_page(self.session, rater)
        if missing is not None:
            return go_to(missing)
        rater_state = self.session.rater_state(rater.id)
        if rater_state.assignment is not None or rater_state.paused or rater_state.waiting:
            return go_to("/task")
        if not rater_state.finished:
            return self._nothing_now(request, rater)
        if survey_due(self.session, rater) == "after":
            return go_to("/survey")
        return self.ending(request, rater)

    # Tasks

    def task(self, request: Request, ahead: bool = False) -> Response:
        """A rater: the current task and, with `ahead`, the one after it."""
        rater = self.access.rater(request)
        self._require_consent(rater)
        return JsonReply(self._next(rater, ahead, self.words(request, rater)))

    def answer(self, request: Request, body: bytes) -> Response:
        """A rater: send an answer and get the next task, with `?ahead=true` also the one after it."""
        rater = self.access.rater(request)
        self._require_consent(rater)
        answer = read_body(answer_in(*self.definition_of(rater).kinds), body)
        ahead = b"ahead=true" in request.scope["query_string"].split(b"&")
        words = self.words(request, rater)
        try:
            with self.session.transaction():
                self.session.accept(rater.id, answer.record())
                following = self._next(rater, ahead, words)
        except (TaskClosed, EarlierAnswerKept, AnswerTakenBack) as refusal:
            following = self._next(rater, ahead, words)
            error = {TaskClosed: "closed", EarlierAnswerKept: "kept"}.get(type(refusal), "taken_back")
            return JsonReply({"error": error, "message": words.of_error(refusal), "next": following}, 409)
        except BadAnswer as mistake:
            return JsonReply({"error": "answer", "message": words.of_error(mistake)}, 422)
        return JsonReply({**following, "accepted": True})

    def check_sender(self, request: Request) -> None:
        """Answer 403 unless a request comes from a page of a rater."""
        self.access.check_page(request, request.headers.get("x-csrf-token", ""))

    def undo(self, request: Request, undo: UndoIn, x_csrf_token: Annotated[str, Header()] = "") -> Response:
        """A rater: undo the last answer and get its task again. A repeated request has no further effect."""
        rater = self.access.rater(request)
        self.access.check_csrf(request, x_csrf_token)
        words = self.words(request, rater)
        try:
            return JsonReply(self._payload(rater, self.session.undo(rater.id, undo.assignment), words))
        except (NothingToUndo, TooManyUndos) as refusal:
            return JsonReply({"error": "undo", "message": words.of_error(refusal)}, 409)

    def media(self, request: Request, item: int, mark: str) -> Response:
        """A rater to whom this item was shown: its image, audio or video file."""
        rater = self.access.rater(request)
        if not self.access.is_media_mark(rater, item, mark):
            raise HTTPException(404, "This file does not exist.")
        return item_file(self.session.study, item)

    # Helpers

    def _rater(self, request: Request) -> Rater:
        return self.access.rater(request)

    def _require_consent(self, rater: Rater) -> None:
        if not self.session.may_start(rater.id):
            raise HTTPException(403, "Please read the first page and agree before you start.")

    def _nothing_now(self, request: Request, rater: Rater) -> Response:
        # Not a redirect: while other raters hold all remaining tasks, /task would redirect back to this page.
        words = self.words(request, rater)
        look = {"action_url": "/task", "action_text": words["look_again"]}
        return self.page(
            request, "message.html", 200, heading=words["no_tasks_now"], text=words["waiting"], **look
        )

    def _next(self, rater: Rater, ahead: bool, words: Words) -> StateOut:
        """Assign the next task, and with `ahead` the one after it."""
        with self.session.transaction():
            current = self.session.next_task(rater.id)
            after = self.session.task_ahead(rater.id, current) if ahead else None
        following = None if after is None else self._payload(rater, after, words)
        return with_ahead(self._payload(rater, current, words), following)

    def _payload(self, rater: Rater, rater_state: RaterState, words: Words) -> StateOut:
        def media_url(item: int) -> str:
            return f"/media/{item}/{self.access.media_mark(rater, item)}"

        return state_out(rater_state, self.session.study_of(rater.id), media_url, words)


def add_rater_routes(router: APIRouter, session: Session, access: Access, templates: PageTemplates) -> None:
    """Add the routes that raters call once they have joined.

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
    answers = in_turn(Together(session.transaction), pages.check_sender, pages.answer)
    router.add_route("/api/answers", answers, methods=["POST"])
    for path, endpoint in (
        ("/welcome", pages.show_welcome),
        ("/task", pages.show_task),
        (NO_TASKS, pages.show_no_tasks),
        ("/thanks", pages.show_thanks),
        ("/media/{item}/{mark}", pages.media),
    ):
        router.add_api_route(path, endpoint, **PAGE)
    # Without HEAD, which would assign a task that nobody sees.
    router.add_api_route("/api/task", pages.task, methods=["GET"], **sends(StateOut))
    router.add_api_route("/welcome", pages.welcome, methods=["POST"], response_model=None)
    router.add_api_route("/api/undo", pages.undo, methods=["POST"], **sends(StateOut))


def _link(request: Request, rater: Rater) -> str:
    return f"{request.base_url}r/{rater.token}"
