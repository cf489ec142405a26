import pytest

from steelyard import Judgments, Rating
from steelyard.report.disputes import disputes


def test_items_are_disputed_by_standard_deviation_from_three_ratings_on():
    scores = {"few": (0, 100), "wide": (10, 50, 90), "close": (40, 50, 60), "same": (7, 7, 7)}
    rows = [Rating(f"r{at}", item, score) for item, given in scores.items() for at, score in enumerate(given)]
    found = disputes(Judgments.of(rows), {"wide": "A wide one"})
    assert [each.label for each in found] == ["A wide one", "close"]
    assert (found[0].lowest, found[0].highest, found[0].deviation) == (10, 90, pytest.approx(40.0))
