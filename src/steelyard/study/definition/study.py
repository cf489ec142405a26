"""A study as it lies in a folder: its definition and its items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting
from steelyard.kinds.asked import several
from steelyard.study.definition.anchors_file import Anchor, check_anchors, read_anchors
from steelyard.study.definition.definition import StudyDefinition, read_definition
from steelyard.study.definition.items import Items, read_items
from steelyard.study.definition.media_files import media_file


@dataclass(frozen=True, eq=False)
class Study:
    """What is asked of whom, in what way, about what."""

    folder: Path
    definition: StudyDefinition
    items: Items
    anchors: tuple[Anchor, ...] = ()

    def __post_init__(self) -> None:
        if self.definition.learning.unit == "system" and not all(item.system for item in self.items.all):
            raise BadSetting(
                "unit", "'system' needs a system for every item; name the column in [items] system."
            )
        check_anchors(self.definition, self.anchors)
        self._check_training()

    def _check_training(self) -> None:
        """Every item and file that an exercise shows is there."""
        training = self.definition.training
        for at, task in enumerate(training.tasks if training is not None else ()):
            where = f"training, tasks[{at}]"
            for item in several(task.item):
                if item not in self.items.index:
                    raise BadSetting(where, f"item {item!r} is not among the items.")
            for name in several(task.image):
                if media_file(self.folder, str(name), "image") is None:
                    raise BadSetting(where, f"image {name!r} is not an image file in the study's folder.")


def open_study(folder: Path, begun: Mapping[str, Any] | None = None) -> Study:
    """The study in a folder; `begun` has the facts of the newest `defined` event of its log, if it has begun."""
    return study_in(folder, read_definition(folder, begun))


def study_in(folder: Path, definition: StudyDefinition) -> Study:
    """The study of this definition, with the items and anchors that lie in a folder."""
    items = read_items(folder, definition.items)
    return Study(folder, definition, items, read_anchors(folder, definition, items))
