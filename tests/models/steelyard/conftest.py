"""Small simulated studies for the tests of the Steelyard model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steelyard import Judgments
from steelyard.simulation.scenarios import (
    SCENARIOS,
    answer_task,
    draw_raters,
    draw_truth,
    expected_answers,
    participation,
)

SIZE = 5


def simulate(
    scenario: str, answers: int, seed: int, items: int = 150, raters: int = 40, shape: str = "uniform"
):
    """Judgments in balanced lists of five, the truth, the expected answers and the raters."""
    rng = np.random.default_rng(seed)
    kind = SCENARIOS[scenario]
    truth = draw_truth(shape, items, rng)
    people = draw_raters(kind, raters, rng)
    chances = participation(raters)
    rows: list[tuple[str, str, str, float]] = []
    for turn in range(answers):
        for page in rng.permutation(items).reshape(-1, SIZE):
            who = int(rng.choice(raters, p=chances))
            scores = answer_task(people[who], kind, truth[page], float(truth.mean()), rng)
            task = f"{turn}-{page[0]}"
            rows += [(f"r{who}", f"i{at:03d}", task, float(y)) for at, y in zip(page, scores, strict=True)]
    judgments = make_table(rows)
    order = np.array([int(label[1:]) for label in judgments.items])
    expected = expected_answers(kind, truth, rng, 2000)
    return judgments, truth[order], expected[order], people


def make_table(rows: list[tuple[str, str, str, float]], **columns: Any) -> Judgments:
    """Rows of rater, item, task, score as judgments on the unit scale."""
    raters, items, tasks, scores = zip(*rows, strict=True)
    named = {"rater": raters, "item": items, "task": tasks, "score": scores, **columns}
    return Judgments.from_columns("rating", named, (0.0, 1.0))


@pytest.fixture
def simulated():
    return simulate


@pytest.fixture
def table():
    return make_table
