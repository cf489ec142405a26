import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.judgments.coding import Vocabulary, code, merge

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


def test_merged_vocabularies_share_their_labels():
    parts = [{"item": code(["a", "b"])[1]}, {"item": code(["b", "c"])[1]}]
    joined, recodings = merge(parts)
    assert joined["item"].labels.tolist() == ["a", "b", "c"]
    assert [recoding["item"].tolist() for recoding in recodings] == [[0, 1], [1, 2]]


def test_a_vocabulary_keeps_only_what_is_used():
    vocabulary = Vocabulary(np.array(["a", "b", "c"], dtype=object))
    kept, new = vocabulary.kept(np.array([2, -1, 0]))
    assert (kept.labels.tolist(), new.tolist()) == (["a", "c"], [0, -1, 1])
