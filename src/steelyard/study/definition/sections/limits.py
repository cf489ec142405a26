"""The smallest and largest numbers that a section of study.toml takes."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.errors import BadSetting


def check_limits(record: object, least: Mapping[str, float], most: Mapping[str, float]) -> None:
    """Refuse a setting of the record that is below its `least` or above its `most` value."""
    for name, smallest in least.items():
        if getattr(record, name) < smallest:
            raise BadSetting(name, f"{getattr(record, name):g} is not at least {smallest:g}.")
    for name, largest in most.items():
        if getattr(record, name) > largest:
            raise BadSetting(name, f"{getattr(record, name):g} is not at most {largest:,}.")


def check_distinct(where: str, ids: list[str]) -> None:
    """Refuse two entries with the same id."""
    for repeated in {each for each in ids if ids.count(each) > 1}:
        raise BadSetting(where, f"id {repeated!r} stands twice; ids must differ.")
