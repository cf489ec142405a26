"""An open study in one process: its arms, which follow the log, and transactions on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from threading import RLock

from steelyard.errors import HalfDone
from steelyard.study.collecting.follower import Arm, Follower
from steelyard.study.collecting.snapshots import Snapshots
from steelyard.study.definition.study import Study
from steelyard.study.log.interface import Cache, Log
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.transaction import Transaction


class OpenStudy:
    """A study whose ledgers follow the log. Each transaction is under the lock of the study.

    Parameters
    ----------
    study
        The study.
    log
        Log of the study.
    clock
        Function that returns the current time, in seconds since 1970.
    background
        Executor for refits of the model; without one, refits run in the calling thread.
    cache
        Beliefs that another process learns, and its snapshots of the ledger; with it, this process does not refit.
    """

    def __init__(
        self,
        study: Study,
        log: Log,
        clock: Callable[[], float],
        background: Executor | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.log = log
        self.clock = clock
        self.follower = Follower(study, background, cache, None if cache is None else Snapshots(cache, log))
        self._transaction: Transaction | None = None
        self._half_done = False  # a part of the open transaction has failed after it changed something
        self._lock = RLock()

    @property
    def study(self) -> Study:
        """The study, with its items as they were last read."""
        return self.follower.study

    @property
    def ledger(self) -> Ledger:
        """The ledger at the position it was last folded to; see `fresh_ledger` for the newest position.

        In a study with arms, it has the raters of all arms and no tasks; see `arm` for the ledgers of the arms.
        """
        return self.follower.ledger

    def arm(self, condition: str = "") -> Arm:
        """Return the arm with this name, by default the first one; the study itself if it has no arms."""
        return self.follower.arm(condition)

    def study_of(self, rater: str) -> Study:
        """Return the study as this rater sees it: their arm, or the whole study before they are assigned."""
        with self._lock:
            self.fresh_ledger()
            arm = self.follower.arm_of(rater)
            return self.study if arm is None else arm.study

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Open a transaction for several calls: either all of their changes are stored, or none of them.

        Inside an open transaction, this returns the open one. If calls inside it fail after they have changed
        something, the open transaction can no longer be stored, even if the failure is handled: it raises HalfDone at
        its end.
        """
        with self._lock:
            if self._transaction is not None:
                with self._undivided():
                    yield self._transaction
            else:
                with self._new_transaction() as transaction:
                    yield transaction

    @contextmanager
    def _undivided(self) -> Iterator[None]:
        """Note if calls inside an open transaction fail after they have changed something."""
        before = self.ledger.log_position
        try:
            yield
        except BaseException:
            self._half_done = self._half_done or self.ledger.log_position != before
            raise

    @contextmanager
    def transaction_of(self, rater: str) -> Iterator[Transaction]:
        """Open a transaction in the arm of a rater; before they are assigned, in the whole study."""
        with self.transaction() as transaction:
            arm = self.follower.arm_of(rater)
            yield transaction if arm is None else transaction.in_arm(arm.ledger)

    @contextmanager
    def _new_transaction(self) -> Iterator[Transaction]:
        folded = None
        try:
            with self.log.writing() as writer:
                self.follower.catch_up(writer.since)
                folded = self.ledger.log_position
                ledger, *others = self.follower.ledgers
                self._transaction = Transaction(ledger, writer, self.clock(), tuple(others))
                self._half_done = False
                yield self._transaction
                if self._half_done:
                    raise HalfDone
            folded = self.ledger.log_position
        finally:
            self._transaction = None
            if self.ledger.log_position != folded:  # entries were rolled back, so fold the log again
                self.follower.restart()

    def fresh_ledger(self) -> Ledger:
        """Return the ledger at the newest log position."""
        with self._lock:
            if self._transaction is None:
                self.follower.catch_up(self.log.since)
            return self.ledger

    def ledger_of(self, rater: str) -> Ledger:
        """Return the ledger of the arm of a rater at the newest log position; before assignment, that of all raters."""
        with self._lock:
            ledger, arm = self.fresh_ledger(), self.follower.arm_of(rater)
            return ledger if arm is None else arm.ledger
