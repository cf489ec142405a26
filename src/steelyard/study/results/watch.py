"""Follows a study's log for its owner: an overview that is made anew when the log has grown."""

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

LONG_SECONDS = 1.0  # of processor time: an overview that took longer to make is not made again at once
RESTS = 5  # the next one is then made after five times as long, so that raters keep the processor


class Watch:
    """Follows a study's log with a ledger of its own, so that raters never wait for the owner's page."""

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
        self._timer = timer  # for durations: the time of day may be set back
        self._spent = spent  # processor time so far, which does not count what other processes take
        self._follower = Follower(study)
        self._lock = Lock()
        self._rest_until = -math.inf
        self._begin()

    def _begin(self) -> None:
        """Go on with the follower's ledger, of which nothing was made yet."""
        self._ledger = self._follower.ledger
        self._auditor = Auditor(self._ledger)
        self._made: tuple[int, int, Overview] | None = None  # with the log position and the number of raters

    def _catch_up(self) -> Ledger:
        """The ledger with what is new in the log; what was made of another ledger is forgotten."""
        self._follower.catch_up(self._log.since)
        if self._follower.ledger is not self._ledger:
            self._begin()
        return self._ledger

    def overview(self) -> Overview:
        """The overview at the log's newest position, or the last one for a while where making one takes long."""
        with self._lock:
            before = self._spent()
            if self._made is not None and self._timer() < self._rest_until:
                return self._made[2]
            ledger, roster = self._catch_up(), self._roster.all()
            if self._made is None or self._made[:2] != (ledger.log_position, len(roster)):
                made = self._make(ledger, roster)
                took = self._spent() - before
                # The first one also reads the whole log and loads the model.
                if self._made is not None and took > LONG_SECONDS:
                    self._rest_until = self._timer() + RESTS * took
                self._made = (ledger.log_position, len(roster), made)
            return self._made[2]

    def _make(self, ledger: Ledger, roster: Sequence[Rater]) -> Overview:
        planner = self._follower.planner
        is_stopped, asked_out = planner.enough(), is_asked_out(planner)
        return make_overview(ledger, roster, self._auditor.audit(), is_stopped, asked_out)

    def wake(self) -> None:
        """Look again at once: the owner has just done something."""
        with self._lock:
            self._rest_until = -math.inf

    def judgments(self) -> Judgments:
        """Every counted judgment, of all questions; probes too, marked in a column."""
        return self.ledger().judgments(probes=True)

    def ledger(self) -> Ledger:
        """The ledger at the log's newest position."""
        with self._lock:
            return self._catch_up()
