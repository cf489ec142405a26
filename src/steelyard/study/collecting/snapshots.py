"""Snapshots of the ledgers of a study, kept beside the log so that a restart need not fold all of it.

A snapshot is a disposable cache. It is used only if it was made by this version, from the same settings and items, and
if the log still has the same last entry and last answer.
"""

from __future__ import annotations

import hashlib
import logging
import zlib
from collections.abc import Sequence

from steelyard.study.collecting.ledger_snapshot import restored_state, snapshot_of
from steelyard.study.collecting.plain_records import from_text, to_text
from steelyard.study.collecting.shared_beliefs import UNREADABLE, cache_key
from steelyard.study.log.interface import Cache, Log
from steelyard.study.log.ledger import Ledger

LOG = logging.getLogger(__name__)
NAME = "ledger"
FORMAT = 4  # changes whenever the content of a snapshot changes
DAMAGED = (*UNREADABLE, zlib.error)
MOST_IN_MEMORY = 10_000  # entries of the log
SHARE_IN_MEMORY = 0.02  # of the log, so that all times together cost little
FAST = 1  # level of compression: a third of the size, and quick to read


class Snapshots:
    """The newest snapshot of a study: its ledger, or those of its arms, at one log position."""

    def __init__(self, cache: Cache, log: Log) -> None:
        self._cache = cache
        self._log = log

    def fill(self, ledgers: Sequence[Ledger]) -> bool:
        """Give new ledgers the state of the snapshot.

        Parameters
        ----------
        ledgers
            New ledgers of the study, in the same order as in `keep`.

        Returns
        -------
        bool
            False if there is no snapshot that can be used. The ledgers are then unchanged.
        """
        stored = self._cache.newest(NAME, snapshot_key(ledgers), 0)
        if stored is None:
            return False
        position, content = stored
        try:
            mark, snapshots = from_text(zlib.decompress(content))
            pairs = zip(ledgers, snapshots, strict=True)
            states = [restored_state(ledger, snapshot, self._log) for ledger, snapshot in pairs]
        except DAMAGED as reason:
            LOG.warning("A stored snapshot of the ledger is not used: %s: %s", type(reason).__name__, reason)
            return False
        newest = max(next(reversed(state["answers"]), 0) for state in states)
        if mark != self._mark(position, newest) or any(state["log_position"] != position for state in states):
            LOG.warning("A stored snapshot of the ledger is not used, because it belongs to another log.")
            return False
        for ledger, state in zip(ledgers, states, strict=True):
            vars(ledger).update(state)
        return True

    def keep(self, ledgers: Sequence[Ledger]) -> None:
        """Store a snapshot of ledgers, which are at the same log position."""
        position = ledgers[0].log_position
        mark = self._mark(position, max(next(reversed(ledger.answers), 0) for ledger in ledgers))
        content = to_text((mark, tuple(snapshot_of(ledger) for ledger in ledgers)))
        self._cache.keep(NAME, snapshot_key(ledgers), position, zlib.compress(content, FAST))

    def let_go(self, ledgers: Sequence[Ledger]) -> None:
        """Drop the tasks and answers of ledgers from memory if they hold many; the log has them."""
        position, stored = ledgers[0].log_position, ledgers[0].stored
        since = 0 if stored is None else stored.until
        if position - since >= max(MOST_IN_MEMORY, SHARE_IN_MEMORY * position):
            for ledger in ledgers:
                ledger.let_go(self._log)

    def _mark(self, *positions: int) -> str:
        """Return a hash of the last entry and the last answer, whose assignment no other log has."""
        entries = [self._log.entry_at(position) for position in positions]
        return hashlib.sha256(repr(entries).encode(errors="replace")).hexdigest()


def snapshot_key(ledgers: Sequence[Ledger]) -> str:
    """Return a hash of everything except the log that the ledgers depend on."""
    keys = [f"{FORMAT}", *(f"{cache_key(ledger)} {ledger.condition}" for ledger in ledgers)]
    return hashlib.sha256(" ".join(keys).encode()).hexdigest()
