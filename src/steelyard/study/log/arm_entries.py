"""Which entries of the log concern one arm of a study, or the tasks of one protocol."""

from __future__ import annotations

from steelyard.study.log.entries import NO_ARM, Answer, Entry, Event, Task
from steelyard.study.log.ground import GROUND_FOLDS
from steelyard.study.log.ledger_state import LedgerState


def concerns(state: LedgerState, entry: Entry) -> bool:
    """Whether an entry concerns the arm and the protocol of a ledger.

    Raters of other arms are forgotten when they are assigned.

    Parameters
    ----------
    state
        Ledger of one arm or one protocol, or of the raters of all arms.
    entry
        The next entry of the log.

    Returns
    -------
    bool
        False for tasks, answers, raters, rounds and anchors of other arms, and for tasks and answers of other
        protocols.
    """
    if isinstance(entry, Task):
        return state.condition in (None, entry.condition) and state.protocol in (None, entry.protocol)
    if isinstance(entry, Answer):
        return entry.task in state.tasks
    if entry.kind == "assigned" and state.condition not in (None, NO_ARM, entry.facts["condition"]):
        state.elsewhere.add(entry.rater)
        state.raters.pop(entry.rater, None)
    return _event_concerns(state, entry)


def _event_concerns(state: LedgerState, event: Event) -> bool:
    if event.kind in GROUND_FOLDS:
        return state.condition in (None, event.facts.get("condition", NO_ARM))
    if event.kind == "withdrawn":
        return event.facts["task"] in state.tasks
    if event.kind == "superseded":
        return int(event.facts["answer"]) in state.answers
    return event.rater not in state.elsewhere
