"""What all errors are: they can be mended by a user, and they say so in whole sentences."""

from __future__ import annotations

from typing import Any

LISTED = 20  # rows or ids named in one message; the rest are counted


class SteelyardError(Exception):
    """Base of every error that a user can mend."""

    __module__ = __package__

    def __init_subclass__(cls) -> None:
        """Errors are told by the name that users import, whichever file of this room they are in."""
        if cls.__module__.startswith(f"{__package__}."):
            cls.__module__ = __package__

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors come whole out of another process: as their words, not as the facts that these are made from."""
        return Exception.__new__, (type(self), *self.args), vars(self)


class BadInput(SteelyardError):
    """A file or frame cannot be read as judgments or items."""
