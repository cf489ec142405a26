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
from steelyard.quality.rater_differences import Difference
from steelyard.registry import Registry
from steelyard.report.contents import Cover, report_of_watch
from steelyard.report.page import render_report
from steelyard.report.parts.arms import ArmsPart, arms_part
from steelyard.selection.known import SELECTIONS
from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import Study
from steelyard.study.results.arm_exports import table_of
from steelyard.study.results.exports import filled_in_by_raters
from steelyard.study.results.given_answers import (
    GivenAnswer,
    answers_about,
    answers_by,
    compared_with_others,
)
from steelyard.study.results.overview import Overview
from steelyard.study.results.renewal import Renewal
from steelyard.study.results.table_pages import TablePages
from steelyard.study.results.watch import Watch
from steelyard.web.owner_parts import OwnerParts, parts_of
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
        self._newest: dict[str, tuple[str, Overview]] = {}  # by condition
        self._parts: dict[tuple[str, str], OwnerParts] = {}  # by condition and question
        self._is_woken = False

    def overview(self, condition: str = "") -> Overview:
        """Return the latest overview of an arm. A slow overview is updated less often."""
        with self._lock:
            self._follow_study()
            kept = self._newest.get(condition)
            shown_before = None if kept is None else kept[0]
            key, made = self._watcher.call("overview", shown_before, self._is_woken, condition)
            self._is_woken = False
            if kept is None or made is not None:
                self._newest[condition] = (key, made)
            overview: Overview = self._newest[condition][1]
            return overview

    def parts(self, question: str, condition: str = "") -> OwnerParts:
        """Return the parts of the report that the page shows, which may lack the newest judgments."""
        with self._lock:
            self._follow_study()
            kept = self._parts.get((condition, question))
            made = self._watcher.call("parts", question, None if kept is None else kept.key, condition)
            if made is not None:
                self._parts[condition, question] = made
            return self._parts[condition, question]

    def arms(self, question: str) -> ArmsPart | None:
        """Return the comparison of the arms, which may lack the newest judgments; None without arms."""
        with self._lock:
            self._follow_study()
            part: ArmsPart | None = self._watcher.call("arms", question)
            return part

    def answers_by(
        self, question: int, rater: str, condition: str = ""
    ) -> tuple[tuple[Difference, ...], tuple[GivenAnswer, ...]]:
        """Return the answers of a rater beside those of the others, and each answer, newest first.

        Parameters
        ----------
        question
            Index of the question.
        rater
            Id of the rater.
        condition
            Arm of the rater. Default: the first one.

        Returns
        -------
        compared : tuple of Difference
            Differences from the other raters.
        answers : tuple of GivenAnswer
            The answers.
        """
        with self._lock:
            self._follow_study()
            compared, answers = self._watcher.call("answers_by", question, rater, condition)
            return compared, answers

    def answers_about(self, question: int, item: str, condition: str = "") -> tuple[GivenAnswer, ...]:
        """Return all answers about an item, oldest first.

        Parameters
        ----------
        question
            Index of the question.
        item
            Id of the item.
        condition
            Name of the arm. Default: the first one.

        Returns
        -------
        tuple of GivenAnswer
            The answers.
        """
        with self._lock:
            self._follow_study()
            answers: tuple[GivenAnswer, ...] = self._watcher.call("answers_about", question, item, condition)
            return answers

    def wake(self) -> None:
        """Update the overview at once, because the owner has changed something."""
        self._is_woken = True

    def report(self, at: float) -> str:
        """Return the report at this time as one HTML file."""
        with self._lock:
            self._follow_study()
            page: str = self._watcher.call("report", at)
            return page

    def table(self, what: str, form: str, identities: bool = False) -> bytes:
        """Return the content of a file with one of the study's tables.

        Parameters
        ----------
        what
            Name of the table.
        form
            Format of the file.
        identities
            Whether the table of raters has their names and their ids on other sites.

        Returns
        -------
        bytes
            The content.
        """
        with self._lock:
            self._follow_study()
            content: bytes = self._watcher.call("table", what, form, identities)
            return content

    def rows(self, what: str, condition: str, start: int, most: int) -> tuple[int, int, list[dict[str, Any]]]:
        """Return the log position, the number of rows of a table, and some of its rows.

        Parameters
        ----------
        what
            Name of the table.
        condition
            Name of the arm. Default: all arms.
        start
            Index of the first row.
        most
            Largest number of rows.

        Returns
        -------
        log_position : int
            Log position of the table.
        total : int
            Number of all rows.
        rows : list of dict
            The rows.
        """
        with self._lock:
            self._follow_study()
            position, total, rows = self._watcher.call("rows", what, condition, start, most)
            return position, total, rows

    def draw(self, draw: Callable[[P], str], picture: P) -> str:
        """Return a chart as SVG. Raises WorkerEnded if drawing it ended the process."""
        svg: str = self._drawer.call("draw", draw, picture)
        return svg

    def stop(self) -> None:
        """End both processes. The next call starts them again."""
        self._watcher.stop()
        self._drawer.stop()

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
        self._newest: dict[str, tuple[str, Overview]] = {}
        self._parts: dict[tuple[str, str], tuple[Renewal, OwnerParts | None]] = {}
        self._pages = TablePages(self._watch)

    def overview(
        self, shown_before: str | None, is_woken: bool, condition: str = ""
    ) -> tuple[str, Overview | None]:
        """Return the name of the latest overview, and the overview unless it is the one named `shown_before`.

        Parameters
        ----------
        shown_before
            Name of the overview that the caller has.
        is_woken
            Whether to compute it immediately.
        condition
            Name of the arm. Default: the first one.

        Returns
        -------
        name : str
            Name of the latest overview.
        overview : Overview or None
            The overview without its judgments, if the caller does not have it.
        """
        if is_woken:
            self._watch.wake()
        made = self._watch.overview(condition)
        if condition not in self._newest or self._newest[condition][1] is not made:
            self._newest[condition] = (secrets.token_hex(8), made)
        name = self._newest[condition][0]
        return name, None if name == shown_before else made.without_judgments()

    def parts(self, question: str, shown_before: str | None, condition: str = "") -> OwnerParts | None:
        """Return the parts about a question, or None if they are those named `shown_before`.

        Parameters
        ----------
        question
            Id of the question.
        shown_before
            Key of the parts that the caller has.
        condition
            Name of the arm. Default: the first one.

        Returns
        -------
        OwnerParts or None
            The parts.
        """
        renewal, made = self._parts.get((condition, question), (Renewal(), None))
        if renewal.is_due(self._watch.ledger(condition)) or made is None:
            made = parts_of(self._watch.overview(condition), question)
            self._parts[condition, question] = (renewal, made)
        return None if made.key == shown_before else made

    def arms(self, question: str) -> ArmsPart | None:
        """Return the comparison of the arms about a question, or None if the study has no arms or no answers."""
        compared = self._watch.comparison()
        asked = [view.question.id for view in self._watch.overview().views]
        return arms_part([(question, compared[asked.index(question)])]) if compared else None

    def answers_by(
        self, question: int, rater: str, condition: str = ""
    ) -> tuple[tuple[Difference, ...], tuple[GivenAnswer, ...]]:
        """Return the answers of a rater beside those of the others, and each answer, newest first.

        Parameters
        ----------
        question
            Index of the question.
        rater
            Id of the rater.
        condition
            Arm of the rater. Default: the first one.

        Returns
        -------
        compared : tuple of Difference
            Differences from the other raters.
        answers : tuple of GivenAnswer
            The answers.
        """
        ledger = self._watch.ledger(condition)
        return compared_with_others(ledger, rater, question), answers_by(ledger, rater, question)

    def answers_about(self, question: int, item: str, condition: str = "") -> tuple[GivenAnswer, ...]:
        """Return all answers about an item, oldest first.

        Parameters
        ----------
        question
            Index of the question.
        item
            Id of the item.
        condition
            Name of the arm. Default: the first one.

        Returns
        -------
        tuple of GivenAnswer
            The answers.
        """
        return answers_about(self._watch.ledger(condition), item, question)

    def rows(self, what: str, condition: str, start: int, most: int) -> tuple[int, int, list[dict[str, Any]]]:
        """Return the log position, the number of rows of a table, and some of its rows.

        Parameters
        ----------
        what
            Name of the table.
        condition
            Name of the arm. Default: all arms.
        start
            Index of the first row.
        most
            Largest number of rows.

        Returns
        -------
        log_position : int
            Log position of the table.
        total : int
            Number of all rows.
        rows : list of dict
            The rows.
        """
        return self._pages.page(what, condition, start, most)

    def report(self, at: float) -> str:
        """Return the report as one HTML file."""
        return render_report(report_of_watch(self._watch, Cover("", at, "steelyard report DIR")))

    def table(self, what: str, form: str, identities: bool) -> bytes:
        """Return the content of a file with one of the study's tables."""
        file = BytesIO()
        columns, _ = table_of(self._watch, what, identities=identities)
        write_columns(columns, file, form, filled_in_by_raters(columns, self._watch.survey_ids()))
        return file.getvalue()


class Drawer:
    """Draws charts, in a separate process because a chart that cannot be drawn may end the process."""

    def draw(self, draw: Callable[[P], str], picture: P) -> str:
        """Return the chart as SVG."""
        return draw(picture)
