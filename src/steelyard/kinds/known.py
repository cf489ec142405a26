"""The registries of kinds and protocols.

A package adds a kind in the entry point group `steelyard.kinds`; the value is an instance of `Kind`.
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
    """Kinds by name. Registering a kind also registers its table, protocols and conversions."""

    def register(self, part: Kind[Any]) -> Kind[Any]:
        """Register a kind with all its parts.

        If one part is refused, nothing is registered. A kind of the same class that is already registered stays.
        `BadSetting` is raised if a part is missing or a name is already used by another kind.
        """
        if all(type(each) is not type(part) for each in self._parts.values()):
            super().register(part)
            _register_parts(part)
        return part

    def remove(self, name: str) -> None:
        """Remove a kind with all its parts."""
        kind = self[name]
        for conversion in kind.conversions:
            CONVERSIONS.remove(conversion.name)
        for protocol in kind.protocols:
            PROTOCOLS.remove(protocol.name)
        TABLE_KINDS.remove(name)
        super().remove(name)


def check_kind(kind: Any) -> None:
    """Raise BadSetting if a part is missing, parts contradict each other, or a name is already used."""
    if not isinstance(kind, Kind):
        raise BadSetting(
            "kind",
            f"{kind!r} is not an instance of a steelyard.kinds.kind.Kind subclass. Register an instance.",
        )
    missing = [part for part in PARTS if not hasattr(kind, part)]
    if missing:
        raise BadSetting(f"kind {type(kind).__name__}", f"has no {missing[0]}. Set it in the class.")
    _check_names(kind)
    if set(kind.cell.values) != set(kind.table.values):
        raise BadSetting(
            f"kind {kind.name}",
            f"its cell has {kind.cell.values}, its table {kind.table.values}. Give both the same columns.",
        )


def _check_names(kind: Kind[Any]) -> None:
    named = {kind.name, kind.table.name, kind.cell.kind, kind.record.kind, *(p.kind for p in kind.protocols)}
    if len(named) > 1 or not kind.protocols:
        raise BadSetting(
            f"kind {kind.name}",
            f"name, table, cell, record and at least one protocol must have the same kind. Found: {sorted(named)}.",
        )
    taken = [f"protocol {each.name!r}" for each in kind.protocols if PROTOCOLS.taken(each.name)]
    taken += [f"conversion {each.name!r}" for each in kind.conversions if CONVERSIONS.taken(each.name)]
    if taken and not KINDS.taken(kind.name):
        raise BadSetting(f"kind {kind.name}", f"the {taken[0]} is already registered. Choose another name.")


def _register_parts(kind: Kind[Any]) -> None:
    TABLE_KINDS.register(kind.table)
    for protocol in kind.protocols:
        PROTOCOLS.register(protocol)
    for conversion in kind.conversions:
        CONVERSIONS.register(conversion)


def register_kind(kind: Kind[Any]) -> Kind[Any]:
    """Register a kind of judgment, so that it can be used by name like the built-in kinds.

    An installed package can declare its kind in the entry point group `steelyard.kinds` instead.

    Parameters
    ----------
    kind
        Instance of a subclass of `steelyard.kinds.kind.Kind`.

    Returns
    -------
    Kind
        The same kind.

    Raises
    ------
    BadSetting
        If a part of the kind is missing, or a name is already used by another kind.

    Examples
    --------
    >>> from steelyard import register_kind
    >>> from steelyard.kinds.rating import RATING
    >>> register_kind(RATING).name  # already registered, so this changes nothing
    'rating'
    """
    return KINDS.register(kind)


def kind_of(protocol: str) -> Kind[Any]:
    """Return the kind of judgment that a protocol asks for.

    >>> kind_of("list").name
    'rating'
    """
    return KINDS[PROTOCOLS[protocol].kind]


KINDS = KindRegistry("kind", "steelyard.kinds", (RATING, COMPARISON, RANKING, BEST_WORST, RANGE), check_kind)
PROTOCOLS: Registry[Protocol] = Registry("protocol")
DEFAULT_PROTOCOL = RATING.protocols[0].name  # of studies that name none
for _kind in KINDS.built_in.values():
    _register_parts(_kind)
for _registry in (TABLE_KINDS, PROTOCOLS, CONVERSIONS):
    _registry.leader = KINDS
