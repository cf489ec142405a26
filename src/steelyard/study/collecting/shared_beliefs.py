"""Beliefs that one process learns and all processes of a study use, kept beside the log as a disposable cache."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from steelyard.scales.belief import Belief
from steelyard.study.collecting.plain_records import from_text, to_text
from steelyard.study.log.interface import Cache
from steelyard.study.log.ledger import Ledger
from steelyard.version import VERSION

NAME = "belief"
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ImportError)  # written by another version


@dataclass(frozen=True, slots=True)
class SharedBelief:
    """A belief learned from the answers up to a log position, and the number of these answers."""

    log_position: int
    answers: int
    belief: Belief


class SharedBeliefs:
    """The newest belief of a study or one of its arms, as long as its settings and items stay the same."""

    def __init__(self, cache: Cache, ledger: Ledger) -> None:
        self._cache = cache
        self._name = f"{NAME} {ledger.definition.condition}"
        self._settings = cache_key(ledger)

    def newest(self, after: int) -> SharedBelief | None:
        """Return the stored belief if it was learned after this log position."""
        stored = self._cache.newest(self._name, self._settings, after)
        if stored is None:
            return None
        try:
            answers, belief = from_text(stored[1])
        except UNREADABLE:
            return None
        return SharedBelief(stored[0], int(answers), belief)

    def keep(self, learned: SharedBelief) -> bool:
        """Store a belief; return False if its class belongs to another package and cannot be stored."""
        try:
            text = to_text((learned.answers, learned.belief))
        except TypeError:
            return False
        self._cache.keep(self._name, self._settings, learned.log_position, text)
        return True


def cache_key(ledger: Ledger) -> str:
    """Return a hash of everything except the log that a stored result depends on."""
    parts = [VERSION, ledger.definition.settings_digest(), ledger.items.ids.tolist()]
    return hashlib.sha256(json.dumps(parts).encode(errors="replace")).hexdigest()
