"""What all errors are: a user can correct their cause, and the message says how."""

from __future__ import annotations

from typing import Any

LISTED = 20  # rows or ids named in one message; the rest are counted


class SteelyardError(Exception):
    """Base of every error whose cause a user can correct."""

    __module__ = __package__

    def __init_subclass__(cls) -> None:
        """Errors show the name that users import, whichever file of this package they are in."""
        if cls.__module__.startswith(f"{__package__}."):
            cls.__module__ = __package__

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors come whole out of another process: as their words, not as the facts that these are made from."""
        return Exception.__new__, (type(self), *self.args), vars(self)


class BadInput(SteelyardError):
    """A file or frame cannot be read as judgments or items."""
