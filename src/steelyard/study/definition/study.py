"""A study in its folder: the definition, the items and the anchors."""

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
    """A study: its folder, its definition, its items and the anchors in its anchors file."""

    folder: Path
    definition: StudyDefinition
    items: Items
    anchors: tuple[Anchor, ...] = ()

    def __post_init__(self) -> None:
        if self.definition.learning.unit == "system" and not all(item.system for item in self.items.all):
            raise BadSetting(
                "unit",
                "'system' needs a system for every item. Set system in [items] to the column with the systems.",
            )
        check_anchors(self.definition, self.anchors)
        self._check_training()

    def _check_training(self) -> None:
        """Raise BadSetting if an exercise shows an item or a file that does not exist."""
        training = self.definition.training
        for at, task in enumerate(training.tasks if training is not None else ()):
            where = f"training, tasks[{at}]"
            for item in several(task.item):
                if item not in self.items.index:
                    raise BadSetting(where, f"item {item!r} is not in the items file.")
            for name in several(task.image):
                if media_file(self.folder, str(name), "image") is None:
                    raise BadSetting(where, f"image {name!r} is not an image file in the study's folder.")


def open_study(folder: Path, begun: Mapping[str, Any] | None = None) -> Study:
    """Open the study in a folder; `begun` has the facts of the newest `defined` event if the study has started."""
    return study_in(folder, read_definition(folder, begun))


def study_in(folder: Path, definition: StudyDefinition) -> Study:
    """Return the study with this definition and with the items and anchors in a folder."""
    items = read_items(folder, definition.items)
    return Study(folder, definition, items, read_anchors(folder, definition, items))
