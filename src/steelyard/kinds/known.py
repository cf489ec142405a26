"""The kinds and the protocols by name: those of Steelyard, and those that other packages register.

A package declares a kind of its own in the entry point group `steelyard.kinds`; its value is an instance of `Kind`.
"""

from __future__ import annotations

from typing import Any

from steelyard.errors import BadSetting
from steelyard.judgments.conversions import CONVERSIONS
from steelyard.judgments.table_kinds import KINDS as TABLE_KINDS
from steelyard.kinds.best_worst import BEST_WORST
from steelyard.kinds.comparison import COMPARISON
from steelyard.kinds.kind import Kind
from steelyard.kinds.protocol import Protocol
from steelyard.kinds.range import RANGE
from steelyard.kinds.ranking import RANKING
from steelyard.kinds.rating import RATING
from steelyard.registry import Registry

PARTS = ("name", "record", "table", "cell", "protocols", "default_model")


class KindRegistry(Registry[Kind[Any]]):
    """The kinds by name; each brings its table, its protocols and its conversions with it."""

    def register(self, part: Kind[Any]) -> Kind[Any]:
        """Make a kind known with all its parts, or with none of them where one is refused.

        A kind that is registered already stays as it is. Raises BadSetting where something is missing, or where a
        name is taken by another kind.
        """
        if all(type(each) is not type(part) for each in self._parts.values()):
            super().register(part)
            _register_parts(part)
        return part

    def remove(self, name: str) -> None:
        """Forget a kind with all its parts."""
        kind = self[name]
        for conversion in kind.conversions:
            CONVERSIONS.remove(conversion.name)
        for protocol in kind.protocols:
            PROTOCOLS.remove(protocol.name)
        TABLE_KINDS.remove(name)
        super().remove(name)


def check_kind(kind: Any) -> None:
    """Refuse what is no kind, or a kind whose parts contradict each other or have names that are taken."""
    if not isinstance(kind, Kind):
        raise BadSetting("kind", f"{kind!r} is not a steelyard.kinds.kind.Kind; register an instance of one.")
    missing = [part for part in PARTS if not hasattr(kind, part)]
    if missing:
        raise BadSetting(f"kind {type(kind).__name__}", f"has no {missing[0]}; set it in the class.")
    _check_names(kind)
    if set(kind.cell.values) != set(kind.table.values):
        raise BadSetting(
            f"kind {kind.name}",
            f"its cell holds {kind.cell.values}, its table {kind.table.values}; give both the same columns.",
        )


def _check_names(kind: Kind[Any]) -> None:
    named = {kind.name, kind.table.name, kind.cell.kind, kind.record.kind, *(p.kind for p in kind.protocols)}
    if len(named) > 1 or not kind.protocols:
        raise BadSetting(
            f"kind {kind.name}",
            f"name, table, cell, record and at least one protocol must name one kind; they name {sorted(named)}.",
        )
    taken = [f"protocol {each.name!r}" for each in kind.protocols if PROTOCOLS.taken(each.name)]
    taken += [f"conversion {each.name!r}" for each in kind.conversions if CONVERSIONS.taken(each.name)]
    if taken and not KINDS.taken(kind.name):
        raise BadSetting(f"kind {kind.name}", f"the {taken[0]} is registered already. Choose another name.")


def _register_parts(kind: Kind[Any]) -> None:
    TABLE_KINDS.register(kind.table)
    for protocol in kind.protocols:
        PROTOCOLS.register(protocol)
    for conversion in kind.conversions:
        CONVERSIONS.register(conversion)


def register_kind(kind: Kind[Any]) -> Kind[Any]:
    """Make a kind known by its name, as the built-in ones are.

    A package that is installed beside Steelyard needs no call of this: an entry point of the group `steelyard.kinds`
    names its kind.
    """
    return KINDS.register(kind)


def kind_of(protocol: str) -> Kind[Any]:
    """The kind of judgment that a protocol asks for.

    >>> kind_of("list").name
    'rating'
    """
    return KINDS[PROTOCOLS[protocol].kind]


KINDS = KindRegistry("kind", "steelyard.kinds", (RATING, COMPARISON, RANKING, BEST_WORST, RANGE), check_kind)
PROTOCOLS: Registry[Protocol] = Registry("protocol")
for _kind in KINDS.built_in.values():
    _register_parts(_kind)
for _registry in (TABLE_KINDS, PROTOCOLS, CONVERSIONS):
    _registry.leader = KINDS
