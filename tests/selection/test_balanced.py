import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.selection.balanced import Balanced
from steelyard.selection.pool import Pool


def make_pool(items, wanted=3, answers=None, segments=None, systems=None, by_system=False, allowed=None):
    zeros = np.zeros(items, dtype=np.int64)
    return Pool(
        zeros if answers is None else np.array(answers),
        zeros,
        wanted,
        zeros if segments is None else np.array(segments),
        zeros if systems is None else np.array(systems),
        np.ones(items, dtype=bool) if allowed is None else np.array(allowed),
        by_system,
    )


@given(st.integers(1, 30), st.integers(1, 7), st.integers(1, 4), st.integers(0, 1000))
def test_every_item_ends_with_what_the_study_wants_and_no_list_repeats_one(items, size, wanted, seed):
    choices = Balanced(size).choose(make_pool(items, wanted), None, 10_000, np.random.default_rng(seed))
    shown = np.bincount([item for choice in choices for item in choice.items], minlength=items)
    assert (shown == wanted).all()
    assert all(len(set(choice.items)) == len(choice.items) <= size for choice in choices)


@given(st.integers(0, 1000))
def test_at_no_time_is_an_item_ahead_by_more_than_one(seed):
    choices = Balanced(1).choose(make_pool(7, 5), None, 20, np.random.default_rng(seed))
    shown = np.bincount([choice.items[0] for choice in choices], minlength=7)
    assert shown.max() - shown.min() <= 1


def test_items_with_fewer_answers_come_first():
    pool = make_pool(4, wanted=9, answers=[5, 0, 5, 0])
    (choice,) = Balanced(2).choose(pool, None, 1, np.random.default_rng(0))
    assert set(choice.items) == {1, 3}


def test_a_list_stays_inside_one_segment():
    segments = [0, 0, 0, 1, 1, 1, 2]
    for choice in Balanced(3).choose(make_pool(7, 2, segments=segments), None, 50, np.random.default_rng(0)):
        assert len({segments[item] for item in choice.items}) == 1


def test_items_that_a_rater_has_seen_are_left_out():
    pool = make_pool(4, allowed=[True, False, True, False])
    (choice,) = Balanced(4).choose(pool, None, 1, np.random.default_rng(0))
    assert set(choice.items) == {0, 2}


def test_nothing_is_chosen_when_every_item_has_its_answers():
    assert (
        Balanced(2).choose(make_pool(3, wanted=1, answers=[1, 1, 1]), None, 5, np.random.default_rng(0)) == []
    )


def test_at_system_level_outputs_come_once_and_never_two_of_one_system():
    systems = np.tile(np.arange(4), 10)
    segments = np.repeat(np.arange(10), 4)
    pool = make_pool(40, 1, segments=segments, systems=systems, by_system=True)
    choices = Balanced(2).choose(pool, None, 1000, np.random.default_rng(0))
    shown = [item for choice in choices for item in choice.items]
    assert sorted(shown) == list(range(40))
    for choice in choices:
        assert len({systems[item] for item in choice.items}) == len(choice.items)
        assert len({segments[item] for item in choice.items}) == 1


def test_at_system_level_systems_stay_level_while_outputs_are_left():
    systems, segments = np.tile(np.arange(4), 25), np.repeat(np.arange(25), 4)
    pool = make_pool(100, 1, segments=segments, systems=systems, by_system=True)
    choices = Balanced(2).choose(pool, None, 20, np.random.default_rng(1))
    counts = np.bincount([systems[item] for choice in choices for item in choice.items], minlength=4)
    assert counts.max() - counts.min() <= 2


def test_the_same_seed_chooses_the_same():
    runs = [Balanced(3).choose(make_pool(20), None, 6, np.random.default_rng(9)) for _ in range(2)]
    assert runs[0] == runs[1]
