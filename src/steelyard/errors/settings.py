"""Settings of a study, a model or a selection that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from steelyard.errors.base import SteelyardError

NEAR = 0.6  # similarity, from 0 to 1, from which a known name is suggested


class BadSetting(SteelyardError):
    """A setting has a value that cannot be used."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")


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
        SteelyardError.__init__(self, f"{place}nknown {what} {name!r}.{hint} Known: {', '.join(choices)}.")


class DifferentTables(BadSetting):
    """Two fits whose deviances are computed on different tables."""

    def __init__(self, reason: str) -> None:
        SteelyardError.__init__(self, f"These fits cannot be compared by a likelihood ratio test: {reason}")
