"""When a study learns: with each answer, again after an undo, and anew from all answers in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial

from steelyard.errors import SteelyardError
from steelyard.scales.belief import Belief
from steelyard.study.collecting.fitting import FoldedBelief
from steelyard.study.log.ledger import Ledger

LOG = logging.getLogger(__name__)
GROWTH = 1.2  # a model that learns its variances is refitted when judgments have grown by this factor
# Ways in which a model can fail on answers. Whichever it is, raters go on with the last estimate: their answers are
# stored with the next task, and would be rolled back with it.
REFUSED = (SteelyardError,)  # the model does not take these judgments
BROKEN_NUMBERS = (ArithmeticError, ValueError)  # among them FloatingPointError and LinAlgError
NO_ROOM = (MemoryError, OSError)  # for arrays, or for the cache of compiled loops
MISTAKEN = (
    RuntimeError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
)  # models of other packages, too
MODEL_FAILURES = (*REFUSED, *BROKEN_NUMBERS, *NO_ROOM, *MISTAKEN)


class Learner:
    """Decides when answers are folded into the belief, and when it is learnt anew.

    An answer taken back soon is unlearned by going back to a belief from before it. What lies further back is learned
    anew: in the background where there is one, and until that is done the belief still counts what was taken away.
    """

    def __init__(self, ledger: Ledger, background: Executor | None = None) -> None:
        self._ledger = ledger
        self._folded = FoldedBelief(ledger)
        self._background = background
        self._unlearned_at = 0  # the last event that took answers away and was seen to
        self._outdated = False  # the belief still counts answers that were taken away
        self._refitted_at = 0  # answers behind the last refit
        self._tried_at = 0  # answers behind the last attempt at a refit
        self._refused_at = -1  # position at which the model could not take the newest answers
        self._refit: _Refit | None = None
        self._problems: dict[str, str] = {}  # why an update or a refit failed, until one succeeds

    def belief(self) -> Belief | None:
        """The belief at the ledger's position, or None where the model does not learn online."""
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

    def _restart(self) -> None:
        self._folded.restart()
        self._outdated = False
        self._refitted_at, self._tried_at, self._refused_at, self._refit = 0, 0, -1, None

    def _take_answers(self) -> None:
        """Fold new answers in; those that the model fails on are tried again together with the next."""
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
        """Why the model could not take the newest answers, for the owner; "" where it could."""
        refit = self._refit
        failure = refit.job.exception() if refit is not None and refit.job.done() else None
        return next(iter(self._problems.values()), "") if failure is None else _in_words(failure)

    def _report(self, step: str, reason: BaseException) -> None:
        self._problems[step] = _in_words(reason)
        LOG.error("%s", self._problems[step], exc_info=reason)

    def _unlearn(self, first: int) -> None:
        """Go back to before this answer; learn all anew where no belief from before it is kept."""
        self._unlearned_at = self._ledger.rewritten
        anew = self._refit is not None and self._refit.log_position >= first
        was_learned = first <= self._folded.log_position  # else it was taken back before it was learned
        if was_learned and not self._folded.go_back(first):
            if self._background is None:
                self._restart()
            else:
                anew = self._outdated = True
        if anew:
            self._start_refit()

    def _ask_for_refit(self) -> None:
        """Refit when there is a fifth more to learn from, or where the belief counts answers that were taken away.

        A refit that failed is tried again when there are more answers.
        """
        count = len(self._ledger.answers)
        grown = self._folded.model.capabilities.refits and count >= max(GROWTH * self._refitted_at, 1)
        if self._refit is None and (grown or self._outdated) and count != self._tried_at:
            self._start_refit()

    def _start_refit(self) -> None:
        """Learn from all answers that count now; in the background where there is one, so that nobody waits."""
        self._tried_at = len(self._ledger.answers)
        learn = partial(self._folded.learn_all, self._ledger.counted_answers())
        job = _finished(learn) if self._background is None else self._background.submit(learn)
        self._refit = _Refit(self._ledger.log_position, self._tried_at, job)
        if self._background is None:
            self._take_refit()

    def _take_refit(self) -> None:
        """Start from a finished refit; answers since then are folded into it as usual."""
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


def _in_words(reason: BaseException) -> str:
    return (
        "The newest answers could not be taken into the estimate that tasks are chosen by "
        f"({type(reason).__name__}: {reason}). Tasks are chosen by the last estimate until the next attempt."
    )


@dataclass(frozen=True, slots=True)
class _Refit:
    """A refit under way: from which position and how many answers it starts."""

    log_position: int
    answers: int
    job: Future[Belief]


def _finished(learn: Callable[[], Belief]) -> Future[Belief]:
    """Learn here and now. A failure of the model is kept in the job, where an executor would keep it."""
    job: Future[Belief] = Future()
    try:
        job.set_result(learn())
    except MODEL_FAILURES as reason:
        job.set_exception(reason)
    return job
