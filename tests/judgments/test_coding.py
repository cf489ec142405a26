import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.judgments import coded
from steelyard.judgments.coded import Coded
from steelyard.judgments.coding import Vocabulary, code, coded_cells, merge
from steelyard.maths.arrays import object_cells

labels = st.lists(st.none() | st.text(), max_size=30)


@settings(deadline=None)
@given(labels)
def test_decoding_the_codes_gives_the_labels_back(values):
    codes, vocabulary = code(values)
    assert [None if at < 0 else vocabulary.labels[at] for at in codes] == values


@settings(deadline=None)
@given(labels, labels)
def test_codes_go_on_where_a_vocabulary_ends(first, second):
    _, start = code(first)
    more, extended = code(second, start)
    assert extended.labels[: len(start)].tolist() == start.labels.tolist()
    assert [None if at < 0 else extended.labels[at] for at in more] == second


def test_labels_that_are_no_text_become_text():
    codes, vocabulary = code(np.array([7, 8, 7]))
    assert (codes.tolist(), vocabulary.labels.tolist()) == ([0, 1, 0], ["7", "8"])


def test_labels_of_several_types_become_text_even_where_they_are_equal():
    codes, vocabulary = code(["1", 1, True, None, 1.0])
    assert vocabulary.labels.tolist() == ["1", "True", "1.0"]
    assert codes.tolist() == [0, 0, 1, -1, 2]


def test_values_without_a_hash_become_text():
    codes, vocabulary = code([["a"], ["a"], None])
    assert (codes.tolist(), vocabulary.labels.tolist()) == ([0, 0, -1], ["['a']"])


def coded_columns(values):
    """Return the same column in the coding of every library."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    return {
        "pandas categorical": pd.Series(values, dtype="category"),
        "pandas categorical array": pd.Categorical(values),
        "pandas text": pd.Series(values, dtype="str"),
        "arrow dictionary": pa.array(values, pa.string()).dictionary_encode(),
        "arrow chunks": pa.chunked_array(
            [pa.array(values[:1], pa.string()), pa.array(values[1:], pa.string())]
        ),
        "polars categorical": pl.Series(values, dtype=pl.Categorical),
        "polars text": pl.Series(values, dtype=pl.String),
    }


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.none() | st.text("abc", min_size=1, max_size=2), min_size=1, max_size=20),
    st.lists(st.text("ab")),
)
def test_columns_that_are_coded_already_get_the_codes_of_their_text(values, before):
    _, start = code(before)
    wanted, vocabulary = code(values, start)
    for name, column in coded_columns(values).items():
        codes, extended = code(column, start)
        assert codes.tolist() == wanted.tolist(), name
        assert extended.labels.tolist() == vocabulary.labels.tolist(), name


@pytest.mark.parametrize("bits", [2, 18])
def test_long_columns_of_shared_objects_get_the_codes_of_their_text(bits, monkeypatch):
    monkeypatch.setattr(coded, "SLOT_BITS", bits)  # two bits crowd every slot
    rng = np.random.default_rng(0)
    twins = ["".join(["it", "em"]), "".join(["ite", "m"])]  # equal texts, two objects
    labels = np.array([*(f"label {at}" for at in range(50)), *twins, None, 7, "7"], dtype=object)
    values = labels[rng.integers(0, len(labels), 20_000)]
    wanted, vocabulary = code(values.tolist())
    codes, coded_vocabulary = code(values)
    assert codes.tolist() == wanted.tolist()
    assert coded_vocabulary.labels.tolist() == vocabulary.labels.tolist()


def test_long_columns_of_single_objects_get_the_codes_of_their_text():
    values = np.array([f"label {at % 70}" for at in range(20_000)], dtype=object)
    wanted, vocabulary = code(values.tolist())
    codes, coded_vocabulary = code(values)
    assert codes.tolist() == wanted.tolist()
    assert coded_vocabulary.labels.tolist() == vocabulary.labels.tolist()


def test_categories_that_no_row_uses_are_no_labels():
    import pandas as pd

    _, vocabulary = code(pd.Categorical(["b"], categories=["a", "b", "c"]))
    assert vocabulary.labels.tolist() == ["b"]


def test_merged_vocabularies_share_their_labels():
    parts = [{"item": code(["a", "b"])[1]}, {"item": code(["b", "c"])[1]}]
    joined, recodings = merge(parts)
    assert joined["item"].labels.tolist() == ["a", "b", "c"]
    assert [recoding["item"].tolist() for recoding in recodings] == [[0, 1], [1, 2]]


def test_a_vocabulary_keeps_only_what_is_used():
    vocabulary = Vocabulary(np.array(["a", "b", "c"], dtype=object))
    kept, new = vocabulary.kept(np.array([2, -1, 0]))
    assert (kept.labels.tolist(), new.tolist()) == (["a", "c"], [0, -1, 1])


def test_a_coded_column_gives_cells_columns_and_arrays():
    column = Coded(np.array([1, -1, 0, 2]), object_cells(["a", "b", None]))
    assert [column[0], column[1], column[np.int64(3)]] == ["b", None, None]
    assert column[np.array([True, True, False, False])].tolist() == ["b", None]
    assert np.repeat(column, 2).tolist() == ["b", "b", None, None, "a", "a", None, None]
    assert len(column) == 4


def test_a_claim_about_a_coded_column_is_tried_once_for_each_label():
    tried = []
    column = Coded(np.array([0, 1, 0, -1]), object_cells(["a", "b"]))
    assert column.where(lambda label: bool(tried.append(label)) or label == "a").tolist() == [
        True,
        False,
        True,
        False,
    ]
    assert tried == ["a", "b"]
    assert column.where(lambda label: False, empty=True).tolist() == [False, False, False, True]


def test_coded_columns_with_equal_and_empty_labels_get_the_codes_of_their_text():
    codes, vocabulary = code(Coded(np.array([2, 0, 1, 3, -1]), object_cells(["b", None, "a", "b"])))
    assert (codes.tolist(), vocabulary.labels.tolist()) == ([0, 1, -1, 1, -1], ["a", "b"])


@pytest.mark.parametrize("cells", [[1, True, 1.0], ["1", 1], [None, None], ["a", ["a"]], []])
def test_cells_that_are_not_all_text_are_not_coded_by_their_text(cells):
    assert coded_cells(object_cells(cells)) is None


@settings(deadline=None)
@given(labels)
def test_coding_cells_loses_none(values):
    column = coded_cells(object_cells(values))
    assert column is None or column.tolist() == values
