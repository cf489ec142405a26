"""Routes that the owner calls. All of them need the owner's cookie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import UnknownName, WorkerEnded
from steelyard.report import words
from steelyard.report.charts import NARROW, WIDE, ScalePicture, Theme, draw_scale, scale_rows
from steelyard.report.drift import DriftPicture, draw_drift, drift_lines
from steelyard.report.sureness import CalibrationPicture, GrowthPicture, draw_calibration, draw_growth
from steelyard.study.collecting.session import Session
from steelyard.study.grounding.cold_start import close_seeds
from steelyard.study.log.interface import Answer, EventKind, Source
from steelyard.study.results.overview import Overview
from steelyard.study.results.question_view import QuestionView, RaterLine
from steelyard.web.access import Access
from steelyard.web.bodies import CsrfField
from steelyard.web.desk import Desk
from steelyard.web.media import item_file
from steelyard.web.schema import PAGE

P = TypeVar("P")
Start = Annotated[int, Query(ge=0)]
What = Literal["judgments", "scale", "raters"]
Format = Literal["csv", "jsonl", "parquet"]
MEDIA_TYPES: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
RATERS_SHOWN = 12
RATERS_LISTED = 100  # on one page of the full table
LINKS_SHOWN = 3
LINKS_LISTED = 50
SELF_JOINED: tuple[Source, ...] = ("open", "prolific")
ITEMS_SHOWN = 500
LONGEST_NAME = 80
LONGEST_REASON = 500
# Shown instead of a chart. The grey is legible on light and dark pages.
NO_CHART = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="372" height="48" viewBox="0 0 372 48">'
    '<text x="0" y="28" font-family="system-ui, sans-serif" font-size="13" fill="#7a7f85">'
    "This chart could not be drawn. See the table below.</text></svg>"
)
# A report is one file that also works offline, so it contains its styles.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
PROLIFIC = "p?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


class OwnerPages:
    """The owner's pages of one study."""

    def __init__(self, session: Session, access: Access, templates: Jinja2Templates) -> None:
        self.session = session
        self.access = access
        self.templates = templates
        self.desk = Desk(session)

    # Pages

    def show(
        self, request: Request, question: str | None = None, show: str = "", made: str = "", start: Start = 0
    ) -> Response:
        """The owner: the dashboard."""
        overview = self.desk.overview()
        links = {**_links(request, overview, made), "made": made}
        return self._page(request, "owner.html", **self._board(overview, question, show, start), **links)

    def show_live(
        self, request: Request, question: str | None = None, show: str = "", start: Start = 0
    ) -> Response:
        """The owner: the parts of the dashboard that are updated automatically."""
        overview = self.desk.overview()
        return self._page(request, "owner_live.html", **self._board(overview, question, show, start))

    def show_items(
        self, request: Request, question: str | None = None, find: str = "", start: Start = 0
    ) -> Response:
        """The owner: all items of a scale, or those that contain a text, in pages."""
        overview = self.desk.overview()
        view = _view(overview, question)
        rows = () if view.fit is None else tuple(scale_rows(view.fit.scale, overview.labels, most=None))
        matching = [row for row in rows if find.strip().casefold() in row.label.casefold()]
        shown = {"found": len(matching), "rows": matching[start : start + ITEMS_SHOWN], "on_scale": len(rows)}
        shown |= {"find": find, "start": start, "page_size": ITEMS_SHOWN}
        return self._page(request, "owner_items.html", overview=overview, view=view, **shown)

    def show_rater(self, request: Request, rater: str, question: str | None = None) -> Response:
        """The owner: statistics and link of a rater, and the form to exclude or include them."""
        overview = self.desk.overview()
        view = _view(overview, question)
        link = f"{request.base_url}r/{(line := _line(view, rater)).rater.token}"
        shown = {"line": line, "link": link, "comments": self._comments(rater)}
        return self._page(request, "owner_rater.html", overview=overview, view=view, **shown)

    def draw(self, question: str | None = None, theme: Theme = "light", narrow: bool = False) -> Response:
        """The owner: a chart of the scale.

        Parameters
        ----------
        question
            Id of the question; the first question if None.
        theme
            Colours for a light or a dark page.
        narrow
            Whether to use the layout for phones.

        Returns
        -------
        Response
            The chart as SVG.
        """
        overview = self.desk.overview()
        view = _view(overview, question)
        rows = () if view.fit is None else scale_rows(view.fit.scale, overview.labels)
        span = view.span
        return self._drawing(draw_scale, ScalePicture(rows, span, theme, NARROW if narrow else WIDE))

    def draw_growth(self, theme: Theme = "light") -> Response:
        """The owner: a chart of predicted reliability by number of judgments."""
        overview = self.desk.overview()
        marks = () if overview.audit is None else overview.audit.growth
        return self._drawing(
            draw_growth, GrowthPicture(marks, overview.definition.choosing.stop.reliability, theme)
        )

    def draw_calibration(self, theme: Theme = "light") -> Response:
        """The owner: a chart of observed against nominal coverage."""
        audit = self.desk.overview().audit
        if audit is None:
            raise HTTPException(404, "The model of this study makes no forecasts.")
        return self._drawing(draw_calibration, CalibrationPicture(audit.calibration, theme))

    def draw_drift(self, theme: Theme = "light") -> Response:
        """The owner: a chart of the positions of anchors by round."""
        overview = self.desk.overview()
        scale = overview.views[0].settings
        lines = drift_lines(overview.drift, overview.labels)
        return self._drawing(draw_drift, DriftPicture(lines, (scale.low, scale.high), theme))

    def media(self, item: int) -> Response:
        """The owner: the image, audio or video file of an item."""
        return item_file(self.session.study, item)

    # Actions

    def pause(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: pause the study, so that no new tasks are assigned."""
        return self._note(request, csrf, "paused")

    def resume(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: resume the study."""
        return self._note(request, csrf, "resumed")

    def close_round(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: close the round and compute the anchors of the next round from its answers."""
        self.access.check_owner_csrf(request, csrf)
        self.session.close_round()
        self.desk.wake()
        return RedirectResponse("/owner", 303)

    def close_cold_start(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: compute the first anchors from the examples that raters have placed so far."""
        self.access.check_owner_csrf(request, csrf)
        with self.session.transaction() as transaction:
            close_seeds(transaction)
        self.desk.wake()
        return RedirectResponse("/owner", 303)

    def exclude(
        self, request: Request, rater: str, csrf: CsrfField, reason: Annotated[str, Form()] = ""
    ) -> Response:
        """The owner: exclude a rater, with a reason that is logged."""
        self._known(rater)
        shortened = " ".join(reason.split())[:LONGEST_REASON]
        return self._note(request, csrf, "excluded", rater, {"reason": shortened})

    def include(self, request: Request, rater: str, csrf: CsrfField) -> Response:
        """The owner: include an excluded rater again."""
        self._known(rater)
        return self._note(request, csrf, "included", rater)

    def recall(self, request: Request, rater: str, csrf: CsrfField) -> Response:
        """The owner: reinstate a rater who was stopped early."""
        self._known(rater)
        if self.session.record(rater).stopped_early:
            return self._note(request, csrf, "reinstated", rater)
        self.access.check_owner_csrf(request, csrf)
        return RedirectResponse("/owner#raters", 303)

    def invite(self, request: Request, csrf: CsrfField, name: Annotated[str, Form()] = "") -> Response:
        """The owner: create a link for a new rater."""
        self.access.check_owner_csrf(request, csrf)
        rater = self.session.join(name[:LONGEST_NAME], "link")
        self.desk.wake()
        return RedirectResponse(f"/owner?{urlencode({'made': rater.id})}#links", 303)

    # Files

    def download(self, what: What, form: Format) -> Response:
        """The owner: download judgments, scale or raters as a file."""
        named = {"Content-Disposition": f'attachment; filename="{what}.{form}"'}
        return Response(self.desk.table(what, form), media_type=MEDIA_TYPES[form], headers=named)

    def report(self) -> Response:
        """The owner: the report as one self-contained page."""
        page = self.desk.report(self.session.clock())
        return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})

    # Helpers

    def _page(self, request: Request, template: str, **context: Any) -> Response:
        always = {
            "study": self.session.study.definition,
            "csrf": self.access.csrf_for_owner(request),
            "words": words,
        }
        return self.templates.TemplateResponse(request, template, {**always, **context})

    def _board(self, overview: Overview, question: str | None, show: str, start: int) -> dict[str, Any]:
        view = _view(overview, question)
        rows = () if view.fit is None else scale_rows(view.fit.scale, overview.labels)
        ordered = sorted(view.raters, key=lambda line: -line.answers)
        flagged = [line for line in ordered if line.flags and not line.excluded]
        listed = flagged if show == "flagged" else ordered
        shown = listed[start : start + RATERS_LISTED] if show else ordered[:RATERS_SHOWN]
        address = {"question": view.question.id, "at": overview.log_position}
        return {
            "overview": overview,
            "view": view,
            "now": self.session.clock(),
            "rows": rows,
            "chart": f"/owner/scale.svg?{urlencode(address)}",
            "drift_chart": f"/owner/drift.svg?{urlencode({'at': overview.log_position})}"
            if overview.drift
            else "",
            "lines": shown,
            "listed": len(listed),
            "start": start,
            "page_size": RATERS_LISTED,
            "show": show,
            "notices": (*self.session.problems, *overview.notices),
        }

    def _drawing(self, draw: Callable[[P], str], picture: P) -> Response:
        """A chart, or a picture with a message if the chart cannot be drawn."""
        try:
            svg, status, kept = self.desk.draw(draw, picture), 200, "private, max-age=3600"
        except WorkerEnded:
            svg, status, kept = NO_CHART, 500, "no-store"
        # The address of a chart changes with the log, so browsers may cache it.
        return Response(svg, status, media_type="image/svg+xml", headers={"Cache-Control": kept})

    def _comments(self, rater: str) -> list[Answer]:
        """Answers of a rater that have a comment, latest first."""
        answers = list(self.session.record(rater).answers.values())
        return [answer for answer in reversed(answers) if answer.comment]

    def _note(
        self,
        request: Request,
        csrf: str,
        kind: EventKind,
        rater: str = "",
        facts: dict[str, str] | None = None,
    ) -> Response:
        self.access.check_owner_csrf(request, csrf)
        self.session.note(kind, rater, facts)
        self.desk.wake()
        return RedirectResponse("/owner#raters" if rater else "/owner", 303)

    def _known(self, rater: str) -> None:
        if self.session.roster.by_id(rater) is None:
            raise HTTPException(404, "This study has no rater with this id.")


