import numpy as np
import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.table import Judgments
from steelyard.kinds.comparison import Comparison
from steelyard.kinds.range import Range
from steelyard.kinds.rating import Rating


@pytest.fixture
def ratings():
    return Judgments.of(
        [
            Rating("ann", "tea", 20, {"question": "filling", "round": 1}),
            Rating("bob", "soup", 70, {"question": "filling", "round": 2}),
            Rating("ann", "soup", 60, {"question": "cheap", "round": 2}),
        ]
    )


def test_records_of_all_kinds_share_one_vocabulary_of_items():
    judgments = Judgments.of([Rating("ann", "tea", 20), Comparison("bob", "soup", "tea", "left")])
    assert judgments.kinds == ("rating", "comparison")
    assert judgments.items.tolist() == ["tea", "soup"]
    assert judgments.table("comparison").codes["right"].tolist() == [0]


def test_no_records_are_an_empty_table():
    judgments = Judgments.of([])
    assert (len(judgments), judgments.kinds, len(judgments.items)) == (0, (), 0)
    assert len(judgments.table("rating")) == 0


def test_adding_keeps_every_row_and_fills_missing_columns(ratings):
    both = ratings + Judgments.of([Rating("cat", "stew", 90, {"segment": "s1"})])
    assert both.cells("rating", "item").tolist() == ["tea", "soup", "soup", "stew"]
    assert both.cells("rating", "question").tolist() == ["filling", "filling", "cheap", None]
    assert np.isnan(both.cells("rating", "round")[3])
    assert both.cells("rating", "segment").tolist() == [None, None, None, "s1"]


def test_adding_changes_neither_part(ratings):
    before = ratings.cells("rating", "item").tolist()
    _ = ratings + Judgments.of([Rating("cat", "stew", 90)])
    assert ratings.cells("rating", "item").tolist() == before
    assert len(ratings) == 3


def test_judgments_on_different_scales_do_not_add_up():
    one = Judgments.of([Rating("ann", "tea", 1)], range=(0, 1))
    hundred = Judgments.of([Rating("ann", "tea", 1)], range=(0, 100))
    with pytest.raises(BadSetting, match=r"0 to 1, 0 to 100"):
        _ = one + hundred


def test_each_question_is_separate_with_its_own_items(ratings):
    parts = dict(ratings.by("question"))
    assert {name: part.items.tolist() for name, part in parts.items()} == {
        "filling": ["tea", "soup"],
        "cheap": ["soup"],
    }


def test_numbers_can_group_too(ratings):
    assert [(value, len(part)) for value, part in ratings.by("round")] == [(1.0, 1), (2.0, 2)]


def test_grouping_by_an_unknown_column_suggests_one(ratings):
    with pytest.raises(UnknownName, match="Did you mean 'question'"):
        list(ratings.by("qestion"))


def test_ids_written_as_numbers_are_still_ids():
    judgments = Judgments.from_columns("rating", {"rater": [1], "item": [2], "score": [3], "task": [4]})
    assert judgments.cells("rating", "task").tolist() == ["4"]
    assert judgments.raters.tolist() == ["1"]


def test_systems_stand_in_for_their_items():
    records = [Rating("ann", "out1", 20, {"system": "A"}), Rating("ann", "out2", 60, {"system": "B"})]
    judgments = Judgments.of(records).at_unit("system")
    assert judgments.items.tolist() == ["A", "B"]
    assert judgments.cells("rating", "item").tolist() == ["A", "B"]


def test_systems_cannot_be_scaled_where_none_are_named():
    with pytest.raises(BadSetting, match="have no column system"):
        Judgments.of([Rating("ann", "tea", 20)]).at_unit("system")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([0, 1], (0, 1)), ([1, 4], (1, 5)), ([-0.5, 1], (-1, 1)), ([0, 63], (0, 100)), ([-300, 5], (-300, 5))],
)
def test_the_range_is_the_narrowest_common_one(scores, expected):
    judgments = Judgments.of([Rating("ann", f"i{at}", score) for at, score in enumerate(scores)])
    assert judgments.score_range == expected


def test_ranges_count_for_the_scale_too():
    assert Judgments.of([Range("ann", "tea", 3, 80)]).score_range == (0, 100)


def test_a_row_without_a_count_happened_once():
    judgments = Judgments.of([Rating("ann", "tea", 1, {"count": 2.5}), Rating("ann", "soup", 1)])
    assert judgments.table("rating").weights.tolist() == [2.5, 1.0]


def test_the_own_columns_of_a_kind_come_first(ratings):
    assert ratings.table("rating").columns == ("rater", "item", "score", "question", "round")


def test_chosen_rows_keep_the_vocabularies_until_compacted(ratings):
    some = ratings.where(lambda table: table.numbers["score"] > 65)
    assert some.items.tolist() == ["tea", "soup"]
    assert some.compact().items.tolist() == ["soup"]


def test_every_part_keeps_the_range_of_the_whole():
    records = [Rating("ann", "tea", 1, {"question": "a"}), Rating("ann", "tea", 60, {"question": "b"})]
    assert [part.score_range for _, part in Judgments.of(records).by("question")] == [(0, 100), (0, 100)]
    stated = Judgments.of(records, range=(0, 200)).by("question")
    assert [part.range for _, part in stated] == [(0, 200), (0, 200)]


def test_comparisons_have_no_range_to_keep():
    pairs = Judgments.of([Comparison("ann", "tea", "soup", "left", {"question": "a"})])
    assert [part.range for _, part in pairs.by("question")] == [None]


@pytest.mark.parametrize(("column", "empty"), [("question", None), ("round", float("nan"))])
def test_rows_without_a_value_come_last_under_an_empty_name(ratings, column, empty):
    more = ratings + Judgments.of([Rating("cat", "stew", 3, {column: empty}), Rating("dan", "pie", 4)])
    parts = list(more.by(column))
    assert [(name, len(part)) for name, part in parts][-1] == ("", 2)
    assert sum(len(part) for _, part in parts) == len(more)


def test_rows_of_a_kind_without_the_column_do_not_vanish(ratings):
    parts = dict((ratings + Judgments.of([Comparison("ann", "tea", "soup", "left")])).by("question"))
    assert parts[""].kinds == ("comparison",)
    assert parts["cheap"].kinds == ("rating",)


def test_one_kind_can_be_chosen_with_its_own_items_and_raters():
    mixed = Judgments.of([Rating("ann", "tea", 1), Comparison("bob", "soup", "milk", "left")])
    chosen = mixed.only("comparison")
    assert (chosen.kinds, chosen.items.tolist(), chosen.raters.tolist()) == (
        ("comparison",),
        ["soup", "milk"],
        ["bob"],
    )
    with pytest.raises(UnknownName, match="Known: rating, comparison"):
        mixed.only("ranking")
