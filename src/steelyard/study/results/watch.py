"""Follow the log of a study for its owner: the overview is computed again when the log has grown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic, process_time

from steelyard.judgments.table import Judgments
from steelyard.quality.arms import ArmsComparison
from steelyard.study.collecting.follower import Arm, Follower
from steelyard.study.definition.study import Study
from steelyard.study.log.acts import Act, Trail
from steelyard.study.log.interface import Log, Rater, Roster
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.arms import KeptComparison
from steelyard.study.results.audit import Auditor
from steelyard.study.results.kept_agreement import KeptAgreement
from steelyard.study.results.overview import Overview, make_overview
from steelyard.study.results.pay import pay_lines
from steelyard.study.results.status import is_asked_out, status_of

LONG_SECONDS = 1.0  # processor time above which an overview is not computed again immediately
WAIT_FACTOR = (
    5  # it is then computed again after this multiple of the time, so that raters are not slowed down
)


@dataclass(frozen=True, eq=False)
class _Made:
    """An overview, with its log position, its number of raters and whether computing it took long."""

    log_position: int
    raters: int
    overview: Overview
    was_long: bool


class Watch:
    """Follow the log of a study with a separate ledger, so that raters never wait for the owner's page."""

    def __init__(
        self,
        study: Study,
        log: Log,
        roster: Roster,
        timer: Callable[[], float] = monotonic,
        spent: Callable[[], float] = process_time,
    ) -> None:
        self._log = log
        self._roster = roster
        self._timer = timer  # monotonic, because the time of day may be set back
        self._spent = spent  # processor time of this process only
        self._follower = Follower(study)
        self._lock = Lock()
        self._wait_until = -math.inf
        self._begin()

    def _begin(self) -> None:
        """Start with the ledgers of the follower, from which nothing was computed yet."""
        self._ledger = self._follower.ledger
        self._auditors = {name: Auditor(arm.ledger) for name, arm in self._follower.arms.items()}
        self._agreements = {name: KeptAgreement(arm.ledger) for name, arm in self._follower.arms.items()}
        self._comparison = KeptComparison()
        self._made: dict[str, _Made] = {}  # by condition

    def _catch_up(self) -> None:
        """Fold new entries; results of earlier ledgers are discarded."""
        self._follower.catch_up(self._log.since)
        if self._follower.ledger is not self._ledger:
            self._begin()

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the arms; empty if the study has none."""
        return tuple(self._follower.arms) if self._follower.study.arms else ()

    def overview(self, condition: str = "") -> Overview:
        """Return the overview of an arm at the newest log position, or for a while the last one if this takes long.

        The default is the first arm, or the study if it has no arms.
        """
        with self._lock:
            before = self._spent()
            name = self._follower.arm(condition).name
            if name in self._made and self._timer() < self._wait_until:
                return self._made[name].overview
            self._catch_up()
            arm, roster = self._follower.arm(condition), self._raters_of(condition)
            made = self._made.get(name)
            if made is None or (made.log_position, made.raters) != (arm.ledger.log_position, len(roster)):
                overview = self._make(arm, roster)
                took = self._spent() - before
                # The first overview also reads the whole log, and one of the next loads the model. Only two long ones
                # in a row show that the next will be long too.
                is_long = made is not None and took > LONG_SECONDS
                if is_long and made is not None and made.was_long:
                    self._wait_until = self._timer() + WAIT_FACTOR * took
                # Agreement is computed so rarely that nobody has to wait for it.
                overview = replace(overview, agreement=self._agreements[name].by_question())
                self._made[name] = _Made(arm.ledger.log_position, len(roster), overview, is_long)
            return self._made[name].overview

    def _raters_of(self, condition: str) -> Sequence[Rater]:
        """Return the raters of an arm, and those who have none yet in the first arm."""
        roster = self._roster.all()
        if not self._follower.study.arms:
            return roster
        name, first = self._follower.arm(condition).name, next(iter(self._follower.arms))
        records = self._follower.ledger.raters
        arms = {rater.id: records[rater.id].condition if rater.id in records else "" for rater in roster}
        return [rater for rater in roster if (arms[rater.id] or first) == name]

    def _make(self, arm: Arm, roster: Sequence[Rater]) -> Overview:
        status = status_of(arm.ledger, arm.planner.enough(), is_asked_out(arm.planner))
        made = make_overview(arm.ledger, roster, status, self._auditors[arm.name].audit())
        for view in made.views:
            if view.fit is not None:
                # Ranks take long. A fit keeps its scale, so the server, which shows it, need not compute it.
                _ = view.fit.scale
        return made

    def comparison(self) -> Sequence[ArmsComparison]:
        """Return the comparison of the arms by question, which may lack the newest answers; empty without arms."""
        if not self.conditions:
            return ()
        with self._lock:
            self._catch_up()
            ledgers = {name: arm.ledger for name, arm in self._follower.arms.items()}
            questions = len(self._follower.study.definition.questions)
            return self._comparison.by_question(ledgers, questions, self._pay())

    def pay_by_rater(self) -> dict[str, float] | None:
        """Return the pay of each rater so far; None if study.toml sets no pay."""
        with self._lock:
            self._catch_up()
            return self._pay()

    def _pay(self) -> dict[str, float] | None:
        ledgers = [arm.ledger for arm in self._follower.arms.values()]
        if not any(ledger.definition.pay.is_paid for ledger in ledgers):
            return None
        return {line.rater.id: line.total for line in pay_lines(ledgers, self._roster.all())}

    def of_arm(self, condition: str) -> ArmWatch:
        """Return the results of one arm."""
        return ArmWatch(self, self._follower.arm(condition).name)

    def wake(self) -> None:
        """Compute the next overview immediately, because the owner has just changed something."""
        with self._lock:
            self._wait_until = -math.inf

    def arm_ledgers(self) -> tuple[Ledger, ...]:
        """Return the ledger of each arm at the newest log position, or of a study without arms."""
        with self._lock:
            self._catch_up()
            return tuple(arm.ledger for arm in self._follower.arms.values())

    def roster(self) -> Sequence[Rater]:
        """Return all raters, oldest first."""
        return self._roster.all()

    @property
    def trail(self) -> Trail:
        """The audit trail of the study."""
        return self._log

    def acts(self) -> Sequence[Act]:
        """Return the audit trail, oldest act first."""
        return self._log.acts()

    def survey_ids(self) -> tuple[str, ...]:
        """Return the ids of the questions of the survey, in all arms."""
        ids = (each.id for ledger in self.arm_ledgers() for each in ledger.definition.joining.survey)
        return tuple(dict.fromkeys(ids))

    def judgments(self, condition: str = "") -> Judgments:
        """Return all counted judgments of an arm about all questions, including probes, which a column marks."""
        return self.ledger(condition).judgments(probes=True)

    def ledger(self, condition: str = "") -> Ledger:
        """Return the ledger of an arm at the newest log position; by default, of the first arm or the whole study."""
        with self._lock:
            self._catch_up()
            return self._follower.arm(condition).ledger


@dataclass(frozen=True, eq=False)
class ArmWatch:
    """The results of one arm of a study, with the methods of `Watch` from which tables are made."""

    watch: Watch
    condition: str

    def overview(self) -> Overview:
        """Return the overview of the arm."""
        return self.watch.overview(self.condition)

    def judgments(self) -> Judgments:
        """Return all counted judgments of the arm, including probes."""
        return self.watch.judgments(self.condition)

    def ledger(self) -> Ledger:
        """Return the ledger of the arm at the newest log position."""
        return self.watch.ledger(self.condition)

    def arm_ledgers(self) -> tuple[Ledger, ...]:
        """Return the ledger of the arm."""
        return (self.ledger(),)

    def roster(self) -> Sequence[Rater]:
        """Return all raters, oldest first."""
        return self.watch.roster()

    def acts(self) -> Sequence[Act]:
        """Return the audit trail of the whole study, oldest act first."""
        return self.watch.acts()
