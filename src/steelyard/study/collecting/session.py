"""The session: `next_task` and `accept` are the only way in, for pages, simulation and files alike."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock
from typing import Any

from steelyard.errors import (
    AnswerTakenBack,
    NothingToUndo,
    TaskClosed,
    TooManyUndos,
    UnknownItem,
    UnknownRater,
)
from steelyard.maths.arrays import Mask
from steelyard.study.collecting.learning import Learner
from steelyard.study.collecting.planner import Planner, Supply
from steelyard.study.collecting.rater_names import clean_name
from steelyard.study.collecting.sequencing import next_place
from steelyard.study.collecting.showing import suits
from steelyard.study.collecting.standing import (
    FREE_LOOKED_AT,
    NEWCOMER,
    Assignment,
    Need,
    Standing,
    anything_for,
    is_finished,
    need_for,
    standing_of,
    unseen_by,
    waits_for_seeds,
)
from steelyard.study.definition.items_file import ItemsFile
from steelyard.study.definition.study import Study
from steelyard.study.grounding.rounds import close, is_over, withdraw_stale
from steelyard.study.log.answers import check_answer, check_repeat
from steelyard.study.log.interface import (
    Answer,
    Chosen,
    Entry,
    Event,
    EventKind,
    Lease,
    Log,
    Origin,
    Rater,
    Roster,
    Source,
    Task,
    Writer,
)
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord

FILE_HOLDER = "file"  # holds the places of tasks that were written to a batch file


class Session:
    """One worker's way into a study. Safe to share between threads; other workers have their own."""

    def __init__(
        self,
        study: Study,
        log: Log,
        roster: Roster,
        clock: Callable[[], float],
        background: Executor | None = None,
    ) -> None:
        self.study = study
        self.log = log
        self.roster = roster
        self.clock = clock
        self.ledger = Ledger(study.definition, study.items)
        self._items_file = ItemsFile(study)
        self._background = background
        self._planner = Planner(self.ledger, Learner(self.ledger, background))
        self._known_links: dict[str, Rater] = {}
        self._writer: Writer | None = None
        self._newest_time = math.inf  # what the clock said last; not known at first
        self._lock = RLock()

    # Raters

    def join(self, name: str, source: Source, key: str = "") -> Rater:
        """A new rater with a link of their own; the same source and key give the same rater.

        Inside `together()` the rater joins with the rest of the transaction, or not at all.
        """
        return self.join_once(name, source, key)[0]

    def join_once(self, name: str, source: Source, key: str = "") -> tuple[Rater, bool]:
        """The rater of this source and key, and whether they are new; the name is stored as it can be seen."""
        token = secrets.token_urlsafe(18)
        with self._lock:
            add = self.roster.add if self._writer is None else self._writer.add_rater
            rater = add(clean_name(name), source, token, key, self.clock())
        return rater, rater.token == token

    def rater(self, token: str) -> Rater:
        """The rater of a link."""
        if token not in self._known_links:  # a link never changes hands, so it is looked up once
            rater = self.roster.by_token(token)
            if rater is None:
                raise UnknownRater
            self._known_links[token] = rater
        return self._known_links[token]

    def record(self, rater: str) -> RaterRecord:
        """What a rater has done so far."""
        with self._lock:
            return self.fresh_ledger().rater(rater)

    def fresh_ledger(self) -> Ledger:
        """The ledger at the log's newest position."""
        with self._lock:
            if self._writer is None:
                self._catch_up(self.log.since)
            return self.ledger

    def may_start(self, rater: str) -> bool:
        """Has this rater agreed to take part, answered the survey and done the training, if there are any?"""
        with self._lock:
            known = self._has_begun(self.ledger.rater(rater))
        return known or self._has_begun(self.record(rater))

    # The only way in

    def next_task(self, rater: str) -> Standing:
        """What this rater should do now: the task they hold, a ready one, or one chosen for them."""
        with self._writing() as writer:
            now = self._time(writer)
            if self.ledger.paused:
                return standing_of(self._planner, rater, None, paused=True)
            if is_finished(self.ledger, rater):
                return standing_of(self._planner, rater, None, finished=True)
            self._seed(writer, now)
            if waits_for_seeds(self.ledger):
                return standing_of(self._planner, rater, None)
            if is_over(self.ledger):
                close(self._planner, writer, None, now)
            assignment = self._held(writer, rater, now)
            if assignment is None and not self._planner.enough() and not self._rest(writer, rater, now):
                assignment = self._lease_ready(writer, rater, now) or self._choose_for(writer, rater, now)
            return standing_of(self._planner, rater, assignment, finished=assignment is None)

    def take_task(
        self, rater: str, task: str, items: Sequence[str], assignment: str, origin: Origin | None = None
    ) -> Assignment | None:
        """The task that a batch file gave out, or one made of these items, in this rater's hands.

        None when this assignment was answered before. Takes a place kept for files first. `origin` is what a
        file says of a task that has to be made.
        """
        with self._writing() as writer:
            if writer.answered(assignment):
                return None
            known = self.ledger.tasks.get(task)
            if known is None or not self.shows(known, items):
                chosen = Chosen("file", self.ledger.position, ())
                known = self._planner.write_task(writer, items, chosen, self.clock(), origin)
            place = writer.place_of(known.id, FILE_HOLDER) or writer.place_of(known.id, "")
            if place is None:
                writer.add_place(known, rater, assignment, None)
            else:
                writer.take(place, rater, assignment, None)
            return Assignment(assignment, known)

    def shows(self, task: Task, items: Sequence[str]) -> bool:
        """Does the task show these items, and compare them with the same one?"""
        first = self.study.definition.asking.way.first
        return set(items) <= set(task.items) and tuple(items[:first]) == task.items[:first]

    def accept(self, rater: str, answer: Answer, at: float | None = None) -> bool:
        """Store an answer; True when it is new, False when this rater has sent the same before.

        `at` is when it was given, where a file says so; None is now.
        Raises TaskClosed when the assignment is not this rater's, BadAnswer when the answer does not fit,
        EarlierAnswerKept and AnswerTakenBack when this rater answered otherwise, or took the answer back.
        """
        with self._writing() as writer:
            lease = writer.leased(answer.assignment)
            earlier = writer.answer_to(answer.assignment) if lease is None else None
            if earlier is not None and earlier.rater == rater:
                if earlier.assignment in self.ledger.rater(rater).taken_back:
                    raise AnswerTakenBack
                check_repeat(answer, earlier, self.ledger.tasks[earlier.task], self.study.definition)
                return False
            if lease is None or lease.rater != rater:
                raise TaskClosed
            task = self.ledger.tasks[lease.task]
            checked = check_answer(answer, task, self.study.definition)
            given_at = self.clock() if at is None else at
            self._append(writer, replace(checked, task=task.id, rater=rater, at=given_at))
            writer.close(lease)
            return True

    def standing(self, rater: str) -> Standing:
        """Where this rater stands, without giving them anything new."""
        with self._writing() as writer:
            lease = writer.lease_of(rater)
            held = None if lease is None else Assignment(lease.assignment, self.ledger.tasks[lease.task])
            left = held is not None or anything_for(self._planner, writer, rater, self.clock())
            return standing_of(self._planner, rater, held, paused=self.ledger.paused, finished=not left)

    def need(self, rater: str = NEWCOMER) -> Need:
        """Is there work for this rater, or for one who has not joined? "open" for whoever has answered before."""
        with self._writing() as writer:
            if self.ledger.rater(rater).answers:
                return "open"
            return need_for(self._planner, writer, rater, self.clock())

    def undo(self, rater: str, assignment: str) -> Standing:
        """Take this rater's last answer back and give them its task again.

        The answer is named by its assignment, so that asking twice takes back one; a repeat changes nothing.
        """
        with self._writing() as writer:
            record = self.ledger.rater(rater)
            position, answer = max(record.answers.items(), default=(0, None))
            if answer is None or answer.assignment != assignment:
                if assignment in record.taken_back:
                    return self.next_task(rater)
                raise NothingToUndo
            if not self.study.definition.page.allow_undo or record.is_out or record.declined:
                raise NothingToUndo
            if not record.undos_left:
                raise TooManyUndos(record.answers_to_undo)
            held = writer.lease_of(rater)
            if held is not None:
                writer.take(held, "", "", None)
            event = Event("superseded", rater, {"answer": position}, self.clock())
            self._append(writer, event)
            task = self.ledger.tasks[answer.task]
            again = Assignment(_token(), task)
            writer.add_place(task, rater, again.id, self._until(self.clock()))
            return standing_of(self._planner, rater, again)

    def batch(self, tasks: int | None = None, assignments: int = 1) -> list[Task]:
        """Choose tasks (a whole round if no number is given) for a file; pages do not offer them."""
        with self._writing() as writer:
            planned = self._planner.plan_batch(writer, self.clock(), tasks, assignments)
            for task in planned:
                while (place := writer.place_of(task.id, "")) is not None:
                    writer.take(place, FILE_HOLDER, "", None)
            return planned

    def release_batches(self) -> int:
        """Give up on tasks that were given out as files and not answered; how many places were freed."""
        with self._writing() as writer:
            freed = 0
            while (place := writer.lease_of(FILE_HOLDER)) is not None:
                writer.close(place)
                self._planner.withdraw(writer, place.task, 1, self.clock())
                freed += 1
            return freed

    def close_round(self, reannotate: Sequence[str] | None = None) -> None:
        """End the round: its answers make the next anchor set, and these items (None: as set) are asked again."""
        with self._writing() as writer:
            close(self._planner, writer, reannotate, self.clock())

    def note(self, kind: EventKind, rater: str = "", facts: Mapping[str, Any] | None = None) -> None:
        """Log an event: consent, a survey, a pause, an exclusion."""
        with self._writing() as writer:
            was_out = bool(rater) and self.ledger.rater(rater).excluded
            self._append(writer, Event(kind, rater, facts if facts is not None else {}, self.clock()))
            if kind in ("excluded", "declined"):
                self._free_places_of(writer, rater, again=self.ledger.rater(rater).excluded and not was_out)

    # Steps

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for several calls: an answer and the next task reach the disk at once, or not at all."""
        with self._writing():
            yield

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        """The open transaction, or a new one with the ledger up to date."""
        with self._lock:
            if self._writer is not None:
                yield self._writer
                return
            folded = None
            try:
                with self.log.writing() as writer:
                    self._catch_up(writer.since)
                    folded = self.ledger.position
                    self._writer = writer
                    yield writer
                folded = self.ledger.position
            finally:
                self._writer = None
                if self.ledger.position != folded:  # what was rolled back is unlearnt by folding anew
                    self._forget()

    def _catch_up(self, since: Callable[[int], Iterable[Entry]]) -> None:
        """Fold what is new in the log; with items read again where their file has changed or a task shows others."""
        self._take_items(self._items_file.newer())
        try:
            self.ledger.fold(since(self.ledger.position))
        except UnknownItem:
            if not self._take_items(self._items_file.newer(at_once=True)):
                raise
            self.ledger.fold(since(0))

    def _take_items(self, study: Study | None) -> bool:
        """Go on with a study whose items were read again, folding the log anew."""
        if study is not None:
            self.study = study
            self._forget()
        return study is not None

    @property
    def problems(self) -> tuple[str, ...]:
        """What went wrong beside the requests and should be looked at by the owner."""
        return tuple(each for each in (self._planner.learner.problem, self._items_file.problem) if each)

    def supply(self) -> Supply:
        """What the study wants, has and awaits, and what stops it."""
        with self._lock:
            return self._planner.supply()

    def _forget(self) -> None:
        self.ledger = Ledger(self.study.definition, self.study.items)
        self._planner = Planner(self.ledger, Learner(self.ledger, self._background))

    def _append(self, writer: Writer, entry: Answer | Event) -> None:
        self.ledger.fold([writer.append(entry)])

    def _seed(self, writer: Writer, now: float) -> None:
        """Log the anchors of the study's file before the first task, so that the log tells all that was shown."""
        if self.study.anchors and self.ledger.ground.seeds is None:
            facts = {"anchors": [anchor.fact for anchor in self.study.anchors], "by": "file"}
            self._append(writer, Event("seeds_closed", facts=facts, at=now))

    def _has_begun(self, record: RaterRecord) -> bool:
        definition = self.study.definition
        surveyed = not definition.joining.survey or record.survey is not None
        return record.consented and surveyed and (definition.training is None or record.trained)

    def _free_places_of(self, writer: Writer, rater: str, again: bool) -> None:
        """What a rater who is out holds goes back; with `again`, what they did of a sequence is asked again."""
        held = writer.lease_of(rater)
        if held is not None:
            writer.take(held, "", "", None)
        for answer in self.ledger.rater(rater).answers.values() if again else ():
            task = self.ledger.tasks[answer.task]
            if task.sequence is not None:
                writer.add_place(task, "", "", None)

    def _held(self, writer: Writer, rater: str, now: float) -> Assignment | None:
        """The task that this rater already holds: a page reloaded, or opened on another device."""
        lease = writer.lease_of(rater)
        if lease is None:
            return None
        writer.take(lease, rater, lease.assignment, self._until(now))
        return Assignment(lease.assignment, self.ledger.tasks[lease.task])

    def _rest(self, writer: Writer, rater: str, now: float) -> bool:
        """Ask this rater no more, and log it, if their answers say too little."""
        if not self._planner.should_rest(rater):
            return False
        self._append(writer, Event("rested", rater, at=now))
        return True

    def _lease_ready(self, writer: Writer, rater: str, now: float) -> Assignment | None:
        record = self.ledger.rater(rater)
        ready = writer.free(now, FREE_LOOKED_AT)
        if withdraw_stale(self._planner, writer, ready, now):
            ready = writer.free(now, FREE_LOOKED_AT)
        if self._planner.top_up(writer, now, len(ready)):
            ready = writer.free(now, FREE_LOOKED_AT)
        if self.ledger.current_sequences():
            place = next_place(self.ledger, writer, record, now)
        else:
            place = next((place for place in ready if self._suits(place, record)), None)
        return None if place is None else self._give(writer, place, rater, now)

    def _suits(self, place: Lease, record: RaterRecord) -> bool:
        return suits(self.ledger, record, self.ledger.tasks[place.task])

    def _give(self, writer: Writer, lease: Lease, rater: str, now: float) -> Assignment:
        assignment = Assignment(_token(), self.ledger.tasks[lease.task])
        writer.take(lease, rater, assignment.id, self._until(now))
        return assignment

    def _choose_for(self, writer: Writer, rater: str, now: float) -> Assignment | None:
        """Choose for this rater when nothing ready suits them; at the end, out of what others left ready."""
        if self.study.definition.choosing.selection == "sequences":
            return None
        unseen = unseen_by(self.ledger, rater)
        if self.study.definition.learning.update == "answer":
            assignment = self._plan_for(writer, rater, unseen, now)
            if assignment is not None:
                return assignment
        for place in writer.free(now, FREE_LOOKED_AT):
            if not unseen[self.ledger.indices(self.ledger.tasks[place.task])].any():
                continue
            writer.close(place)
            self._planner.withdraw(writer, place.task, 1, now)
            assignment = self._plan_for(writer, rater, unseen, now)
            if assignment is not None:
                return assignment
        return None

    def _plan_for(self, writer: Writer, rater: str, unseen: Mask, now: float) -> Assignment | None:
        pool = self._planner.pool(unseen, self.ledger.rater(rater).met.keys())
        planned = self._planner.plan(writer, now, pool, 1)
        place = writer.place_of(planned[0].id, "") if planned else None
        return None if place is None else self._give(writer, place, rater, now)

    def _time(self, writer: Writer) -> float:
        """The time. After the clock went back no place is held longer than one that is given out now."""
        now = self.clock()
        if now < self._newest_time:
            writer.shorten(self._until(now))
        self._newest_time = now
        return now

    def _until(self, now: float) -> float:
        return now + 60.0 * self.study.definition.choosing.lease_minutes


def _token() -> str:
    return secrets.token_urlsafe(12)
