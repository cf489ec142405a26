"""[asking] and [[questions]] of study.toml: what a page asks, and in which way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steelyard.errors import BadSetting
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import PROTOCOLS, kind_of
from steelyard.kinds.protocol import Protocol
from steelyard.kinds.rating import ONE
from steelyard.study.definition.sections.limits import check_limits
from steelyard.study.definition.sections.scale import ScaleSettings

DEFAULT_PROTOCOL = ONE.name
LEAST = {"list_size": 1, "group_size": 2}
MOST = {"list_size": 1_000, "group_size": 10_000}


@dataclass(frozen=True, slots=True)
class AskingSettings:
    """How the study asks: its protocol, the size of a page, and the answers that it offers."""

    protocol: str = DEFAULT_PROTOCOL
    list_size: int = 5
    group_size: int = 10
    ties: bool = True
    both_bad: bool = False
    strength: bool = False

    def __post_init__(self) -> None:
        if (self.strength or self.both_bad) and not {"strength", "both_bad"} <= set(self.way.takes):
            raise BadSetting("strength and both_bad", 'are asked by protocol = "comparison" alone.')
        if self.both_bad and not self.ties:
            raise BadSetting("both_bad", "is a tie; set ties = true.")
        if self.task_size < self.way.least:
            raise BadSetting("list_size", f"{self.protocol} needs at least {self.way.least} items on a page.")
        check_limits(self, LEAST, MOST)

    @property
    def way(self) -> Protocol:
        """The protocol of this name: the kind of judgment and the items of a page."""
        return PROTOCOLS[self.protocol]

    @property
    def kind(self) -> Kind[Any]:
        """The kind of judgment that the study asks for."""
        return kind_of(self.protocol)

    @property
    def task_size(self) -> int:
        """Items in one task."""
        return self.list_size if self.way.size is None else self.way.size


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of an item."""

    text: str
    id: str = "question"
    hint: str = ""
    most: str = ""
    more: str = ""
    lower: str = "definitely lower"
    not_lower: str = "not lower"
    higher: str = "definitely higher"
    not_higher: str = "not higher"
    scale: ScaleSettings | None = None

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise BadSetting("questions, text", "is empty; write what is asked of an item.")
