"""The cold start: draw items until they are representative, place them on one scale, and have the first anchors.

After Chen, Weld & Zhang (CSCW 2021), section 3.3. The owner is the rater "".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import BadAnswer, NoColdStart
from steelyard.study.collecting.session import Session
from steelyard.study.definition.anchors_file import Anchor
from steelyard.study.definition.sections.grounding import ColdStartSettings
from steelyard.study.log.ground import Drawn, Ground
from steelyard.study.log.ledger import Ledger

OWNER = ""
SHARED = ""  # the key of a set that all place


@dataclass(frozen=True, slots=True)
class ColdStart:
    """Where the cold start stands for one person: what to do, with these items (by index).

    `dropped` were drawn before and are not in the set; `reopens` says whether one can still go back to choosing.
    """

    state: Literal["draw", "place", "done"]
    items: tuple[int, ...]
    dropped: tuple[int, ...]
    size: int
    reopens: bool


def takes_part(session: Session, rater: str) -> bool:
    """Does this person draw and place, as the study has it?"""
    settings = session.study.definition.grounding.cold_start
    return settings is not None and (settings.by == "owner") == (rater == OWNER)


def cold_start_of(session: Session, rater: str) -> ColdStart:
    """Where the cold start stands for this person."""
    settings = _settings(session, rater)
    ground, index = session.fresh_ledger().ground, session.study.items.index
    drawn = ground.drawn.get(_key(settings, rater), Drawn((), False))
    items = tuple(index[item] for item in drawn.items if item in index)
    dropped = tuple(sorted(index[item] for item in drawn.seen.difference(drawn.items) if item in index))
    over = ground.seeds is not None or rater in ground.placed
    state: Literal["draw", "place", "done"] = "done" if over else "place" if drawn.agreed else "draw"
    reopens = state == "place" and not _is_placed(ground, settings, rater)
    return ColdStart(state, items, dropped, _size(session), reopens)


def draw(session: Session, rater: str, keep: Sequence[int]) -> None:
    """Keep these of the items drawn so far, dropped ones too, and draw others up to the size that is wanted."""
    settings = _settings(session, rater)
    with session.together():
        drawn = _open_set(session, settings, rater)
        kept = [_known(session, at, drawn) for at in dict.fromkeys(keep)]
        seed = (session.study.definition.seed, session.ledger.position)
        fresh = _fresh(session, [*kept, *drawn.seen], [*kept], np.random.default_rng(seed))
        items = [*kept, *fresh[: max(_size(session) - len(kept), 0)]]
        _note_drawn(session, settings, rater, items, agreed=False)


def agree(session: Session, rater: str, keep: Sequence[int] | None = None) -> None:
    """The set, or these of all that were drawn, is representative and large enough: place it."""
    settings = _settings(session, rater)
    with session.together():
        drawn = _open_set(session, settings, rater)
        chosen = (
            list(drawn.items) if keep is None else [_known(session, at, drawn) for at in dict.fromkeys(keep)]
        )
        if len(chosen) < _size(session):
            raise BadAnswer(f"{_size(session)} examples are needed; draw some more.")
        _note_drawn(session, settings, rater, chosen, agreed=True)


def reopen(session: Session, rater: str) -> None:
    """Go back to choosing, with the set as it was agreed on; refused once somebody has placed it."""
    settings = _settings(session, rater)
    with session.together():
        ground = session.ledger.ground
        if ground.seeds is not None:
            raise NoColdStart
        if _is_placed(ground, settings, rater):
            raise BadAnswer("These examples have been placed already; they cannot be chosen again.")
        drawn = ground.drawn.get(_key(settings, rater))
        if drawn is not None and drawn.agreed:
            _note_drawn(session, settings, rater, list(drawn.items), agreed=False)


def place(session: Session, rater: str, positions: Mapping[int, float]) -> None:
    """Place all items of the set; the seeds are closed when as many people as wanted have placed them."""
    settings = _settings(session, rater)
    with session.together():
        ground, items = session.ledger.ground, session.study.items
        drawn = ground.drawn.get(_key(settings, rater))
        if ground.seeds is not None or rater in ground.placed or drawn is None or not drawn.agreed:
            raise NoColdStart
        if {items.index[item] for item in drawn.items} != set(positions):
            raise BadAnswer("Place every example, and no other.")
        _check_positions(session, positions)
        placed = {items[at].id: float(position) for at, position in positions.items()}
        session.note("placed", rater, {"positions": placed})
        if _is_enough(session.ledger, settings):
            close_seeds(session)


def close_seeds(session: Session) -> None:
    """Make anchors of what was placed: positions averaged per item, those placed by too few dropped."""
    settings = session.study.definition.grounding.cold_start
    with session.together():
        if settings is None or session.ledger.ground.seeds is not None:
            raise NoColdStart
        anchors = seeds_of(session.ledger, settings)
        if not anchors:
            raise NoColdStart
        session.note("seeds_closed", facts={"anchors": [each.fact for each in anchors], "by": settings.by})


def seeds_of(ledger: Ledger, settings: ColdStartSettings) -> tuple[Anchor, ...]:
    """The first anchor set, points by position; what excluded raters placed does not count."""
    given: dict[str, list[float]] = {}
    for rater, positions in ledger.ground.placed.items():
        if rater != OWNER and ledger.rater(rater).excluded:
            continue
        for item, position in positions.items():
            given.setdefault(item, []).append(position)
    least = settings.least if settings.by == "raters" else 1
    means = {item: float(np.mean(some)) for item, some in given.items() if len(some) >= least}
    return tuple(
        Anchor(item, at, at) for item, at in sorted(means.items(), key=lambda each: (each[1], each[0]))
    )


def _is_enough(ledger: Ledger, settings: ColdStartSettings) -> bool:
    """Have as many items as wanted been placed by enough people?"""
    return len(seeds_of(ledger, settings)) >= min(settings.size, len(ledger.items))


def _settings(session: Session, rater: str) -> ColdStartSettings:
    settings = session.study.definition.grounding.cold_start
    if settings is None or not takes_part(session, rater):
        raise NoColdStart
    return settings


def _key(settings: ColdStartSettings, rater: str) -> str:
    return SHARED if settings.shared or rater == OWNER else rater


def _is_placed(ground: Ground, settings: ColdStartSettings, rater: str) -> bool:
    """Has anybody placed the set that this person chooses or places?"""
    return bool(ground.placed) if settings.shared else rater in ground.placed


def _size(session: Session) -> int:
    settings = session.study.definition.grounding.cold_start
    return 0 if settings is None else min(settings.size, len(session.study.items))


def _open_set(session: Session, settings: ColdStartSettings, rater: str) -> Drawn:
    """The set that is being drawn; refused once it was agreed on."""
    drawn = session.ledger.ground.drawn.get(_key(settings, rater), Drawn((), False))
    if drawn.agreed or session.ledger.ground.seeds is not None:
        raise NoColdStart
    return drawn


def _known(session: Session, at: int, drawn: Drawn) -> str:
    items = session.study.items
    if not 0 <= at < len(items) or items[at].id not in drawn.seen:
        raise BadAnswer("Only examples that were drawn can be kept.")
    return items[at].id


def _fresh(session: Session, seen: Sequence[str], kept: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Items in random order, those not drawn before first; kept ones are not among them."""
    order = [session.study.items[int(at)].id for at in rng.permutation(len(session.study.items))]
    known = set(seen)
    return sorted((item for item in order if item not in kept), key=lambda item: item in known)


def _note_drawn(
    session: Session, settings: ColdStartSettings, rater: str, items: list[str], agreed: bool
) -> None:
    shared = _key(settings, rater) == SHARED
    session.note("seeds_drawn", rater, {"items": items, "agreed": agreed, "shared": shared})


def _check_positions(session: Session, positions: Mapping[int, float]) -> None:
    scale = session.study.definition.scale_of(session.study.definition.questions[0])
    for position in positions.values():
        if not scale.low <= position <= scale.high:
            raise BadAnswer(f"Position {position:g} is outside {scale.low:g}-{scale.high:g}.")
