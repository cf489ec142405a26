import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import BestWorst, Comparison, Judgments, Range, Ranking, Rating, convert
from steelyard.errors import BadSetting, NothingToConvert, UnknownName
from steelyard.judgments.conversions import CONVERSIONS, losses


def rows(judgments, *columns, kind="comparison"):
    cells = [judgments.cells(kind, name).tolist() for name in columns or ("left", "right", "outcome")]
    return list(zip(*cells, strict=True))


def ratings(scores, **context):
    return Judgments.of(
        [Rating("ann", item, score, {"task": "t", **context}) for item, score in scores.items()]
    )


def test_scores_of_a_task_become_pairs_and_close_ones_tie():
    judgments = ratings({"tea": 60, "milk": 63, "soup": 20})
    assert rows(convert(judgments)) == [
        ("milk", "tea", "left"),
        ("soup", "tea", "right"),
        ("milk", "soup", "left"),
    ]
    assert rows(convert(judgments, tie_width=3))[0] == ("milk", "tea", "tie")
    assert rows(convert(judgments, tie_width=2.9))[0] == ("milk", "tea", "left")


def test_ratings_in_no_task_are_left_out_and_refused_where_there_are_no_others():
    alone = Judgments.of([Rating("ann", "tea", 1), Rating("ann", "milk", 2)])
    with pytest.raises(NothingToConvert, match="task column"):
        convert(alone)
    assert len(convert(alone + ratings({"tea": 1, "milk": 2}))) == 1


def test_raters_tasks_and_questions_are_not_mixed():
    records = [
        Rating(rater, item, score, {"task": task, "question": question})
        for rater in ("ann", "bob")
        for task in ("t1", "t2")
        for question in ("warm", "sweet")
        for item, score in (("tea", 1), ("milk", 2))
    ]
    assert len(convert(Judgments.of(records))) == 8


def test_a_ranking_becomes_all_its_pairs_with_ties_kept():
    converted = convert(Judgments.of([Ranking("ann", "t", {"a": 2, "b": 1, "c": 2, "d": 5})]))
    assert sorted(rows(converted)) == [
        ("a", "b", "right"),
        ("a", "c", "tie"),
        ("a", "d", "left"),
        ("b", "c", "left"),
        ("b", "d", "left"),
        ("c", "d", "left"),
    ]


def test_a_best_worst_choice_becomes_the_pairs_that_it_decides():
    converted = convert(Judgments.of([BestWorst("ann", "t", ("a", "b", "c", "d"), "c", "b")]))
    assert sorted(rows(converted)) == [
        ("a", "b", "left"),
        ("a", "c", "right"),
        ("b", "c", "right"),
        ("b", "d", "right"),
        ("c", "d", "left"),
    ]


@given(st.integers(2, 7), st.integers(1, 4))
def test_pairs_are_counted_by_the_size_of_the_task(size, tasks):
    items = tuple(f"i{at}" for at in range(size))
    ranked = [Ranking("r", f"t{t}", {item: at + 1 for at, item in enumerate(items)}) for t in range(tasks)]
    chosen = [BestWorst("r", f"t{t}", items, items[0], items[1]) for t in range(tasks)]
    assert len(convert(Judgments.of(ranked))) == tasks * size * (size - 1) // 2
    assert len(convert(Judgments.of(chosen))) == tasks * (2 * size - 3)


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=2))
def test_ratings_by_way_of_a_ranking_are_the_same_comparisons(scores):
    judgments = ratings(scores)
    direct, detour = convert(judgments), convert(convert(judgments, "ranking"))
    assert sorted(rows(direct)) == sorted(rows(detour))


@given(st.lists(st.sampled_from(["left", "right", "tie"]), min_size=1, max_size=9))
def test_comparisons_come_back_from_rankings_of_two(outcomes):
    records = [Comparison("ann", "a", f"b{at}", outcome) for at, outcome in enumerate(outcomes)]
    there = convert(Judgments.of(records), "ranking")
    assert len(there) == 2 * len(outcomes)
    assert rows(convert(there)) == [(r.left, r.right, r.outcome) for r in records]


