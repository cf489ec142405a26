import pytest

from steelyard import Judgments, Rating
from steelyard.report.parts.disputes import disputes


def test_items_are_disputed_by_standard_deviation_from_three_ratings_on():
    scores = {"few": (0, 100), "wide": (10, 50, 90), "close": (40, 50, 60), "same": (7, 7, 7)}
    rows = [
        Rating(f"r{at}", item, score) for item, values in scores.items() for at, score in enumerate(values)
    ]
    disputed = disputes(Judgments.of(rows), {"wide": "A wide one"})
    assert [each.label for each in disputed] == ["A wide one", "close"]
    assert (disputed[0].answers, disputed[0].deviation) == ("10, 50, 90", pytest.approx(40.0))


def test_systems_are_disputed_by_the_ratings_of_the_same_item():
    scores = {
        ("agreed", "s1"): (10, 10, 10),
        ("agreed", "s2"): (90, 90, 91),
        ("disputed", "s1"): (40, 60, 50),
        ("disputed", "s2"): (45, 55, 50),
    }
    rows = [
        Rating(f"r{at}", f"{system}-{segment}", score, {"system": system})
        for (system, segment), values in scores.items()
        for at, score in enumerate(values)
    ]
    disputed = disputes(Judgments.of(rows), {}, unit="system")
    assert [each.label for each in disputed] == ["disputed", "agreed"]
    assert (disputed[0].ratings, disputed[0].answers) == (6, "")
    assert disputed[0].deviation == pytest.approx(((200 + 50) / 4) ** 0.5)
