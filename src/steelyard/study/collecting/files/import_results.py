"""Import the answers of a results file into the log, in batches, so that raters do not wait for the whole file.

All answers are checked before the first is stored. If an import is interrupted, importing the file again completes it,
because answers that are stored already are skipped.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from steelyard.errors import (
    LISTED,
    BadAnswer,
    BadRows,
    BadSetting,
    RefusedAnswer,
    RowMistake,
    RowMistakes,
)
from steelyard.judgments.table import Judgments
from steelyard.kinds.cell import Cell
from steelyard.kinds.file_answer import FileAnswer
from steelyard.kinds.on_scale import BEYOND, is_level
from steelyard.models.model import rows_of
from steelyard.study.collecting.already_seen import shows_items
from steelyard.study.collecting.files.file_protocol import study_of_file
from steelyard.study.collecting.files.results_pages import Page, Stated, natural_order, pages_of
from steelyard.study.collecting.files.results_rows import Results, nameless, results_of
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.study import Study
from steelyard.study.log.answers import LONGEST_COMMENT, check_answer
from steelyard.study.log.entries import Answer, Chosen, Task
from steelyard.study.log.ledger import Ledger

PAGES_AT_ONCE = 100  # answers stored in one transaction, in about 0.1 s
PAUSE_SECONDS = 0.1  # between transactions, in which raters who wait for the lock take it


@dataclass(frozen=True, slots=True)
class Changed:
    """An answer that differs from the stored answer of the same rater to the same task; the stored one is kept."""

    rater: str
    task: str
    place: int


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    Attributes
    ----------
    answers
        Number of new answers.
    repeated
        Number of answers that were stored before.
    raters
        Number of raters in the file.
    changed
        Answers that differ from the stored answer.
    notes
        Sentences about content that was changed or not imported.
    """

    answers: int
    repeated: int
    raters: int
    changed: tuple[Changed, ...] = ()
    notes: tuple[str, ...] = ()


def import_results(
    session: Session, results: Judgments | Results, condition: str = "", protocol: str = ""
) -> Imported:
    """Import the answers of a results file; if one of them is invalid, none is stored.

    An answer that was imported before is not stored again. If it has changed in the file, the stored answer is kept
    and the new one is listed in `changed`.

    Parameters
    ----------
    session
        Session of the study.
    results
        Content of the file.
    condition
        Arm of the study to which the answers belong. Its raters are assigned to it. Default: the first arm, or the
        study if it has no arms.
    protocol
        Protocol to which the answers belong, in a study with several.

    Returns
    -------
    Imported
        Counts and notes.
    """
    arm = session.arm(condition)
    study = study_of_file(arm.study, protocol)
    definition = study.definition
    kind = definition.kind
    if isinstance(results, Judgments):
        rows_of(results, kind.name, "this study")
        results = results_of(results, kind.name)
    pages = pages_of(results, definition)
    if kind.placed:
        _check_scores(pages, definition)
    job = _Import(session, results, pages, arm.name, definition.asking.way.name)
    if not session.study.arms:
        return job.done()
    with session.transaction():  # whether a rater belongs to the arm is known only after they have joined
        return job.done()


