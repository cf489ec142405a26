"""Study 3 of Chen, Weld & Zhang (2021) as a study with three arms: ranges, single values and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.kinds.cell import Cell
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.range import Bounds
from steelyard.kinds.rating import Score
from steelyard.maths.arrays import Codes
from steelyard.simulation.range_scenarios import (
    OUTCOMES,
    RangeDesign,
    RangeItems,
    RangeScenario,
    Views,
    answer_comparisons,
    answer_ranges,
    answer_ratings,
    draw_range_items,
    draw_views,
)
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import study_with
from steelyard.study.definition.study_file import define
from steelyard.study.log.entries import Answer

Answers = Callable[[Views, RangeScenario, np.random.Generator], tuple[Cell, ...]]


def collect_three_ways(
    scenario: RangeScenario, design: RangeDesign, rng: np.random.Generator, make_log: Callable[[], Any]
) -> Judgments:
    """Let simulated raters join a study with three arms, and answer until every arm has its raters.

    Parameters
    ----------
    scenario
        Widths and distances.
    design
        Numbers of groups, items and raters. The groups are the segments of the items.
    rng
        Source of randomness.
    make_log
        Function that returns an empty log.

    Returns
    -------
    Judgments
        Judgments of three kinds, each from separate raters.
    """
    size = design.groups * design.group_size
    items = draw_range_items(scenario, size, rng)
    listed = tuple(
        Item(
            f"{at // design.group_size}-{at % design.group_size}",
            "text",
            "x",
            segment=str(at // design.group_size),
        )
        for at in range(size)
    )
    log = make_log()
    study = study_with(Path(), define(_table(design, int(rng.integers(2**31)))), Items(listed))
    session = Session(study, log, log, lambda: 0.0)
    number = 0
    while _answer(session, number, scenario, items, rng):
        number += 1
    return Judgments.concat([session.arm(name).ledger.judgments() for name in session.follower.arms])


def _table(design: RangeDesign, seed: int) -> dict[str, Any]:
    sequences = {"selection": "sequences", "sequence_length": design.group_size}
    pairs = {"protocol": "comparison_list", "list_size": design.group_size, "selection": "all_pairs"}
    groups = design.groups
    return {
        "title": "reproduction",
        "seed": seed,
        "items": {"file": "none"},
        "questions": [{"text": "How much?"}],
        "scale": {"low": 0.0, "high": 1.0},
        "condition": [
            {"name": "range", "protocol": "range", **sequences, "redundancy": design.range_raters,
             "raters": groups * design.range_raters},
            {"name": "single", "protocol": "rating", "model": "direct_assessment", **sequences,
             "redundancy": design.rating_raters, "raters": groups * design.rating_raters},
            {"name": "compare", **pairs, "redundancy": design.comparison_raters,
             "tasks_per_rater": design.group_size - 1, "raters": groups * design.comparison_raters},
        ],
    }  # fmt: skip


def _answer(
    session: Session, number: int, scenario: RangeScenario, items: RangeItems, rng: np.random.Generator
) -> bool:
    """Let one rater join, be assigned to an arm and answer all their tasks; False if no arm needs raters."""
    rater = session.join(f"Simulated {number}", "simulated").id
    session.note("consented", rater)
    session.arrive(rater)
    condition = session.record(rater).condition
    if not condition:
        return False
    views = draw_views(items, scenario, 1, rng)
    give = ANSWERS[session.arm(condition).study.definition.kind.name]
    while (assignment := session.next_task(rater).assignment) is not None:
        at = np.array([session.study.items.index[item] for item in assignment.task.items])
        session.accept(rater, Answer("", "", assignment.id, give(_of_items(views, at), scenario, rng)))
    return True


def _of_items(views: Views, at: Codes) -> Views:
    return Views(views.centre[:, at], views.width[:, at])


def _ranges(views: Views, scenario: RangeScenario, rng: np.random.Generator) -> tuple[Cell, ...]:
    low, high = (ends[0].tolist() for ends in answer_ranges(views, scenario, rng))
    return tuple(
        Bounds(at, 0, each, above, each == 0.0, above == 1.0)
        for at, (each, above) in enumerate(zip(low, high, strict=True))
    )


def _scores(views: Views, scenario: RangeScenario, rng: np.random.Generator) -> tuple[Cell, ...]:
    return tuple(Score(at, 0, score) for at, score in enumerate(answer_ratings(views, rng)[0].tolist()))


def _verdicts(views: Views, scenario: RangeScenario, rng: np.random.Generator) -> tuple[Cell, ...]:
    """Compare the first item of a task with each of the others."""
    left, right, sign = answer_comparisons(views, scenario)
    outcomes = np.array(OUTCOMES, dtype=object)[sign[0][left == 0]]
    return tuple(
        Verdict(int(other), 0, outcome) for other, outcome in zip(right[left == 0], outcomes, strict=True)
    )


ANSWERS: dict[str, Answers] = {"range": _ranges, "rating": _scores, "comparison": _verdicts}
