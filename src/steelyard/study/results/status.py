"""The status of a study: not started, collecting, waiting, paused, complete or stopped."""

from __future__ import annotations

from typing import Literal

from steelyard.study.collecting.planner import Planner
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.log.ledger import Ledger

Status = Literal[
    "not_started",
    "collecting",
    "paused",
    "waiting_for_seeds",
    "waiting_for_round",
    "complete",
    "budget_spent",
    "stopped",
]
ENDED: tuple[Status, ...] = ("complete", "budget_spent", "stopped")  # no further answers are needed


def status_of(ledger: Ledger, is_stopped: bool, is_asked_out: bool = False) -> Status:
    """Return the status of the study; a pause has priority, because raters see it.

    Parameters
    ----------
    ledger
        State of the study.
    is_stopped
        Whether a stopping rule is met.
    is_asked_out
        Whether no further task can be made.

    Returns
    -------
    Status
        One of the statuses.
    """
    budget = ledger.definition.choosing.stop.budget
    if ledger.paused:
        return "paused"
    if waits_for_seeds(ledger):
        return "waiting_for_seeds"
    if is_stopped:
        return "budget_spent" if budget and int(ledger.answered.sum()) >= budget else "stopped"
    if is_asked_out or _has_all(ledger):
        is_last = ledger.round >= ledger.definition.grounding.rounds.number
        return "complete" if is_last else "waiting_for_round"
    return "collecting" if ledger.planned else "not_started"


def _has_all(ledger: Ledger) -> bool:
    """Whether the study has all answers: in total if the model chooses the items, else for each item."""
    if not ledger.answers:
        return False
    if ledger.definition.choosing.learns:
        return int(ledger.answered.sum()) >= int(ledger.wanted.sum())
    return bool((ledger.answered >= ledger.wanted).all())


def is_asked_out(planner: Planner) -> bool:
    """Whether no further task can be made; items may still have fewer answers than wanted."""
    ledger = planner.ledger
    planned_whole = ledger.definition.choosing.traits.plans_sequences
    if not ledger.answers or planned_whole or any(ledger.open_places.values()):
        return False
    pool = planner.pool(None)
    return not (planner.is_short(pool) and planner.finds(pool))
