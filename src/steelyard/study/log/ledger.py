"""What the log amounts to: folded entry by entry, the same whoever folds it and however often it is cut."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.errors import UnknownItem
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes
from steelyard.selection.pairing import pair_array, parts_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.groups import first_rounds, groups_of, others_of, wanted_of
from steelyard.study.definition.items import Items
from steelyard.study.log.ground import Ground
from steelyard.study.log.interface import Answer, Entry, Event, Task
from steelyard.study.log.judged import judgments_of, said

DECLINED = "declined to take part"
FREE_UNDOS = 5  # answers that any rater may take back
ANSWERS_PER_UNDO = 5  # and one more for so many answers that stand
Pair = tuple[int, int]  # indices of two items, the smaller first


@dataclass
class RaterRecord:
    """What one rater has done so far."""

    answers: dict[int, Answer] = field(default_factory=dict)  # by log position, superseded ones left out
    seen: Counter[int] = field(default_factory=Counter)  # times that each item, by index, was shown
    met: Counter[Pair] = field(default_factory=Counter)  # times that two items were shown together
    consented: bool = False
    declined: bool = False  # said no, and has not agreed since
    left_by_declining: bool = False  # excluded because they declined, not by the owner
    survey: dict[str, Any] | None = None
    excluded: bool = False
    reason: str = ""  # why they were excluded
    rested: bool = False  # asked no more, because their answers say too little
    recalled: bool = False  # by the owner, after such a rest: asked on whatever their answers say
    sequence: int | None = None
    last_at: float = 0.0
    taken_back: set[str] = field(default_factory=set)  # assignments of answers that were undone
    attempts: int = 0  # at exercises of the training
    exercises: int = 0  # of the training that are done
    trained: bool = False

    @property
    def is_out(self) -> bool:
        """Left out by the owner, or asked no more: nothing further is taken from them."""
        return self.excluded or self.rested

    @property
    def undos_left(self) -> int:
        """Answers that this rater may take back before they give more: a limit on what one rater can rewrite."""
        return max(FREE_UNDOS + len(self.answers) // ANSWERS_PER_UNDO - len(self.taken_back), 0)

    @property
    def answers_to_undo(self) -> int:
        """Answers after which undo works again, where none is left."""
        short = len(self.taken_back) - FREE_UNDOS + 1
        return max(short * ANSWERS_PER_UNDO - len(self.answers), 0)


class Ledger:
    """Counts, raters and open places as of a log position. Only `fold` changes it."""

    def __init__(self, definition: StudyDefinition, items: Items) -> None:
        self.definition = definition
        self.items = items
        self.position = 0
        self.rewritten = 0  # position of the last event that took judgments back or away
        self._rewrites: list[
            tuple[int, int]
        ] = []  # of each such event: its position, the first answer it is about
        self.round = 1
        self.paused = False
        self.ground = Ground()
        self.reopened: dict[int, int] = {}  # answers that items to be judged again should get
        self.tasks: dict[str, Task] = {}
        self.open_places: dict[str, int] = {}
        self.answered = np.zeros(len(items), dtype=np.int64)
        self.pending = np.zeros(len(items), dtype=np.int64)
        self.paired: Counter[Pair] = Counter()  # answers had and to come, by pair of items asked about
        self.raters: dict[str, RaterRecord] = {}
        self.answers: dict[int, Answer] = {}
        self.sequences: dict[int, list[str]] = {}  # tasks of each sequence, in order
        self._linked = np.arange(len(items))  # each item points towards the first of those linked to it
        self._links_lost = False  # a pair that was asked about is so no longer
        self.planned = 0

    def fold(self, entries: Iterable[Entry]) -> None:
        """Take in entries that follow the ledger's position."""
        for entry in entries:
            if isinstance(entry, Task):
                self._fold_task(entry)
            elif isinstance(entry, Answer):
                self._fold_answer(entry)
            else:
                self._fold_event(entry)
            self.position = entry.position

    def rater(self, rater: str) -> RaterRecord:
        """The record of a rater, empty at first."""
        return self.raters.setdefault(rater, RaterRecord())

    def indices(self, task: Task) -> list[int]:
        """Indices of a task's items."""
        return [self.items.index[item] for item in task.items]

    @cached_property
    def groups(self) -> tuple[Codes, ...]:
        """The items of each group all of whose pairs are asked; groups may share items."""
        return groups_of(self.definition, self.items)

    @cached_property
    def others(self) -> Codes:
        """With how many others each item may be shown."""
        return others_of(self.groups, self.items.segments)

    @cached_property
    def _wanted_in_all(self) -> tuple[Codes, Codes]:
        """Judgments that each item should get when all rounds are done, and the round it is first asked in."""
        return wanted_of(self.definition, self.others), first_rounds(self.definition, len(self.items))

    @property
    def wanted(self) -> Codes:
        """Judgments that each item should get by the end of this round."""
        in_all, first = self._wanted_in_all
        if (
            self.sequences and self.definition.asking.way.against
        ):  # tasks of sequences share items, to link them
            in_all = np.maximum(in_all, self.answered + self.pending)
        if self.definition.grounding.rounds.number == 1 and not self.reopened:
            return in_all
        wanted = np.where(first <= self.round, in_all, 0)
        for at, target in self.reopened.items():
            wanted[at] = max(wanted[at], target)
        return wanted

    def current_sequences(self) -> list[int]:
        """The sequences that were planned in this round."""
        return [at for at, tasks in self.sequences.items() if self.tasks[tasks[0]].round == self.round]

    def pairs(self, task: Task) -> list[Pair]:
        """The pairs that a task asks about; none where each item is judged by itself."""
        return self.definition.asking.way.pairs(self.indices(task))

    def _count(self, counts: Codes, task: Task, times: int) -> None:
        """Add (or take away) a task's judgments to the counts of its items; probes are on top of what is wanted."""
        if task.probe:
            return
        counts[self.indices(task)] += times * np.array(self.definition.asking.way.loads(len(task.items)))
        pairs = self.pairs(task)
        _tally(self.paired, pairs, times)
        if any(pair not in self.paired for pair in pairs):
            self._links_lost = True

    def _show(self, record: RaterRecord, task: Task, times: int) -> None:
        """Remember (or forget) that a rater was shown this."""
        _tally(record.seen, self.indices(task), times)
        _tally(record.met, self.pairs(task), times)

    def _fold_task(self, task: Task) -> None:
        for item in task.items:
            if item not in self.items.index:  # added to the study since its items were read
                raise UnknownItem(item)
        self.tasks[task.id] = task
        self.planned += 1
        if task.sequence is not None:
            self.sequences.setdefault(task.sequence, []).append(task.id)
        self.round = max(self.round, task.round)
        self.open_places[task.id] = 0
        self._occupy(task, task.assignments)
        if self.definition.compares:  # what is about to be compared need not be linked again
            self._link(self.indices(task))

    def _fold_answer(self, answer: Answer) -> None:
        task = self.tasks[answer.task]
        record = self.rater(answer.rater)
        if answer.interactions or answer.shown:  # as when read from the log: they are large, and stay there
            answer = replace(answer, interactions=(), shown={})
        self.answers[answer.position] = answer
        record.answers[answer.position] = answer
        record.last_at = max(record.last_at, answer.at)
        if task.sequence is not None and task.round == self.round:
            record.sequence = task.sequence
        if not self.definition.compares:  # ratings of one rater are on one scale
            self._link([*itertools.islice(record.seen, 1), *self.indices(task)])
        self._show(record, task, 1)
        if not record.excluded:
            self._count(self.answered, task, 1)
        self._occupy(task, -1)

    def linked(self) -> Codes:
        """A number per item, the same for items that are linked: by raters, or by what is asked of them.

        Pairs that are no longer asked about link nothing. Elsewhere an answer taken back keeps its links, and so does a
        task withdrawn.
        """
        if self._links_lost:
            self._linked, self._links_lost = parts_of(pair_array(self.paired), len(self.items)), False
        while True:
            further = self._linked[self._linked]
            if (further == self._linked).all():
                return further
            self._linked = further

    def _link(self, items: list[int]) -> None:
        roots = [self._root(at) for at in items]
        self._linked[roots] = min(roots)

    def _root(self, at: int) -> int:
        while self._linked[at] != at:
            at = int(self._linked[at])
        return at

    def _occupy(self, task: Task, places: int) -> None:
        """Open (+) or close (-) places of a task; an answer nobody waited for closes none."""
        places = max(places, -self.open_places[task.id])
        self.open_places[task.id] += places
        self._count(self.pending, task, places)

    def _fold_event(self, event: Event) -> None:
        record = self.rater(event.rater) if event.rater else RaterRecord()
        if event.kind == "superseded":
            self._take_back(record, int(event.facts["answer"]))
        elif event.kind == "withdrawn":
            task = self.tasks[event.facts["task"]]
            self._occupy(task, -int(event.facts.get("places", 1)))
        elif event.kind in ("excluded", "included"):
            record.reason = str(event.facts.get("reason", ""))
            record.left_by_declining = False  # the owner decides now
            self._exclude(record, event.kind == "excluded")
        elif event.kind in ("rested", "recalled"):
            record.rested, record.recalled = event.kind == "rested", event.kind == "recalled"
        elif event.kind in ("paused", "resumed"):
            self.paused = event.kind == "paused"
        elif event.kind == "round_closed":
            self._close_round(event)
        elif event.kind == "surveyed":
            record.survey = dict(event.facts)
        elif event.kind in ("consented", "declined"):
            self._consent(record, event)
        elif event.kind == "attempted":
            record.attempts += 1
            record.exercises = max(record.exercises, int(event.facts["task"]) + bool(event.facts.get("done")))
        elif event.kind == "trained":
            record.trained = True
        else:
            self.ground.fold(event, self.round)
        if event.kind in ("superseded", "excluded", "included"):
            self._rewrite(event, int(event.facts["answer"]) if event.kind == "superseded" else 0)

    def _close_round(self, event: Event) -> None:
        """Go on to the next round; what is asked again is wanted again, and new to everyone."""
        self.ground.fold(event, self.round)
        self.round = int(event.facts["round"]) + 1
        again = [
            self.items.index[item] for item in event.facts.get("reannotate", ()) if item in self.items.index
        ]
        for at in again:
            self.reopened[at] = (
                int(self.answered[at] + self.pending[at]) + self.definition.choosing.redundancy
            )
        for record in self.raters.values():
            record.sequence = None
            for at in again:
                record.seen.pop(at, None)
        if event.facts.get("mapping") is not None:
            self._rewrite(event, 0)

    def _consent(self, record: RaterRecord, event: Event) -> None:
        """Note that a rater agreed or declined; the study says whether answers of who declines are left out."""
        record.consented, record.declined = event.kind == "consented", event.kind == "declined"
        may_leave = bool(record.answers) and self.definition.joining.declined_answers == "leave_out"
        leaves = record.declined and may_leave
        if leaves == record.left_by_declining or (leaves and record.excluded):
            return
        record.left_by_declining = leaves
        record.reason = DECLINED if leaves else ""
        self._exclude(record, leaves)
        self._rewrite(event, 0)

    def _rewrite(self, event: Event, first: int) -> None:
        self.rewritten = event.position
        self._rewrites.append((event.position, first))

    def first_rewritten(self, after: int) -> int:
        """The first answer that events after a position changed; 0 where they are about any number of answers."""
        newest = itertools.takewhile(lambda each: each[0] > after, reversed(self._rewrites))
        return min((first for _, first in newest), default=self.position + 1)

    def _take_back(self, record: RaterRecord, position: int) -> None:
        answer = self.answers.pop(position)
        task = self.tasks[answer.task]
        del record.answers[position]
        record.taken_back.add(answer.assignment)
        self._show(record, task, -1)
        self._occupy(task, 1)
        if not record.excluded:
            self._count(self.answered, task, -1)

    def _exclude(self, record: RaterRecord, excluded: bool) -> None:
        if record.excluded == excluded:
            return
        record.excluded = excluded
        for answer in record.answers.values():
            task = self.tasks[answer.task]
            self._count(self.answered, task, -1 if excluded else 1)
            if task.sequence is not None:  # nobody replans a sequence, so its place opens again
                self._occupy(task, 1 if excluded else -1)

    def standing_answers(
        self, after: int = 0, until: int | None = None, probes: bool = False
    ) -> list[Answer]:
        """Answers that count: not taken back, not of an excluded rater, between two positions, oldest first.

        Answers to probes measure self-consistency and count for nothing else; `probes` includes them.
        """
        newest = itertools.takewhile(lambda position: position > after, reversed(self.answers))
        answers = [self.answers[position] for position in newest if until is None or position <= until]
        return [answer for answer in reversed(answers) if self._counts(answer, probes)]

    def _counts(self, answer: Answer, probes: bool) -> bool:
        return not self.raters[answer.rater].excluded and (probes or not self.tasks[answer.task].probe)

    def judgments(
        self, question: int | None = None, after: int = 0, until: int | None = None, probes: bool = False
    ) -> Judgments:
        """The standing answers as judgments (of one question, if named); "can't judge" is none."""
        return self.judgments_in(self.standing_answers(after, until, probes), question)

    def judgments_in(self, answers: Iterable[Answer], question: int | None = None) -> Judgments:
        """These answers as judgments of the study's kind, items coded as in the study."""
        read = [self.as_read(answer) for answer in answers]
        return judgments_of(said(read, self.tasks, question), self.definition, self.items, question)

    def as_read(self, answer: Answer) -> Answer:
        """The answer on the scale as it is now, after the rescalings of its round and of those since."""
        if not self.ground.rescalings:
            return answer
        given_in = self.tasks[answer.task].round
        return replace(answer, cells=tuple(self.ground.moved(cell, given_in) for cell in answer.cells))


def _tally(counts: Counter[Any], named: Iterable[Any], times: int) -> None:
    """Count each of these so many times more; what comes to nothing is no longer there."""
    for each in named:
        counts[each] += times
        if counts[each] <= 0:  # an item judged again is new, and its first answer may still be undone
            del counts[each]
