"""Checks of settings that several models of comparisons share.

With settings between LEAST and MOST, their squares, ratios and exponentials neither overflow nor underflow.
"""

from __future__ import annotations

from steelyard.errors import BadSetting

LEAST, MOST = 1e-12, 1e12


def check_above_zero(**settings: float) -> None:
    """Raise an error if a setting is not above 0, or not between LEAST and MOST."""
    for name, value in settings.items():
        if not value > 0.0:
            raise BadSetting(name, f"{value} is not above 0.")
        if not LEAST <= value <= MOST:
            raise BadSetting(name, f"{value} is not a number from {LEAST:g} to {MOST:g}.")


def check_from_zero(most: float = MOST, /, **settings: float) -> None:
    """Raise an error if a setting is below 0 or above `most`."""
    for name, value in settings.items():
        if not value >= 0.0:
            raise BadSetting(name, f"{value} is not a number from 0 up.")
        if value > most:
            raise BadSetting(name, f"{value} is not a number from 0 to {most:g}.")


def check_place(**settings: float) -> None:
    """Raise an error if a position is too large to be distinguished from neighbouring numbers."""
    for name, value in settings.items():
        if not -MOST <= value <= MOST:
            raise BadSetting(name, f"{value} is not a number from {-MOST:g} to {MOST:g}.")
