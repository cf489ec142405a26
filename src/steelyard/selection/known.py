"""The selections by name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from steelyard.errors import UnknownName
from steelyard.selection.all_pairs import AllPairs
from steelyard.selection.balanced import Balanced
from steelyard.selection.easl import EaslSelection
from steelyard.selection.information import Information
from steelyard.selection.match_quality import MatchQuality
from steelyard.selection.pool import Selection
from steelyard.selection.sequences import Sequences

SELECTIONS: dict[str, type[Any]] = {
    selection.name: selection
    for selection in (AllPairs, Balanced, EaslSelection, Information, MatchQuality, Sequences)
}


def selection_named(name: str, **settings: Any) -> Selection:
    """The selection of this name with those of the settings that it has.

    >>> selection_named("balanced", size=5).name
    'balanced'
    """
    if name not in SELECTIONS:
        raise UnknownName("selection", name, tuple(SELECTIONS))
    selection = SELECTIONS[name]
    own = {field.name for field in fields(selection)}
    made: Selection = selection(**{key: value for key, value in settings.items() if key in own})
    return made
