from __future__ import annotations

import time

import numpy as np
import pytest

from steelyard.errors import UnknownItem
from steelyard.models.steelyard.model import Steelyard

# Root mean square distance, in standard deviations, between a refit on all answers and a refitted belief that was
# updated with a quarter of an answer per item.
TOLERANCE = 0.3


def first_rows(judgments, count):
    return judgments.where(lambda table: np.arange(len(table)) < count)


def rows_from(judgments, count, until):
    return judgments.where(lambda table: (np.arange(len(table)) >= count) & (np.arange(len(table)) < until))


def rms_gap(one, other):
    return float(np.sqrt(np.mean((one.position - other.position) ** 2 / other.variance)))


def test_a_fresh_belief_is_the_middle_with_the_variance_of_a_uniform():
    belief = Steelyard().start(np.array(["a", "b"], dtype=object))
    assert belief.position.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(belief.variance, 1 / 12)
    assert belief.count.tolist() == [0.0, 0.0]


def test_a_refit_is_the_fit(simulated):
    judgments, *_ = simulated("full", 3, seed=31)
    belief, posterior = Steelyard().believe(judgments.items, judgments), Steelyard().posterior(judgments)
    np.testing.assert_allclose(belief.position, posterior.position, atol=1e-12)
    np.testing.assert_allclose(belief.variance, posterior.spread**2, rtol=1e-9)
    np.testing.assert_allclose(belief.count, posterior.layout.count)


@pytest.mark.parametrize("scenario", ["iid", "full", "hard full"])
def test_updating_is_within_its_tolerance_of_a_refit(simulated, scenario):
    judgments, *_ = simulated(scenario, 4, seed=32)
    model, old, new = Steelyard(), 450, 450 + 35
    start = model.believe(judgments.items, first_rows(judgments, old))
    folded = model.update(start, rows_from(judgments, old, new))
    refitted = model.believe(judgments.items, first_rows(judgments, new))
    assert rms_gap(folded, refitted) < TOLERANCE
    assert rms_gap(folded, refitted) < 0.8 * rms_gap(start, refitted)
    assert np.median(folded.variance / refitted.variance) == pytest.approx(1.0, abs=0.15)
    np.testing.assert_allclose(folded.count, refitted.count)


def test_updating_the_prior_ranks_items_like_a_refit(simulated):
    judgments, *_ = simulated("full", 2, seed=33)
    model = Steelyard()
    folded = model.update(model.start(judgments.items), judgments)
    refitted = model.believe(judgments.items, judgments)
    assert np.corrcoef(folded.position, refitted.position)[0, 1] > 0.93


def test_items_without_answers_are_in_the_belief(simulated):
    judgments, *_ = simulated("full", 2, seed=34, items=50, raters=10)
    items = np.append(judgments.items, "new")
    belief = Steelyard().believe(items, judgments)
    assert belief.count[-1] == 0.0
    assert belief.variance[-1] > 1.2 * belief.variance[:-1].max()


def test_no_judgments_give_the_fresh_belief(simulated):
    judgments, *_ = simulated("full", 1, seed=35, items=20, raters=5)
    belief = Steelyard().believe(judgments.items, first_rows(judgments, 0))
    assert belief.position.tolist() == [0.5] * 20


def test_an_update_does_not_change_the_old_belief(simulated):
    judgments, *_ = simulated("full", 1, seed=36, items=20, raters=5)
    model = Steelyard()
    start = model.start(judgments.items)
    model.update(start, judgments)
    assert start.count.sum() == 0.0
    assert not start.raters


def test_an_unknown_item_is_named(simulated):
    judgments, *_ = simulated("full", 1, seed=37, items=20, raters=5)
    with pytest.raises(UnknownItem, match="i0"):
        Steelyard().update(Steelyard().start(np.array(["other"], dtype=object)), judgments)


def test_the_cost_of_updating_does_not_grow_with_the_items(simulated):
    judgments, *_ = simulated("full", 1, seed=38, items=20, raters=5)
    model = Steelyard()

    def cost(extra):
        items = np.append(judgments.items, np.array([f"x{at}" for at in range(extra)], dtype=object))
        start = model.start(items)
        model.update(start, judgments)
        begin = time.process_time()
        for _ in range(5):
            model.update(start, judgments)
        return time.process_time() - begin

    assert cost(20_000) < 5 * cost(0) + 0.02
