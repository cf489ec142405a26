"""Checks of settings that several models of comparisons have.

What a model does with its settings (squares, ratios and exponentials of them) stays within what a floating-point
number can hold as long as they lie between LEAST and MOST.
"""

from __future__ import annotations

from steelyard.errors import BadSetting

LEAST, MOST = 1e-12, 1e12


def check_above_zero(**settings: float) -> None:
    """Refuse a setting that is not above 0, or not from LEAST to MOST, NaN too, by its name."""
    for name, value in settings.items():
        if not value > 0.0:
            raise BadSetting(name, f"{value} is not above 0.")
        if not LEAST <= value <= MOST:
            raise BadSetting(name, f"{value} is not a number from {LEAST:g} to {MOST:g}.")


def check_from_zero(most: float = MOST, /, **settings: float) -> None:
    """Refuse a setting below 0 or above `most`, NaN and infinity too, by its name."""
    for name, value in settings.items():
        if not value >= 0.0:
            raise BadSetting(name, f"{value} is not a number from 0 up.")
        if value > most:
            raise BadSetting(name, f"{value} is not a number from 0 to {most:g}.")


def check_place(**settings: float) -> None:
    """Refuse a place on a scale that is too far out to be distinguished from its neighbours, NaN too, by its name."""
    for name, value in settings.items():
        if not -MOST <= value <= MOST:
            raise BadSetting(name, f"{value} is not a number from {-MOST:g} to {MOST:g}.")
