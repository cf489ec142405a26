import pytest

from steelyard import Judgments, Rating
from steelyard.models.steelyard.model import Steelyard
from steelyard.report.disputes import disputes


def test_items_are_disputed_by_standard_deviation_from_three_ratings_on():
    scores = {"few": (0, 100), "wide": (10, 50, 90), "close": (40, 50, 60), "same": (7, 7, 7)}
    rows = [Rating(f"r{at}", item, score) for item, given in scores.items() for at, score in enumerate(given)]
    found = disputes(Judgments.of(rows), {"wide": "A wide one"})
    assert [each.label for each in found] == ["A wide one", "close"]
    assert (found[0].lowest, found[0].highest, found[0].deviation) == (10, 90, pytest.approx(40.0))


def test_items_are_disputed_as_the_fit_says_where_it_removes_rater_terms():
    lean = {"low": -30, "high": 30, "even": 0, "calm": 5, "odd": -5, "sixth": 10}
    scores = {"biased": 50, "other": 40, "third": 60, "fourth": 45, "argued": 50}
    wobble = {"argued": (24, -22, 23, -24, 22, -23)}
    rows = [
        Rating(rater, item, score + bias + wobble.get(item, (0,) * 6)[at])
        for item, score in scores.items()
        for at, (rater, bias) in enumerate(lean.items())
    ]
    judgments = Judgments.of(rows, range=(0, 100))
    fit = Steelyard().fit(judgments)
    found = disputes(judgments, {}, fit)
    estimated = {row["item"]: row["disagreement"] for row in fit.items}
    assert found[0].label == "argued"
    assert {each.label: each.deviation for each in found} == estimated
