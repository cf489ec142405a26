"""The next place in a sequence: the next task of a rater's own sequence, a new sequence, or an abandoned one."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.study.collecting.already_seen import suits
from steelyard.study.log.interface import Lease
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.transaction import Transaction


def next_place(transaction: Transaction, record: RaterRecord) -> Lease | None:
    """Return the next free place for a rater, or None if there is none.

    A rater finishes one sequence. After that, they continue only with sequences of items that were added later.
    """
    ledger = transaction.ledger
    sequences = list(ledger.sequences)
    if record.sequence is not None:
        place = next(_unseen(transaction, record, record.sequence), None)
        if place is not None:
            return place
        sequences = _added_since(ledger, record.sequence)
    for sequence in sequences:
        for place in _unseen(transaction, record, sequence):
            if place.task == ledger.sequences[sequence][0]:
                return place
    for sequence in sequences:
        for place in _unseen(transaction, record, sequence):
            if _is_abandoned(transaction, place, sequence):
                return place
    return None


def tasks_left(ledger: Ledger, record: RaterRecord) -> int:
    """Return the number of tasks left in the sequence of a rater, or in the first sequence before they start."""
    sequence = record.sequence if record.sequence is not None else next(iter(ledger.current_sequences()), 0)
    done = {answer.task for answer in record.answers.values()}
    return sum(1 for task in ledger.sequences.get(sequence, ()) if task not in done)


def _added_since(ledger: Ledger, sequence: int) -> list[int]:
    """Return the sequences of this round that were planned after this sequence."""
    planned = ledger.tasks[ledger.sequences[sequence][0]].chosen.belief_position
    return [
        other
        for other in ledger.current_sequences()
        if ledger.tasks[ledger.sequences[other][0]].chosen.belief_position > planned
    ]


def _unseen(transaction: Transaction, record: RaterRecord, sequence: int) -> Iterator[Lease]:
    for place in transaction.writer.free_in(sequence, transaction.now):
        if suits(transaction.ledger, record, transaction.task_of(place)):
            yield place


def _is_abandoned(transaction: Transaction, place: Lease, sequence: int) -> bool:
    """Whether this task has more free places than raters who are still working towards it."""
    ledger, now = transaction.ledger, transaction.now
    free = sum(1 for each in transaction.writer.free_in(sequence, now) if each.task == place.task)
    patience = 60.0 * ledger.definition.choosing.lease_minutes
    items = ledger.indices(transaction.task_of(place))
    coming = 0
    for other in ledger.raters.values():
        if other.sequence == sequence and other.last_at > now - patience:
            coming += not any(at in other.seen for at in items)
    return free > coming
