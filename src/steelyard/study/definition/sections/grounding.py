"""[anchors], [rounds], [cold_start] and [probes] of study.toml: what grounds the scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from steelyard.errors import BadSetting

ShownGround = Literal["labels", "examples", "own"]
EVERYTHING: tuple[ShownGround, ...] = ("labels", "examples", "own")


@dataclass(frozen=True, slots=True)
class AnchorSettings:
    """What stands along the scale, and where the first examples come from; `distance` is a share of the scale."""

    file: str = ""
    show: tuple[ShownGround, ...] = EVERYTHING
    most: int = 7
    distance: float = 0.08

    def __post_init__(self) -> None:
        if self.most < 2:
            raise BadSetting("anchors, most", f"{self.most} is not at least 2.")
        if not 0.0 < self.distance < 1.0:
            raise BadSetting(
                "anchors, distance", f"{self.distance:g} is not a share of the scale, such as 0.08."
            )
        if self.file and "examples" not in self.show:
            raise BadSetting("anchors, show", 'a file gives examples; add "examples", or leave the file out.')


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """Into how many rounds the items are dealt, and how many of the earlier ones each further round asks again."""

    number: int = 1
    reannotate: int = 0

    def __post_init__(self) -> None:
        if self.number < 1:
            raise BadSetting("rounds, number", f"{self.number} is not at least 1.")
        if self.reannotate < 0:
            raise BadSetting("rounds, reannotate", f"{self.reannotate} is not at least 0.")


@dataclass(frozen=True, slots=True)
class ColdStartSettings:
    """Who makes the first anchors: so many items, drawn at random and placed on one scale."""

    size: int = 7
    by: Literal["owner", "raters"] = "owner"
    shared: bool = True
    least: int = 1
    labelled: bool = True

    def __post_init__(self) -> None:
        if self.size < 2:
            raise BadSetting("cold_start, size", f"{self.size} is not at least 2.")
        if self.least < 1:
            raise BadSetting("cold_start, least", f"{self.least} is not at least 1.")


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """Every so many tasks of a sequence, its first item is asked again."""

    every: int = 10
    item: Literal["first"] = "first"

    def __post_init__(self) -> None:
        if self.every < 2:
            raise BadSetting("probes, every", f"{self.every} is not at least 2.")


@dataclass(frozen=True, slots=True)
class GroundingSettings:
    """What grounds the scale: examples along it, rounds, where the first examples come from, and repeats."""

    anchors: AnchorSettings | None = None
    rounds: RoundSettings = field(default_factory=RoundSettings)
    cold_start: ColdStartSettings | None = None
    probes: ProbeSettings | None = None

    def __post_init__(self) -> None:
        if self.cold_start is not None and self.anchor_settings.file:
            raise BadSetting("cold_start", "the anchors come from a file already; leave one of the two out.")

    @property
    def anchor_settings(self) -> AnchorSettings:
        """How anchors are spread: as set, or by default."""
        return AnchorSettings() if self.anchors is None else self.anchors

    @property
    def is_grounded(self) -> bool:
        """Does the study make examples, by a cold start or by closing rounds?"""
        return self.cold_start is not None or self.rounds.number > 1
