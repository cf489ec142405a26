"""When the model of a study is updated: with each answer, after an undo, and by refits in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial

from steelyard.errors import SteelyardError
from steelyard.scales.belief import Belief
from steelyard.study.collecting.fitting import FoldedBelief
from steelyard.study.collecting.shared_beliefs import SharedBelief, SharedBeliefs
from steelyard.study.log.ledger import Ledger

LOG = logging.getLogger(__name__)
GROWTH = 1.2  # a model that learns its variances is refitted when judgments have grown by this factor
# Errors with which a model can fail. In all cases raters continue with the last estimate. The answer is stored in the
# same transaction in which the next task is assigned, so an uncaught error would lose it.
REFUSED = (SteelyardError,)  # the model cannot use these judgments
BROKEN_NUMBERS = (ArithmeticError, ValueError)  # including FloatingPointError and LinAlgError
NO_ROOM = (MemoryError, OSError)  # no memory for arrays, or no disk space for the cache of compiled loops
MISTAKEN = (
    RuntimeError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
)  # programming errors, also in models of other packages
MODEL_FAILURES = (*REFUSED, *BROKEN_NUMBERS, *NO_ROOM, *MISTAKEN)


class Learner:
    """Decides when the belief is updated with answers, and when it is learned again from all answers.

    If a recent answer is taken back, the learner returns to a belief from before it. If an older answer is taken back,
    the belief is learned again from all answers. With a background executor this takes a while, and until then the
    belief still includes the answer. With shared beliefs, another process refits, and this learner takes its beliefs.
    """

    def __init__(
        self, ledger: Ledger, background: Executor | None = None, shared: SharedBeliefs | None = None
    ) -> None:
        self._ledger = ledger
        self._shared = shared
        self._looked_at = -1  # log position at which a shared belief was last looked for
        self._shared_at = 0  # log position of the last shared belief
        self.refits = 0  # number of refits since the start
        self._folded = FoldedBelief(ledger)
        self._background = background
        self._unlearned_at = 0  # log position of the last event that removed answers and was processed
        self._outdated = False  # the belief still includes answers that were removed
        self._refitted_at = 0  # number of answers in the last refit
        self._tried_at = 0  # number of answers in the last attempt at a refit
        self._refused_at = -1  # log position at which the model failed on the newest answers
        self._refit: _Refit | None = None
        self._problems: dict[str, str] = {}  # why an update or a refit failed, until the next one succeeds

    def belief(self) -> Belief | None:
        """Return the belief at the position of the ledger, or None if the model cannot be updated online."""
        if not self._folded.model.capabilities.online:
            return None
        if self._folded.belief is None:
            self._restart()
        elif self._ledger.rewritten > (seen := max(self._folded.log_position, self._unlearned_at)):
            self._unlearn(self._ledger.first_rewritten(seen))
        self._take_refit()
        self._take_answers()
        self._ask_for_refit()
        return self._folded.belief

    @property
    def log_position(self) -> int:
        """Log position up to which the belief has learned."""
        return self._folded.log_position

    def _restart(self) -> None:
        self._folded.restart()
        self._shared_at, self._looked_at = 0, -1
        self._outdated = False
        self._refitted_at, self._tried_at, self._refused_at, self._refit = 0, 0, -1, None

    def _take_answers(self) -> None:
        """Update the belief with new answers; if the model fails, they are tried again with the next answers."""
        if self._refused_at == self._ledger.log_position:
            return
        fresh = self._folded.fresh_judgments()
        try:
            self._folded.fold(fresh)
        except MODEL_FAILURES as reason:
            self._refused_at = self._ledger.log_position
            self._report("update", reason)
        else:
            self._problems.pop("update", None)

    @property
    def problem(self) -> str:
        """Message for the owner if the model failed on the newest answers, else empty."""
        refit = self._refit
        failure = refit.job.exception() if refit is not None and refit.job.done() else None
        return next(iter(self._problems.values()), "") if failure is None else _in_words(failure)

    def _report(self, step: str, reason: BaseException) -> None:
        self._problems[step] = _in_words(reason)
        LOG.error("%s", self._problems[step], exc_info=reason)

    def _unlearn(self, first: int) -> None:
        """Return to the belief before this answer, or learn again from all answers if that belief is not kept."""
        self._unlearned_at = self._ledger.rewritten
        anew = self._refit is not None and self._refit.log_position >= first
        was_learned = first <= self._folded.log_position  # otherwise the belief never included it
        if was_learned and not self._folded.go_back(first):
            if self._background is None and self._shared is None:
                self._restart()
            else:
                anew = self._outdated = True
        if anew:
            self._start_refit()

    def _ask_for_refit(self) -> None:
        """Refit if there are 20% more answers, or if the belief includes answers that were removed.

        A refit that failed is tried again when the number of answers changes.
        """
        count = len(self._ledger.answers)
        grown = self._folded.model.capabilities.refits and count >= max(GROWTH * self._refitted_at, 1)
        if self._refit is None and (grown or self._outdated) and count != self._tried_at:
            self._start_refit()

    def _start_refit(self) -> None:
        """Learn again from all counted answers, in the background if possible, so that no rater waits."""
        if self._shared is not None:
            return
        self._tried_at = len(self._ledger.answers)
        learn = partial(self._folded.learn_all, self._ledger.counted_answers())
        job = _finished(learn) if self._background is None else self._background.submit(learn)
        self._refit = _Refit(self._ledger.log_position, self._tried_at, job)
        if self._background is None:
            self._take_refit()

    def _take_refit(self) -> None:
        """Continue with the belief of a finished refit; later answers then update it."""
        if self._shared is not None:
            self._take_shared(self._shared)
        if self._refit is None or not self._refit.job.done():
            return
        refit, self._refit = self._refit, None
        reason = refit.job.exception()
        if reason is not None:
            self._report("refit", reason)
            return
        self._folded.replace(refit.job.result(), refit.log_position)
        self._refitted_at, self._refused_at, self._outdated = refit.answers, -1, False
        self._problems.pop("refit", None)
        self.refits += 1

    def _take_shared(self, shared: SharedBeliefs) -> None:
        """Continue with a newer belief of the process that refits, unless it includes answers removed since."""
        if self._looked_at == self._ledger.log_position:
            return
        self._looked_at = self._ledger.log_position
        learned = shared.newest(self._shared_at)
        if learned is not None and self._may_take(learned):
            self._folded.replace(learned.belief, learned.log_position)
            self._shared_at, self._refused_at, self._outdated = learned.log_position, -1, False

    def _may_take(self, learned: SharedBelief) -> bool:
        removed = self._ledger.first_rewritten(learned.log_position)
        return learned.log_position <= self._ledger.log_position and removed > learned.log_position


def _in_words(reason: BaseException) -> str:
    return (
        "The estimates that are used to choose tasks could not be updated with the newest answers "
        f"({type(reason).__name__}: {reason}). Until the next attempt, tasks are chosen with the previous estimates. "
        "All answers are stored."
    )


@dataclass(frozen=True, slots=True)
class _Refit:
    """A refit in progress, with its log position and its number of answers."""

    log_position: int
    answers: int
    job: Future[Belief]


def _finished(learn: Callable[[], Belief]) -> Future[Belief]:
    """Learn immediately; a failure of the model is stored in the future, as an executor does."""
    job: Future[Belief] = Future()
    try:
        job.set_result(learn())
    except MODEL_FAILURES as reason:
        job.set_exception(reason)
    return job
