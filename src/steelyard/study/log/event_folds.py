"""The effect of each kind of event on the ledger: one function per kind."""

from __future__ import annotations

from collections.abc import Callable

from steelyard.errors import LogRewritten, UnknownEvent
from steelyard.study.log.entries import Event, EventKind
from steelyard.study.log.ground import GROUND_FOLDS
from steelyard.study.log.ledger_state import LedgerState
from steelyard.study.log.machine_answers import MachineAnswers
from steelyard.study.log.rater_record import RATER_FOLDS, RaterRecord

DECLINED = "declined to take part"
# Events that raters cause themselves, which count as work.
ACTS_OF_RATERS: frozenset[EventKind] = frozenset(
    (
        "joined",
        "consented",
        "declined",
        "surveyed",
        "surveyed_after",
        "superseded",
        "attempted",
        "trained",
        "instructed",
        "seeds_drawn",
        "placed",
    )
)


def fold_event(state: LedgerState, event: Event) -> None:
    """Apply an event to the ledger; raise UnknownEvent for a kind that a newer version has written."""
    if event.kind not in FOLDS:
        raise UnknownEvent(event.kind, event.log_position)
    record = state.rater(event.rater) if event.rater else RaterRecord()
    FOLDS[event.kind](state, record, event)
    if event.rater and event.kind in ACTS_OF_RATERS:
        record.work(event.at, 0.0, 60.0 * state.definition.pay.idle_minutes)


def _no_change(state: LedgerState, record: RaterRecord, event: Event) -> None:
    """Change nothing: the event is only recorded."""


def _superseded(state: LedgerState, record: RaterRecord, event: Event) -> None:
    """Remove an answer that a rater took back, and open its place again."""
    position = int(event.facts["answer"])
    answer = state.answers.pop(position)
    task = state.tasks[answer.task]
    del record.answers[position]
    record.taken_back.add(answer.assignment)
    state.show(record, task, -1)
    state.add_places(task, 1)
    if not record.excluded:
        state.add_answers(task, -1)
        state.count_time(answer, -1)
    state.rewrite(event, position)


def _withdrawn(state: LedgerState, record: RaterRecord, event: Event) -> None:
    state.add_places(state.tasks[event.facts["task"]], -int(event.facts.get("places", 1)))


def _excluded(state: LedgerState, record: RaterRecord, event: Event) -> None:
    _exclude_by_owner(state, record, event, True)


def _included(state: LedgerState, record: RaterRecord, event: Event) -> None:
    _exclude_by_owner(state, record, event, False)


def _exclude_by_owner(state: LedgerState, record: RaterRecord, event: Event, excluded: bool) -> None:
    record.reason = str(event.facts.get("reason", ""))
    record.left_by_declining = False  # the decision of the owner has priority
    if not excluded:
        record.start_checks_again(event)
    state.exclude(record, excluded)
    state.rewrite(event, 0)


def _ended(state: LedgerState, record: RaterRecord, event: Event) -> None:
    """Exclude a rater who failed checks."""
    record.take_act(event)
    record.ended = True
    if record.excluded:
        return
    record.reason = str(event.facts.get("reason", ""))
    state.exclude(record, True)
    state.rewrite(event, 0)


def _consented(state: LedgerState, record: RaterRecord, event: Event) -> None:
    record.consented, record.declined = True, False
    _leave_by_declining(state, record, event, False)


def _declined(state: LedgerState, record: RaterRecord, event: Event) -> None:
    """Exclude a rater who declines after answering, if study.toml sets declined_answers = "leave_out"."""
    record.consented, record.declined = False, True
    leaves = bool(record.answers) and state.definition.joining.declined_answers == "leave_out"
    _leave_by_declining(state, record, event, leaves)


def _leave_by_declining(state: LedgerState, record: RaterRecord, event: Event, leaves: bool) -> None:
    if leaves == record.left_by_declining or (leaves and record.excluded):
        return
    record.left_by_declining = leaves
    record.reason = DECLINED if leaves else ""
    state.exclude(record, leaves)
    state.rewrite(event, 0)


def _paused(state: LedgerState, record: RaterRecord, event: Event) -> None:
    state.paused = True


def _resumed(state: LedgerState, record: RaterRecord, event: Event) -> None:
    state.paused = False


def _machine_answers(state: LedgerState, record: RaterRecord, event: Event) -> None:
    """Keep answers of machine judges, and have the belief learned again."""
    state.machine = (*state.machine, MachineAnswers.of_facts(event.facts))
    state.rewrite(event, 0)


def _round_closed(state: LedgerState, record: RaterRecord, event: Event) -> None:
    """Start the next round: items that are asked again need new answers, and every rater may see them again."""
    state.ground.fold(event, state.round)
    state.round = int(event.facts["round"]) + 1
    reannotated = event.facts.get("reannotate", ())
    again = [state.items.index[item] for item in reannotated if item in state.items.index]
    for at in again:
        state.reopened[at] = (
            int(state.answered[at] + state.pending[at]) + state.definition.choosing.redundancy
        )
    for each in state.raters.values():
        each.sequence = None
        for at in again:
            each.seen.pop(at, None)
    if event.facts.get("mapping") is not None:
        state.rewrite(event, 0)


def _forgotten(state: LedgerState, record: RaterRecord, event: Event) -> None:
    """Raise LogRewritten if entries of this rater were folded before they were deleted from the log."""
    if record != RaterRecord():
        raise LogRewritten(event.rater)


def _of_rater(state: LedgerState, record: RaterRecord, event: Event) -> None:
    RATER_FOLDS[event.kind](record, event)


def _of_ground(state: LedgerState, record: RaterRecord, event: Event) -> None:
    state.ground.fold(event, state.round)


FOLDS: dict[EventKind, Callable[[LedgerState, RaterRecord, Event], None]] = {
    **dict.fromkeys(GROUND_FOLDS, _of_ground),
    **dict.fromkeys(RATER_FOLDS, _of_rater),
    "defined": _no_change,
    "superseded": _superseded,
    "withdrawn": _withdrawn,
    "excluded": _excluded,
    "included": _included,
    "consented": _consented,
    "declined": _declined,
    "forgotten": _forgotten,
    "ended": _ended,
    "paused": _paused,
    "resumed": _resumed,
    "machine_answers": _machine_answers,
    "round_closed": _round_closed,  # replaces the entry of GROUND_FOLDS, which `_round_closed` calls
}
