"""The overview of a study at one log position, for its owner."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from steelyard.errors import UnknownName
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes
from steelyard.models.known import models_for
from steelyard.quality.agreement import Agreement
from steelyard.scales.quantity import Quantity
from steelyard.selection.forecast import Forecast, forecast_judgments, reliability_after
from steelyard.selection.stopping import LEAST_ANSWERS, predicted_reliability
from steelyard.study.collecting.checking import checks_left
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.labels import labels_of
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.grounding.rounds import Drift, drift_of
from steelyard.study.log.check_results import CheckTally
from steelyard.study.log.counting import declined, items_per_judgment, judged
from steelyard.study.log.interface import Rater
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.audit import Audit
from steelyard.study.results.effort import Effort, effort_of
from steelyard.study.results.pay import PaySummary, pay_summary
from steelyard.study.results.question_view import QuestionView, RaterLine, view_question
from steelyard.study.results.status import ENDED, Status

ACTIVE_SECONDS = 600.0
SHORTEST = 5  # items without enough answers that are named


@dataclass(frozen=True, eq=False)
class Overview:
    """The state and the results of a study at one log position.

    Attributes
    ----------
    definition
        Settings of the study.
    labels
        Label of each item or system.
    log_position
        Log position of the overview.
    judgments, wanted
        Number of judgments so far, and the number planned, which a budget limits.
    cannot_judge
        How many times raters answered "can't judge".
    probes
        Answers to probes, which count only for consistency.
    items, items_short
        Number of items, and of items with fewer judgments than wanted.
    missing
        Number of judgments that are planned and not given.
    shortest
        Ids of the items that miss most answers, at most five.
    fewest
        Smallest number of judgments of any item.
    complete
        Whether the study has as many judgments in total as it wants.
    tasks_open
        Tasks with places that are not answered.
    milliseconds
        Median time per answer, or None.
    round, paused
        Current round, and whether the study is paused.
    since, newest_at
        Times of the first task and of the newest answer, in seconds since 1970.
    views
        One view per question.
    audit
        Results of the audit, or None if the model makes no predictions.
    drift
        Positions of anchor items by round.
    waits_for_seeds
        Whether the cold start is not finished.
    round_begun
        Whether the current round has answers.
    status
        What the study is doing.
    agreement
        Agreement of the raters by id of the question; it may be older than the rest.
    effort
        Time and training of the raters, and the current anchors.
    without_checks
        Number of raters who have answered every check that they can be given.
    pay
        Pay of the raters, or None if the study sets none.
    """

    definition: StudyDefinition
    labels: Mapping[str, str]
    log_position: int
    judgments: int
    wanted: int
    cannot_judge: int
    probes: int
    items: int
    items_short: int
    missing: int
    shortest: tuple[str, ...]
    fewest: int
    complete: bool
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
    round_begun: bool = False
    status: Status = "collecting"
    agreement: Mapping[str, Agreement] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort)
    without_checks: int = 0
    pay: PaySummary | None = None

    def without_judgments(self) -> Overview:
        """Return the overview without judgments, for pages that show only counts and scales."""
        views = tuple(replace(view, judgments=Judgments.of(())) for view in self.views)
        return replace(self, views=views)

    @property
    def raters(self) -> tuple[RaterLine, ...]:
        """All raters, with their habits under the first question."""
        return self.views[0].raters

    @property
    def checks(self) -> CheckTally:
        """Numbers of answered and failed checks of all raters."""
        counts = [line.checks for line in self.raters]
        return CheckTally(*(sum(getattr(each, name) for each in counts) for name in CheckTally.__slots__))

    @property
    def not_converged(self) -> tuple[str, ...]:
        """Texts of the questions whose model did not converge."""
        fits = ((view.question.text, view.fit) for view in self.views)
        return tuple(question for question, fit in fits if fit is not None and not fit.converged)

    @property
    def quantity(self) -> Quantity:
        """What positions mean, as described by the fit under the first question, or else by the model of the study."""
        fit = self.views[0].fit
        own = None if fit is None else fit.quantity
        return self.definition.make_model().quantity if own is None else own

    @property
    def reliability(self) -> float | None:
        """Predicted correlation of the positions under the first question with the true positions, or None."""
        view = self.views[0]
        if view.fit is None or "intervals" not in self.definition.learning.capabilities.belief:
            return None
        scale = view.fit.scale
        return predicted_reliability(scale.position / view.width, (scale.spread / view.width) ** 2)

    @property
    def models_with_reliability(self) -> tuple[str, ...]:
        """Names of the models that would predict the reliability of this study."""
        definition = self.definition
        kinds = (
            tuple({way.kind.name for way in definition.asked_ways})
            if definition.ways
            else definition.asking.way.kinds
        )
        return models_for(kinds, bool(definition.ways), lambda can: "intervals" in can.belief)

    @property
    def forecast(self) -> Forecast | None:
        """Judgments needed for the reliability at which the study stops; None without such a rule or a prediction."""
        target, reliability = self.definition.choosing.stop.reliability, self.reliability
        if not target or reliability is None or self.judgments < LEAST_ANSWERS * self.items:
            return None
        return forecast_judgments(self.judgments, reliability, target)

    @property
    def left(self) -> int:
        """Smallest number of further judgments that ends the study: those planned, or fewer if a forecast says so."""
        forecast = self.forecast
        return forecast.more if forecast is not None and 0 < forecast.more < self.missing else self.missing

    @property
    def reliability_at_end(self) -> float | None:
        """Predicted reliability after all planned judgments, or None."""
        reliability = self.reliability
        if reliability is None or self.judgments < LEAST_ANSWERS * self.items:
            return None
        return reliability_after(self.judgments, reliability, self.wanted)

    @property
    def can_close(self) -> bool:
        """Whether the current round has answers and can be followed by another one."""
        rounds = self.definition.grounding.rounds.number
        return self.round_begun and self.status not in ENDED and (rounds == 1 or self.round < rounds)

    @property
    def stopped_early(self) -> int:
        """Number of raters who were stopped early and are not excluded."""
        return sum(line.stopped_early and not line.excluded for line in self.raters)

    @property
    def left_to_ask(self) -> int:
        """Number of raters who have answered and can still receive tasks."""
        return sum(bool(line.tasks) and not line.stopped_early and not line.excluded for line in self.raters)

    def active(self, now: float) -> int:
        """Return the number of raters who answered in the last ten minutes."""
        return sum(line.last_at is not None and now - line.last_at <= ACTIVE_SECONDS for line in self.raters)

    def view(self, question: str | None) -> QuestionView:
        """Return the view of the question with this id, or of the first question."""
        if question is None:
            return self.views[0]
        for view in self.views:
            if view.question.id == question:
                return view
        raise UnknownName("question", question, [view.question.id for view in self.views])


def make_overview(
    ledger: Ledger, roster: Sequence[Rater], status: Status, audit: Audit | None = None
) -> Overview:
    """Compute the overview of a study.

    Parameters
    ----------
    ledger
        State of the study.
    roster
        All raters.
    status
        What the study is doing.
    audit
        Results of the audit, or None.

    Returns
    -------
    Overview
        The overview at the position of the ledger.
    """
    definition = ledger.definition
    answers = ledger.counted_answers()
    judgments = sum(judged(answer.cells) for answer in answers)
    times = [answer.milliseconds for answer in answers if answer.milliseconds is not None]
    views = tuple(view_question(ledger, roster, question) for question in range(len(definition.questions)))
    return Overview(
        definition=definition,
        labels=labels_of(ledger.items, definition),
        log_position=ledger.log_position,
        judgments=judgments,
        wanted=_wanted(ledger, judgments),
        cannot_judge=sum(declined(answer.cells) for answer in answers),
        probes=len(ledger.counted_answers(probes=True)) - len(answers),
        items=int(ledger.items.asked.sum()),
        items_short=int(np.sum(ledger.answered < ledger.wanted)),
        missing=_in_judgments(ledger, _places_left(ledger)),
        shortest=_shortest(ledger),
        fewest=int(ledger.answered[ledger.items.asked].min()) if ledger.items.asked.any() else 0,
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
        round_begun=any(ledger.tasks[answer.task].round == ledger.round for answer in answers),
        status=status,
        effort=effort_of(ledger),
        without_checks=_without_checks(ledger),
        pay=pay_summary([ledger], roster),
    )


def _without_checks(ledger: Ledger) -> int:
    """Return how many raters with answers have no check left, while the study mixes in checks."""
    if not ledger.checks.all or not ledger.definition.checks.rate:
        return 0
    raters = [rater for rater, record in ledger.raters.items() if record.answers and not record.is_out]
    return sum(next(checks_left(ledger, rater), None) is None for rater in raters)


def _missing(ledger: Ledger) -> Codes:
    """Return how many answers each item needs to have as many as wanted."""
    return np.asarray(np.maximum(ledger.wanted - ledger.answered, 0))


def _shortest(ledger: Ledger) -> tuple[str, ...]:
    """Return the ids of the items that miss most answers."""
    missing = _missing(ledger)
    order = np.argsort(-missing, kind="stable")[:SHORTEST]
    return tuple(str(ledger.items.ids[at]) for at in order if missing[at])


def _wanted(ledger: Ledger, judgments: int) -> int:
    """Return the number of judgments that the study plans.

    With several protocols it depends on the protocols of the tasks, so the missing ones are added to those given.
    """
    if ledger.definition.ways:
        return judgments + _in_judgments(ledger, _places_left(ledger))
    planned, budget = int(ledger.wanted.sum()), ledger.definition.choosing.stop.budget
    return _in_judgments(ledger, min(planned, budget) if budget else planned)


def _places_left(ledger: Ledger) -> int:
    """Return the number of answers about items that the study needs in addition, and that its budget allows."""
    choosing = ledger.definition.choosing
    answered = int(ledger.answered.sum())
    # If the model chooses the items, a study is complete when the total is reached.
    in_total, by_item = max(int(ledger.wanted.sum()) - answered, 0), int(_missing(ledger).sum())
    missing = in_total if choosing.learns else by_item
    return min(missing, max(choosing.stop.budget - answered, 0)) if choosing.stop.budget else missing


def _in_judgments(ledger: Ledger, places: int) -> int:
    """Return the number of judgments in this many answers about items; one judgment may include several items."""
    return math.ceil(places / items_per_judgment(ledger.definition)) * len(ledger.definition.questions)
