"""Routes that the owner calls. All of them need the owner's cookie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from starlette.responses import RedirectResponse, Response

from steelyard.report import words
from steelyard.report.charts import scale_rows
from steelyard.report.parts.scale import measured
from steelyard.selection.forecast import two_digits
from steelyard.study.collecting.session import Session
from steelyard.study.grounding.cold_start import close_seeds
from steelyard.study.log.interface import CROWDS, Source
from steelyard.study.results.advice import advice_of
from steelyard.study.results.headline import headline_of, notices_of
from steelyard.study.results.overview import Overview
from steelyard.study.results.question_view import QuestionView
from steelyard.web.access import Access
from steelyard.web.bodies import CsrfField, Start
from steelyard.web.crowds import entry_links
from steelyard.web.desk import Desk
from steelyard.web.languages import PageTemplates
from steelyard.web.owner_charts import OwnerCharts
from steelyard.web.owner_items import OwnerItems
from steelyard.web.owner_parts import PART_NAMES, TITLES, TITLES_OF_ALL, LinkedPictures
from steelyard.web.owner_raters import OwnerRaters
from steelyard.web.owner_study import OwnerStudy, view_of
from steelyard.web.owner_trail import OwnerTrail
from steelyard.web.schema import PAGE

What = Literal["judgments", "scale", "distributions", "raters", "acts"]
ABOUT_PEOPLE: tuple[What, ...] = ("raters", "acts")  # which viewers may not download
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
SELF_JOINED: tuple[Source, ...] = ("open", *CROWDS)
# A report is one file that also works offline, so it contains its styles.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"


class OwnerPages:
    """The owner's pages of one study."""

    def __init__(self, study: OwnerStudy) -> None:
        self.study = study

    # Pages

    def show(
        self, request: Request, question: str | None = None, show: str = "", made: str = "", start: Start = 0
    ) -> Response:
        """The owner: the dashboard."""
        overview = self.study.overview(request)
        links = {**_links(request, overview, made), "made": made}
        board = self._board(request, overview, question, show, start)
        return self.study.remember_arm(request, self.study.page(request, "owner.html", **board, **links))

    def show_live(
        self, request: Request, question: str | None = None, show: str = "", start: Start = 0
    ) -> Response:
        """The owner: the parts of the dashboard that are updated automatically."""
        overview = self.study.overview(request)
        board = self._board(request, overview, question, show, start)
        return self.study.page(request, "owner_live.html", **board)

    # Actions

    def pause(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: pause the study, so that no new tasks are assigned."""
        self.study.access.check_owner_csrf(request, csrf)
        return self.study.note(request, "paused")

    def resume(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: resume the study."""
        self.study.access.check_owner_csrf(request, csrf)
        return self.study.note(request, "resumed")

    def ask_close_round(self, request: Request) -> Response:
        """The owner: ask whether to close the round, which cannot be undone."""
        return self.study.page(
            request, "owner_confirm.html", act="close-round", overview=self.study.overview(request)
        )

    def ask_close_cold_start(self, request: Request) -> Response:
        """The owner: ask whether to use the examples placed so far, which cannot be undone."""
        overview = self.study.overview(request)
        return self.study.page(request, "owner_confirm.html", act="close-cold-start", overview=overview)

    def close_round(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: close the round and compute the anchors of the next round from its answers."""
        self.study.access.check_owner_csrf(request, csrf)
        condition = self.study.condition(request)
        facts = {"condition": condition} if condition else {}
        with self.study.session.transaction() as transaction:
            self.study.session.close_round(condition=condition)
            transaction.writer.record(self.study.act(request, "round_closed", facts=facts))
        self.study.desk.wake()
        return RedirectResponse("/owner", 303)

    def close_cold_start(self, request: Request, csrf: CsrfField) -> Response:
        """The owner: compute the first anchors from the examples that raters have placed so far."""
        self.study.access.check_owner_csrf(request, csrf)
        with self.study.session.transaction() as transaction:
            arm = self.study.session.arm(self.study.condition(request))
            close_seeds(transaction.in_arm(arm.ledger))
            transaction.writer.record(self.study.act(request, "seeds_closed"))
        self.study.desk.wake()
        return RedirectResponse("/owner", 303)

    # Files

    def download(self, request: Request, what: What, form: Format, identities: bool = False) -> Response:
        """The owner: download a table as a file. A viewer: judgments, scale and distributions."""
        if what in ABOUT_PEOPLE:
            self.study.access.owner(request)
        shown = identities and what == "raters"
        facts = {"table": what, "format": form, **({"identities": "yes"} if shown else {})}
        content = self.study.desk.table(what, form, shown)
        self.study.record(request, "exported", facts)
        named = {"Content-Disposition": f'attachment; filename="{what}.{form}"'}
        return Response(content, media_type=MEDIA_TYPES[form], headers=named)

    def report(self) -> Response:
        """The owner or a viewer: the report as one self-contained page."""
        page = self.study.desk.report(self.study.session.clock())
        return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})

    # Helpers

    def _board(
        self, request: Request, overview: Overview, question: str | None, show: str, start: int
    ) -> dict[str, Any]:
        view, condition = view_of(overview, question), self.study.condition(request)
        messages = self.study.messages
        shown_arm = {"condition": condition} if condition else {}
        rows = () if view.fit is None else scale_rows(view.fit.scale, overview.labels)
        ordered = sorted(view.raters, key=lambda line: -line.answers)
        flagged = [line for line in ordered if line.flags and not line.excluded]
        listed = flagged if show == "flagged" else ordered
        shown = listed[start : start + RATERS_LISTED] if show else ordered[:RATERS_SHOWN]
        address = {"question": view.question.id, "at": overview.log_position, **shown_arm}
        return {
            "overview": overview,
            "view": view,
            "now": self.study.session.clock(),
            "rows": rows,
            "chart": f"/owner/scale.svg?{urlencode(address)}",
            "drift_chart": f"/owner/drift.svg?{urlencode({'at': overview.log_position, **shown_arm})}"
            if overview.drift
            else "",
            "lines": shown,
            "listed": len(listed),
            "start": start,
            "page_size": RATERS_LISTED,
            "show": show,
            "notices": (
                *self.study.session.problems,
                *self.study.access.webhooks.problems(),
                *notices_of(overview, messages),
            ),
            "headline": headline_of(overview, messages),
            "agreement": overview.agreement.get(view.question.id),
            "advice": advice_of(overview, self.study.session.clock(), messages),
            "typical_width": _typical_width(overview, view),
            **self._parts(view.question.id, condition),
            "condition": condition,
            "arms": self.study.session.study.definition.conditions,
            "arms_part": self.study.desk.arms(view.question.id) if condition else None,
            "rough": two_digits,
        }

    def _parts(self, question: str, condition: str) -> dict[str, Any]:
        """The parts that the page shares with the report, and the function that shows their charts."""
        made = self.study.desk.parts(question, condition)
        parts = {name: made.listed(name) for name in PART_NAMES}
        names = {id(part): name for name, part in parts.items()}
        pictures = LinkedPictures(question, made.key, names, condition)
        shown = {
            "parts": parts,
            "part_titles": TITLES,
            "all_titles": TITLES_OF_ALL,
            "part_failures": made.failures,
        }
        return {**shown, "picture": pictures, "parts_judgments": made.judgments}


def owner_router(session: Session, access: Access, templates: PageTemplates, desk: Desk) -> APIRouter:
    """Return the routes that the owner calls.

    Parameters
    ----------
    session
        The session on the study.
    access
        Access control of the study.
    templates
        Templates of the pages.
    desk
        Computes overviews, tables and charts.

    Returns
    -------
    APIRouter
        Routes under /owner, all of which need the owner's cookie.
    """
    study = OwnerStudy(session, access, templates, desk)
    pages, raters = OwnerPages(study), OwnerRaters(study)

    def owner_only(request: Request) -> None:
        access.owner(request)

    def viewer_only(request: Request) -> None:
        access.viewer(request)

    router = APIRouter(prefix="/owner")
    reading: dict[str, Callable[..., Response]] = {
        "": pages.show,
        "/live": pages.show_live,
        "/close-round": pages.ask_close_round,
        "/close-cold-start": pages.ask_close_cold_start,
        **OwnerItems(study).routes(),
        **OwnerCharts(study).routes(),
        **raters.reading(),
        **OwnerTrail(study).routes(),
    }
    writing: dict[str, Callable[..., Response]] = {
        "/pause": pages.pause,
        "/resume": pages.resume,
        "/close-round": pages.close_round,
        "/close-cold-start": pages.close_cold_start,
        **raters.writing(),
    }
    by_viewers: dict[str, Callable[..., Response]] = {
        "/download/{what}.{form}": pages.download,
        "/report": pages.report,
    }
    for path, view in by_viewers.items():
        router.add_api_route(path, view, **PAGE, dependencies=[Depends(viewer_only)])
    for path, read in reading.items():
        router.add_api_route(path, read, **PAGE, dependencies=[Depends(owner_only)])
    for path, write in writing.items():
        router.add_api_route(
            path, write, methods=["POST"], response_model=None, dependencies=[Depends(owner_only)]
        )
    return router


def _typical_width(overview: Overview, view: QuestionView) -> str:
    """The median width of the 95% intervals with its unit, or "" without a scale."""
    if view.fit is None:
        return ""
    width = words.position(float(np.median(view.fit.scale.high - view.fit.scale.low)), view.width)
    return measured(width, overview.quantity.measure)


def _links(request: Request, overview: Overview, made: str) -> dict[str, Any]:
    """Links of raters who are people (not simulated, not from files), latest invitation first."""
    invited = [line for line in reversed(overview.raters) if line.rater.source == "link"]
    others = [line for line in overview.raters if line.rater.source in SELF_JOINED]
    ordered = sorted([*invited, *others], key=lambda line: line.rater.id != made)
    return {
        "base": str(request.base_url),
        "entries": entry_links(overview.definition),
        "links": ordered[:LINKS_SHOWN],
        "more_links": ordered[LINKS_SHOWN:LINKS_LISTED],
        "unlisted_links": max(len(ordered) - LINKS_LISTED, 0),
    }