@dataclass
class _Import:
    """The import of one file."""

    session: Session
    results: Results
    pages: Sequence[Page]
    condition: str
    protocol: str
    made: dict[tuple[Any, ...], str] = field(default_factory=dict)  # ids of tasks created for this file
    refused: list[tuple[int | None, RowMistake]] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)
    unknown: list[Page] = field(default_factory=list)  # pages of tasks that the study does not have
    labelled: list[Page] = field(
        default_factory=list
    )  # pages whose round or condition differs from their task
    added: list[Page] = field(default_factory=list)
    round: int = 1

    @property
    def _study(self) -> Study:
        return self.session.arm(self.condition).study.in_way(self.protocol)

    @property
    def _ledger(self) -> Ledger:
        return self.session.arm(self.condition).ledger

    def _joined(self, worker: str) -> str:
        """Add a rater to the arm and return their id."""
        rater = self.session.join(worker, "file", worker).id
        if self.session.study.arms:
            self.session.assign_to(rater, self.condition)
        return rater

    def done(self) -> Imported:
        """Import all pages in the order of the file; raise BadRows with a list of invalid answers."""
        self.session.fresh_ledger()
        ledger = self._ledger
        self.round = ledger.round
        stored_answers = {answer.assignment: answer for answer in ledger.answers.values()}
        own: dict[tuple[Any, ...], Answer] = {
            (answer.rater, answer.task, answer.at): answer for answer in ledger.answers.values()
        }
        before = {rater for rater, record in ledger.raters.items() if record.answers}
        new = []
        for page in self.pages:
            stored = stored_answers.get(page.assignment)
            if stored is None:  # an export of this study has its raters, tasks and times
                stored = own.get((page.worker, page.task, page.at))
            if stored is None:
                new.append(page)
            else:
                self._compare(page, stored)
        self._check(new)
        raters = self._join()
        self._add_all(new, raters)
        repeated = len(self.pages) - len(self.added)  # also those answered before, and then taken back
        excluded = self._exclude(raters, before)
        notes = (*self.results.notes, *self._notes(excluded, raters))
        return Imported(len(self.added), repeated, len(raters), tuple(self.changed), notes)

    def _join(self) -> dict[str, str]:
        """Return the ids of the raters in the file, who join in one transaction."""
        workers = sorted({page.worker for page in self.pages}, key=natural_order)
        with self.session.transaction():
            return {worker: self._joined(worker) for worker in workers}

    def _check(self, pages: Sequence[Page]) -> None:
        """Raise BadRows if an answer does not fit its task or the study; nothing is stored."""
        definition, ledger = self._study.definition, self._ledger
        questions = tuple(question.id for question in definition.questions)
        for page in pages:
            named = ledger.tasks.get(page.task or "") if page.occurrence == 0 else None
            fits = named is not None and self._fits(named, page)
            if not fits:
                self._check_round(page)
            made = Task("", tuple(page.items), questions, self.protocol, Chosen("", 0, ()))
            task = named if fits and named is not None else made
            try:
                check_answer(self._answer(page, task), task, definition)
            except BadAnswer as reason:
                self.refused.append((page.place, RefusedAnswer(str(reason))))
        self._refuse()

    def _add_all(self, pages: Sequence[Page], raters: Mapping[str, str]) -> None:
        """Store answers in batches, each in a transaction of its own unless one is open already."""
        for start in range(0, len(pages), PAGES_AT_ONCE):
            if start and not self.session.study.arms:
                time.sleep(PAUSE_SECONDS)
            with self.session.transaction():
                batch = pages[start : start + PAGES_AT_ONCE]
                self.added += [page for page in batch if self._add(raters[page.worker], page)]
        self._refuse()

    def _refuse(self) -> None:
        if self.refused:
            groups = [RowMistakes(self.refused[:LISTED], len(self.refused), self.results.unit)]
            raise BadRows(self.results.source, groups)

    def _is_of_arm(self, rater: str, page: Page) -> bool:
        """Whether the answer belongs to the arm that is imported; if not, it is refused."""
        other = self.session.ledger.rater(rater).condition
        if not self.session.study.arms or (
            other == self.condition and page.origin.condition in (None, other)
        ):
            return True
        where = other if other != self.condition else page.origin.condition
        whose = f"rater {page.worker!r}" if other != self.condition else "the answer"
        remedy = f"Import only answers of {self.condition!r}, or use another --condition"
        self.refused.append((page.place, RefusedAnswer(f"{whose} belongs to condition {where!r}. {remedy}.")))
        return False

    def _add(self, rater: str, page: Page) -> bool:
        """Store one answer; return False if its assignment was answered before."""
        if not self._is_of_arm(rater, page):
            return True
        tasks = self._ledger.tasks
        named = page.task if page.occurrence == 0 and page.task is not None else ""
        task = tasks.get(named)
        fits = task is not None and self._fits(task, page)
        if page.task is not None and page.occurrence == 0 and not fits:
            self.unknown.append(page)
        if fits and task is not None and not _labelled_alike(page, task):
            self.labelled.append(page)
        label = named if fits else self.made.get(page.made_as, "")
        origin = replace(page.origin, protocol=self.protocol)
        taken = self.session.take_task(rater, label, page.items, page.assignment, origin)
        if taken is None:
            return False
        if not fits:
            self.made[page.made_as] = taken.task.id
        answer = self._answer(page, taken.task)
        try:
            return self.session.accept(rater, answer, page.at)
        except BadAnswer as reason:
            self.refused.append((page.place, RefusedAnswer(str(reason))))
            return True

    def _fits(self, task: Task, page: Page) -> bool:
        """Whether a task of the study has the protocol of the file and shows the items of a page."""
        return task.protocol == self.protocol and shows_items(self._ledger, task, page.items)

    def _check_round(self, page: Page) -> None:
        """Refuse a round that has not started, because a file cannot start rounds with anchors or sequences."""
        definition, number = self._study.definition, page.origin.round
        planned = definition.grounding.rounds.number > 1 or definition.choosing.traits.plans_sequences
        if planned and number is not None and number > self.round:
            fact = f"round {number} has not started; the study is in round {self.round}"
            remedy = "Remove the round column to import answers into the current round"
            self.refused.append((page.place, RefusedAnswer(f"{fact}. {remedy}.")))

    def _answer(self, page: Page, task: Task) -> Answer:
        cells = tuple(_cells(page, task, self._study.definition))
        if len(page.comment) > LONGEST_COMMENT:
            length = f"{len(page.comment):,} characters; the limit is {LONGEST_COMMENT:,}. Shorten it."
            self.refused.append((page.place, RefusedAnswer(f"the comment has {length}")))
        return Answer("", "", page.assignment, cells, page.comment, page.milliseconds)

    def _compare(self, page: Page, stored: Answer) -> None:
        """Record an answer that differs from the stored one."""
        task = self._ledger.tasks[stored.task]
        if self._fits(task, page):
            try:
                again = check_answer(self._answer(page, task), task, self._study.definition)
            except BadAnswer:
                again = None
            same = again is not None and (again.cells, again.comment) == (stored.cells, stored.comment)
            timed = page.milliseconds in (None, stored.milliseconds) and page.at in (None, stored.at)
            if same and timed:
                return
        self.changed.append(Changed(page.worker, stored.task, page.place))

    def _exclude(self, raters: Mapping[str, str], before: set[str]) -> int:
        """Exclude new raters that the file marks as excluded; return how many."""
        marked = dict.fromkeys(page.worker for page in self.added if page.excluded)
        new = [raters[worker] for worker in marked if raters[worker] not in before]
        for rater in new:
            self.session.note("excluded", rater, {"reason": "excluded in the imported file"})
        return len(new)

    def _notes(self, excluded: int, raters: Mapping[str, str]) -> Iterator[str]:
        yield from _notes_on_columns(self.results, self._study.items)
        yield from _notes_on_pages(self.added)
        if self.unknown:
            first = self.unknown[0]
            yield (
                f"Answers to tasks that are not in this study, or that have other items here: {len(self.unknown):,} "
                f"(first: task {first.task!r}, {self.results.unit} {first.place}). New tasks were created for these "
                "answers, and all of them were imported."
            )
        if self.labelled:
            yield (
                f"Answers whose round or condition differs from that of their task: {len(self.labelled):,}. "
                "The round and condition of the task are used."
            )
        elsewhere = sum(self.session.raters.took_part_elsewhere(worker) for worker in raters)
        if elsewhere:
            yield f"Raters who also joined a study in exclude_raters_of: {elsewhere:,}. Their answers were imported."
        out = [page for page in self.added if self._ledger.raters[raters[page.worker]].excluded]
        if excluded:
            yield f"Raters excluded because the file marks them as excluded: {excluded:,}."
        elif out:
            yield f"Answers of excluded raters: {len(out):,}. They are stored but do not count."


