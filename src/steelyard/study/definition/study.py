"""A study in its folder: the definition, the items and the anchors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting
from steelyard.kinds.asked import several
from steelyard.study.definition.anchors_file import Anchor, check_anchors, read_anchors
from steelyard.study.definition.checks import Checks, read_checks
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items, read_items
from steelyard.study.definition.media_files import media_file
from steelyard.study.definition.study_file import read_definition


@dataclass(frozen=True, eq=False)
class Study:
    """A study: its folder, its definition, its items, the anchors in its anchors file, its arms, and its checks.

    Each arm is a study of its own with the same items. A study without [[condition]] tables has no arms. `ways` has the
    study as it is for each of several protocols.
    """

    folder: Path
    definition: StudyDefinition
    items: Items
    anchors: tuple[Anchor, ...] = ()
    arms: tuple[Study, ...] = ()
    checks: Checks = field(default_factory=Checks)
    ways: tuple[Study, ...] = ()

    def __post_init__(self) -> None:
        asked = (item for item, is_asked in zip(self.items.all, self.items.asked, strict=True) if is_asked)
        if self.definition.learning.unit == "system" and not all(item.system for item in asked):
            raise BadSetting(
                "unit",
                "'system' needs a system for every item. Set system in [items] to the column with the systems.",
            )
        check_anchors(self.definition, self.anchors)
        self._check_training()

    @property
    def asked(self) -> tuple[Study, ...]:
        """The studies that raters answer: the arms, or the study itself if it has none."""
        return self.arms or (self,)

    @property
    def asked_ways(self) -> tuple[Study, ...]:
        """The study as it is for each protocol: the study itself if it has only one."""
        return self.ways or (self,)

    def in_way(self, protocol: str) -> Study:
        """Return the study as it is for the tasks of one protocol: the study itself if it has only one."""
        return next((way for way in self.ways if way.definition.asking.protocol == protocol), self)

    def with_items(self, items: Items) -> Study:
        """Return the study, its arms and its ways with other items."""
        asked = with_unasked(items, self.definition, self.anchors, self.checks)
        arms, ways = (tuple(each.with_items(items) for each in some) for some in (self.arms, self.ways))
        return replace(self, items=asked, arms=arms, ways=ways)

    def _check_training(self) -> None:
        """Raise BadSetting if an exercise shows an item or a file that does not exist."""
        training = self.definition.training
        for at, task in enumerate(training.tasks if training is not None else ()):
            where = f"training, tasks[{at}]"
            for item in several(task.item):
                if item not in self.items.index:
                    raise BadSetting(
                        where, f"item {item!r} is not in the items file. Add it, or correct the id."
                    )
            for name in several(task.image):
                if media_file(self.folder, str(name), "image") is None:
                    raise BadSetting(
                        where,
                        f"image {name!r} is not an image file in the study's folder. Copy it there, or correct the "
                        "name.",
                    )


def open_study(folder: Path, begun: Mapping[str, Any] | None = None) -> Study:
    """Open the study in a folder; `begun` has the facts of the newest `defined` event if the study has started."""
    return study_in(folder, read_definition(folder, begun))


def study_in(folder: Path, definition: StudyDefinition) -> Study:
    """Return the study with this definition and with the items and anchors in a folder."""
    return study_with(folder, definition, read_items(folder, definition.items))


def study_with(folder: Path, definition: StudyDefinition, items: Items) -> Study:
    """Return the study with this definition, these items, the anchors in a folder, and its arms.

    Parameters
    ----------
    folder
        Folder of the study.
    definition
        Settings of the study.
    items
        Items of the study.

    Returns
    -------
    Study
        The study with its arms.
    """
    arms = tuple(_with_anchors(folder, arm, items) for arm in definition.conditions)
    return replace(_with_anchors(folder, definition, items), arms=arms)


def _with_anchors(folder: Path, definition: StudyDefinition, items: Items) -> Study:
    anchors, checks = read_anchors(folder, definition, items), read_checks(folder, definition, items)
    asked = with_unasked(items, definition, anchors, checks)
    ways = tuple(_with_anchors(folder, way, items) for way in definition.ways)
    return Study(folder, definition, asked, anchors, checks=checks, ways=ways)


def with_unasked(
    items: Items, definition: StudyDefinition, anchors: Sequence[Anchor], checks: Checks
) -> Items:
    """Return the items with those marked that are shown but not asked.

    Parameters
    ----------
    items
        Items as they were read.
    definition
        Settings of the study.
    anchors
        Anchors of the anchors file, which `ask = false` in [anchors] does not ask.
    checks
        Checks, whose items are asked only in checks.

    Returns
    -------
    Items
        The items of the study.
    """
    shown = () if definition.grounding.anchor_settings.ask else (anchor.item for anchor in anchors)
    unasked = checks.items.union(shown)
    if len(unasked) >= len(items):
        raise BadSetting("checks", "every item is shown only in checks or as an anchor. Add items to ask.")
    return replace(items, unasked=unasked)
