from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.selection.all_pairs import AllPairs, groups_of, others_in
from steelyard.selection.known import selection_named
from steelyard.selection.pairing import joined, pair_of, pairs_among
from steelyard.selection.pool import Pool


def make_pool(items, segment=None, times=1, **facts):
    """Return a pool in which each item is to be compared this often with every other of its groups."""
    zeros = np.zeros(items, dtype=np.int64)
    segment = zeros if segment is None else np.array(segment)
    groups = facts.get("groups", ())
    wanted = times * (others_in(groups, items) if groups else np.bincount(segment)[segment] - 1)
    facts.setdefault("allowed", np.ones(items, dtype=bool))
    return Pool(answers=zeros, pending=zeros, wanted=wanted, segment=segment, system=zeros, **facts)


def compared(choice):
    """The pairs that a task asks about: its first item with each other."""
    return [pair_of(choice.items[0], other) for other in choice.items[1:]]


def wanted_pairs(groups):
    return {pair for group in groups for pair in pairs_among(group.tolist())}


@given(st.integers(1, 35), st.integers(2, 10), st.integers(1, 3), st.integers(0, 100))
def test_every_pair_of_a_group_is_asked_as_often_as_wanted(items, group_size, times, seed):
    groups = groups_of(np.zeros(items, dtype=np.int64), group_size, seed)
    pool = make_pool(items, times=times, groups=groups)
    choices = AllPairs().choose(pool, None, 100_000, np.random.default_rng(seed))
    asked = Counter(pair for choice in choices for pair in compared(choice))
    assert set(asked) == wanted_pairs(groups)
    assert set(asked.values()) <= {times}
    done = make_pool(items, times=times, groups=groups, paired=asked)
    assert AllPairs().choose(done, None, 1, np.random.default_rng(seed)) == []


@given(st.integers(1, 35), st.integers(0, 100))
def test_a_group_of_g_items_takes_g_minus_1_tasks(items, seed):
    pool = make_pool(items, groups=groups_of(np.zeros(items, dtype=np.int64), 10, seed))
    choices = AllPairs().choose(pool, None, 100_000, np.random.default_rng(seed))
    assert len(choices) == AllPairs().round_size(pool)
    assert all(len(set(choice.items)) == len(choice.items) >= 2 for choice in choices)


def test_all_pairs_come_once_before_any_comes_again():
    choices = AllPairs().choose(make_pool(6, times=2), None, 5, np.random.default_rng(0))
    assert sorted(pair for choice in choices for pair in compared(choice)) == pairs_among(range(6))


def test_tasks_stay_inside_a_segment():
    segment = [0, 1, 0, 1, 2, 0]
    choices = AllPairs().choose(make_pool(6, segment), None, 100, np.random.default_rng(0))
    assert {pair for choice in choices for pair in compared(choice)} == {(0, 2), (0, 5), (2, 5), (1, 3)}


@given(st.integers(0, 100))
def test_one_rater_is_shown_no_pair_again_and_several_raters_share_what_is_wanted(seed):
    rng, paired, met = np.random.default_rng(seed), Counter(), {"ann": set(), "bob": set(), "eve": set()}
    while met:
        rater = str(rng.choice(list(met)))
        pool = make_pool(7, times=2, met=frozenset(met[rater]), paired=paired)
        choices = AllPairs().choose(pool, None, 1, rng)
        if not choices:
            del met[rater]
            continue
        asked = compared(choices[0])
        assert not met[rater] & set(asked)
        met[rater] |= set(asked)
        paired.update(asked)
    assert sorted(paired) == pairs_among(range(7))
    assert set(paired.values()) == {2}


def test_a_group_under_way_is_finished_before_another_is_begun():
    paired = {(0, 1): 1, (0, 2): 1}
    pool = make_pool(6, [0, 0, 0, 1, 1, 1], paired=paired)
    for seed in range(20):
        (choice,) = AllPairs().choose(pool, None, 1, np.random.default_rng(seed))
        assert set(choice.items) == {1, 2}


def test_the_reference_is_any_item_and_the_others_come_in_any_order():
    rng = np.random.default_rng(1)
    firsts = [AllPairs().choose(make_pool(3), None, 1, rng)[0].items for _ in range(200)]
    assert len(set(firsts)) == 6


def test_items_that_may_not_be_shown_are_not():
    pool = make_pool(4, allowed=np.array([True, False, True, True]))
    choices = AllPairs().choose(pool, None, 100, np.random.default_rng(0))
    assert {pair for choice in choices for pair in compared(choice)} == {(0, 2), (0, 3), (2, 3)}


def test_the_cut_into_groups_depends_on_the_seed_alone():
    zeros = np.zeros(40, dtype=np.int64)
    cuts = [[group.tolist() for group in groups_of(zeros, 10, seed)] for seed in (3, 3, 4)]
    assert cuts[0] == cuts[1]
    assert cuts[0] != cuts[2]


@pytest.mark.parametrize(("items", "sizes"), [(11, [6, 6]), (19, [10, 10]), (25, [9, 9, 9]), (3, [3])])
def test_groups_are_of_about_one_size(items, sizes):
    assert [len(group) for group in groups_of(np.zeros(items, dtype=np.int64), 10, 0)] == sizes


@given(st.integers(2, 60), st.integers(2, 10), st.integers(0, 20))
def test_random_groups_share_items_so_that_all_are_linked(items, group_size, seed):
    part = np.arange(items)
    for group in groups_of(np.zeros(items, dtype=np.int64), group_size, seed):
        part = joined(part, np.array(pairs_among(group.tolist())))
    assert len(set(part.tolist())) == 1


def test_segments_are_groups_as_they_are():
    groups = groups_of(np.array([0, 1, 0, 2, 1]), 2, 0)
    assert [group.tolist() for group in groups] == [[0, 2], [1, 4], [3]]


def test_it_is_found_by_name_with_the_settings_it_has():
    assert selection_named("all_pairs", size=5, least=2) == AllPairs()


@given(st.integers(4, 12), st.integers(0, 100))
def test_no_task_of_four_items_or_more_has_a_single_pair(items, seed):
    choices = AllPairs().choose(make_pool(items), None, 100_000, np.random.default_rng(seed))
    assert min(len(compared(choice)) for choice in choices) >= 2


def test_three_items_need_a_task_with_a_single_pair():
    choices = AllPairs().choose(make_pool(3), None, 100, np.random.default_rng(0))
    assert [len(compared(choice)) for choice in choices] == [2, 1]
