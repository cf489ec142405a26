"""[anchors], [rounds], [cold_start] and [probes] of study.toml: examples along the scale, and repeated items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from steelyard.errors import BadSetting

ShownGround = Literal["labels", "examples", "own"]
EVERYTHING: tuple[ShownGround, ...] = ("labels", "examples", "own")


@dataclass(frozen=True, slots=True)
class AnchorSettings:
    """Examples along the scale.

    Parameters
    ----------
    file
        CSV, JSONL or Parquet file in the study folder, with the columns `item` and `position`, or `item`, `low` and
        `high`. Every item must be an item of the study. The log stores the file before the first task. After that
        it must not change.
    show
        What is shown along the scale, in a list: `"labels"` (the labels of the scale), `"examples"` (the anchors of
        the round) and `"own"` (earlier answers of the rater).
    most
        Number of anchors that are chosen at the end of a round (in each segment) and shown on a page at the same
        time. At least 2.
    distance
        Smallest distance between two anchors, as a share of the scale between 0 and 1.
    ask
        Whether the items of the file are also asked. If false, they are shown only as examples.
    """

    file: str = ""
    show: tuple[ShownGround, ...] = EVERYTHING
    most: int = 7
    distance: float = 0.08
    ask: bool = True

    def __post_init__(self) -> None:
        if self.most < 2:
            raise BadSetting("anchors, most", f"{self.most} is too small. Write at least 2.")
        if not 0.0 < self.distance < 1.0:
            raise BadSetting(
                "anchors, distance",
                f"{self.distance:g} is not a share of the scale. Write a number such as 0.08.",
            )
        if not self.ask and not self.file:
            raise BadSetting("anchors, ask", "needs a file with anchors. Set file, or remove ask.")
        if self.file and "examples" not in self.show:
            raise BadSetting(
                "anchors, show", 'the file contains examples. Add "examples", or remove the file.'
            )


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """Rounds of collection.

    Parameters
    ----------
    number
        Number of rounds that the items are divided into, at random by the seed. A round ends when its items have
        their answers, or when the owner closes it.
    reannotate
        Number of items that each later round removes from the scale and asks again. Items of the cold start come
        first, then the most ambiguous items.
    """

    number: int = 1
    reannotate: int = 0

    def __post_init__(self) -> None:
        if self.number < 1:
            raise BadSetting("rounds, number", f"{self.number} is too small. Write at least 1.")
        if self.reannotate < 0:
            raise BadSetting("rounds, reannotate", f"{self.reannotate} is negative. Write at least 0.")


@dataclass(frozen=True, slots=True)
class ColdStartSettings:
    """The first anchors of a study without examples: items drawn at random and placed on one scale.

    Parameters
    ----------
    size
        Number of items to draw, at least 2.
    by
        Who places them, at `/cold-start`: the `"owner"`, or the `"raters"` before their first task.
    shared
        Raters place one set of items, drawn by the first rater. If false, each rater draws a set of their own.
    least
        Number of people who must have placed an item, at least 1. The item is put at the mean of their positions.
        Items placed by fewer people are dropped. The cold start ends when `size` items have this number.
    labelled
        Show the labels of the scale while items are placed.
    search
        Let the person who chooses the examples search the items, and add items to the set.
    spread
        Column of the items file over which the drawn items are spread: evenly over its values from lowest to highest,
        or over its groups if they are not numbers. The column must be in `features` or `covariates` of [items].
    """

    size: int = 7
    by: Literal["owner", "raters"] = "owner"
    shared: bool = True
    least: int = 1
    labelled: bool = True
    search: bool = True
    spread: str = ""

    def __post_init__(self) -> None:
        if self.size < 2:
            raise BadSetting("cold_start, size", f"{self.size} is too small. Write at least 2.")
        if self.least < 1:
            raise BadSetting("cold_start, least", f"{self.least} is too small. Write at least 1.")


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """Repeated items inside a sequence.

    Parameters
    ----------
    every
        Distance between probes, at least 2. With 10, the 10th, 20th, ... task of a sequence is a probe.
    item
        The item that is repeated: the `"first"` item of the sequence.
    """

    every: int = 10
    item: Literal["first"] = "first"

    def __post_init__(self) -> None:
        if self.every < 2:
            raise BadSetting("probes, every", f"{self.every} is too small. Write at least 2.")


@dataclass(frozen=True, slots=True)
class GroundingSettings:
    """Examples along the scale, rounds, the cold start and repeated items.

    Parameters
    ----------
    anchors
        Examples along the scale, in a table `[anchors]`.
    rounds
        Rounds of collection, in a table `[rounds]`.
    cold_start
        How the first anchors are made, in a table `[cold_start]`.
    probes
        Repeated items inside a sequence, in a table `[probes]`.
    """

    anchors: AnchorSettings | None = None
    rounds: RoundSettings = field(default_factory=RoundSettings)
    cold_start: ColdStartSettings | None = None
    probes: ProbeSettings | None = None

    def __post_init__(self) -> None:
        if self.cold_start is not None and self.anchor_settings.file:
            raise BadSetting(
                "cold_start",
                "is not needed with an anchors file. Remove one of the two.",
            )

    @property
    def anchor_settings(self) -> AnchorSettings:
        """Settings of the anchors: those of study.toml, or the defaults."""
        return AnchorSettings() if self.anchors is None else self.anchors

    @property
    def is_grounded(self) -> bool:
        """Whether the study makes examples, in a cold start or at the end of rounds."""
        return self.cold_start is not None or self.rounds.number > 1
