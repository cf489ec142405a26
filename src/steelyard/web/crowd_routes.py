"""Routes by which people of a crowd join a study: Prolific, MTurk, or the panel of study.toml."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater, Source
from steelyard.web.access import Access
from steelyard.web.bodies import Filled
from steelyard.web.crowds import MTURK, NO_ASSIGNMENT, PATHS, Crowd, Visit, crowds_of
from steelyard.web.endings import ending_elsewhere
from steelyard.web.entry_routes import BY_INVITATION, EntryPages
from steelyard.web.languages import PageTemplates
from steelyard.web.markup import markdown_html
from steelyard.web.media import item_file
from steelyard.web.pages import go_to
from steelyard.web.rater_words import facts_of, instructions_of
from steelyard.web.schema import PAGE
from steelyard.web.tasks import AskedPage, Displayed, task_out

PREVIEWED = "preview"  # in place of the id of an assignment


class CrowdPages(EntryPages):
    """The pages of people whom one crowd sends."""

    def __init__(self, source: Source, session: Session, access: Access, templates: PageTemplates) -> None:
        super().__init__(session, access, templates)
        self._crowd = next((each for each in crowds_of(self.definition) if each.source == source), None)

    @property
    def crowd(self) -> Crowd:
        """The crowd, or answer 404 if the study does not use it."""
        if self._crowd is None:
            raise HTTPException(404, BY_INVITATION)
        return self._crowd

    def show_crowd(self, request: Request) -> Response:
        """Anyone sent by the crowd, if the study uses it: a page that asks to continue, and stores nothing."""
        visit = self._visit(request, request.query_params)
        rater = self.access.find_rater(request)
        if rater is not None and self._is_theirs(rater, visit):
            return go_to("/task")
        if self._is_excluded(visit):
            return self._took_part_before(request, visit)
        if self.session.need() != "open" and not self.session.raters.has_joined(visit.person):
            return self.no_tasks(request, None, self.crowd.whence(visit))
        address = self.address(request, self.crowd.path)
        return self.greeting(request, "crowd.html", crowd=self.crowd, visit=visit, address=address)

    def join_from_crowd(self, request: Request, form: Filled) -> Response:
        """Anyone sent by the crowd who chose to continue: become a rater, once per id."""
        visit = self._visit(request, form)
        self.access.check_csrf(request, form.get("csrf", ""))
        if self._is_excluded(visit):
            return self._took_part_before(request, visit)
        self.access.joining.check(request)
        name = f"{self.crowd.name} …{visit.person[-4:]}"
        rater, is_new = self.session.join_once(name, self.crowd.source, visit.key)
        if is_new:
            self.access.joining.count(request)
            self.session.roster.note_submission(rater.id, visit.submission)
            self.session.note("joined", rater.id)
        elif rater.submission not in ("", visit.submission):
            if not self._may_continue(request, rater):
                raise HTTPException(403, self._refusal(request, "other_submission"))
            self.session.roster.note_submission(rater.id, visit.submission)
        return self.enter(request, rater)

    def _is_theirs(self, rater: Rater, visit: Visit) -> bool:
        """Whether this browser is signed in as the person of a visit, with nothing to change."""
        same = (rater.source, rater.key) == (self.crowd.source, visit.key)
        return same and (not self.crowd.again or rater.submission == visit.submission)

    def _may_continue(self, request: Request, rater: Rater) -> bool:
        """Whether a person may continue with another submission: not when they have finished.

        The id of the person is not a secret. Once there are answers, only the browser that gave them continues.
        """
        record, here = self.session.record(rater.id), self.access.find_rater(request)
        is_open = self.crowd.again and not record.finished and not record.is_out
        return is_open and (not record.answers or (here is not None and here.id == rater.id))

    def _refusal(self, request: Request, key: str) -> str:
        return self.words(request, None).say(key, crowd=self.crowd.name)

    def _visit(self, request: Request, sent: Mapping[str, str]) -> Visit:
        visit = self.crowd.visit(sent)
        if visit is None:
            raise HTTPException(400, self._refusal(request, "no_crowd_id"))
        return visit

    def _is_excluded(self, visit: Visit) -> bool:
        """Whether a newcomer has joined one of the studies in `exclude_raters_of`."""
        raters = self.session.raters
        return raters.took_part_elsewhere(visit.person) and not raters.has_joined(visit.person)

    def _took_part_before(self, request: Request, visit: Visit) -> Response:
        ending = ending_elsewhere(self.session, self.crowd.whence(visit), self.words(request, None))
        return self.page(request, "thanks.html", ending=ending, may_join=False)


class PreviewPages(CrowdPages):
    """The pages of a crowd that shows a task before people accept it."""

    def show_crowd(self, request: Request) -> Response:
        """Anyone sent by the crowd: an example of a task before they accept it, and then a page to continue."""
        if request.query_params.get("assignmentId") == NO_ASSIGNMENT and self.crowd:
            return self._preview(request)
        return super().show_crowd(request)

    def media(self, item: int, mark: str) -> Response:
        """Anyone with the address from a preview: the file of an item in it."""
        if not self.access.is_preview_mark(item, mark):
            raise HTTPException(404, "This file does not exist.")
        return item_file(self.session.study, item)

    def _preview(self, request: Request) -> Response:
        study = self.session.study.asked[0]
        definition, items = study.definition, study.items
        words = self.words(request, None)
        shown = [at for at, item in enumerate(items.all) if item.id not in items.unasked]

        def displayed(at: int) -> Displayed:
            return Displayed(items[at], lambda: f"{MTURK.path}/media/{at}/{self.access.preview_mark(at)}")

        asked = AskedPage(
            PREVIEWED,
            definition.asking.way.name,
            definition.questions,
            [displayed(at) for at in shown[: definition.asking.task_size]],
            [],
        )
        return self.page(
            request,
            "preview.html",
            task=task_out(asked, definition, words),
            instructions_html=markdown_html(instructions_of(study, words)),
            facts=facts_of(study, words),
        )


def add_crowd_routes(router: APIRouter, session: Session, access: Access, templates: PageTemplates) -> None:
    """Add the routes by which people of a crowd join.

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
    for source, path in PATHS.items():
        kind = PreviewPages if source == MTURK.source else CrowdPages
        pages = kind(source, session, access, templates)
        router.add_api_route(path, pages.show_crowd, **PAGE)
        router.add_api_route(path, pages.join_from_crowd, methods=["POST"], response_model=None)
        if isinstance(pages, PreviewPages):
            router.add_api_route(f"{path}/media/{{item}}/{{mark}}", pages.media, **PAGE)