def _labelled_alike(page: Page, task: Task) -> bool:
    """Whether the round and the condition in the file are those of the task."""
    number, condition = page.origin.round, page.origin.condition
    return number in (None, task.round) and condition in (None, task.condition)


def _notes_on_columns(results: Results, items: Items) -> Iterator[str]:
    """Yield a sentence for each column that was changed or not imported."""
    if results.unused:
        yield f"Columns not imported: {', '.join(results.unused)}."
    for name, differs in (("system", _systems), ("segment", _segments)):
        other = sum(differs(row, items) for row in results.rows)
        if other:
            yield f"Rows whose {name} differs from the items file: {other:,}. The {name} in the items file is used."
    none = sum(row.count == 0 for row in results.rows)
    if none:
        yield f"Rows with a count of 0: {none:,}. They contain no answer."


def _notes_on_pages(added: Sequence[Page]) -> Iterator[str]:
    repeats = sum(page.occurrence > 0 and not nameless(page.worker) for page in added)
    if repeats:
        yield f"Repeated answers of one rater: {repeats:,}. Each is stored as a separate answer."
    unnamed = sum(nameless(page.worker) for page in added)
    if unnamed:
        yield f"Answers without a rater: {unnamed:,}. They are stored under one rater, called 'unknown'."
    summed = sum(page.times_differ for page in added)
    if summed:
        yield (
            f"Answers whose rows have different times: {summed:,}. "
            "The sum of the milliseconds and the latest time are stored."
        )


