from __future__ import annotations

import numpy as np
import pytest

from steelyard import Judgments, Rating
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.steelyard.sums import sums_by

GRID = [Rating(f"r{a}", f"i{i}", min(1.0, i / 10 + a / 20)) for a in range(4) for i in range(10)]
CASES = {
    "one answer": [Rating("r", "i", 0.5)],
    "one rater": [Rating("r", f"i{i}", i / 10) for i in range(10)],
    "one item": [Rating(f"r{a}", "i", a / 10) for a in range(10)],
    "all answers equal": [Rating(f"r{a}", f"i{i}", 0.5) for a in range(4) for i in range(5)],
    "all answers at one end": [Rating(f"r{a}", f"i{i}", 0.0) for a in range(4) for i in range(5)],
    "all answers at both ends": [Rating(f"r{a}", f"i{i}", float(i % 2)) for a in range(4) for i in range(5)],
    "two contrary answers": [Rating("a", "i", 0.0), Rating("b", "i", 1.0)],
    "every rater answers once": [Rating(f"r{a}", f"i{a % 5}", a * 7 % 10 / 10) for a in range(20)],
    "one rater answers once": [*GRID, Rating("late", "i3", 0.9)],
    "one rater turns the scale around": [*GRID, *(Rating("wrong", f"i{i}", 1 - i / 10) for i in range(10))],
}


@pytest.mark.parametrize("case", CASES)
def test_poor_data_give_sensible_numbers(case):
    fit = Steelyard().fit(Judgments.of(CASES[case], range=(0, 1)))
    scale = fit.scale
    for values in (scale.position, scale.spread, scale.low, scale.high, fit.posterior.disagreement):
        assert np.isfinite(values).all()
    assert np.all((scale.low <= scale.position) & (scale.position <= scale.high))
    assert np.all(scale.spread > 0.0)
    assert all(np.isfinite(value) for row in fit.raters for name, value in row.items() if name != "rater")
    assert np.isfinite(fit.draws(50, np.random.default_rng(1))).all()


def test_one_answer_leaves_most_of_the_scale_open():
    scale = Steelyard().fit(Judgments.of(CASES["one answer"], range=(0, 1))).scale
    assert scale.high[0] - scale.low[0] > 0.4


@pytest.mark.parametrize(
    "column",
    [
        {f"i{i}": 3.0 for i in range(10)},
        {f"i{i}": "same" for i in range(10)},
        {f"i{i}": f"level {i}" for i in range(10)},
        {"i1": 1e12},
        {"unheard of": 1.0},
        {},
    ],
)
def test_uninformative_features_change_little(column):
    judgments = Judgments.of(GRID, range=(0, 1))
    with_feature = Steelyard(features={"column": column}).posterior(judgments)
    plain = Steelyard().posterior(judgments)
    assert np.isfinite(with_feature.position).all()
    np.testing.assert_allclose(with_feature.position, plain.position, atol=0.5 * plain.spread.mean())


@pytest.mark.parametrize("seed", [4, 10, 29])
def test_one_answer_per_item_mostly_at_the_ends_keeps_the_sums_of_messages_exact(seed):
    """Items cannot be distinguished from noise here, so the stretch of the scale varies for many sweeps."""
    rng = np.random.default_rng(seed)
    item = np.concatenate([np.arange(95), rng.choice(95, 5, replace=False)])
    score = np.clip(np.round(1.1 * rng.beta(0.5, 0.5, 100) - 0.05, 2), 0.0, 1.0)
    columns = {"rater": [f"r{at // 5}" for at in range(100)], "item": [f"i{at}" for at in item]}
    posterior = Steelyard().posterior(
        Judgments.from_columns("rating", {**columns, "score": score.tolist()}, (0.0, 1.0))
    )
    assert np.isfinite(posterior.spread).all()
    for solution in posterior.average.variants:
        messages = solution.messages
        heard = sums_by(solution.ratings.item, messages.rating_precision, 95)
        np.testing.assert_allclose(messages.item_precision, heard, rtol=1e-9)


@pytest.mark.parametrize("seed", [2, 25, 36])
def test_an_item_past_the_end_of_the_scale_still_has_a_spread(seed):
    """Very unequal counts put some items so far out that their whole interval is cut."""
    rng = np.random.default_rng(seed)
    columns = {
        "rater": [f"r{at % 12}" for at in range(80)],
        "item": [f"i{at}" for at in rng.integers(0, 40, 80)],
        "score": np.clip(1.1 * rng.beta(0.3, 0.3, 80) - 0.05, 0.0, 1.0).tolist(),
        "count": (10.0 ** rng.uniform(-3, 3, 80)).tolist(),
    }
    assert np.all(Steelyard().posterior(Judgments.from_columns("rating", columns, (0.0, 1.0))).spread > 0.0)


def test_one_rater_is_remarked_on():
    assert (
        Steelyard()
        .fit(Judgments.of(CASES["one rater"], range=(0, 1)))
        .remarks[0]
        .startswith("All ratings are by one rater")
    )
    assert Steelyard().fit(Judgments.of(GRID, range=(0, 1))).remarks == ()
