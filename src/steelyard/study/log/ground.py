"""What grounds the scale so far: anchor sets by round, rescalings between rounds, and how the cold start goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from steelyard.kinds.cell import Cell
from steelyard.study.definition.anchors_file import Anchor
from steelyard.study.log.interface import Event, EventKind


@dataclass(frozen=True, slots=True)
class Rescaling:
    """A linear map: what stood from end to end of `old` stands from end to end of `new`."""

    old: tuple[float, float]
    new: tuple[float, float]

    def moved(self, value: float) -> float:
        """new_low + (value - old_low) / (old_high - old_low) (new_high - new_low)."""
        share = (value - self.old[0]) / (self.old[1] - self.old[0])
        return self.new[0] + share * (self.new[1] - self.new[0])

    def anchor(self, anchor: Anchor) -> Anchor:
        """The anchor where it now stands."""
        return replace(anchor, low=self.moved(anchor.low), high=self.moved(anchor.high))

    def cell(self, cell: Cell) -> Cell:
        """The cell with its positions moved; others stay as they are."""
        return cell.moved(self.moved)

    @property
    def fact(self) -> dict[str, Any]:
        """The map as it stands in the log."""
        return {"from": list(self.old), "to": list(self.new)}


@dataclass(frozen=True, slots=True)
class Drawn:
    """Items that are drawn as seeds, whether the set was agreed on, and all that were drawn before."""

    items: tuple[str, ...]
    agreed: bool
    seen: frozenset[str] = frozenset()


@dataclass
class Ground:
    """Anchors, rescalings and seeds as of a log position. Only `fold` changes it."""

    anchors: dict[int, tuple[Anchor, ...]] = field(default_factory=dict)  # by the round they are shown in
    rescalings: dict[int, Rescaling] = field(default_factory=dict)  # by the round whose end they are
    reannotated: dict[int, tuple[str, ...]] = field(default_factory=dict)  # by the round they are asked in
    seeds: tuple[Anchor, ...] | None = None  # None before the cold start, or a file, has given any
    drawn: dict[str, Drawn] = field(default_factory=dict)  # by rater, "" for a shared set
    placed: dict[str, Mapping[str, float]] = field(
        default_factory=dict
    )  # positions by rater, "" for the owner

    def fold(self, event: Event, current: int) -> None:
        """Take in an event of one of the kinds in GROUND_FOLDS that happened in the current round."""
        GROUND_FOLDS[event.kind](self, event, current)

    def anchors_in(self, number: int) -> tuple[Anchor, ...]:
        """The anchor set of a round: its own, or the newest before it."""
        rounds = [each for each in self.anchors if each <= number]
        return self.anchors[max(rounds)] if rounds else ()

    def moved(self, cell: Cell, given_in: int, seen_in: int | None = None) -> Cell:
        """A cell of one round as a later round (None: as of now) reads it: through all rescalings between."""
        for closed in sorted(self.rescalings):
            if closed >= given_in and (seen_in is None or closed < seen_in):
                cell = self.rescalings[closed].cell(cell)
        return cell


def _round_closed(ground: Ground, event: Event, current: int) -> None:
    """A round that the owner closed, or that was complete, has the next anchors; one of `update = "round"` has none."""
    if "anchors" not in event.facts:
        return
    closed, mapping = int(event.facts["round"]), event.facts["mapping"]
    ground.anchors[closed + 1] = read_facts(event.facts["anchors"])
    ground.reannotated[closed + 1] = tuple(event.facts["reannotate"])
    if mapping is not None:
        ground.rescalings[closed] = Rescaling(tuple(mapping["from"]), tuple(mapping["to"]))


def _seeds_drawn(ground: Ground, event: Event, current: int) -> None:
    drawn_by = "" if event.facts.get("shared", True) else event.rater
    before = ground.drawn[drawn_by].seen if drawn_by in ground.drawn else frozenset()
    items = tuple(event.facts["items"])
    ground.drawn[drawn_by] = Drawn(items, bool(event.facts.get("agreed", False)), before.union(items))


def _placed(ground: Ground, event: Event, current: int) -> None:
    ground.placed[event.rater] = dict(event.facts["positions"])


def _seeds_closed(ground: Ground, event: Event, current: int) -> None:
    ground.seeds = read_facts(event.facts["anchors"])
    ground.anchors[current] = ground.seeds


GROUND_FOLDS: dict[EventKind, Callable[[Ground, Event, int], None]] = {
    "round_closed": _round_closed,
    "seeds_drawn": _seeds_drawn,
    "placed": _placed,
    "seeds_closed": _seeds_closed,
}


def read_facts(anchors: Iterable[Mapping[str, Any]]) -> tuple[Anchor, ...]:
    """Anchors as an event of the log tells them."""
    return tuple(Anchor(each["item"], float(each["low"]), float(each["high"])) for each in anchors)