def _systems(row: Any, items: Items) -> bool:
    """Whether the row names another system than the items file."""
    about = (row.left, row.about) if len(row.systems) > 1 else (row.about,)
    pairs = zip(row.systems, about, strict=True)
    return any(system is not None and system != items[items.index[item]].system for system, item in pairs)


def _segments(row: Any, items: Items) -> bool:
    return row.segment is not None and row.segment != items[items.index[row.about]].segment


def _check_scores(pages: Sequence[Page], definition: StudyDefinition) -> None:
    """Raise BadSetting before anything is stored if a score is not on the scale of its question."""
    for page in pages:
        for (item, question), stated in page.cells.items():
            scale = definition.scale_of(definition.questions[question])
            for each in () if stated.values is None else stated.values:
                _check_score(each, f"rater {page.worker!r} gave item {item!r} the score {each:g}", scale)


def _check_score(score: float, words: str, scale: ScaleSettings) -> None:
    past = BEYOND * (scale.high - scale.low) if scale.beyond else 0.0
    if not scale.low - past <= score <= scale.high + past:
        raise BadSetting("scale", f"{words}, but the scale goes from {scale.low:g} to {scale.high:g}.")
    if scale.levels and not is_level(score, scale):
        levels = ", ".join(f"{value:g}" for value in scale.level_values())
        raise BadSetting("scale, levels", f"{words}, but the levels are {levels}.")


def _cells(page: Page, task: Task, definition: StudyDefinition) -> Iterator[Cell]:
    """Yield a cell for each item that the task asks about; items without a row become "can't judge"."""
    nothing = Stated(None)
    for question in range(len(definition.questions)):
        stated = {item: each for (item, asked), each in page.cells.items() if asked == question}
        rows = [
            (at, stated.get(task.items[at], nothing)) for at in definition.asking.way.asked(len(task.items))
        ]
        answers = [FileAnswer(at, each.values, each.beside) for at, each in rows]
        yield from definition.kind.read_file(question, answers)
