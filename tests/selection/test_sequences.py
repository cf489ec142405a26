import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.selection.pool import Pool
from steelyard.selection.sequences import Sequences


def make_pool(segments):
    zeros = np.zeros(len(segments), dtype=np.int64)
    return Pool(zeros, zeros, 2, np.array(segments), zeros, np.ones(len(segments), dtype=bool))


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 12), st.integers(0, 99))
def test_sequences_are_disjoint_cover_everything_and_keep_their_length(items, size, length, seed):
    choices = Sequences(size, length).choose(make_pool([0] * items), None, 1, np.random.default_rng(seed))
    shown = [item for choice in choices for item in choice.items]
    assert sorted(shown) == list(range(items))
    for sequence in {choice.sequence for choice in choices}:
        held = sum(len(choice.items) for choice in choices if choice.sequence == sequence)
        assert held <= (length or items)


def test_tasks_stay_inside_a_segment():
    segments = [0, 1, 0, 1, 0, 1]
    for choice in Sequences(2).choose(make_pool(segments), None, 1, np.random.default_rng(0)):
        assert len({segments[item] for item in choice.items}) == 1
