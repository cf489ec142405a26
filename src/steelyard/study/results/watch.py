"""Follow the log of a study for its owner: the overview is computed again when the log has grown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic, process_time

from steelyard.judgments.table import Judgments
from steelyard.study.collecting.follower import Follower
from steelyard.study.definition.study import Study
from steelyard.study.log.interface import Log, Rater, Roster
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.audit import Auditor
from steelyard.study.results.overview import Overview, make_overview
from steelyard.study.results.status import is_asked_out

LONG_SECONDS = 1.0  # processor time above which an overview is not computed again immediately
WAIT_FACTOR = (
    5  # it is then computed again after this multiple of the time, so that raters are not slowed down
)


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
        """Start with the ledger of the follower, from which nothing was computed yet."""
        self._ledger = self._follower.ledger
        self._auditor = Auditor(self._ledger)
        self._made: tuple[int, int, Overview] | None = None  # with the log position and the number of raters

    def _catch_up(self) -> Ledger:
        """Fold new entries and return the ledger; results of an earlier ledger are discarded."""
        self._follower.catch_up(self._log.since)
        if self._follower.ledger is not self._ledger:
            self._begin()
        return self._ledger

    def overview(self) -> Overview:
        """Return the overview at the newest log position, or for a while the last one if computing takes long."""
        with self._lock:
            before = self._spent()
            if self._made is not None and self._timer() < self._wait_until:
                return self._made[2]
            ledger, roster = self._catch_up(), self._roster.all()
            if self._made is None or self._made[:2] != (ledger.log_position, len(roster)):
                made = self._make(ledger, roster)
                took = self._spent() - before
                # The first overview also reads the whole log and loads the model.
                if self._made is not None and took > LONG_SECONDS:
                    self._wait_until = self._timer() + WAIT_FACTOR * took
                self._made = (ledger.log_position, len(roster), made)
            return self._made[2]

    def _make(self, ledger: Ledger, roster: Sequence[Rater]) -> Overview:
        planner = self._follower.planner
        is_stopped, asked_out = planner.enough(), is_asked_out(planner)
        return make_overview(ledger, roster, self._auditor.audit(), is_stopped, asked_out)

    def wake(self) -> None:
        """Compute the next overview immediately, because the owner has just changed something."""
        with self._lock:
            self._wait_until = -math.inf

    def judgments(self) -> Judgments:
        """Return all counted judgments of all questions, including probes, which a column marks."""
        return self.ledger().judgments(probes=True)

    def ledger(self) -> Ledger:
        """Return the ledger at the newest log position."""
        with self._lock:
            return self._catch_up()
