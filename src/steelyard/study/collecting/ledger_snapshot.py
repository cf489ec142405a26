"""The state of a ledger as plain values and arrays, and back.

Tasks and answers are not part of it. The log has them, and the restored ledger reads them when they are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.study.log.interface import Log
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.stored_entries import StoredEntries

# Attributes of a ledger that are stored as they are.
PLAIN = (
    "elsewhere",
    "tasks_logged",
    "sequences_logged",
    "log_position",
    "rewritten",
    "rewrites",
    "round",
    "paused",
    "ground",
    "reopened",
    "planned",
    "sequences",
    "links_lost",
    "machine",
    "times",
)
BY_ITEM = ("answered", "pending", "links")  # arrays with one value per item
IN_ARRAYS = ("answers", "seen", "met")  # of a record; the other fields are stored as they are


@dataclass(frozen=True, slots=True)
class Grouped:
    """Values of several raters in one array, in the order of the raters, with the number of values of each."""

    lengths: Codes
    values: Codes

    def split(self) -> list[list[Any]]:
        """Return the values of each rater."""
        every = self.values.tolist()
        ends = np.cumsum(self.lengths).tolist()
        return [every[end - length : end] for end, length in zip(ends, self.lengths.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class LedgerSnapshot:
    """The state of a ledger.

    Attributes
    ----------
    plain
        Attributes by name, without those below.
    by_item
        Arrays with one value per item, by name.
    paired
        Rows of two items and the number of answers received and expected.
    open_places
        Open places by task.
    raters
        Ids of the raters.
    records
        Fields of each rater that differ from those of a new one.
    answers
        Log positions of the answers of each rater.
    others
        Log positions of answers of raters who have no record here, because they were assigned to another arm later.
    seen
        Item and number of times it was shown, flat, of each rater.
    met
        Two items and the number of times they were compared, flat, of each rater.
    """

    plain: Mapping[str, Any]
    by_item: Mapping[str, Codes]
    paired: Codes
    open_places: Mapping[str, int]
    raters: tuple[str, ...]
    records: tuple[Mapping[str, Any], ...]
    answers: Grouped
    others: Codes
    seen: Grouped
    met: Grouped


def snapshot_of(ledger: Ledger) -> LedgerSnapshot:
    """Return the state of a ledger, without its tasks and answers."""
    records = list(ledger.raters.values())
    return LedgerSnapshot(
        plain={name: getattr(ledger, name) for name in PLAIN},
        by_item={name: getattr(ledger, name) for name in BY_ITEM},
        paired=_narrow(_flat_pairs(ledger.paired)).reshape(-1, 3),
        open_places=dict(ledger.open_places),
        raters=tuple(ledger.raters),
        records=tuple(map(_changed_fields, records)),
        answers=_grouped([list(record.answers) for record in records]),
        others=_narrow(_answers_without_record(ledger)),
        seen=_grouped([_flat(record.seen) for record in records]),
        met=_grouped([_flat_pairs(record.met) for record in records]),
    )


def _answers_without_record(ledger: Ledger) -> list[int]:
    own = set[int]().union(*(record.answers for record in ledger.raters.values()))
    return [] if len(own) == len(ledger.answers) else [at for at in ledger.answers if at not in own]


def _changed_fields(record: RaterRecord) -> dict[str, Any]:
    own = [each for each in fields(record) if each.name not in IN_ARRAYS]
    values = {each.name: getattr(record, each.name) for each in own}
    return {
        each.name: values[each.name]
        for each in own
        if values[each.name] != (each.default if each.default_factory is MISSING else each.default_factory())
    }


def _flat(counts: Mapping[int, int]) -> list[int]:
    return [value for each in counts.items() for value in each]


def _flat_pairs(counts: Mapping[tuple[int, int], int]) -> list[int]:
    return [value for (one, other), count in counts.items() for value in (one, other, count)]


def _grouped(values: Sequence[Sequence[int]]) -> Grouped:
    return Grouped(_narrow([len(each) for each in values]), _narrow([at for each in values for at in each]))


def _narrow(values: Sequence[int]) -> Codes:
    """Return integers in the smallest type that holds them."""
    wide = np.asarray(values, dtype=np.int64)
    if not len(wide):
        return wide
    return wide.astype(np.result_type(np.min_scalar_type(wide.min()), np.min_scalar_type(wide.max())))


def restored_state(ledger: Ledger, snapshot: LedgerSnapshot, log: Log) -> dict[str, Any]:
    """Return the attributes that give a new ledger the state of a snapshot.

    Parameters
    ----------
    ledger
        New ledger with the settings, items and arm of the snapshot.
    snapshot
        The state.
    log
        Log from which tasks and answers are read when they are used.

    Returns
    -------
    dict
        Values by the name of the attribute.

    Raises
    ------
    ValueError
        If the snapshot does not fit the ledger.
    """
    plain = {name: snapshot.plain[name] for name in PLAIN}
    by_item = {name: np.asarray(snapshot.by_item[name], dtype=np.int64) for name in BY_ITEM}
    for name, values in by_item.items():
        if values.shape != (len(ledger.items),):
            raise ValueError(f"{name} has the shape {values.shape} with {len(ledger.items)} items")
    stored = StoredEntries(log, plain["log_position"], ledger.condition, protocol=ledger.protocol)
    positions = np.sort(np.concatenate([snapshot.answers.values, snapshot.others]))
    stored.answers.update(dict.fromkeys(positions.tolist()))  # None until it is read
    return {
        **plain,
        **by_item,
        "times": Counter(plain["times"]),
        "paired": _pair_counts(snapshot.paired.tolist()),
        "open_places": Counter(snapshot.open_places),
        "stored": stored,
        "tasks": stored.tasks,
        "answers": stored.answers,
        "raters": _records(snapshot, stored),
    }


def _records(snapshot: LedgerSnapshot, stored: StoredEntries) -> dict[str, RaterRecord]:
    columns = (snapshot.answers, snapshot.seen, snapshot.met)
    records = {}
    for rater, changed, answers, seen, met in zip(
        snapshot.raters, snapshot.records, *(each.split() for each in columns), strict=True
    ):
        records[rater] = RaterRecord(
            answers=stored.answers_of(rater, answers) if answers else {},
            seen=Counter(dict(zip(seen[::2], seen[1::2], strict=True))),
            met=_pair_counts(zip(met[::3], met[1::3], met[2::3], strict=True)),
            **changed,
        )
    return records


def _pair_counts(rows: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    return Counter({(one, other): count for one, other, count in rows})
