"""Learns the belief of a study and takes snapshots of its ledger, in a process of its own, so that no rater waits.

Each worker continues from the newest stored belief, so workers with the same log have the same estimates. A belief is
stored with its log position and a hash of settings and items.
"""

from __future__ import annotations

from steelyard.study.collecting.follower import Arm, Follower
from steelyard.study.collecting.shared_beliefs import SharedBelief, SharedBeliefs
from steelyard.study.collecting.snapshots import Snapshots
from steelyard.study.definition.study import Study
from steelyard.study.log.interface import Cache, Log
from steelyard.study.log.ledger import Ledger

GROWTH = (
    1.2  # a belief is stored again when the answers have grown by this factor, so that a restart is quick
)


LEAST_TAIL = 10_000  # entries after a snapshot, before the next one is taken
TAIL_SHARE = 0.02  # of the log, so that all snapshots together cost about as much as the log


class Refitter:
    """Follows the log of one study, and stores its belief after every refit and snapshots of its ledger.

    Parameters
    ----------
    study
        The study.
    log
        Log of the study.
    cache
        Where results are stored.
    learns
        Whether tasks or stopping rules use a belief. Otherwise only snapshots are taken, and the log is read only
        when one is due.
    """

    def __init__(self, study: Study, log: Log, cache: Cache, learns: bool = True) -> None:
        self._log = log
        self._cache = cache
        self._learns = learns
        self._snapshots = Snapshots(cache, log)
        self._follower = Follower(study, snapshots=self._snapshots)
        self._snapshot_at = 0  # log position of the newest snapshot
        self._stored: dict[
            str, tuple[Ledger, int, int]
        ] = {}  # by arm: ledger, refits and answers when stored
        self._head = -1

    def turn(self) -> bool:
        """Take new answers and do what is due: refits and a snapshot; return whether there was anything to do."""
        head = self._log.head()
        if head == self._head or not (self._learns or self._needs_snapshot(head)):
            return False
        self._head = head
        self._catch_up()
        for arm in self._follower.arms.values() if self._learns else ():
            self._learn(arm)
        if self._needs_snapshot(self._follower.ledger.log_position):
            self._take_snapshot()
        return True

    def _catch_up(self) -> None:
        """Fold new entries; the first time, this begins with the stored snapshot."""
        restarts = self._follower.restarts
        self._follower.catch_up(self._log.since)
        if self._snapshot_at == 0 or self._follower.restarts != restarts:
            stored = self._follower.ledger.stored
            self._snapshot_at = 0 if stored is None else stored.until

    def _needs_snapshot(self, position: int) -> bool:
        return position - self._snapshot_at >= max(LEAST_TAIL, TAIL_SHARE * position)

    def _take_snapshot(self) -> None:
        """Store a snapshot, and continue from it if this process needs no answers, which then leave its memory."""
        self._snapshots.keep(self._follower.ledgers)
        self._snapshot_at = self._follower.ledger.log_position
        if not self._learns:
            self._follower.restart()

    def _learn(self, arm: Arm) -> None:
        learner, answers = arm.planner.learner, len(arm.ledger.answers)
        belief = learner.belief()
        if belief is not None and self._is_due(arm):
            SharedBeliefs(self._cache, arm.ledger).keep(SharedBelief(learner.log_position, answers, belief))
            self._stored[arm.name] = (arm.ledger, learner.refits, answers)

    def _is_due(self, arm: Arm) -> bool:
        if arm.name not in self._stored:
            return True
        ledger, refits, answers = self._stored[arm.name]
        is_other = ledger is not arm.ledger or refits != arm.planner.learner.refits
        return is_other or len(arm.ledger.answers) >= GROWTH * answers
