from __future__ import annotations

import numpy as np
import pytest

from steelyard.models.steelyard import joint
from steelyard.models.steelyard.model import Steelyard


@pytest.mark.parametrize(("scenario", "shape"), [("full", "uniform"), ("iid", "uniform"), ("full", "skewed")])
def test_coverage_of_the_expected_answer_is_close_to_nominal(simulated, scenario, shape):
    held = []
    for seed in range(6):
        judgments, _, expected, _ = simulated(scenario, 4, seed=40 + seed, shape=shape)
        low, high = Steelyard().posterior(judgments).interval(0.95)
        held.append(np.mean((low <= expected) & (expected <= high)))
    assert 0.90 < np.mean(held) < 0.985


def test_wider_levels_give_wider_intervals(simulated):
    judgments, *_ = simulated("full", 3, seed=41)
    posterior = Steelyard().posterior(judgments)
    narrow, wide = posterior.interval(0.5), posterior.interval(0.99)
    assert np.all(wide[0] <= narrow[0])
    assert np.all(wide[1] >= narrow[1])


def test_more_answers_narrow_the_intervals(simulated):
    few, *_ = simulated("full", 2, seed=42)
    many, *_ = simulated("full", 8, seed=42)
    assert Steelyard().posterior(many).spread.mean() < 0.75 * Steelyard().posterior(few).spread.mean()


@pytest.mark.parametrize("most_shifts", [0, joint.MOST_SHIFTS])
def test_draws_have_the_positions_and_spreads_of_the_scale(simulated, monkeypatch, most_shifts):
    monkeypatch.setattr(joint, "MOST_SHIFTS", most_shifts)
    judgments, *_ = simulated("full", 4, seed=43)
    posterior = Steelyard().posterior(judgments)
    drawn = posterior.draws(3000, np.random.default_rng(1))
    gap = (drawn.mean(axis=0) - posterior.position) / posterior.spread
    assert np.sqrt(np.mean(gap**2)) < 0.2
    assert np.median(drawn.std(axis=0) / posterior.spread) == pytest.approx(1.0, abs=0.05)


def test_draws_repeat_with_the_seed(simulated):
    judgments, *_ = simulated("full", 2, seed=44, items=30, raters=8)
    posterior = Steelyard().posterior(judgments)
    one, other = (posterior.draws(5, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_items_of_one_task_have_correlated_errors(simulated):
    """The error of a task's offset affects all of its items."""
    judgments, *_ = simulated("full", 1, seed=45)
    drawn = Steelyard().posterior(judgments).draws(4000, np.random.default_rng(2))
    together = np.corrcoef(drawn.T)
    table = judgments.table("rating")
    task = np.empty(len(judgments.items), dtype=np.int64)
    task[table.codes["item"]] = table.codes["task"]
    same, other = task[:, None] == task, ~np.eye(len(task), dtype=bool)
    assert together[same & other].mean() > together[~same].mean() + 0.05
