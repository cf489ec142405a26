"""Ledgers and planners that follow the log of a study, one of each per arm, and per protocol if there are several."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass

from steelyard.errors import DamagedStudy, LogRewritten, UnknownItem, UnknownName
from steelyard.study.collecting.learning import Learner
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.shared_beliefs import SharedBeliefs
from steelyard.study.collecting.snapshots import Snapshots
from steelyard.study.definition.items_file import ItemsFile
from steelyard.study.definition.study import Study
from steelyard.study.log.entries import NO_ARM, Answer, Entry
from steelyard.study.log.interface import Cache
from steelyard.study.log.ledger import Ledger


@dataclass(frozen=True, eq=False)
class Arm:
    """One arm of a study: its definition with the items, its ledger and its planner."""

    study: Study
    ledger: Ledger
    planner: Planner

    @property
    def name(self) -> str:
        """Name of the condition."""
        return self.study.definition.condition


# Errors of folding an entry that refers to something that the log or the items do not contain.
CONTRADICTIONS = (UnknownItem, LookupError, TypeError, ValueError, AttributeError)


class Follower:
    """Folds new log entries, and starts again if items were added or a transaction was rolled back.

    `study`, `base` and `arms` are then replaced, so read them again after each `catch_up`. `base` is the study itself.
    If it has arms, the ledger of `base` has the raters of all arms, and no tasks.
    """

    def __init__(
        self,
        study: Study,
        background: Executor | None = None,
        cache: Cache | None = None,
        snapshots: Snapshots | None = None,
    ) -> None:
        self.study = study
        self._cache = cache
        self._snapshots = snapshots
        self._items_file = ItemsFile(study)
        self._background = background
        self.restarts = 0  # how often the log was read from its beginning
        self.restart()

    def restart(self) -> None:
        """Discard the ledgers and the planners, and start at the beginning of the log."""
        self.restarts += 1
        self._is_new = True  # nothing was folded since
        self.base = self._arm(self.study, NO_ARM if self.study.arms else None)
        arms = [self._arm(each, each.definition.condition) for each in self.study.arms]
        self.arms = {arm.name: arm for arm in arms or [self.base]}

    def _arm(self, study: Study, condition: str | None) -> Arm:
        ledger = Ledger(study.definition, study.items, study.checks, condition=condition)
        shared = None if self._cache is None else SharedBeliefs(self._cache, ledger)
        learner = Learner(ledger, self._background, shared)
        ways = tuple(self._way(way, ledger, learner) for way in study.ways)
        return Arm(study, ledger, Planner(ledger, learner, ways=ways))

    def _way(self, study: Study, whole: Ledger, learner: Learner) -> Planner:
        """Return the planner of one of several protocols; all protocols share the belief."""
        definition = study.definition
        protocol = definition.asking.way.name
        ledger = Ledger(definition, study.items, study.checks, condition=whole.condition, protocol=protocol)
        return Planner(ledger, learner, among=whole)

    @property
    def ledger(self) -> Ledger:
        """The ledger of the study, or of its raters if it has arms."""
        return self.base.ledger

    @property
    def planner(self) -> Planner:
        """The planner of a study without arms."""
        return self.base.planner

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """All ledgers, which are at the same log position: of the study, of its arms, and of their protocols."""
        arms = (arm for arm in self.arms.values() if arm is not self.base)
        own = (
            ledger
            for arm in (self.base, *arms)
            for ledger in (arm.ledger, *(way.ledger for way in arm.planner.ways))
        )
        return tuple(own)

    def arm(self, condition: str = "") -> Arm:
        """Return the arm with this name; the empty name is that of a study without arms, or of its first arm."""
        if not condition:
            return next(iter(self.arms.values()))
        if not self.study.arms:
            return self.base
        if condition not in self.arms:
            raise UnknownName("condition", condition, tuple(self.arms))
        return self.arms[condition]

    def arm_of(self, rater: str) -> Arm | None:
        """Return the arm of a rater, or None if they are not assigned to one yet."""
        if not self.study.arms:
            return self.base
        record = self.ledger.raters.get(rater)
        return self.arms.get(record.condition) if record is not None else None

    def catch_up(self, since: Callable[[int], Iterable[Entry]]) -> None:
        """Fold new log entries; read the items again if their file has changed or a task has an unknown item."""
        self._take_items(self._items_file.newer())
        if self._is_new:
            self._take_snapshot()
        try:
            self._fold_new(since)
        except CONTRADICTIONS as reason:
            raise self._damaged(reason) from reason
        # A process that refits needs all answers. One that serves raters needs those of a few raters at a time.
        if self._cache is not None and self._snapshots is not None:
            self._snapshots.let_go(self.ledgers)

    def _take_snapshot(self) -> None:
        """Continue from the newest snapshot of the ledgers, if there is one that can be used."""
        if self._snapshots is not None:
            self._snapshots.fill(self.ledgers)

    def _fold_new(self, since: Callable[[int], Iterable[Entry]]) -> None:
        try:
            self._fold(since(self.ledger.log_position))
        except UnknownItem:
            self.restart()
            if not self._take_items(self._items_file.newer(at_once=True)):
                raise
            self._fold(since(0))
        except LogRewritten:
            self.restart()
            self._fold(since(0))

    def _fold(self, entries: Iterable[Entry]) -> None:
        self._is_new = False
        ledgers = self.ledgers
        if len(ledgers) == 1:
            self.ledger.fold(entries)
            return
        listed = list(entries)
        for ledger in ledgers:
            ledger.fold(listed)
        for entry in listed:
            # A ledger of one arm passes over answers to the tasks of others, so no ledger may have noticed.
            if isinstance(entry, Answer) and not any(entry.task in each.tasks for each in ledgers):
                self.restart()
                damage = f"log position {entry.log_position} answers an unknown task, {entry.task!r}."
                raise DamagedStudy(str(self.study.folder), damage)

    def _damaged(self, reason: Exception) -> DamagedStudy:
        """Return the error about the entry that could not be folded, and start again with the next call."""
        at = self.ledger.log_position + 1
        self.restart()
        damage = (
            f"log position {at} contradicts earlier entries or the items ({type(reason).__name__}: {reason})."
        )
        return DamagedStudy(str(self.study.folder), damage)

    def _take_items(self, study: Study | None) -> bool:
        """Restart with a study whose items were read again; return whether there is one."""
        if study is not None:
            self.study = study
            self.restart()
        return study is not None

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems outside of requests that the owner should look at."""
        learners = (arm.planner.learner.problem for arm in self.arms.values())
        return tuple(each for each in (*learners, self._items_file.problem) if each)
