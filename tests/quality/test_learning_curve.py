"""Learning curves: scales from part of the answers."""

import numpy as np
import pytest

from steelyard import DirectAssessment, Judgments, PlackettLuce, Ranking, Rating
from steelyard.errors import NothingToTest
from steelyard.quality.learning_curve import learning_curve


def simulated(items=40, raters=24, noise=12.0, seed=5):
    rng = np.random.default_rng(seed)
    truth = dict(zip((f"i{at}" for at in range(items)), rng.normal(50, 12, items), strict=True))
    rows = [
        Rating(f"r{rater}", item, float(np.clip(mean + noise * rng.normal(), 0, 100)))
        for rater in range(raters)
        for item, mean in truth.items()
    ]
    return truth, Judgments.of(rows, range=(0, 100))


def test_the_correlation_of_two_parts_is_the_reliability_of_means():
    """With n answers per item, the reliability of means is V / (V + noise^2 / n)."""
    truth, judgments = simulated()
    curve = learning_curve(DirectAssessment(), judgments, np.random.default_rng(8), points=4, repeats=8)
    each = curve.answers[-1] / len(truth)
    variance = np.var(list(truth.values()))
    assert curve.correlation[-1] == pytest.approx(variance / (variance + 12.0**2 / each), abs=0.03)
    assert curve.answers[-1] == 480
    assert curve.correlation[-1] > curve.correlation[0]
    assert curve.items[0] < len(truth) == curve.items[-1]


def test_with_gold_values_the_last_point_has_all_answers():
    truth, judgments = simulated()
    curve = learning_curve(
        DirectAssessment(), judgments, np.random.default_rng(8), gold=truth, points=3, repeats=2
    )
    assert curve.answers[-1] == 960
    assert curve.low[-1] == pytest.approx(curve.high[-1])
    assert curve.correlation[-1] > 0.95


def test_rankings_are_never_divided():
    rows = [Ranking(f"r{at}", f"t{at}", {"a": 1, "b": 2, "c": 3, "d": 4}) for at in range(12)]
    curve = learning_curve(PlackettLuce(pseudo=0.5), Judgments.of(rows), np.random.default_rng(0), repeats=2)
    assert curve.answers[-1] == 6


def test_too_few_answers_are_refused():
    with pytest.raises(NothingToTest, match="only 2 answers"):
        learning_curve(
            DirectAssessment(),
            Judgments.of([Rating("a", "x", 1.0), Rating("b", "x", 2.0)]),
            np.random.default_rng(0),
        )
