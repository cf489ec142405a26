"""Routes of the survey about the rater, before or after the tasks."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from steelyard.study.collecting.session import Session
from steelyard.study.collecting.surveys import LONGEST, read_survey
from steelyard.study.definition.sections.joining import JoiningSettings, SurveyQuestion
from steelyard.study.log.interface import Rater
from steelyard.web.access import Access
from steelyard.web.bodies import Filled
from steelyard.web.first_pages import NO_TASKS, first_page, survey_due
from steelyard.web.languages import PageTemplates
from steelyard.web.schema import PAGE


class SurveyPages:
    """The survey of one study."""

    def __init__(self, session: Session, access: Access, templates: PageTemplates) -> None:
        self.session = session
        self.access = access
        self.templates = templates

    def show(self, request: Request) -> Response:
        """A rater: the part of the survey that is due."""
        rater = self.access.rater(request)
        if first_page(self.session, rater) == NO_TASKS:
            return RedirectResponse(NO_TASKS, 303)
        questions = self._joining(rater).survey_part(survey_due(self.session, rater))
        if not questions:
            return RedirectResponse("/task", 303)
        return self._page(request, questions, {}, {})

    def answer(self, request: Request, form: Filled) -> Response:
        """A rater: answer the part of the survey that is due."""
        rater = self.access.rater(request)
        self.access.check_csrf(request, form.get("csrf", ""))
        part = survey_due(self.session, rater)
        questions = self._joining(rater).survey_part(part)
        entered = {each.id: form.get(f"q-{each.id}", "").strip() for each in questions}
        answers, problems = read_survey(questions, entered)
        words = self.templates.languages.words(request, self.session.study_of(rater.id).definition)
        errors = {each: words.say(key, count=LONGEST) for each, key in problems.items()}
        if errors:
            return self._page(request, questions, entered, errors)
        with self.session.transaction():
            self.session.note("surveyed" if part == "before" else "surveyed_after", rater.id, answers)
            reasons = [
                each.id for each in questions if each.screens and each.screens_out(answers.get(each.id))
            ]
            if reasons and not self.session.record(rater.id).answers:
                self.session.note("screened_out", rater.id, {"questions": reasons})
        self.session.arrive(rater.id)
        return RedirectResponse("/task" if part == "before" else "/thanks", 303)

    def _joining(self, rater: Rater) -> JoiningSettings:
        """Return the survey and the other settings of joining in the arm of a rater."""
        return self.session.study_of(rater.id).definition.joining

    def _page(
        self,
        request: Request,
        asked: tuple[SurveyQuestion, ...],
        entered: dict[str, str],
        errors: dict[str, str],
    ) -> Response:
        questions = [
            {
                "id": each.id,
                "text": each.text,
                "kind": each.kind,
                "choices": each.choices,
                "required": each.required,
                "value": entered.get(each.id, ""),
            }
            for each in asked
        ]
        study = self.session.study_of(self.access.rater(request).id).definition
        context: dict[str, Any] = {"study": study, "csrf": self.access.csrf(request)}
        context |= {"questions": questions, "errors": errors}
        return self.templates.page(request, "survey.html", context, status_code=422 if errors else 200)


def add_survey_routes(router: APIRouter, session: Session, access: Access, templates: PageTemplates) -> None:
    """Add the routes of the survey.

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
    pages = SurveyPages(session, access, templates)
    router.add_api_route("/survey", pages.show, **PAGE)
    router.add_api_route("/survey", pages.answer, methods=["POST"], response_model=None)
