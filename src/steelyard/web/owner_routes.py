"""Routes that the owner calls. None of them answers without the owner's cookie."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import UnknownName
from steelyard.judgments.writing import write_columns
from steelyard.report import words
from steelyard.report.charts import NARROW, WIDE, ScalePicture, Theme, draw_scale, scale_rows
from steelyard.report.contents import report_of_study
from steelyard.report.drift import DriftPicture, draw_drift, drift_lines
from steelyard.report.page import render_report
from steelyard.report.sureness import CalibrationPicture, GrowthPicture, draw_calibration, draw_growth
from steelyard.study.cold_start import close_seeds
from steelyard.study.exports import export_columns
from steelyard.study.log import Answer, EventKind, Source
from steelyard.study.overview import Overview, QuestionView, RaterLine, Watch
from steelyard.study.session import Session
from steelyard.web.access import Access
from steelyard.web.media import item_file

Token = Annotated[str, Form(alias="csrf")]
What = Literal["judgments", "scale", "raters"]
Format = Literal["csv", "jsonl", "parquet"]
MEDIA_TYPES: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
RATERS_SHOWN = 12
LINKS_SHOWN = 3
SELF_JOINED: tuple[Source, ...] = ("open", "prolific")
ITEMS_SHOWN = 500
LONGEST_NAME = 80
LONGEST_REASON = 500
# A report is one file that also works from a disk, so its style is inside it.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
PROLIFIC = "p?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


class OwnerPages:
    """The owner's pages of one study."""

    def __init__(self, session: Session, access: Access, templates: Jinja2Templates) -> None:
        self.session = session
        self.access = access
        self.templates = templates
        self.watch = Watch(session.study, session.log, session.roster, session.clock)

    # Pages

    def show(self, request: Request, question: str | None = None, show: str = "", made: str = "") -> Response:
        """The owner: the whole dashboard."""
        overview = self.watch.overview()
        links = {**_links(request, overview, made), "made": made}
        return self._page(request, "owner.html", **self._board(request, overview, question, show), **links)

    def show_live(self, request: Request, question: str | None = None, show: str = "") -> Response:
        """The owner: those parts of the dashboard that change by themselves."""
        overview = self.watch.overview()
        return self._page(request, "owner_live.html", **self._board(request, overview, question, show))

    def show_items(self, request: Request, question: str | None = None, find: str = "") -> Response:
        """The owner: every item of a scale, or those with some text in them."""
        overview = self.watch.overview()
        view = _view(overview, question)
        rows = () if view.fit is None else tuple(scale_rows(view.fit.scale, overview.labels, most=None))
        found = [row for row in rows if find.strip().casefold() in row.label.casefold()]
        shown = {"found": len(found), "rows": found[:ITEMS_SHOWN], "on_scale": len(rows), "find": find}
        return self._page(request, "owner_items.html", overview=overview, view=view, **shown)

    def show_rater(self, request: Request, rater: str, question: str | None = None) -> Response:
        """The owner: one rater's habits and link, and the form to exclude or include them."""
        overview = self.watch.overview()
        view = _view(overview, question)
        link = f"{request.base_url}r/{(line := _line(view, rater)).rater.token}"
        shown = {"line": line, "link": link, "comments": self._comments(rater)}
        return self._page(request, "owner_rater.html", overview=overview, view=view, **shown)

    def draw(self, question: str | None = None, theme: Theme = "light", narrow: bool = False) -> Response:
        """The owner: the scale as a picture; the address changes with the log, so a browser may keep it."""
        overview = self.watch.overview()
        view = _view(overview, question)
        rows = () if view.fit is None else scale_rows(view.fit.scale, overview.labels)
        span = view.span
        svg = draw_scale(ScalePicture(rows, span, theme, NARROW if narrow else WIDE))
        return _drawing(svg)

    def draw_growth(self, theme: Theme = "light") -> Response:
        """The owner: how predicted reliability grew."""
        overview = self.watch.overview()
        marks = () if overview.audit is None else overview.audit.growth
        return _drawing(draw_growth(GrowthPicture(marks, overview.definition.stop.reliability, theme)))

    def draw_calibration(self, theme: Theme = "light") -> Response:
        """The owner: observed against nominal coverage."""
        audit = self.watch.overview().audit
        if audit is None:
            raise HTTPException(404, "This study's model makes no forecasts.")
        return _drawing(draw_calibration(CalibrationPicture(audit.calibration, theme)))

    def draw_drift(self, theme: Theme = "light") -> Response:
        """The owner: where the anchors stood from round to round."""
        overview = self.watch.overview()
        scale = overview.views[0].settings
        lines = drift_lines(overview.drift, overview.labels)
        return _drawing(draw_drift(DriftPicture(lines, (scale.low, scale.high), theme)))

    def media(self, item: int) -> Response:
        """The owner: an item's image, sound or film."""
        return item_file(self.session.study, item)

    # Acts

    def pause(self, request: Request, csrf: Token) -> Response:
        """The owner: give out no new tasks."""
        return self._note(request, csrf, "paused")

    def resume(self, request: Request, csrf: Token) -> Response:
        """The owner: give out tasks again."""
        return self._note(request, csrf, "resumed")

    def close_round(self, request: Request, csrf: Token) -> Response:
        """The owner: end the round and make the next anchors of what was said in it."""
        self.access.check_owner_csrf(request, csrf)
        self.session.close_round()
        self.watch.wake()
        return RedirectResponse("/owner", 303)

    def close_cold_start(self, request: Request, csrf: Token) -> Response:
        """The owner: make the first anchors of what raters have placed so far."""
        self.access.check_owner_csrf(request, csrf)
        close_seeds(self.session)
        self.watch.wake()
        return RedirectResponse("/owner", 303)

    def exclude(
        self, request: Request, rater: str, csrf: Token, reason: Annotated[str, Form()] = ""
    ) -> Response:
        """The owner: leave a rater's answers out, with a reason that is logged."""
        self._known(rater)
        told = " ".join(reason.split())[:LONGEST_REASON]
        return self._note(request, csrf, "excluded", rater, {"reason": told})

    def include(self, request: Request, rater: str, csrf: Token) -> Response:
        """The owner: count a rater's answers again."""
        self._known(rater)
        return self._note(request, csrf, "included", rater)

    def recall(self, request: Request, rater: str, csrf: Token) -> Response:
        """The owner: reinstate a rater who was stopped early."""
        self._known(rater)
        if self.session.record(rater).rested:
            return self._note(request, csrf, "recalled", rater)
        self.access.check_owner_csrf(request, csrf)
        return RedirectResponse("/owner#raters", 303)

    def invite(self, request: Request, csrf: Token, name: Annotated[str, Form()] = "") -> Response:
        """The owner: make a link for one more rater."""
        self.access.check_owner_csrf(request, csrf)
        rater = self.session.join(" ".join(name.split())[:LONGEST_NAME], "link")
        self.watch.wake()
        return RedirectResponse(f"/owner?{urlencode({'made': rater.id})}#links", 303)

    # Files

    def download(self, what: What, form: Format) -> Response:
        """The owner: judgments, scale or raters as a file."""
        file = BytesIO()
        write_columns(export_columns(self.watch, what), file, form)
        named = {"Content-Disposition": f'attachment; filename="{what}.{form}"'}
        return Response(file.getvalue(), media_type=MEDIA_TYPES[form], headers=named)

    def report(self) -> Response:
        """The owner: the report, one page that can be saved and sent."""
        page = render_report(report_of_study(self.watch.overview(), self.session.clock()))
        return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})

    # Steps

    def _page(self, request: Request, template: str, **context: Any) -> Response:
        known = {
            "study": self.session.study.definition,
            "csrf": self.access.csrf_for_owner(request),
            "words": words,
        }
        return self.templates.TemplateResponse(request, template, {**known, **context})

    def _board(self, request: Request, overview: Overview, question: str | None, show: str) -> dict[str, Any]:
        view = _view(overview, question)
        rows = () if view.fit is None else scale_rows(view.fit.scale, overview.labels)
        ordered = sorted(view.raters, key=lambda line: -line.answers)
        flagged = [line for line in ordered if line.flags and not line.excluded]
        shown = flagged if show == "flagged" else ordered if show == "all" else ordered[:RATERS_SHOWN]
        address = {"question": view.question.id, "at": overview.position}
        return {
            "overview": overview,
            "view": view,
            "now": self.session.clock(),
            "rows": rows,
            "chart": f"/owner/scale.svg?{urlencode(address)}",
            "drift_chart": f"/owner/drift.svg?{urlencode({'at': overview.position})}"
            if overview.drift
            else "",
            "lines": shown,
            "show": show,
        }

    def _comments(self, rater: str) -> list[Answer]:
        """A rater's answers that have a comment, newest first."""
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
        self.watch.wake()
        return RedirectResponse("/owner#raters" if rater else "/owner", 303)

    def _known(self, rater: str) -> None:
        if self.session.roster.by_id(rater) is None:
            raise HTTPException(404, "There is no such rater.")