def test_what_the_rows_of_a_task_share_is_kept():
    context = {"question": "warm", "segment": "s1", "condition": "c", "round": 2, "at": 7.0, "count": 3.0}
    converted = convert(Judgments.of([Ranking("ann", "t", {"a": 1, "b": 2}, context)]))
    names = ("rater", "task", "question", "segment", "condition", "round", "at", "count")
    assert rows(converted, *names) == [("ann", "t", "warm", "s1", "c", 2.0, 7.0, 3.0)]


def test_the_systems_of_both_sides_are_kept():
    records = [
        Rating("ann", "o1", 5, {"task": "t", "system": "x", "at": 3.0, "count": 2.0}),
        Rating("ann", "o2", 9, {"task": "t", "system": "y", "at": 4.0, "count": 1.0}),
    ]
    converted = convert(Judgments.of(records))
    names = ("left", "right", "left_system", "right_system", "at", "count")
    assert rows(converted, *names) == [("o1", "o2", "x", "y", 4.0, 1.0)]


def test_an_item_is_not_compared_with_itself():
    columns = {"rater": ["a"] * 3, "task": ["t"] * 3, "item": ["x", "x", "y"], "rank": [1, 3, 2]}
    converted = convert(Judgments.from_columns("ranking", columns))
    assert rows(converted) == [("x", "y", "left"), ("x", "y", "right")]


def test_answers_without_raters_are_distinguished_by_the_order_of_the_file():
    columns = {
        "rater": ["unknown"] * 6,
        "task": ["t"] * 6,
        "item": ["a", "b", "c", "a", "b", "c"],
        "choice": ["best", "none", "worst", "worst", "best", "none"],
    }
    converted = convert(Judgments.from_columns("best_worst", columns))
    assert sorted(rows(converted)) == [
        ("a", "b", "left"),
        ("a", "b", "right"),
        ("a", "c", "left"),
        ("a", "c", "right"),
        ("b", "c", "left"),
        ("b", "c", "left"),
    ]


def test_answers_without_one_best_and_one_worst_are_left_out():
    columns = {
        "rater": ["r"] * 3,
        "task": ["t"] * 3,
        "item": ["a", "b", "c"],
        "choice": ["best", "best", "worst"],
    }
    with pytest.raises(NothingToConvert):
        convert(Judgments.from_columns("best_worst", columns))


def test_judgments_of_the_kind_asked_for_stay_and_others_join_them():
    both = Judgments.of([Comparison("ann", "a", "b", "tie"), Ranking("ann", "t", {"a": 1, "c": 2})])
    assert sorted(rows(convert(both))) == [("a", "b", "tie"), ("a", "c", "left")]


def test_sides_do_not_show_who_won():
    rng = np.random.default_rng(0)
    records = []
    for task in range(400):
        order = [f"i{at:02}" for at in rng.permutation(30)[:5]]
        records.append(Ranking("r", f"t{task}", {item: at + 1 for at, item in enumerate(order)}))
    outcome = convert(Judgments.of(records)).cells("comparison", "outcome")
    assert np.mean(outcome == "left") == pytest.approx(0.5, abs=0.03)


def test_every_conversion_says_what_is_lost_and_that_pairs_of_a_task_are_dependent():
    for each in CONVERSIONS.values():
        assert each.lost.endswith(".")
        if each.target == "comparison":
            assert "dependent" in each.lost
    (sentence,) = losses(Judgments.of([Ranking("ann", "t", {"a": 1, "c": 2})]))
    assert sentence.startswith("ranking to comparison: ")


def test_what_cannot_be_converted_is_refused_in_words():
    with pytest.raises(UnknownName, match="comparison, ranking"):
        convert(ratings({"a": 1, "b": 2}), "rating")
    with pytest.raises(UnknownName, match="Did you mean 'comparison'"):
        convert(ratings({"a": 1, "b": 2}), "comparisons")
    with pytest.raises(NothingToConvert, match="Kinds in the input: range"):
        convert(Judgments.of([Range("ann", "tea", 1, 2)]))
    with pytest.raises(BadSetting, match="tie_width"):
        convert(ratings({"a": 1, "b": 2}), tie_width=-1)
    with pytest.raises(BadSetting, match="tie_width"):
        convert(ratings({"a": 1, "b": 2}), "ranking", tie_width=1)
