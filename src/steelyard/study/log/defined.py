"""The facts of the event `defined`, with which a study starts and which each change of its settings repeats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.study.definition.definition import CONDITIONS

ASKING = ("questions", "scales", "protocol")  # facts of the study, and of each of its arms


def check_defined(facts: Mapping[str, Any]) -> None:
    """Raise ValueError if the facts of an event `defined` cannot have been written by Steelyard."""
    _check_has(facts, (*ASKING, "items"))
    arms = facts.get(CONDITIONS, {})
    if not isinstance(arms, Mapping):
        raise ValueError(f"the event 'defined' has {CONDITIONS} of a wrong type")
    for arm in arms.values():
        _check_has(arm, ASKING)


def _check_has(facts: Any, names: tuple[str, ...]) -> None:
    """Raise ValueError if one of these facts is missing or of a wrong type."""
    if not isinstance(facts, Mapping):
        raise ValueError("the event 'defined' has facts of a wrong type")
    for name in names:
        types = (list, tuple, str) if name == "protocol" else (list, tuple)  # a log in memory may have tuples
        if not isinstance(facts.get(name), types):
            raise ValueError(f"the event 'defined' has no {name}")
