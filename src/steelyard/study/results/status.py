"""What a study does now: it collects, waits, is paused, complete or stopped."""

from __future__ import annotations

from typing import Literal

from steelyard.study.collecting.planner import Planner
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.log.ledger import Ledger

Status = Literal[
    "not_started", "collecting", "paused", "waiting_for_seeds", "complete", "budget_spent", "stopped"
]


def status_of(ledger: Ledger, is_stopped: bool, is_asked_out: bool = False) -> Status:
    """What the study does now; a pause comes first, since raters see that one."""
    budget = ledger.definition.choosing.stop.budget
    if ledger.paused:
        return "paused"
    if waits_for_seeds(ledger):
        return "waiting_for_seeds"
    if is_stopped:
        return "budget_spent" if budget and int(ledger.answered.sum()) >= budget else "stopped"
    if ledger.round >= ledger.definition.grounding.rounds.number and (is_asked_out or _has_all(ledger)):
        return "complete"
    return "collecting" if ledger.planned else "not_started"


def _has_all(ledger: Ledger) -> bool:
    """Are all answers in that are wanted: in all where the model decides which items get them, else of each item?"""
    if not ledger.answers:
        return False
    if ledger.definition.choosing.learns:
        return int(ledger.answered.sum()) >= int(ledger.wanted.sum())
    return bool((ledger.answered >= ledger.wanted).all())


def is_asked_out(planner: Planner) -> bool:
    """Is everything answered that can be asked? Items may lack answers that no task can be made for."""
    ledger = planner.ledger
    planned_whole = ledger.definition.choosing.traits.plans_sequences
    if not ledger.answers or planned_whole or any(ledger.open_places.values()):
        return False
    pool = planner.pool(None)
    return not (planner.is_short(pool) and planner.finds(pool))