def owner_router(session: Session, access: Access, templates: Jinja2Templates) -> APIRouter:
    """The owner's routes of one study."""
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
        router.add_api_route(path, read, methods=["GET", "HEAD"], response_model=None)
    for path, write in writing.items():
        router.add_api_route(path, write, methods=["POST"], response_model=None)
    return router


def _drawing(svg: str) -> Response:
    # The address changes with the log, so a browser may keep the picture.
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


def _view(overview: Overview, question: str | None) -> QuestionView:
    try:
        return overview.view(question)
    except UnknownName as unknown:
        raise HTTPException(404, str(unknown)) from unknown


def _line(view: QuestionView, rater: str) -> RaterLine:
    for line in view.raters:
        if line.rater.id == rater:
            return line
    raise HTTPException(404, "There is no such rater.")


def _links(request: Request, overview: Overview, made: str) -> dict[str, Any]:
    """Addresses to give out: those of people (not simulated, not from files), the newest invited first."""
    invited = [line for line in reversed(overview.raters) if line.rater.source == "link"]
    others = [line for line in overview.raters if line.rater.source in SELF_JOINED]
    ordered = sorted([*invited, *others], key=lambda line: line.rater.id != made)
    return {
        "base": str(request.base_url),
        "prolific": PROLIFIC,
        "links": ordered[:LINKS_SHOWN],
        "more_links": ordered[LINKS_SHOWN:],
    }
