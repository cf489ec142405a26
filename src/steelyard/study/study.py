"""A study as it lies in a folder: its definition and its items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import BadSetting
from steelyard.study.definition import StudyDefinition, read_definition
from steelyard.study.items import Items, read_items


@dataclass(frozen=True, eq=False)
class Study:
    """What is asked of whom, in what way, about what."""

    folder: Path
    definition: StudyDefinition
    items: Items

    def __post_init__(self) -> None:
        if self.definition.unit == "system" and not all(item.system for item in self.items.all):
            raise BadSetting(
                "unit", "'system' needs a system for every item; name the column in [items] system."
            )


def open_study(folder: Path) -> Study:
    """The study in a folder."""
    definition = read_definition(folder)
    return Study(folder, definition, read_items(folder, definition.items))
