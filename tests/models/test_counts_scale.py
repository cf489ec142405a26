"""Multiplying all counts changes the uncertainty of a fit, not its positions."""

import numpy as np
import pytest

from steelyard import Judgments
from steelyard.models.known import model_named

FACTORS = (1e-10, 1e-5, 1e6)
COMPARING = [
    ("bradley_terry", {}),
    ("bradley_terry", {"ties": "rao_kupper"}),
    ("bradley_terry", {"ties": "drop"}),
    ("bradley_terry", {"link": "probit"}),
    ("bradley_terry", {"order": True}),
    ("bradley_terry", {"standard_errors": "judgment"}),
    ("plackett_luce", {"pseudo": 0.0}),
    ("plackett_luce", {"pseudo": 0.5}),
    ("win_rate", {}),
]


def compared(factor, items=8):
    rng = np.random.default_rng(3)
    rows = [
        (f"r{at % 4}", f"i{left}", f"i{right}", outcome, factor * float(rng.integers(1, 9)))
        for at, (left, right) in enumerate(np.argwhere(~np.eye(items, dtype=bool)).tolist())
        for outcome in ("left", "right", "tie")
    ]
    columns = zip(("rater", "left", "right", "outcome", "count"), zip(*rows, strict=True), strict=True)
    return Judgments.from_columns("comparison", dict(columns))


def chosen(factor, items=8, tasks=60):
    rng = np.random.default_rng(4)
    rows = []
    for task in range(tasks):
        shown = rng.permutation(items)[:4]
        picked = ["best", "worst", "none", "none"]
        count = factor * float(rng.integers(1, 5))
        rows += [(f"r{task % 5}", f"t{task}", f"i{i}", c, count) for i, c in zip(shown, picked, strict=True)]
    columns = zip(("rater", "task", "item", "choice", "count"), zip(*rows, strict=True), strict=True)
    return Judgments.from_columns("best_worst", dict(columns))


def settings_at(settings, factor):
    """Pseudo-judgments are scaled together with the judgments."""
    return {name: value * factor if name == "pseudo" else value for name, value in settings.items()}


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(("name", "settings"), COMPARING)
def test_comparisons_counted_in_other_units_have_the_same_positions(name, settings, factor):
    plain = model_named(name, **settings).fit(compared(1.0))
    scaled = model_named(name, **settings_at(settings, factor)).fit(compared(factor))
    assert plain.converged
    assert scaled.converged
    np.testing.assert_allclose(scaled.posterior.position, plain.posterior.position, rtol=0, atol=1e-9)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("settings", [{"method": "counting"}, {"method": "model", "pseudo": 0.5}])
def test_choices_counted_in_other_units_have_the_same_positions(settings, factor):
    plain = model_named("best_worst", **settings).fit(chosen(1.0))
    scaled = model_named("best_worst", **settings_at(settings, factor)).fit(chosen(factor))
    assert scaled.converged
    np.testing.assert_allclose(scaled.posterior.position, plain.posterior.position, rtol=0, atol=1e-9)
