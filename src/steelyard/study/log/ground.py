"""Examples along the scale: anchors of each round, rescalings between rounds, and the state of the cold start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from steelyard.kinds.cell import Cell
from steelyard.study.definition.anchors_file import Anchor
from steelyard.study.log.entries import Event, EventKind


@dataclass(frozen=True, slots=True)
class Rescaling:
    """A linear map from the interval `old` to the interval `new`."""

    old: tuple[float, float]
    new: tuple[float, float]

    def moved(self, value: float) -> float:
        """Return new_low + (value - old_low) / (old_high - old_low) * (new_high - new_low)."""
        share = (value - self.old[0]) / (self.old[1] - self.old[0])
        return self.new[0] + share * (self.new[1] - self.new[0])

    def anchor(self, anchor: Anchor) -> Anchor:
        """Return the anchor at its new position."""
        return replace(anchor, low=self.moved(anchor.low), high=self.moved(anchor.high))

    def cell(self, cell: Cell) -> Cell:
        """Return the cell with its positions rescaled; cells without positions are not changed."""
        return cell.moved(self.moved)

    @property
    def fact(self) -> dict[str, Any]:
        """The map as it is stored in the log."""
        return {"from": list(self.old), "to": list(self.new)}


@dataclass(frozen=True, slots=True)
class Drawn:
    """Items drawn for the cold start.

    Attributes
    ----------
    items
        Ids of the items in the current set.
    agreed
        Whether the set was accepted.
    seen
        Ids of all items drawn so far.
    """

    items: tuple[str, ...]
    agreed: bool
    seen: frozenset[str] = frozenset()


@dataclass
class Ground:
    """Anchors, rescalings and seeds at one log position. Only `fold` changes it.

    Seeds are the first anchors, made by a cold start or read from a file.
    """

    anchors: dict[int, tuple[Anchor, ...]] = field(default_factory=dict)  # by the round that shows them
    rescalings: dict[int, Rescaling] = field(default_factory=dict)  # by the round that they close
    reannotated: dict[int, tuple[str, ...]] = field(default_factory=dict)  # by the round that asks them again
    seeds: tuple[Anchor, ...] | None = None  # None before there are any
    drawn: dict[str, Drawn] = field(default_factory=dict)  # by rater, "" for a shared set
    placed: dict[str, Mapping[str, float]] = field(
        default_factory=dict
    )  # positions by rater, "" for the owner

    def fold(self, event: Event, current: int) -> None:
        """Apply an event of the current round; its kind must be in GROUND_FOLDS."""
        GROUND_FOLDS[event.kind](self, event, current)

    def anchors_in(self, number: int) -> tuple[Anchor, ...]:
        """Return the anchors of a round: its own, or else those of the newest round before it."""
        rounds = [each for each in self.anchors if each <= number]
        return self.anchors[max(rounds)] if rounds else ()

    def moved(self, cell: Cell, given_in: int, seen_in: int | None = None) -> Cell:
        """Return a cell of one round on the scale of a later round, after all rescalings between them.

        Parameters
        ----------
        cell
            The cell as it was given.
        given_in
            Round of the answer.
        seen_in
            The later round, or None for the current scale.

        Returns
        -------
        Cell
            The cell with its positions rescaled.
        """
        for closed in sorted(self.rescalings):
            if closed >= given_in and (seen_in is None or closed < seen_in):
                cell = self.rescalings[closed].cell(cell)
        return cell


def _round_closed(ground: Ground, event: Event, current: int) -> None:
    """Store the anchors of the next round; rounds of `update = "round"` have none."""
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
    seen = before.union(items, event.facts.get("found", ()))
    ground.drawn[drawn_by] = Drawn(items, bool(event.facts.get("agreed", False)), seen)


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
    """Return the anchors in the facts of an event."""
    return tuple(Anchor(each["item"], float(each["low"]), float(each["high"])) for each in anchors)
