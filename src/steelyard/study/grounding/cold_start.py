"""The cold start: draw a representative set of items and place them on the scale, to make the first anchors.

This follows Chen, Weld and Zhang (CSCW 2021), section 3.3. The owner has the empty string as rater id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import BadAnswer, NoColdStart
from steelyard.study.definition.anchors_file import Anchor
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.sections.grounding import ColdStartSettings
from steelyard.study.grounding.drawing_items import found_items, fresh_items
from steelyard.study.log.ground import Drawn, Ground
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.transaction import Transaction

OWNER = ""
SHARED = ""  # key of a set that everyone places


@dataclass(frozen=True, slots=True)
class ColdStart:
    """The state of the cold start for one person.

    Attributes
    ----------
    state
        What to do next: draw items, place them, or nothing.
    items
        Indices of the items in the set.
    dropped
        Indices of items that were drawn before and are not in the set.
    size
        Number of items that the set needs.
    reopens
        Whether the person can still go back from placing to drawing.
    """

    state: Literal["draw", "place", "done"]
    items: tuple[int, ...]
    dropped: tuple[int, ...]
    size: int
    reopens: bool


def takes_part(definition: StudyDefinition, rater: str) -> bool:
    """Whether this person draws and places the first examples, according to the settings of the study."""
    settings = definition.grounding.cold_start
    return settings is not None and (settings.by == "owner") == (rater == OWNER)


def waits_for_seeds(ledger: Ledger) -> bool:
    """Whether the study has a cold start that is not finished."""
    return ledger.definition.grounding.cold_start is not None and ledger.ground.seeds is None


def cold_start_of(ledger: Ledger, rater: str) -> ColdStart:
    """Return the state of the cold start for this person."""
    settings = _settings(ledger, rater)
    ground, index = ledger.ground, ledger.items.index
    drawn = ground.drawn.get(_key(settings, rater), Drawn((), False))
    items = tuple(index[item] for item in drawn.items if item in index)
    dropped = tuple(sorted(index[item] for item in drawn.seen.difference(drawn.items) if item in index))
    over = ground.seeds is not None or rater in ground.placed
    state: Literal["draw", "place", "done"] = "done" if over else "place" if drawn.agreed else "draw"
    reopens = state == "place" and not _is_placed(ground, settings, rater)
    return ColdStart(state, items, dropped, _size(ledger), reopens)


def draw(transaction: Transaction, rater: str, keep: Sequence[int], more: int = 0) -> None:
    """Keep some of the drawn items and draw others, up to the size of the set or beyond it.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater; empty for the owner.
    keep
        Indices of items to keep, among all items drawn so far.
    more
        Smallest number of items to draw, even if the set has enough.
    """
    ledger = transaction.ledger
    settings = _settings(ledger, rater)
    drawn = _open_set(ledger, settings, rater)
    kept = [_drawn_item(ledger, at, drawn) for at in dict.fromkeys(keep)]
    seed = (ledger.definition.seed, ledger.log_position)
    fresh = fresh_items(
        ledger, [*drawn.seen], kept, max(_size(ledger), len(kept) + more), np.random.default_rng(seed)
    )
    _note_drawn(transaction, settings, rater, [*kept, *fresh], agreed=False)


def find(transaction: Transaction, rater: str, keep: Sequence[int], words: str) -> None:
    """Search the items, and offer those found with the items that were dropped from the set.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater; empty for the owner.
    keep
        Indices of the items of the set, among all items drawn so far.
    words
        Words that the items must contain.
    """
    ledger = transaction.ledger
    settings = _settings(ledger, rater)
    drawn = _open_set(ledger, settings, rater)
    kept = [_drawn_item(ledger, at, drawn) for at in dict.fromkeys(keep)]
    matches = found_items(ledger, words, [*kept, *drawn.seen]) if settings.search else []
    if not matches:
        raise BadAnswer("No other item contains these words.")
    shared = _key(settings, rater) == SHARED
    facts = {"items": kept, "agreed": False, "shared": shared, "found": matches}
    transaction.note("seeds_drawn", rater, facts)


def agree(transaction: Transaction, rater: str, keep: Sequence[int] | None = None) -> None:
    """Accept a set as representative, so that it can be placed.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater; empty for the owner.
    keep
        Indices of the items of the set, among all items drawn so far; None for the current set.
    """
    ledger = transaction.ledger
    settings = _settings(ledger, rater)
    drawn = _open_set(ledger, settings, rater)
    chosen = (
        list(drawn.items) if keep is None else [_drawn_item(ledger, at, drawn) for at in dict.fromkeys(keep)]
    )
    if len(chosen) < _size(ledger):
        raise BadAnswer(f"{_size(ledger)} examples are needed. Draw more examples.")
    _note_drawn(transaction, settings, rater, chosen, agreed=True)


def reopen(transaction: Transaction, rater: str) -> None:
    """Go back from placing to drawing, with the accepted set; raise BadAnswer if someone has placed it."""
    settings, ground = _settings(transaction.ledger, rater), transaction.ledger.ground
    if ground.seeds is not None:
        raise NoColdStart
    if _is_placed(ground, settings, rater):
        raise BadAnswer("These examples have already been placed and can no longer be changed.")
    drawn = ground.drawn.get(_key(settings, rater))
    if drawn is not None and drawn.agreed:
        _note_drawn(transaction, settings, rater, list(drawn.items), agreed=False)


def place(transaction: Transaction, rater: str, positions: Mapping[int, float]) -> None:
    """Place all items of the set, and make the first anchors once enough people have placed them.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater; empty for the owner.
    positions
        Position of each item on the scale, by index.
    """
    settings = _settings(transaction.ledger, rater)
    ground, items = transaction.ledger.ground, transaction.ledger.items
    drawn = ground.drawn.get(_key(settings, rater))
    if ground.seeds is not None or rater in ground.placed or drawn is None or not drawn.agreed:
        raise NoColdStart
    if {items.index[item] for item in drawn.items} != set(positions):
        raise BadAnswer("Place every example of this set, and only these.")
    _check_positions(transaction.ledger, positions)
    placed = {items[at].id: float(position) for at, position in positions.items()}
    transaction.note("placed", rater, {"positions": placed})
    if _is_enough(transaction.ledger, settings):
        close_seeds(transaction)


def close_seeds(transaction: Transaction) -> None:
    """Make the first anchors from the mean position of each item; items placed by too few people are dropped."""
    settings = transaction.ledger.definition.grounding.cold_start
    if settings is None or transaction.ledger.ground.seeds is not None:
        raise NoColdStart
    anchors = seeds_of(transaction.ledger, settings)
    if not anchors:
        raise NoColdStart
    _note_closed(transaction, anchors, settings.by)


def seed_from_file(transaction: Transaction, anchors: Sequence[Anchor]) -> None:
    """Log the anchors of the anchors file before the first task, so that the log shows what raters saw."""
    if anchors and transaction.ledger.ground.seeds is None:
        _note_closed(transaction, anchors, "file")


def seeds_of(ledger: Ledger, settings: ColdStartSettings) -> tuple[Anchor, ...]:
    """Return the first anchors in the order of their positions; positions from excluded raters do not count."""
    positions_by_item: dict[str, list[float]] = {}
    for rater, positions in ledger.ground.placed.items():
        if rater != OWNER and ledger.rater(rater).excluded:
            continue
        for item, position in positions.items():
            positions_by_item.setdefault(item, []).append(position)
    least = settings.least if settings.by == "raters" else 1
    means = {item: float(np.mean(each)) for item, each in positions_by_item.items() if len(each) >= least}
    return tuple(
        Anchor(item, at, at) for item, at in sorted(means.items(), key=lambda each: (each[1], each[0]))
    )


def _is_enough(ledger: Ledger, settings: ColdStartSettings) -> bool:
    """Whether enough items have been placed by enough people."""
    return len(seeds_of(ledger, settings)) >= min(settings.size, int(ledger.items.asked.sum()))


def _settings(ledger: Ledger, rater: str) -> ColdStartSettings:
    settings = ledger.definition.grounding.cold_start
    if settings is None or not takes_part(ledger.definition, rater):
        raise NoColdStart
    return settings


def _key(settings: ColdStartSettings, rater: str) -> str:
    return SHARED if settings.shared or rater == OWNER else rater


def _is_placed(ground: Ground, settings: ColdStartSettings, rater: str) -> bool:
    """Whether anyone has placed the set of this person."""
    return bool(ground.placed) if settings.shared else rater in ground.placed


def _size(ledger: Ledger) -> int:
    settings = ledger.definition.grounding.cold_start
    return 0 if settings is None else min(settings.size, int(ledger.items.asked.sum()))


def _open_set(ledger: Ledger, settings: ColdStartSettings, rater: str) -> Drawn:
    """Return the set that is being drawn; raise NoColdStart if it was accepted."""
    drawn = ledger.ground.drawn.get(_key(settings, rater), Drawn((), False))
    if drawn.agreed or ledger.ground.seeds is not None:
        raise NoColdStart
    return drawn


def _drawn_item(ledger: Ledger, at: int, drawn: Drawn) -> str:
    """Return the id of an item that was drawn before."""
    if not 0 <= at < len(ledger.items) or ledger.items[at].id not in drawn.seen:
        raise BadAnswer("Only examples that were drawn can be kept. Reload the page.")
    return ledger.items[at].id


def _note_drawn(
    transaction: Transaction, settings: ColdStartSettings, rater: str, items: list[str], agreed: bool
) -> None:
    shared = _key(settings, rater) == SHARED
    transaction.note("seeds_drawn", rater, {"items": items, "agreed": agreed, "shared": shared})


def _note_closed(transaction: Transaction, anchors: Sequence[Anchor], made_by: str) -> None:
    facts = {"anchors": [anchor.fact for anchor in anchors], "by": made_by}
    transaction.note("seeds_closed", facts=facts)


def _check_positions(ledger: Ledger, positions: Mapping[int, float]) -> None:
    scale = ledger.definition.scale_of(ledger.definition.questions[0])
    for position in positions.values():
        if not scale.low <= position <= scale.high:
            raise BadAnswer(f"Position {position:g} is outside the scale {scale.low:g} to {scale.high:g}.")
