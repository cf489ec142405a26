"""Which place of a sequence a rater takes next: their own in order, a fresh one, or one left behind."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.study.collecting.showing import suits
from steelyard.study.log.interface import Lease, Writer
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord


def next_place(ledger: Ledger, writer: Writer, record: RaterRecord, now: float) -> Lease | None:
    """The next free place for this rater, or None when their sequence, or every sequence, is done.

    Those who have done theirs go on with sequences of items that were added to the study since.
    """
    sequences = list(ledger.sequences)
    if record.sequence is not None:
        place = next(_unseen(ledger, writer, record, record.sequence, now), None)
        if place is not None:
            return place
        sequences = _added_since(ledger, record.sequence)
    for sequence in sequences:
        for place in _unseen(ledger, writer, record, sequence, now):
            if place.task == ledger.sequences[sequence][0]:
                return place
    for sequence in sequences:
        for place in _unseen(ledger, writer, record, sequence, now):
            if _is_abandoned(ledger, writer, place, sequence, now):
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


def _unseen(
    ledger: Ledger, writer: Writer, record: RaterRecord, sequence: int, now: float
) -> Iterator[Lease]:
    for place in writer.free_in(sequence, now):
        if suits(ledger, record, ledger.tasks[place.task]):
            yield place


def _is_abandoned(ledger: Ledger, writer: Writer, place: Lease, sequence: int, now: float) -> bool:
    """Are there more free places of this task than raters on their way to it?"""
    free = sum(1 for each in writer.free_in(sequence, now) if each.task == place.task)
    patience = 60.0 * ledger.definition.choosing.lease_minutes
    items = ledger.indices(ledger.tasks[place.task])
    coming = 0
    for other in ledger.raters.values():
        if other.sequence == sequence and other.last_at > now - patience:
            coming += not any(at in other.seen for at in items)
    return free > coming
