"""Rows with a count of 0 are ignored, and a file with only such rows cannot be fitted."""

import pytest

from steelyard import Judgments
from steelyard.errors import NothingCounted
from steelyard.models.known import item_models, model_named

ROWS = {
    "rating": {"rater": ["x", "y"], "item": ["a", "b"], "score": [1.0, 2.0]},
    "comparison": {"rater": ["x", "y"], "left": ["a", "b"], "right": ["b", "c"], "outcome": ["left", "tie"]},
    "ranking": {"rater": ["x", "x"], "task": ["t", "t"], "item": ["a", "b"], "rank": [1.0, 2.0]},
    "best_worst": {"rater": ["x", "x"], "task": ["t", "t"], "item": ["a", "b"], "choice": ["best", "worst"]},
    "range": {"rater": ["x", "y"], "item": ["a", "b"], "low": [1.0, 2.0], "high": [3.0, 4.0]},
}
CASES = [(name, kind) for name, model in item_models().items() for kind in model.kinds]


def never(kind):
    return Judgments.from_columns(kind, {**ROWS[kind], "count": [0.0, 0.0]}, range=(0, 10))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_model_refuses_a_file_with_only_counts_of_zero(name, kind):
    with pytest.raises(NothingCounted, match=f"{name}: every row has a count of 0.*count column"):
        model_named(name).fit(never(kind))


@pytest.mark.parametrize("settings", [{"method": "model"}, {"method": "counting"}])
def test_best_worst_choices_that_never_happened_are_refused_by_either_method(settings):
    with pytest.raises(NothingCounted):
        model_named("best_worst", **settings).fit(never("best_worst"))
