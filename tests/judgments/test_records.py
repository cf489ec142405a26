import pytest

from steelyard.errors import (
    BadChoice,
    BadRank,
    CrossedRange,
    MissingValue,
    NotANumber,
    SelfComparison,
    UnknownOutcome,
)
from steelyard.kinds.best_worst import BestWorst
from steelyard.kinds.comparison import Comparison
from steelyard.kinds.range import Range
from steelyard.kinds.ranking import Ranking
from steelyard.kinds.rating import Rating


def test_a_rating_is_one_row_with_its_context():
    rating = Rating("ann", "tea", 20, {"question": "filling"})
    assert list(rating.rows()) == [{"rater": "ann", "item": "tea", "score": 20.0, "question": "filling"}]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), True, "20", None])
def test_a_score_that_is_no_finite_number_is_refused(score):
    with pytest.raises(NotANumber, match="score"):
        Rating("ann", "tea", score)


@pytest.mark.parametrize("name", ["", "  ", None])
def test_a_record_without_a_rater_is_refused(name):
    with pytest.raises(MissingValue, match="rater is empty"):
        Rating(name, "tea", 20)


def test_an_item_compared_with_itself_is_refused():
    with pytest.raises(SelfComparison, match="'tea' is compared with itself by rater 'ann'"):
        Comparison("ann", "tea", "tea", "left")


def test_an_outcome_that_nobody_knows_is_refused():
    with pytest.raises(UnknownOutcome, match="Write left, right or tie"):
        Comparison("ann", "tea", "soup", "both")


@pytest.mark.parametrize("rank", [0, -1, 1.5, True])
def test_a_rank_is_a_whole_number_from_one_up(rank):
    with pytest.raises(BadRank):
        Ranking("ann", "t1", {"tea": rank})


def test_a_ranking_is_one_row_per_item():
    rows = list(Ranking("ann", "t1", {"tea": 1, "soup": 1, "stew": 3}).rows())
    assert [(row["item"], row["rank"]) for row in rows] == [("tea", 1), ("soup", 1), ("stew", 3)]


@pytest.mark.parametrize(
    ("items", "best", "worst", "words"),
    [
        (("a", "b", "a"), "a", "b", "occurs twice"),
        (("a", "b", "c"), "z", "b", "must be items of task"),
        (("a", "b", "c"), "a", "a", "both best and worst"),
    ],
)
def test_a_best_worst_task_has_one_best_and_another_worst(items, best, worst, words):
    with pytest.raises(BadChoice, match=words):
        BestWorst("ann", "t1", items, best, worst)


def test_the_items_between_best_and_worst_are_none():
    rows = BestWorst("ann", "t1", ("a", "b", "c"), "a", "c").rows()
    assert [row["choice"] for row in rows] == ["best", "none", "worst"]


def test_a_range_with_its_ends_crossed_is_refused():
    with pytest.raises(CrossedRange, match="low 60 is above high 40"):
        Range("ann", "tea", 60, 40)


def test_a_range_may_be_a_point():
    assert next(Range("ann", "tea", 40, 40).rows())["low"] == 40.0
