"""Overviews, tables and charts for the owner's pages, computed in separate processes so that raters do not wait."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from io import BytesIO
from threading import Lock
from typing import Any, TypeVar

from steelyard.judgments.writing import write_columns
from steelyard.kinds.known import KINDS
from steelyard.models.known import MODELS
from steelyard.registry import Registry
from steelyard.report.contents import report_of_study
from steelyard.report.page import render_report
from steelyard.selection.known import SELECTIONS
from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import Study
from steelyard.study.results.exports import export_columns, filled_in_by_raters
from steelyard.study.results.overview import Overview
from steelyard.study.results.watch import Watch
from steelyard.web.worker import Worker

P = TypeVar("P")
OutsideParts = tuple[tuple[Any, ...], ...]  # kinds, models and selections that are not built in


class Desk:
    """The owner's view of one study. Raters never wait for its overviews or charts."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._watcher = Worker(Watcher, self._watched)
        self._drawer = Worker(Drawer)
        self._lock = Lock()
        self._study: Study | None = None  # the version that the watcher uses
        self._newest: tuple[str, Overview] | None = None
        self._is_woken = False

    def overview(self) -> Overview:
        """Return the latest overview. A slow overview is updated less often."""
        with self._lock:
            self._follow_study()
            shown_before = None if self._newest is None else self._newest[0]
            key, made = self._watcher.call("overview", shown_before, self._is_woken)
            self._is_woken = False
            if self._newest is None or made is not None:
                self._newest = (key, made)
            return self._newest[1]

    def wake(self) -> None:
        """Update the overview at once, because the owner has changed something."""
        self._is_woken = True

    def report(self, at: float) -> str:
        """Return the report at this time as one HTML file."""
        with self._lock:
            self._follow_study()
            page: str = self._watcher.call("report", at)
            return page

    def table(self, what: str, form: str) -> bytes:
        """Return the content of a file with one of the study's tables."""
        with self._lock:
            self._follow_study()
            content: bytes = self._watcher.call("table", what, form)
            return content

    def draw(self, draw: Callable[[P], str], picture: P) -> str:
        """Return a chart as SVG. Raises WorkerEnded if drawing it ended the process."""
        svg: str = self._drawer.call("draw", draw, picture)
        return svg

    def _watched(self) -> tuple[Study, OutsideParts]:
        self._study = self._session.study
        return self._study, (KINDS.registered, MODELS.registered, SELECTIONS.registered)

    def _follow_study(self) -> None:
        """Restart the watcher if the session has loaded new items."""
        if self._study is not None and self._study is not self._session.study:
            self._watcher.stop()


class Watcher:
    """Follows the log of a study with its own ledger."""

    def __init__(self, study: Study, parts: OutsideParts) -> None:
        registries: tuple[Registry[Any], ...] = (KINDS, MODELS, SELECTIONS)
        for registry, some in zip(registries, parts, strict=True):
            for part in some:
                registry.register(part)
        database = open_database(study.folder)
        self._watch = Watch(study, database, database)
        self._newest: tuple[str, Overview] | None = None

    def overview(self, shown_before: str | None, is_woken: bool) -> tuple[str, Overview | None]:
        """Return the name of the latest overview, and the overview unless it is the one named `shown_before`."""
        if is_woken:
            self._watch.wake()
        made = self._watch.overview()
        if self._newest is None or self._newest[1] is not made:
            self._newest = (secrets.token_hex(8), made)
        name = self._newest[0]
        return name, None if name == shown_before else made.without_judgments()

    def report(self, at: float) -> str:
        """Return the report as one HTML file."""
        return render_report(report_of_study(self._watch.overview(), at))

    def table(self, what: str, form: str) -> bytes:
        """Return the content of a file with one of the study's tables."""
        file = BytesIO()
        columns = export_columns(self._watch, what)
        write_columns(columns, file, form, filled_in_by_raters(columns))
        return file.getvalue()


class Drawer:
    """Draws charts, in a separate process because a chart that cannot be drawn may end the process."""

    def draw(self, draw: Callable[[P], str], picture: P) -> str:
        """Return the chart as SVG."""
        return draw(picture)
