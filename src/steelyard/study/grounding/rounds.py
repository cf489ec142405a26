"""Rounds: when a round ends, the anchors of the next round, the items asked again, and rescalings of the scale.

All raters see the same anchors within a round. The answers of a round determine the anchors of the next one. Chen,
Weld and Zhang (CSCW 2021), section 5.2, propose this iterative improvement as future work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import NothingToClose, UnknownItem
from steelyard.study.definition.anchors_file import LEADING, Anchor
from steelyard.study.grounding.anchors import spread_by_segment
from steelyard.study.log.ground import Rescaling
from steelyard.study.log.interface import Lease
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.transaction import Transaction

ALL_PLACES = 10**9


@dataclass(frozen=True, slots=True)
class Placement:
    """The range of one answer on the current scale, with the round in which it was given."""

    item: str
    low: float
    high: float
    round: int


def is_over(ledger: Ledger) -> bool:
    """Whether the current round has all the answers that it needs, and is not the last round."""
    if ledger.round >= ledger.definition.grounding.rounds.number or not ledger.planned:
        return False
    if ledger.definition.choosing.traits.plans_sequences and any(ledger.open_places.values()):
        return False
    if ledger.definition.choosing.learns:
        return int(ledger.answered.sum()) >= int(ledger.wanted.sum())
    return bool((ledger.answered >= ledger.wanted).all())


def close(transaction: Transaction, reannotate: Sequence[str] | None) -> None:
    """Log the end of the round, and withdraw free tasks so that they are asked with the next anchors.

    `reannotate` has the ids of the items to ask again. None uses the setting in [rounds].
    """
    ledger = transaction.ledger
    if not any(ledger.tasks[answer.task].round == ledger.round for answer in ledger.counted_answers()):
        raise NothingToClose
    for item in reannotate if reannotate is not None else ():
        if item not in ledger.items.index:
            raise UnknownItem(item)
    transaction.withdraw(transaction.free_places(ALL_PLACES))
    transaction.note("round_closed", facts=closing_facts(ledger, reannotate))


def withdraw_stale(transaction: Transaction, places: Sequence[Lease]) -> bool:
    """Withdraw places of tasks from earlier rounds; return whether there were any."""
    ledger = transaction.ledger
    if not ledger.ground.anchors:
        return False
    stale = [place for place in places if transaction.task_of(place).round < ledger.round]
    for place in stale:
        transaction.withdraw([place])
    return bool(stale)


def closing_facts(ledger: Ledger, reannotate: Sequence[str] | None) -> dict[str, Any]:
    """Return the facts of the event that ends a round: next anchors, rescaling, and items to ask again."""
    facts: dict[str, Any] = {"round": ledger.round, "anchors": [], "mapping": None, "reannotate": []}
    if not ledger.definition.kind.placed or len(ledger.definition.questions) > 1:
        return facts
    placed = list(placements(ledger))
    again = again_of(ledger, placed) if reannotate is None else tuple(dict.fromkeys(reannotate))
    rescaling = rescaling_of(ledger, placed)
    candidates = [each for each in candidates_of(ledger, placed) if each.item not in again]
    if rescaling is not None:
        candidates = [rescaling.anchor(each) for each in candidates]
    chosen = spread_by_segment(candidates, ledger.items, ledger.definition)
    facts["anchors"] = [anchor.fact for anchor in chosen]
    facts["mapping"] = None if rescaling is None else rescaling.fact
    facts["reannotate"] = list(again)
    return facts


def placements(ledger: Ledger) -> Iterator[Placement]:
    """Yield every counted answer to the first question, on the current scale."""
    for answer in ledger.counted_answers():
        task = ledger.tasks[answer.task]
        for cell in ledger.as_read(answer).cells:
            ends = cell.ends
            if ends is not None and cell.question == LEADING:
                yield Placement(task.items[cell.item], *ends, task.round)


def aggregated(placed: Sequence[Placement]) -> dict[str, Anchor]:
    """Return the mean range of each item, over the answers of the newest round in which it was answered."""
    newest: dict[str, int] = {}
    for each in placed:
        newest[each.item] = max(newest.get(each.item, 0), each.round)
    ends: dict[str, list[tuple[float, float]]] = {}
    for each in placed:
        if each.round == newest[each.item]:
            ends.setdefault(each.item, []).append((each.low, each.high))
    return {item: Anchor(item, *np.mean(some, axis=0).tolist()) for item, some in ends.items()}


def candidates_of(ledger: Ledger, placed: Sequence[Placement]) -> list[Anchor]:
    """Return the candidates for anchors of the next round: answered items, and other anchors of this round."""
    placed_anew = aggregated(placed)
    shown_before = [each for each in ledger.ground.anchors_in(ledger.round) if each.item not in placed_anew]
    kept = [each for each in shown_before if each.item in ledger.items.index]
    return [*placed_anew.values(), *kept]


def again_of(ledger: Ledger, placed: Sequence[Placement]) -> tuple[str, ...]:
    """Return the items to ask again: seeds first, then the items with the widest ranges.

    Items that were asked again less often have priority. Items that were never asked are left out, because a later
    round asks them.
    """
    number = ledger.definition.grounding.rounds.reannotate
    asked_again = Counter(item for some in ledger.ground.reannotated.values() for item in some)
    seeds = [] if ledger.ground.seeds is None else [each.item for each in ledger.ground.seeds]
    asked = aggregated(placed)
    widest = sorted(asked.values(), key=lambda each: (-each.width, each.item))
    order = dict.fromkeys([*(item for item in seeds if item in asked), *(each.item for each in widest)])
    present = [item for item in order if item in ledger.items.index]
    return tuple(sorted(present, key=lambda item: asked_again[item])[:number])


def rescaling_of(ledger: Ledger, placed: Sequence[Placement]) -> Rescaling | None:
    """Return the map that moves all answers onto the scale, or None if all answers are on it."""
    scale = ledger.definition.scale_of(ledger.definition.questions[LEADING])
    lowest = min([scale.low, *(each.low for each in placed)])
    highest = max([scale.high, *(each.high for each in placed)])
    if (lowest, highest) == (scale.low, scale.high):
        return None
    return Rescaling((lowest, highest), (scale.low, scale.high))


@dataclass(frozen=True, slots=True)
class Drift:
    """Positions of an anchor item by round, on the current scale."""

    item: str
    places: tuple[tuple[int, float], ...]


def drift_of(ledger: Ledger) -> tuple[Drift, ...]:
    """Return the position of each anchor item in every round: its anchor, or else the mean of its answers."""
    ground, moved = ledger.ground, dict[str, dict[int, float]]()
    if not ground.anchors:
        return ()
    for number, anchors in sorted(ground.anchors.items()):
        for anchor in anchors:
            now = _as_of_now(ledger, anchor, number)
            moved.setdefault(anchor.item, {})[number] = now.middle
    middles_by_round: dict[tuple[str, int], list[float]] = {}
    for each in placements(ledger):
        if each.item in moved and each.round < ledger.round:
            middles_by_round.setdefault((each.item, each.round), []).append((each.low + each.high) / 2.0)
    for (
        item,
        number,
    ), middles in middles_by_round.items():  # answers of a round are shown with the next round
        moved[item].setdefault(number + 1, float(np.mean(middles)))
    return tuple(Drift(item, tuple(sorted(places.items()))) for item, places in sorted(moved.items()))


def _as_of_now(ledger: Ledger, anchor: Anchor, shown_in: int) -> Anchor:
    """Return an anchor of a round on the current scale, after all later rescalings."""
    for closed in sorted(ledger.ground.rescalings):
        if closed >= shown_in:
            anchor = ledger.ground.rescalings[closed].anchor(anchor)
    return anchor
