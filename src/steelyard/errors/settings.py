"""Settings of a study, a model or a selection that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from steelyard.errors.base import SteelyardError

NEAR = 0.6  # how alike two names are, from 0 to 1, where one may be meant for the other


class BadSetting(SteelyardError):
    """A setting has a value that cannot be used."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")


class UnknownName(BadSetting):
    """A name nobody knows, answered with the closest one that is known.

    `elsewhere` has names that are known in another place, each with that place in words.
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
    """Two fits whose deviances are about different tables."""

    def __init__(self, reason: str) -> None:
        SteelyardError.__init__(self, f"These fits cannot be compared by a likelihood ratio: {reason}")
