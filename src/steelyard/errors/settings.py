"""Settings of a study, a model or a selection that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from steelyard.errors.base import SteelyardError

ITEM_UNIT = "choose unit item (--unit item)"  # what to do if judgments name no systems
LISTED_WITH_HINT = 20  # most known names that are listed beside a suggestion
NEAR = 0.6  # similarity, from 0 to 1, from which a known name is suggested


class BadSetting(SteelyardError):
    """A setting has a value that cannot be used."""

    def __init__(self, name: str, reason: str) -> None:
        joint = " " if reason.startswith("is ") else ": "
        super().__init__(f"{name}{joint}{reason}")


class UnknownName(BadSetting):
    """An unknown name; the message suggests the most similar known name.

    `elsewhere` maps names that are valid in another place to a description of that place.
    """

    def __init__(
        self,
        what: str,
        name: str,
        choices: Sequence[str],
        where: str = "",
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        others = {other: f" {place}" for other, place in (elsewhere or {}).items()}
        places = {**others, **dict.fromkeys(choices, "")}
        close = get_close_matches(name, places, n=1, cutoff=NEAR)
        hint = f" Did you mean {close[0]!r}{places[close[0]]}?" if close else ""
        place = f"{where}: u" if where else "U"
        known = "" if close and len(choices) > LISTED_WITH_HINT else f" Known: {', '.join(choices)}."
        known = known if choices else f" It has no {what}s."
        SteelyardError.__init__(self, f"{place}nknown {what} {name!r}.{hint}{known}")


class NoSystems(BadSetting):
    """A scale of systems was requested, but the judgments have no system columns."""

    def __init__(self, kind: str, columns: Sequence[str], otherwise: str = ITEM_UNIT) -> None:
        named = " and ".join(columns)
        noun = "column" if len(columns) == 1 else "columns"
        SteelyardError.__init__(
            self,
            f"unit: the {kind} judgments have no {noun} {named}. Add the {noun}, with the system that produced each "
            f"item, or {otherwise}.",
        )


class DifferentTables(BadSetting):
    """Two fits whose deviances are computed on different tables."""

    def __init__(self, reason: str) -> None:
        SteelyardError.__init__(self, f"These fits cannot be compared by a likelihood ratio test: {reason}")
