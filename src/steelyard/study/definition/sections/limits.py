"""Limits of the numbers in a section of study.toml."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.errors import BadSetting


def check_limits(record: object, least: Mapping[str, float], most: Mapping[str, float]) -> None:
    """Raise an error if a setting is below its smallest or above its largest value.

    Parameters
    ----------
    record
        Record with the settings as attributes.
    least
        Smallest allowed value by name of the setting.
    most
        Largest allowed value by name of the setting.
    """
    for name, smallest in least.items():
        if getattr(record, name) < smallest:
            raise BadSetting(name, f"{getattr(record, name):g} is too small. Write at least {smallest:g}.")
    for name, largest in most.items():
        if getattr(record, name) > largest:
            raise BadSetting(name, f"{getattr(record, name):g} is too large. Write at most {largest:,}.")


def check_distinct(where: str, ids: list[str]) -> None:
    """Raise an error if two entries have the same id."""
    for repeated in {each for each in ids if ids.count(each) > 1}:
        raise BadSetting(where, f"two entries have the id {repeated!r}. Give each its own id.")
