from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard
from steelyard import Comparison, Judgments
from steelyard.errors import NothingToTest, UnknownName
from steelyard.quality.friedman import average_ranks, friedman_of_scores, friedman_test

# Dras (2015), Table 1: wins of the first, ties, wins of the second, of 40 answers to each pair by each judge.
PAIRS = ("AB", "AC", "AD", "BC", "BD", "CD")
TABLE_1 = {
    "J1": ((38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)),
    "J2": ((37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)),
    "J3": ((33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)),
    "J4": ((37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)),
}


def table_1(table=TABLE_1):
    rows = [
        Comparison(rater, first, second, outcome, {"count": count})
        for rater, cells in table.items()
        for (first, second), cell in zip(PAIRS, cells, strict=True)
        for outcome, count in zip(("left", "tie", "right"), cell, strict=True)
    ]
    return Judgments.of(rows)


@pytest.mark.parametrize("score", ["wins", "half_ties"])
def test_dras_table_1_agrees_with_r(score):  # R 4.2.2, friedman.test
    result = friedman_test(table_1(), score)
    assert result.statistic == pytest.approx(10.2, rel=1e-12)
    assert result.df == 3
    assert result.p_chi2 == pytest.approx(0.0169403735225339, rel=1e-12)
    assert result.kendall_w == pytest.approx(0.85, rel=1e-12)
    assert result.f == pytest.approx(17)
    assert result.rank_sums == {"A": 15, "B": 7, "C": 5, "D": 13}
    assert (result.raters, result.left_out, result.balanced) == (4, (), True)


def exact_tail(scores):
    """P(statistic >= observed) over every combination of orders, in rational numbers."""
    doubled = (2 * average_ranks(np.array(scores, dtype=float))).astype(int).tolist()
    observed = sum(sum(column) ** 2 for column in zip(*doubled, strict=True))
    orders = [list(permutations(row)) for row in doubled]
    hits = total = 0
    for drawn in product(*orders):
        total += 1
        hits += sum(sum(column) ** 2 for column in zip(*drawn, strict=True)) >= observed
    return float(Fraction(hits, total))


@pytest.mark.parametrize(
    "scores",
    [
        [[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]],
        [[1, 2, 2], [1, 3, 2], [1, 1, 3], [2, 1, 3], [3, 3, 3]],
        [[4, 1, 2, 3], [4, 2, 1, 3], [3, 1, 2, 4]],
        [[1, 1, 2, 2], [1, 2, 3, 3], [5, 1, 7, 7]],
    ],
)
def test_small_tables_have_the_exact_p_of_all_orders(scores):
    result = friedman_of_scores(np.array(scores, dtype=float), [str(at) for at in range(len(scores[0]))])
    assert result.method == "exact"
    assert result.p == pytest.approx(exact_tail(scores), rel=1e-12)


@pytest.mark.parametrize(("raters", "items"), [(3, 3), (4, 3), (3, 4), (5, 4), (4, 5)])
def test_full_agreement_is_one_order_in_k_factorial_for_each_further_rater(raters, items):
    scores = np.tile(np.arange(items, dtype=float), (raters, 1))
    result = friedman_of_scores(scores, [str(at) for at in range(items)])
    orders = len(list(permutations(range(items))))
    assert result.p == pytest.approx(orders ** (1.0 - raters), rel=1e-12)
    assert result.kendall_w == pytest.approx(1.0)
    assert result.p_f == 0.0


def test_drawn_orders_come_near_the_exact_p():
    rng = np.random.default_rng(2)
    scores = rng.random((6, 7)) + 0.08 * np.arange(7)
    names = [str(at) for at in range(7)]
    drawn = friedman_of_scores(scores, names, rng)
    again = friedman_of_scores(scores, names, np.random.default_rng(99))
    assert (drawn.method, again.method) == ("permutation", "permutation")
    assert drawn.p == pytest.approx(again.p, abs=0.02)
    assert friedman_of_scores(scores, names).method == "chi2"


def test_many_raters_are_left_to_the_chi_square():
    scores = np.random.default_rng(3).random((500, 3))
    result = friedman_of_scores(scores, ["a", "b", "c"], np.random.default_rng(1))
    assert (result.method, result.p) == ("chi2", result.p_chi2)


@given(st.permutations("ABCD"), st.permutations(list(TABLE_1)))
@settings(max_examples=20)
def test_other_names_and_another_order_of_raters_change_nothing(names, raters):
    renamed = dict(zip("ABCD", names, strict=True))
    rows = [
        Comparison(rater, renamed[first], renamed[second], outcome, {"count": count})
        for rater in raters
        for (first, second), cell in zip(PAIRS, TABLE_1[rater], strict=True)
        for outcome, count in zip(("left", "tie", "right"), cell, strict=True)
    ]
    result = friedman_test(Judgments.of(rows))
    assert result.statistic == pytest.approx(10.2)
    assert result.rank_sums == {
        renamed[name]: total for name, total in zip("ABCD", (15, 7, 5, 13), strict=True)
    }


def test_swapping_sides_changes_nothing():
    table = table_1()
    codes = table.table("comparison").codes
    other = np.array(["right", "tie", "left"], dtype=object)
    column_of = {"left": 0, "tie": 1, "right": 2}
    swapped = Judgments.from_columns(
        "comparison",
        {
            "rater": table.raters[codes["rater"]],
            "left": table.items[codes["right"]],
            "right": table.items[codes["left"]],
            "outcome": other[[column_of[word] for word in table.cells("comparison", "outcome")]],
            "count": table.table("comparison").numbers["count"],
        },
    )
    assert friedman_test(swapped).p == friedman_test(table).p


def test_a_rater_who_did_not_compare_every_item_is_left_out_by_name():
    more = [Comparison("late", "A", "B", "left"), Comparison("late", "B", "C", "left")]
    result = friedman_test(table_1() + Judgments.of(more))
    assert (result.raters, result.left_out) == (4, ("late",))
    assert result.statistic == pytest.approx(10.2)


def test_wins_are_taken_per_comparison_where_some_items_were_asked_more_often():
    rows = []
    for rater in ("ann", "bob"):
        rows += [Comparison(rater, "a", "b", "left", {"count": 1}), Comparison(rater, "a", "c", "left")]
        rows += [Comparison(rater, "b", "c", "left", {"count": 6}), Comparison(rater, "c", "b", "left")]
    result = friedman_test(Judgments.of(rows))
    assert result.rank_sums == {"a": 6, "b": 4, "c": 2}
    assert not result.balanced


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "items compared here: 0"),
        ([Comparison("ann", "a", "b", "left")], "1 of 1 raters compared all 2 items"),
        (
            [Comparison("ann", "a", "b", "left"), Comparison("bob", "b", "c", "left")],
            "0 of 2 raters compared all 3 items",
        ),
        ([Comparison(rater, "a", "b", "tie") for rater in ("ann", "bob")], "scores all items equally"),
    ],
)
def test_what_cannot_be_tested_is_said_in_words(rows, message):
    with pytest.raises(NothingToTest, match=message):
        friedman_test(Judgments.of(rows))


def test_an_unknown_score_is_answered_with_the_known():
    with pytest.raises(UnknownName, match="Known: wins, half_ties"):
        friedman_test(table_1(), "ties")


def test_a_table_without_raters_has_no_blocks():
    table = {"left": ["a"] * 2, "right": ["b"] * 2, "outcome": ["left", "right"], "count": [3, 4]}
    with pytest.raises(NothingToTest, match="1 of 1 raters"):
        friedman_test(steelyard.read(table))
