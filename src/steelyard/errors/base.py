"""The base classes of all errors."""

from __future__ import annotations

from typing import Any

LISTED = 20  # rows or ids named in one message; the rest are counted


class SteelyardError(Exception):
    """Base class of every error whose cause a user can correct.

    Examples
    --------
    >>> from steelyard import SteelyardError, read
    >>> try:
    ...     read({"rater": ["ann"], "item": ["tea"], "score": ["many"]})
    ... except SteelyardError as error:
    ...     print(error)
    the data frame, row 1: score 'many' is not a number.
    Write a plain number such as 63 or 0.63, or remove the row.
    """

    __module__ = __package__

    def __init_subclass__(cls) -> None:
        """Give each error the module name that users import it from."""
        if cls.__module__.startswith(f"{__package__}."):
            cls.__module__ = __package__

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message instead of the constructor arguments, so that errors cross processes unchanged."""
        return Exception.__new__, (type(self), *self.args), vars(self)


class BadInput(SteelyardError):
    """A file or data frame cannot be read as judgments or items, or its judgments cannot be used."""
