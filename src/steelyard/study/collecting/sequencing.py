"""Which place of a sequence a rater takes next: their own in order, a fresh one, or one left behind."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.study.collecting.already_seen import suits
from steelyard.study.log.interface import Lease
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.transaction import Transaction


def next_place(transaction: Transaction, record: RaterRecord) -> Lease | None:
    """The next free place for this rater, or None when their sequence, or every sequence, is done.

    Those who have done theirs go on with sequences of items that were added to the study since.
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
    """Tasks of the rater's sequence that they have not done; of the first sequence before they have one."""
    sequence = record.sequence if record.sequence is not None else next(iter(ledger.current_sequences()), 0)
    done = {answer.task for answer in record.answers.values()}
    return sum(1 for task in ledger.sequences.get(sequence, ()) if task not in done)


def _added_since(ledger: Ledger, sequence: int) -> list[int]:
    """Sequences of this round that were planned after this one."""
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
    """Are there more free places of this task than raters on their way to it?"""
    ledger, now = transaction.ledger, transaction.now
    free = sum(1 for each in transaction.writer.free_in(sequence, now) if each.task == place.task)
    patience = 60.0 * ledger.definition.choosing.lease_minutes
    items = ledger.indices(transaction.task_of(place))
    coming = 0
    for other in ledger.raters.values():
        if other.sequence == sequence and other.last_at > now - patience:
            coming += not any(at in other.seen for at in items)
    return free > coming
