import pytest

from steelyard import read
from steelyard.errors import BadRows, BadSetting, UnknownName

RATINGS = {
    "rater": ["ann", "ann", "ann"],
    "segment": ["s1", "s2", "s2"],
    "item": ["1", "1", "2"],
    "score": [10, 90, 50],
}
PAIRS = {
    "rater": ["ann", "ann"],
    "segment": ["s1", "s2"],
    "left": ["1", "1"],
    "right": ["2", "2"],
    "outcome": ["left", "right"],
}


def test_items_are_distinct_by_all_columns_of_the_key():
    assert read(RATINGS).items.tolist() == ["1", "2"]
    assert read(RATINGS, item_key=("segment", "item")).items.tolist() == ["s1/1", "s2/1", "s2/2"]


def test_both_items_of_a_pair_get_the_key():
    judgments = read(PAIRS, item_key=("segment", "item"))
    assert judgments.cells("comparison", "left").tolist() == ["s1/1", "s2/1"]
    assert judgments.cells("comparison", "right").tolist() == ["s1/2", "s2/2"]


def test_a_system_in_the_key_is_that_of_each_side():
    columns = {**PAIRS, "left_system": ["x", "y"], "right_system": ["y", "x"]}
    judgments = read(columns, item_key=("system", "item"))
    assert judgments.cells("comparison", "left").tolist() == ["x/1", "y/1"]
    assert judgments.cells("comparison", "right").tolist() == ["y/2", "x/2"]


def test_an_empty_cell_in_the_key_is_a_mistake_with_its_row():
    with pytest.raises(BadRows, match="row 2: segment is empty"):
        read({**RATINGS, "segment": ["s1", None, "s2"]}, item_key=("segment", "item"))


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(UnknownName, match="Did you mean 'segment'"):
        read(RATINGS, item_key=("segmnt", "item"))


def test_two_items_never_become_one():
    columns = {**RATINGS, "segment": ["a/b", "a", "a"], "item": ["c", "b/c", "d"]}
    with pytest.raises(BadSetting, match="two items would have the id 'a/b/c'"):
        read(columns, item_key=("segment", "item"))


def test_a_file_without_an_item_column_is_read_if_the_key_names_other_columns():
    columns = {"annotator": ["ann", "bob"], "System": ["x", "y"], "segment": ["1", "1"], "score": [20, 30]}
    judgments = read(columns, item_key=("system", "segment"))
    assert judgments.items.tolist() == ["x/1", "y/1"]
    assert judgments.labels("system").tolist() == ["x", "y"]
