import pytest

from steelyard import Comparison, Judgments, Range, Rating
from steelyard.quality.rater_differences import differences_of

SCORES = [
    ("ann", "tea", 10),
    ("bob", "tea", 20),
    ("cem", "tea", 40),
    ("ann", "soup", 50),
    ("bob", "soup", 55),
    ("ann", "rice", 70),
]


def rated(scores):
    return Judgments.of(Rating(*each) for each in scores)


def test_answers_of_a_rater_stand_beside_the_mean_of_the_others_largest_difference_first():
    tea, soup, rice = differences_of(rated(SCORES), "ann")
    assert (tea.items, tea.own, tea.others, tea.raters, tea.difference) == (("tea",), 10, 30, 2, -20)
    assert tea.spread == pytest.approx(200**0.5)
    assert (soup.difference, soup.spread) == (-5, None)
    assert (rice.others, rice.difference, rice.raters) == (None, None, 0)


def test_nobody_is_compared_with_raters_who_are_left_out():
    tea = differences_of(rated(SCORES), "ann", left_out=["cem"])[0]
    assert (tea.items, tea.others, tea.raters) == (("tea",), 20, 1)


def test_ranges_count_by_their_midpoints():
    ranges = [Range("ann", "tea", 10, 30), Range("bob", "tea", 50, 70)]
    assert differences_of(Judgments.of(ranges), "ann")[0].difference == -40


def test_pairs_are_the_same_whichever_item_was_on_the_left():
    answers = [
        Comparison("ann", "tea", "soup", "left"),
        Comparison("bob", "soup", "tea", "left"),
        Comparison("cem", "tea", "soup", "tie"),
    ]
    [pair] = differences_of(Judgments.of(answers), "ann")
    assert set(pair.items) == {"tea", "soup"}
    preferred = 1 if pair.items[0] == "tea" else -1
    assert (pair.own, pair.others, pair.raters) == (preferred, -preferred / 2, 2)


def test_a_rater_without_judgments_has_no_differences():
    assert differences_of(rated(SCORES), "dan") == ()
    assert differences_of(Judgments.of([]), "ann") == ()
