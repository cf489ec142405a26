"""Which entries of the log concern one arm of a study."""

from __future__ import annotations

from steelyard.study.log.ground import GROUND_FOLDS
from steelyard.study.log.interface import NO_ARM, Answer, Entry, Event, Task
from steelyard.study.log.ledger_state import LedgerState


def concerns(state: LedgerState, entry: Entry) -> bool:
    """Whether an entry concerns the arm of a ledger; raters of other arms are forgotten when they are assigned.

    Parameters
    ----------
    state
        Ledger of one arm, or of the raters of all arms.
    entry
        The next entry of the log.

    Returns
    -------
    bool
        False for tasks, answers, raters, rounds and anchors of other arms.
    """
    if isinstance(entry, Task):
        return entry.condition == state.condition
    if isinstance(entry, Answer):
        return entry.task in state.tasks
    if entry.kind == "assigned" and state.condition not in (NO_ARM, entry.facts["condition"]):
        state.elsewhere.add(entry.rater)
        state.raters.pop(entry.rater, None)
    return _event_concerns(state, entry)


def _event_concerns(state: LedgerState, event: Event) -> bool:
    if event.kind in GROUND_FOLDS:
        return bool(event.facts.get("condition", NO_ARM) == state.condition)
    if event.kind == "withdrawn":
        return event.facts["task"] in state.tasks
    if event.kind == "superseded":
        return int(event.facts["answer"]) in state.answers
    return event.rater not in state.elsewhere
