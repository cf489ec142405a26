"""Judgments as statements about the order of items."""

from steelyard import BestWorst, Comparison, Judgments, Ranking, Rating
from steelyard.judgments.orders import orders_of


def stated(judgments, kind):
    orders, items = orders_of(judgments, kind), judgments.items
    rows = zip(orders.first, orders.second, orders.is_tie, strict=True)
    return {(items[one], items[other], bool(tie)) for one, other, tie in rows}


def test_a_comparison_is_one_statement_with_the_side_of_its_first_item():
    judgments = Judgments.of(
        [Comparison("ann", "tea", "milk", "right"), Comparison("bob", "tea", "soup", "tie")]
    )
    assert stated(judgments, "comparison") == {("milk", "tea", False), ("tea", "soup", True)}
    assert orders_of(judgments, "comparison").side.tolist() == [-1.0, 1.0]


def test_a_ranking_states_neighbouring_ranks():
    judgments = Judgments.of([Ranking("ann", "t", {"a": 2, "b": 1, "c": 2, "d": 4})])
    assert len(stated(judgments, "ranking")) == 3
    assert stated(judgments, "ranking") >= {("b", "a", False), ("a", "c", True)}
    assert orders_of(judgments, "ranking").options.tolist() == [24.0]


def test_a_best_worst_choice_of_four_decides_five_pairs():
    judgments = Judgments.of([BestWorst("ann", "t", ("a", "b", "c", "d"), "c", "a")])
    best = {("c", other, False) for other in "abd"}
    assert stated(judgments, "best_worst") == best | {("b", "a", False), ("d", "a", False)}
    assert orders_of(judgments, "best_worst").shared


def test_ratings_order_nothing():
    assert orders_of(Judgments.of([Rating("ann", "tea", 1)]), "rating") is None
