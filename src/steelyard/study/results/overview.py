"""What the owner sees of a study at one position of its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import UnknownName
from steelyard.judgments.table import Judgments
from steelyard.scales.quantity import Quantity
from steelyard.selection.stopping import predicted_reliability
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.labels import labels_of
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.grounding.rounds import Drift, drift_of
from steelyard.study.log.counting import declined, items_per_judgment, judged
from steelyard.study.log.interface import Rater
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.audit import Audit
from steelyard.study.results.question_view import QuestionView, RaterLine, view_question
from steelyard.study.results.status import Status, status_of

ACTIVE_SECONDS = 600.0


@dataclass(frozen=True, eq=False)
class Overview:
    """A study at one position of its log."""

    definition: StudyDefinition
    labels: Mapping[str, str]
    log_position: int
    judgments: int
    wanted: int
    cannot_judge: int
    probes: int  # answers to probes, which count only for self-consistency
    items: int
    items_short: int
    fewest: int  # answers that any item has
    complete: bool  # as many answers as the study wants in all
    tasks_open: int
    milliseconds: float | None
    round: int
    paused: bool
    since: float | None
    newest_at: float | None
    views: tuple[QuestionView, ...]
    audit: Audit | None = None
    drift: tuple[Drift, ...] = ()
    waits_for_seeds: bool = False
    can_close: bool = False  # somebody has answered in this round
    status: Status = "collecting"
    notices: tuple[str, ...] = ()  # what the owner should know first, each a sentence

    def without_judgments(self) -> Overview:
        """The overview for pages, which show counts and scales, and no single judgments."""
        views = tuple(replace(view, judgments=Judgments.of(())) for view in self.views)
        return replace(self, views=views)

    @property
    def raters(self) -> tuple[RaterLine, ...]:
        """Every rater, as the first question shows them."""
        return self.views[0].raters

    @property
    def quantity(self) -> Quantity:
        """What the positions are, in the words of the study's model."""
        return self.definition.make_model().quantity

    @property
    def reliability(self) -> float | None:
        """Predicted correlation of the first question's positions with the truth, where the model predicts it."""
        view = self.views[0]
        if view.fit is None or "intervals" not in self.definition.learning.capabilities.belief:
            return None
        scale = view.fit.scale
        return predicted_reliability(scale.position / view.width, (scale.spread / view.width) ** 2)

    @property
    def stopped_early(self) -> int:
        """Raters who were stopped early."""
        return sum(line.stopped_early and not line.excluded for line in self.raters)

    @property
    def left_to_ask(self) -> int:
        """Raters who have answered and may still be asked."""
        return sum(bool(line.tasks) and not line.stopped_early and not line.excluded for line in self.raters)

    def active(self, now: float) -> int:
        """Raters who answered in the last ten minutes."""
        return sum(line.last_at is not None and now - line.last_at <= ACTIVE_SECONDS for line in self.raters)

    def view(self, question: str | None) -> QuestionView:
        """The question of this id, or the first."""
        if question is None:
            return self.views[0]
        for view in self.views:
            if view.question.id == question:
                return view
        raise UnknownName("question", question, [view.question.id for view in self.views])


def make_overview(
    ledger: Ledger,
    roster: Sequence[Rater],
    audit: Audit | None = None,
    is_stopped: bool = False,
    is_asked_out: bool = False,
) -> Overview:
    """The overview that a ledger amounts to.

    `is_stopped` says that a stopping rule is met, `is_asked_out` that no further task can be made.
    """
    definition = ledger.definition
    answers = ledger.counted_answers()
    times = [answer.milliseconds for answer in answers if answer.milliseconds is not None]
    views = tuple(view_question(ledger, roster, question) for question in range(len(definition.questions)))
    return Overview(
        definition=definition,
        labels=labels_of(ledger.items, definition),
        log_position=ledger.log_position,
        judgments=sum(judged(answer.cells) for answer in answers),
        wanted=_wanted(ledger),
        cannot_judge=sum(declined(answer.cells) for answer in answers),
        probes=len(ledger.counted_answers(probes=True)) - len(answers),
        items=len(ledger.items),
        items_short=int(np.sum(ledger.answered < ledger.wanted)),
        fewest=int(ledger.answered.min()) if len(ledger.items) else 0,
        complete=int(ledger.answered.sum()) >= int(ledger.wanted.sum()),
        tasks_open=sum(places > 0 for places in ledger.open_places.values()),
        milliseconds=float(np.median(times)) if times else None,
        round=ledger.round,
        paused=ledger.paused,
        since=next((task.at for task in ledger.tasks.values()), None),
        newest_at=max((answer.at for answer in ledger.answers.values()), default=None),
        views=views,
        audit=audit,
        drift=drift_of(ledger),
        waits_for_seeds=waits_for_seeds(ledger),
        can_close=any(ledger.tasks[answer.task].round == ledger.round for answer in answers),
        status=status_of(ledger, is_stopped, is_asked_out),
        notices=tuple(
            f"The fit of “{view.question.text}” did not converge. Read its positions as provisional."
            for view in views
            if view.fit is not None and not view.fit.converged
        ),
    )


def _wanted(ledger: Ledger) -> int:
    """Judgments that the study wants, each of which may be about several items."""
    each = -(-int(ledger.wanted.sum()) // items_per_judgment(ledger.definition))
    return each * len(ledger.definition.questions)