def owner_router(session: Session, access: Access, templates: Jinja2Templates) -> APIRouter:
    """Return the routes that the owner calls.

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
        Routes under /owner, all of which need the owner's cookie.
    """
    pages = OwnerPages(session, access, templates)

    def owner_only(request: Request) -> None:
        access.owner(request)

    router = APIRouter(prefix="/owner", dependencies=[Depends(owner_only)])
    reading: dict[str, Callable[..., Response]] = {
        "": pages.show,
        "/live": pages.show_live,
        "/items": pages.show_items,
        "/raters/{rater}": pages.show_rater,
        "/scale.svg": pages.draw,
        "/download/{what}.{form}": pages.download,
        "/report": pages.report,
        "/growth.svg": pages.draw_growth,
        "/calibration.svg": pages.draw_calibration,
        "/drift.svg": pages.draw_drift,
        "/media/{item}": pages.media,
    }
    writing: dict[str, Callable[..., Response]] = {
        "/pause": pages.pause,
        "/resume": pages.resume,
        "/close-round": pages.close_round,
        "/close-cold-start": pages.close_cold_start,
        "/raters": pages.invite,
        "/raters/{rater}/exclude": pages.exclude,
        "/raters/{rater}/include": pages.include,
        "/raters/{rater}/recall": pages.recall,
    }
    for path, read in reading.items():
        router.add_api_route(path, read, **PAGE)
    for path, write in writing.items():
        router.add_api_route(path, write, methods=["POST"], response_model=None)
    return router


def _view(overview: Overview, question: str | None) -> QuestionView:
    try:
        return overview.view(question)
    except UnknownName as unknown:
        raise HTTPException(404, str(unknown)) from unknown


def _line(view: QuestionView, rater: str) -> RaterLine:
    for line in view.raters:
        if line.rater.id == rater:
            return line
    raise HTTPException(404, "This study has no rater with this id.")


def _links(request: Request, overview: Overview, made: str) -> dict[str, Any]:
    """Links of raters who are people (not simulated, not from files), latest invitation first."""
    invited = [line for line in reversed(overview.raters) if line.rater.source == "link"]
    others = [line for line in overview.raters if line.rater.source in SELF_JOINED]
    ordered = sorted([*invited, *others], key=lambda line: line.rater.id != made)
    return {
        "base": str(request.base_url),
        "prolific": PROLIFIC,
        "links": ordered[:LINKS_SHOWN],
        "more_links": ordered[LINKS_SHOWN:LINKS_LISTED],
        "unlisted_links": max(len(ordered) - LINKS_LISTED, 0),
    }
