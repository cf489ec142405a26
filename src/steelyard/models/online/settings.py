"""Checks of settings that several models of comparisons have."""

from __future__ import annotations

from steelyard.errors import BadSetting


def check_above_zero(**settings: float) -> None:
    """Refuse a setting that is not above 0, NaN too, by its name."""
    for name, value in settings.items():
        if not value > 0.0:
            raise BadSetting(name, f"{value} is not above 0.")


def check_from_zero(**settings: float) -> None:
    """Refuse a setting below 0, NaN too, by its name."""
    for name, value in settings.items():
        if not value >= 0.0:
            raise BadSetting(name, f"{value} is not a number from 0 up.")
